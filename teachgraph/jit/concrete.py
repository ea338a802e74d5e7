"""Concrete program: a function is traced for arguments of one kind, then run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from traceback import clear_frames
from types import NoneType
from typing import TYPE_CHECKING, Any

from teachgraph.autograd.observed import node_of
from teachgraph.autograd.random_state import get_rng_state
from teachgraph.autograd.tensor import Tensor
from teachgraph.autograd.views import store
from teachgraph.core import modes, unique_name
from teachgraph.core.executor import silence
from teachgraph.core.modes import is_recording, recording
from teachgraph.core.observe import announce, observers
from teachgraph.core.steps import Lowering, Step, Values, run_steps
from teachgraph.core.tape import Node
from teachgraph.core.threads import Guard
from teachgraph.jit.arguments import as_specs, flattened
from teachgraph.jit.convert_call import convert_layer
from teachgraph.jit.guards import Conditions
from teachgraph.jit.messages import Stopped
from teachgraph.jit.outputs import Outputs, outputs_of, result_of
from teachgraph.jit.recursion import endless
from teachgraph.jit.split_program import Part, forward_part
from teachgraph.jit.taped import Goal, Goals, Taped, appended, seed_name, taped_for
from teachgraph.jit.tracing import Tracer
from teachgraph.nn import Layer
from teachgraph.planning.whole_steps import Uninterrupted
from teachgraph.static.input_spec import InputSpec
from teachgraph.static.program import Program, program_guard
from teachgraph.static.scope import Scope
from teachgraph.static.variable import Parameter, Variable

if TYPE_CHECKING:
    from teachgraph.jit.static_function import StaticFunction

__all__ = ["ConcreteProgram", "trace"]


def trace(static: StaticFunction, values: tuple[Any, ...]) -> ConcreteProgram:
    """Trace a function for arguments like these."""
    here, inputs = Tracer(outermost=call_traced.__code__), list[Variable]()
    try:
        results = call_traced(here, static, values, inputs)
    except BaseException:  # Ctrl-C may have come as it was left
        here.leave()
        raise
    inputs = here.fed(inputs) if here.changes else inputs
    program = ConcreteProgram(here, inputs, results, function_name(static))
    program.function, program.matched = static.dygraph_function, True
    if not all(isinstance(value, Tensor) for value in values):
        program.arguments = as_specs(values)
    return program


def function_name(static: StaticFunction) -> str:
    """Return a function's name; a method's comes after that of its class."""
    qualname = getattr(static.function, "__qualname__", static.__name__)
    name = qualname.rpartition("<locals>.")[2]
    return name if name.endswith(static.__name__) else static.__name__


def call_traced(
    here: Tracer,
    static: StaticFunction,
    values: tuple[Any, ...],
    inputs: list[Variable],
) -> Outputs:
    """Call the converted function on Variables; what it did to objects is undone."""
    reads_flags = static.function_spec.reads_flags
    with (
        modes.using(static=True),
        # One program serves `no_grad` as well, unless the function asks for it.
        Guard(recording.get, recording.set, is_recording() or not reads_flags),
        unique_name.guard(),
        program_guard(here.program, here.startup),
    ):
        try:
            here.enter()
            if isinstance(static.receiver, Layer):
                here.meet(static.receiver)
                prepared_within(static.receiver)
            args, kwargs = static.function_spec.variables(values, inputs)
            if reads_flags:
                take_flags(inputs, flattened(values)[0])
            here.roots = searched(static.receiver, *values)
            result = static.converted_function(*args, **kwargs)
            return outputs_of(result, here)
        except Exception as error:
            if observers:
                announce("tracing_failed", static, here.program)
            if isinstance(error, RecursionError):
                raise endless(error) from None
            raise
        except KeyboardInterrupt as error:
            # It may have come at the end of a `with`, which ends as its frame is gone.
            clear_frames(error.__traceback__)
            raise
        finally:
            with Uninterrupted():
                here.restore()
                here.leave()


def searched(*roots: Any) -> list[Any]:
    """Return the values in which a trace looks for Tensors.

    In a function of its own: a Ctrl-C in a comprehension leaves the `with` block around
    it open in Python 3.13.
    """
    return [v for v in roots if not isinstance(v, (Tensor, NoneType))]


def take_flags(inputs: list[Variable], tensors: list[Tensor]) -> None:
    """Give fed Variables the `stop_gradient` of the arguments of a call."""
    for variable, tensor in zip(inputs, tensors, strict=False):
        variable.stop_gradient |= tensor.stop_gradient


def prepared_within(layer: Layer) -> None:
    """Convert the sublayers of a layer, which the framework's own layers may call."""
    for child in layer.children():
        convert_layer(child)


