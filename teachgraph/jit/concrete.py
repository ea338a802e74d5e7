"""Concrete program: a function traced for arguments of one kind, and its execution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.autograd.random_state import get_rng_state
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.modes import state
from teachgraph.core.observe import announce, observers
from teachgraph.core.scope import Scope
from teachgraph.core.tape import Node
from teachgraph.core.tensor import node_of
from teachgraph.jit.guards import Guard, Watch, broken
from teachgraph.jit.messages import Stopped
from teachgraph.jit.outputs import Outputs
from teachgraph.jit.side_effects import CellSlot, StateSlot
from teachgraph.jit.split_program import Part, forward_part
from teachgraph.jit.taped import (
    Goal,
    Goals,
    Taped,
    appended,
    result_of,
    seed_name,
    taped_for,
)
from teachgraph.jit.tracing import Tracer
from teachgraph.nn.layer import changes
from teachgraph.static.program import Program
from teachgraph.static.variable import Parameter, Variable

__all__ = ["ConcreteProgram"]


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
        values: The arguments it was traced for, with specs in place of tensors.
        function: The user's function, if there is one.

    In Paddle this is `paddle.jit.dy2static.program_translator.ConcreteProgram`.
    """

    def __init__(
        self, tracer: Tracer, inputs: Sequence[Variable], results: Outputs, name: str
    ) -> None:
        self.main_program, self.startup_program = tracer.program, tracer.startup
        self.inputs, self.results, self.name = list(inputs), results, name
        self.held = dict(tracer.held)
        self.names = [variable.name for variable in inputs]
        block = self.main_program.global_block()
        held = [block.var(name) for name in self.held]
        self.stopped = [v.stop_gradient or v.dtype.kind != "f" for v in held]
        self.sources = [*self.inputs, *held]
        self.layers = list(tracer.layers)
        self.training = [layer.training for layer in self.layers]
        self.plain: Part | None = None
        self.random = any(
            op.op.random for b in self.main_program.blocks for op in b.ops
        )
        self.number = 0
        self.values: tuple[Any, ...] = ()
        self.function: Callable[..., Any] | None = None
        self.taped: dict[Goals, dict[Goals, Taped | None]] = {}
        self.latest: tuple[list[Goal], dict[Goals, Taped | None]] = [], {}
        self.tensors = list(self.held.values())
        self.pairs = list(self.held.items())
        floats = [tensor.data.dtype.kind == "f" for tensor in self.tensors]
        stopped = zip(self.tensors, self.stopped, floats, strict=True)
        slots = origins(tracer, results, self.tensors)
        inside = {id(layer.__dict__) for layer in self.layers}
        own = [type(s) is StateSlot and id(s.values) in inside for s, _ in slots]
        self.within = [pair for pair, mine in zip(slots, own, strict=True) if mine]
        self.around = [pair for pair, mine in zip(slots, own, strict=True) if not mine]
        watch = watched(tracer, results)
        self.guards, self.of_layers = watch.guards, watch.of_layers
        self.seen = -1
        self.frozen = [tensor for tensor, stop, real in stopped if stop and real]

    @property
    def outputs(self) -> list[Variable]:
        """The returned variables."""
        return self.results.variables

    @property
    def parameters(self) -> list[Any]:
        """The Parameters of layers that it uses."""
        block = self.main_program.global_block()
        return [t for n, t in self.held.items() if isinstance(block.var(n), Parameter)]

    def current(self) -> bool:
        """True if all guards hold, and layers have the same mode and Tensors.

        Asked at each call, so the cheap tests come first: the layers are compared only
        if some layer has been assigned to since the last time.
        """
        if False in [tensor.stop_gradient for tensor in self.frozen]:
            return False
        if self.seen == changes.count:
            return not self.moved(self.around) and broken(self.guards) is None
        now = changes.count
        if self.passed or [one.training for one in self.layers] != self.training:
            return False
        if self.broken() is not None:
            return False
        self.seen = now
        return True

    def broken(self) -> Guard | None:
        """Return the first guard that no longer holds, if any."""
        return broken(self.guards) or broken(self.of_layers)

    @staticmethod
    def moved(places: Sequence[tuple[StateSlot, Any]]) -> bool:
        """True if one of these slots holds another value by now."""
        return any(slot.get() is not value for slot, value in places)

    @property
    def passed(self) -> bool:
        """True if an object it depends on has been replaced: it can be dropped."""
        return self.moved((*self.around, *self.within))

    def __call__(self, inputs: Sequence[Tensor]) -> Any:
        """Run it on these inputs; the results have gradients to them and to `held`."""
        outputs = self.announced(inputs) if observers else self.computed(inputs)
        return self.results.packed(outputs)

    def computed(self, inputs: Sequence[Tensor]) -> list[Any]:
        """Compute the outputs, on the tape if a source requires a gradient."""
        if state.grad and (taped := self.taped_plan(inputs)) is not None:
            return taped.run(self, inputs)
        if self.plain is None:
            names = [v.name for v in self.outputs]
            self.plain = forward_part(self.main_program, self.names, names)
        values = self.run(self.plain, self.fed(inputs), self.arrays())
        return [result_of(value) for value in values]

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
            self.held[name].data = values[name]
        return fetched

    def taped_plan(self, inputs: Sequence[Tensor]) -> Taped | None:
        """Return the plans with a backward to all sources that require a gradient.

        They are cached by these sources: None if there are none.
        """
        held = [t.stop_gradient if t.node is None else inner(t) for t in self.tensors]
        # A training loop asks for the same plan each time: compare, before hashing.
        latest_held, by_inputs = self.latest
        if held != latest_held:
            by_inputs = self.taped.setdefault(tuple(held), {})
            self.latest = held, by_inputs
        fed = tuple([tensor.stop_gradient for tensor in inputs])
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


