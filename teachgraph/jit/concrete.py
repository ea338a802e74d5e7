"""A traced function for inputs of one kind: its program, and how that is run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.modes import state
from teachgraph.core.observe import announce, observers
from teachgraph.core.random import get_rng_state
from teachgraph.core.scope import Scope
from teachgraph.core.tape import Node
from teachgraph.core.tensor import node_of
from teachgraph.jit.guards import Guard, Watch, broken
from teachgraph.jit.messages import Stopped
from teachgraph.jit.outputs import Outputs
from teachgraph.jit.side_effects import Cell, Spot
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
        found = origins(tracer, results, self.tensors)
        inside = {id(layer.__dict__) for layer in self.layers}
        own = [type(spot) is Spot and id(spot.values) in inside for spot, _ in found]
        self.within = [place for place, mine in zip(found, own, strict=True) if mine]
        self.around = [
            place for place, mine in zip(found, own, strict=True) if not mine
        ]
        watch = watched(tracer, results)
        self.guards, self.of_layers = watch.guards, watch.of_layers
        self.seen = -1
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
        if False in [tensor.stop_gradient for tensor in self.frozen]:
            return False
        if self.seen == changes.count:  # nobody has touched a layer
            return not self.moved(self.around) and broken(self.guards) is None
        now = changes.count
        if self.passed or [one.training for one in self.layers] != self.training:
            return False
        if self.broken() is not None:
            return False
        self.seen = now
        return True

    def broken(self) -> Guard | None:
        """What it read that is another by now, if there is anything."""
        return broken(self.guards) or broken(self.of_layers)

    @staticmethod
    def moved(places: Sequence[tuple[Spot, Any]]) -> bool:
        """Whether something else is in one of these places by now."""
        return any(spot.get() is not value for spot, value in places)

    @property
    def passed(self) -> bool:
        """Whether something it depends on is another by now, and will not come back."""
        return self.moved((*self.around, *self.within))

    def __call__(self, inputs: Sequence[Tensor]) -> Any:
        """Run it on these inputs; a gradient goes back to them and to what it holds."""
        found = self.announced(inputs) if observers else self.computed(inputs)
        return self.results.packed(found)

    def computed(self, inputs: Sequence[Tensor]) -> list[Any]:
        """What it gives, on the tape where a gradient may be wanted."""
        if state.grad and (taped := self.way_back(inputs)) is not None:
            return taped.run(self, inputs)
        if self.plain is None:
            names = [v.name for v in self.outputs]
            self.plain = forward_part(self.main_program, self.names, names)
        found = self.run(self.plain, self.fed(inputs), self.arrays())
        return [result_of(value) for value in found]

    def announced(self, inputs: Sequence[Tensor]) -> list[Any]:
        """The same, told of as an op: for whoever watches the tape it is one."""
        read = [*inputs, *self.tensors]
        announce("op_begin", self.name, read, {})
        try:
            found = self.computed(inputs)
        except Exception as error:
            announce("op_failed", self.name, read, {}, error)
            raise
        node, made = on_tape(found)
        announce("op_end", self.name, read, made, {}, node)
        return found

    def fed(self, inputs: Sequence[Tensor]) -> dict[str, Any]:
        """The values of the inputs, by name."""
        return dict(zip(self.names, [t.data for t in inputs], strict=True))

    def arrays(self) -> dict[str, Any]:
        """The values of what it holds, by name."""
        return {name: tensor.data for name, tensor in self.pairs}

    def drawn(self) -> Any:
        """Where the random numbers stand, if it draws any."""
        return get_rng_state() if self.random else None

    def run(
        self, part: Part, feed: dict[str, Any], values: dict[str, Any]
    ) -> list[Any]:
        """What a part fetches; what it writes, the Tensors that it holds take on.

        Raises:
            Exception: What the user's own `raise` or `assert` says.
        """
        scope = Scope()
        scope.values = values
        try:
            found = part(feed, scope)
        except Stopped as error:
            raise told(error) from None
        for name in part.stores:
            self.held[name].data = values[name]
        return found

    def way_back(self, inputs: Sequence[Tensor]) -> Taped | None:
        """How to run it so that gradients go where they are wanted, if anywhere."""
        held = [t.stop_gradient if t.node is None else inner(t) for t in self.tensors]
        known, ways = self.latest
        if held != known:
            ways = self.taped.setdefault(tuple(held), {})
            self.latest = held, ways
        fed = tuple([tensor.stop_gradient for tensor in inputs])
        if fed not in ways:
            ways[fed] = taped_for(self, fed, tuple(held))
        return ways[fed]

    def gradient(
        self, targets: Sequence[str], leaves: Sequence[str]
    ) -> ConcreteProgram:
        """The gradient as a program: of all sources, and of what arrives at targets."""
        program = self.main_program.clone()
        silence(program)
        block = program.global_block()
        for name in self.held:
            old = block.vars.pop(name)
            stop = old.stop_gradient
            block.create_var(
                name, old.shape, old.dtype, is_data=True, stop_gradient=stop
            )
        found = appended(program, targets, leaves, stopped=False)
        given = [v.name for v in self.sources] + [seed_name(name) for name in targets]
        results = Outputs()
        results.nest = [results.slot(block.var(name)) for name in found if name]
        inputs = [block.var(name) for name in given]
        return ConcreteProgram(Tracer(program), inputs, results, f"{self.name}_grad")


def on_tape(found: Sequence[Any]) -> tuple[Node | None, list[Tensor]]:
    """The node of a call, and its results; those that it gives gradients to first.

    A list's parts come from a node of their own: then there is none for all results.
    """
    made = [y for y in found if isinstance(y, Tensor)]
    taped = [y for y in made if y.node is not None]
    if len(made) < len(found):
        return None, made
    return node_of(taped), [*taped, *(y for y in made if y.node is None)]


def inner(tensor: Tensor) -> Goal:
    """What a gradient has to do with a tensor that an op has made."""
    return True if tensor.stop_gradient else None


def origins(
    tracer: Tracer, results: Outputs, tensors: Sequence[Tensor]
) -> list[tuple[Spot, Any]]:
    """Where the trace found what it depends on: Tensors, layers, what it changes."""
    ids = {id(tensor) for tensor in tensors} | {id(layer) for layer in tracer.layers}
    found = [(spot, spot.get()) for spot in tracer.places() if id(spot.get()) in ids]
    written = [spot for spot, _ in results.state]
    others = [spot for spot in written if not isinstance(spot.before, Tensor)]
    return found + [(spot, spot.before) for spot in others]


def watched(tracer: Tracer, results: Outputs) -> Watch:
    """What a trace read, but for what each run of its program writes."""
    written = [spot for spot, _ in results.state]
    cells = {id(spot.cell) for spot in written if isinstance(spot, Cell)}
    own = {(id(s.values), s.name) for s in written if type(s) is Spot}
    watch = Watch(tracer.met)
    for function in tracer.met:
        watch.function(function, cells, own)
    for layer, before in tracer.layers.items():
        names = {name for owner, name in own if owner == id(layer.__dict__)}
        watch.layer(layer, before, names)
    for value in tracer.roots:
        watch.value(value, type(value).__name__)
    return watch


def silence(program: Program) -> None:
    """Take away what only speaks: the call itself has printed and checked already."""
    for block in program.blocks:
        for at in reversed(range(len(block.ops))):
            if not block.ops[at].output_arg_names and block.ops[at].sub_block is None:
                block._remove_op(at)


def told(error: Stopped) -> BaseException:
    """What the user's own `raise` or `assert` raises, and where it stands."""
    found = error.__cause__
    assert found is not None
    if error.where is not None:
        found.add_note(f"at {error.where}")
    return found