class ConcreteProgram:
    """The program of a function for arguments of one kind.

    Attributes:
        main_program: The program.
        startup_program: The initializers of its parameters, which never run: the
            parameters have values already.
        inputs: The fed variables.
        outputs: The returned variables.
        parameters: The Parameters of layers that it uses.
        held: All Tensors that it reads besides its inputs, by name.
        number: Its number among the programs of its function.
        conditions: What it depends on besides its arguments.
        arguments: The arguments it was traced for, with specs in place of tensors; None
            if all of them are tensors.
        function: The user's function, if there is one.
        matched: Whether inputs are as declared: a call's key has their shapes and
            dtypes, or they agree with the input spec.

    In Paddle this is `paddle.jit.dy2static.program_translator.ConcreteProgram`.
    """

    def __init__(
        self, tracer: Tracer, inputs: Sequence[Variable], results: Outputs, name: str
    ) -> None:
        self.main_program, self.startup_program = tracer.program, tracer.startup
        self.inputs, self.results, self.name = list(inputs), results, name
        self.names = [variable.name for variable in inputs]
        self.held = dict(tracer.held)
        self.tensors, self.pairs = list(self.held.values()), list(self.held.items())
        self.conditions = Conditions(tracer, results)
        self.number, self.has_run, self.matched = 0, False, False
        self.arguments: tuple[Any, ...] | None = None
        self.function: Callable[..., Any] | None = None
        self.taped: dict[Goals, dict[Goals, Taped | None]] = {}
        self.latest: tuple[list[Goal], dict[Goals, Taped | None]] = [], {}

    @property
    def values(self) -> tuple[Any, ...]:
        """The arguments it was traced for, with specs in place of tensors."""
        if self.arguments is not None:
            return self.arguments
        return tuple(InputSpec(list(v.shape), v.dtype) for v in self.inputs)

    @cached_property
    def sources(self) -> list[Variable]:
        """The variables of its inputs, and of the Tensors it holds."""
        block = self.main_program.global_block()
        return [*self.inputs, *(block.var(name) for name in self.held)]

    @cached_property
    def random(self) -> bool:
        """True if it draws numbers."""
        return any(op.op.random for b in self.main_program.blocks for op in b.ops)

    @property
    def outputs(self) -> list[Variable]:
        """The returned variables."""
        return self.results.variables

    @property
    def parameters(self) -> list[Any]:
        """The Parameters of layers that it uses."""
        block = self.main_program.global_block()
        return [t for n, t in self.held.items() if isinstance(block.var(n), Parameter)]

    def __call__(self, inputs: Sequence[Tensor]) -> Any:
        """Run it on these inputs; the results have gradients to them and to `held`."""
        outputs = self.announced(inputs) if observers else self.computed(inputs)
        return self.results.packed(outputs)

    def computed(self, inputs: Sequence[Tensor]) -> list[Any]:
        """Compute the outputs, on the tape if a source requires a gradient."""
        if is_recording() and (taped := self.taped_plan(inputs)) is not None:
            return taped.run(self, inputs)
        feed, values = self.fed(inputs), self.arrays()
        if self.has_run or observers:
            fetched = self.run(self.plain, feed, values)
        else:
            fetched = self.walk(feed, values)
        return [result_of(value) for value in fetched]

    def walk(self, feed: dict[str, Any], values: dict[str, Any]) -> list[Any]:
        """Run the operators one by one, as they were traced; return the outputs.

        This is the first run, and for many a program the only one. A program that runs
        again is worth its passes, and to be written down as Python.

        Raises:
            Exception: The error of the user's own `raise` or `assert`.
        """
        self.has_run = True
        steps, present = Lowering(self.main_program, {}).steps(), {**feed, **values}
        kept = {*values, *(v.name for v in self.outputs)}
        try:
            silence.call().run(run_through, steps, present, kept)
        except Stopped as error:
            raise user_error(error) from None
        for name, tensor in self.pairs:
            if present[name] is not values[name]:
                store(tensor, present[name])
        return [present[v.name] for v in self.outputs]

    @cached_property
    def plain(self) -> Part:
        """The plan of the runs without a gradient."""
        names = [v.name for v in self.outputs]
        return forward_part(self.main_program, self.names, names, matched=self.matched)

    def announced(self, inputs: Sequence[Tensor]) -> list[Any]:
        """Compute the outputs, announced as one op: on the tape it is one."""
        sources = [*inputs, *self.tensors]
        announce("op_begin", self.name, sources, {})
        try:
            outputs = self.computed(inputs)
        except Exception as error:
            announce("op_failed", self.name, sources, {}, error)
            raise
        node, tensors = on_tape(outputs)
        announce("op_end", self.name, sources, tensors, {}, node)
        return outputs

    def fed(self, inputs: Sequence[Tensor]) -> dict[str, Any]:
        """Return the arrays of the inputs, by name."""
        return dict(zip(self.names, [t.data for t in inputs], strict=True))

    def arrays(self) -> dict[str, Any]:
        """Return the arrays of the held Tensors, by name."""
        return {name: tensor.data for name, tensor in self.pairs}

    def rng_state(self) -> Any:
        """Return the state of the random generator, if the program uses it."""
        return get_rng_state() if self.random else None

    def run(
        self, part: Part, feed: dict[str, Any], values: dict[str, Any]
    ) -> list[Any]:
        """Run a part; write its results to the held Tensors; return its fetches.

        Raises:
            Exception: The error of the user's own `raise` or `assert`.
        """
        scope = Scope()
        scope.values = values
        try:
            fetched = part(feed, scope)
        except Stopped as error:
            raise user_error(error) from None
        for name in part.stores:
            store(self.held[name], values[name])
        return fetched

    def taped_plan(self, inputs: Sequence[Tensor]) -> Taped | None:
        """Return the plans with a backward to all sources that require a gradient.

        They are cached by these sources: None if there are none.
        """
        held = [t.stop_gradient if t.node is None else goal_of(t) for t in self.tensors]
        fed = tuple([tensor.stop_gradient for tensor in inputs])
        if False not in fed and False not in held and None not in held:
            return None
        # A training loop asks for the same plan each time: compare, before hashing.
        latest_held, by_inputs = self.latest
        if held != latest_held:
            by_inputs = self.taped.setdefault(tuple(held), {})
            self.latest = held, by_inputs
        if fed not in by_inputs:
            by_inputs[fed] = taped_for(self, fed, tuple(held))
        return by_inputs[fed]

    def gradient(
        self, targets: Sequence[str], leaves: Sequence[str]
    ) -> ConcreteProgram:
        """Build the gradient program: its inputs are all sources, then the seeds.

        Args:
            targets: The outputs that have upstream gradients, the seeds.
            leaves: The sources to differentiate with respect to.
        """
        program = self.main_program.clone()
        remove_effects(program)
        block = program.global_block()
        # What the program held is fed to its gradient, which is a function of it.
        for name in self.held:
            old = block.vars.pop(name)
            stop = old.stop_gradient
            block.create_var(
                name, old.shape, old.dtype, is_data=True, stop_gradient=stop
            )
        gradients = appended(program, targets, leaves, stopped=False)
        names = [v.name for v in self.sources] + [seed_name(name) for name in targets]
        results = Outputs()
        results.tree = [results.slot(block.var(name)) for name in gradients if name]
        inputs = [block.var(name) for name in names]
        return ConcreteProgram(Tracer(program), inputs, results, f"{self.name}_grad")