def on_tape(outputs: Sequence[Any]) -> tuple[Node | None, list[Tensor]]:
    """Return the node of a call, and its results, those with a gradient first.

    The parts of a tensor array have a node of their own: then there is no common one.
    """
    tensors = [y for y in outputs if isinstance(y, Tensor)]
    taped = [y for y in tensors if y.node is not None]
    if len(tensors) < len(outputs):
        return None, tensors
    return node_of(taped), [*taped, *(y for y in tensors if y.node is None)]


def inner(tensor: Tensor) -> Goal:
    """Return the goal of a tensor that is the output of an op."""
    return True if tensor.stop_gradient else None


def origins(
    tracer: Tracer, results: Outputs, tensors: Sequence[Tensor]
) -> list[tuple[StateSlot, Any]]:
    """List the slots that hold Tensors, layers and changed values, with their values.

    If one holds another object at a later call, the program does not fit that call.
    """
    ids = {id(tensor) for tensor in tensors} | {id(layer) for layer in tracer.layers}
    slots = [(s, s.get()) for s in tracer.state_slots() if id(s.get()) in ids]
    written = [slot for slot, _ in results.state]
    others = [slot for slot in written if not isinstance(slot.before, Tensor)]
    return slots + [(slot, slot.before) for slot in others]


def watched(tracer: Tracer, results: Outputs) -> Watch:
    """Collect guards of all that a trace read, except slots that its runs write."""
    written = [slot for slot, _ in results.state]
    cells = {id(slot.cell) for slot in written if isinstance(slot, CellSlot)}
    own = {(id(s.values), s.name) for s in written if type(s) is StateSlot}
    watch = Watch(tracer.met)
    for function in tracer.met:
        watch.function(function, cells, own)
    for layer, before in tracer.layers.items():
        names = {name for owner, name in own if owner == id(layer.__dict__)}
        watch.layer(layer, before, names)
    for value in tracer.roots:
        watch.value(value, type(value).__name__)
    return watch


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
