"""A traced function for inputs of one kind: its program, and how that is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph import modes, unique_name
from teachgraph.eager import Tensor
from teachgraph.eager.tape import Edge, Node, Output
from teachgraph.errors import ModeError, at_user_line
from teachgraph.executor import Scope
from teachgraph.jit.messages import Stopped
from teachgraph.jit.outputs import Outputs
from teachgraph.jit.parts import Part, cut, forward_part
from teachgraph.jit.spots import MISSING, Spot
from teachgraph.jit.tracing import Tracer
from teachgraph.modes import state
from teachgraph.ops.op import Op, Rule
from teachgraph.ops.tensor_array import TensorArray
from teachgraph.static.backward import gradients
from teachgraph.static.program import Program, program_guard
from teachgraph.static.variable import Parameter, Variable

__all__ = ["ConcreteProgram"]

Wanted = tuple[bool, ...]


class ConcreteProgram:
    """What became of a function for inputs of one kind.

    Attributes:
        main_program: The program.
        startup_program: What would begin its parameters; they have values already.
        inputs: The variables that are fed.
        outputs: The variables that are returned.
        parameters: The Parameters of layers that it uses.
        held: All Tensors that it takes in besides its inputs, by name.
        number: Which of its function's programs it is.
        values: The arguments it was traced for, with specs in place of tensors.

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
        self.number = 0
        self.values: tuple[Any, ...] = ()
        self.taped: dict[Wanted, Taped | None] = {}
        self.tensors = list(self.held.values())
        self.pairs = list(self.held.items())
        floats = [tensor.data.dtype.kind == "f" for tensor in self.tensors]
        stopped = zip(self.tensors, self.stopped, floats, strict=True)
        found = origins(tracer, results, self.tensors)
        self.where = [(s.values, s.name, v) for s, v in found if type(s) is Spot]
        self.cells = [(s, v) for s, v in found if type(s) is not Spot]
        self.frozen = [tensor for tensor, stop, real in stopped if stop and real]

    @property
    def outputs(self) -> list[Variable]:
        """The variables that are returned."""
        return self.results.variables

    @property
    def parameters(self) -> list[Any]:
        """The Parameters of layers that it uses."""
        block = self.main_program.global_block()
        return [t for n, t in self.held.items() if isinstance(block.var(n), Parameter)]

    def current(self) -> bool:
        """Whether layers train as they did, and hold the same Tensors, as frozen."""
        if [layer.training for layer in self.layers] != self.training:
            return False
        if False in [tensor.stop_gradient for tensor in self.frozen]:
            return False
        return not self.passed

    @property
    def passed(self) -> bool:
        """Whether something it depends on is another by now, and will not come back."""
        for values, name, value in self.where:
            if values.get(name, MISSING) is not value:
                return True
        return any(spot.get() is not value for spot, value in self.cells)

    def __call__(self, inputs: Sequence[Tensor]) -> Any:
        """Run it on these inputs; a gradient goes back to them and to what it holds."""
        if state.grad:
            edges = [
                None if t.stop_gradient else t if t.node is None else t.node
                for t in (*inputs, *self.tensors)
            ]
            wanted = tuple([edge is not None for edge in edges])
            if True in wanted:
                taped = self.way_back(wanted)
                if taped is not None:
                    return self.results.packed(taped.run(self, inputs, edges))
        if self.plain is None:
            names = [v.name for v in self.outputs]
            self.plain = forward_part(self.main_program, self.names, names)
        found = self.run(self.plain, inputs)
        return self.results.packed([result_of(value) for value in found])

    def run(self, part: Part, inputs: Sequence[Tensor]) -> list[Any]:
        """The values that a part fetches.

        Raises:
            Exception: What the user's own `raise` or `assert` says.
        """
        feed = dict(zip(self.names, [t.data for t in inputs], strict=True))
        scope = Scope()
        scope.values = {name: tensor.data for name, tensor in self.pairs}
        try:
            found = part(feed, scope)
        except Stopped as error:
            raise told(error) from None
        for name in part.stores:
            value = scope.values[name]
            assert value is not None
            self.held[name].data = value
        return found

    def way_back(self, wanted: Wanted) -> Taped | None:
        """How to run it so that gradients go to these, made when first needed."""
        if wanted not in self.taped:
            self.taped[wanted] = taped_for(self, wanted)
        return self.taped[wanted]