def run_through(steps: Sequence[Step], values: Values, kept: set[str]) -> None:
    """Run steps one by one; let go of a value after its last reader, unless kept."""
    last = {name: step for step in steps for name in step.arguments}
    for step in steps:
        run_steps([step], values)
        for name in {*step.arguments} - kept:
            if name is not None and last[name] is step:
                values.pop(name, None)


def on_tape(outputs: Sequence[Any]) -> tuple[Node | None, list[Tensor]]:
    """Return the node of a call, and its results, those with a gradient first.

    The parts of a tensor array have a node of their own: then there is no common one.
    """
    tensors = [y for y in outputs if isinstance(y, Tensor)]
    taped = [y for y in tensors if y.node is not None]
    if len(tensors) < len(outputs):
        return None, tensors
    return node_of(taped), [*taped, *(y for y in tensors if y.node is None)]


def goal_of(tensor: Tensor) -> Goal:
    """Return the goal of a tensor that is the output of an op."""
    return True if tensor.stop_gradient else None


def remove_effects(program: Program) -> None:
    """Remove operators without outputs: the forward has printed and checked already."""
    for block in program.blocks:
        # From the end, so that the indices still to come stay valid.
        for at in reversed(range(len(block.ops))):
            if not block.ops[at].output_arg_names and block.ops[at].sub_block is None:
                block._remove_op(at)


def user_error(error: Stopped) -> BaseException:
    """Return the error of the user's own `raise` or `assert`, with its line."""
    cause = error.__cause__
    assert cause is not None
    if error.where is not None:
        cause.add_note(f"at {error.where}")
    return cause