def origins(
    tracer: Tracer, results: Outputs, tensors: Sequence[Tensor]
) -> list[tuple[Spot, Any]]:
    """Where the trace found what it depends on: Tensors, layers, what it changes."""
    ids = {id(tensor) for tensor in tensors} | {id(layer) for layer in tracer.layers}
    found = [(spot, spot.get()) for spot in tracer.places() if id(spot.get()) in ids]
    written = [spot for spot, _ in results.state]
    others = [spot for spot in written if not isinstance(spot.before, Tensor)]
    return found + [(spot, spot.before) for spot in others]


def result_of(value: Any) -> Any:
    """A fetched value as a Tensor, or a list of them."""
    if isinstance(value, TensorArray):
        return [Tensor(part) for part in value.parts]
    return Tensor(value)


def told(error: Stopped) -> BaseException:
    """What the user's own `raise` or `assert` raises, and where it stands."""
    found = error.__cause__
    assert found is not None
    if error.where is not None:
        found.add_note(f"at {error.where}")
    return found


class Taped:
    """A concrete program with its way back.

    Attributes:
        forward: What runs now.
        back: What runs when gradients arrive.
        op: What the tape knows the whole by.
        leaves: The places of the sources that get a gradient.
        through: For each output, its place among those with a gradient, or None.
    """

    def __init__(
        self,
        forward: Part,
        back: Part,
        op: Op,
        leaves: Sequence[int],
        through: Sequence[int | None],
    ) -> None:
        self.forward, self.back, self.op = forward, back, op
        self.leaves, self.through = leaves, through
        self.count = len(through)
        self.single = len(op.outputs) == 1

    def run(
        self,
        concrete: ConcreteProgram,
        inputs: Sequence[Tensor],
        edges: Sequence[Edge | None],
    ) -> list[Any]:
        """The outputs, with one node on the tape behind them."""
        found = concrete.run(self.forward, inputs)
        node = Node(self.op, [edges[i] for i in self.leaves], found, {})
        results: list[Any] = []
        for value, place in zip(found, self.through, strict=False):
            if place is None:
                results.append(result_of(value))
                continue
            edge = node if self.single else Output(node, place)
            if isinstance(value, TensorArray):
                results.append(parts_of(value, edge))
            else:
                results.append(Tensor(value, False, edge))
        return results


def parts_of(array: TensorArray, edge: Edge) -> list[Tensor]:
    """The parts of a list of the program, whose gradients meet in one of the list."""
    count = len(array.parts)
    if count < 2:
        part = ProgramOp("list", ["part"], PartsRule(array))
        return [Tensor(p, False, Node(part, [edge], [], {})) for p in array.parts]
    op = ProgramOp("list", [f"part_{i}" for i in range(count)], PartsRule(array))
    node = Node(op, [edge], [], {})
    return [Tensor(p, False, Output(node, i)) for i, p in enumerate(array.parts)]


class PartsRule(Rule):
    """The gradient of a list: the gradients of its parts, zeros where there is none."""

    def __init__(self, array: TensorArray) -> None:
        self.array = array
        self.upstream = tuple(range(len(array.parts)))
        self.saved, self.sources, self.shape_only = (), (), ()
        self.variadic = False

    def __call__(
        self, upstream: Sequence[Any], saved: Sequence[Any], attrs: Any
    ) -> tuple[Any, ...]:
        """A list of gradients."""
        pairs = zip(upstream, self.array.parts, strict=True)
        return (
            TensorArray(
                np.zeros_like(p) if dout is None else dout for dout, p in pairs
            ),
        )


class BackRule(Rule):
    """The rule of a taped program: its way back, on what the way forward kept."""

    def __init__(
        self, back: Part, kept: Sequence[str], targets: Sequence[str], name: str
    ) -> None:
        self.back, self.kept, self.name = back, list(kept), name
        self.seeds = [seed_name(target) for target in targets]
        self.places = [self.kept.index(target) for target in targets]
        self.upstream = tuple(range(len(targets)))
        self.saved = tuple(self.kept)
        self.sources = tuple(-1 - i for i in range(len(kept)))
        self.shape_only = (False,) * len(kept)
        self.variadic = False

    def __call__(
        self, upstream: Sequence[Any], saved: Sequence[Any], attrs: Any
    ) -> tuple[Any, ...]:
        """A gradient for each leaf.

        Raises:
            ModeError: The pass itself is to be recorded.
        """
        if any(isinstance(dout, Tensor) for dout in upstream):
            raise ModeError(at_user_line(once(self.name)))
        feed = dict(zip(self.kept, saved, strict=True))
        for seed, place, dout in zip(self.seeds, self.places, upstream, strict=True):
            feed[seed] = zeros_like(saved[place]) if dout is None else dout
        found = self.back(feed, Scope())
        left = iter(found)
        return tuple(next(left) if name else None for name in self.wanted)

    wanted: Sequence[str | None] = ()


def zeros_like(value: Any) -> Any:
    """Zeros like an array, or like each part of a list."""
    return value.zeros() if isinstance(value, TensorArray) else np.zeros_like(value)


def once(name: str) -> str:
    """The message for a gradient of a gradient."""
    return (
        f"the gradient of {name!r}, which to_static made a program of, cannot itself "
        "be differentiated: call enable_to_static(False) first, and it runs op by op"
    )


def seed_name(target: str) -> str:
    """What the gradient that arrives at an output is called."""
    return f"{target}@ARRIVES"


class ProgramOp(Op):
    """A whole program as the tape and whoever watches it know an op."""

    def __init__(self, name: str, outputs: Sequence[str], rule: Rule) -> None:
        self.type, self.rule = name, rule
        self.inputs: tuple[str, ...] = ()
        self.outputs = tuple(outputs)
        self.attrs: dict[str, Any] = {}
        self.variadic, self.replaces = False, ()


def taped_for(concrete: ConcreteProgram, wanted: Wanted) -> Taped | None:
    """The ways forward and back for gradients of some sources, if there are any."""
    stopped = [False] * len(concrete.inputs) + concrete.stopped
    leaves = [
        i
        for i, (want, stop) in enumerate(zip(wanted, stopped, strict=True))
        if want and not stop and concrete.sources[i].dtype.kind == "f"
    ]
    names = [concrete.sources[i].name for i in leaves]
    reached = reachable(concrete.main_program, names)
    targets = [v.name for v in concrete.outputs if v.name in reached and goes_on(v)]
    if not targets:
        return None
    program = concrete.main_program.clone()
    found = appended(program, targets, names)
    seeds = [seed_name(target) for target in targets]
    fetches = [v.name for v in concrete.outputs]
    got = [name for name in found if name is not None]
    forward, back = cut(program, concrete.names, fetches, seeds, got)
    rule = BackRule(back, forward.fetches, targets, concrete.name)
    rule.wanted = found
    op = ProgramOp(concrete.name, targets, rule)
    through = [targets.index(n) if n in targets else None for n in fetches]
    return Taped(forward, back, op, leaves, through)


def goes_on(variable: Variable) -> bool:
    """Whether a gradient may come to an output."""
    return not variable.stop_gradient and variable.dtype.kind == "f"


def appended(
    program: Program, targets: Sequence[str], leaves: Sequence[str]
) -> list[str | None]:
    """Append the gradients of some variables; their names, None where there is none."""
    block = program.global_block()
    with modes.using(static=True), unique_name.guard(), program_guard(program):
        roots = [block.var(name) for name in targets]
        arriving = [
            block.create_var(
                seed_name(v.name),
                v.shape,
                v.dtype,
                is_data=True,
                stop_gradient=True,
                type=v.type,
            )
            for v in roots
        ]
        found = gradients(roots, [block.var(name) for name in leaves], arriving)
    return [None if v is None else v.name for v in found]


def reachable(program: Program, leaves: Sequence[str]) -> set[str]:
    """The variables that some leaves lead to."""
    found = set(leaves)
    for operator in program.global_block().ops:
        if found.intersection(operator.input_arg_names):
            found.update(operator.output_arg_names)
    return found
