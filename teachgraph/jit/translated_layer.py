"""`TranslatedLayer`: a loaded layer, its programs and parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import FeedError, InvalidValueError, OpError, at_user_line
from teachgraph.errors import ConversionError, DataError
from teachgraph.jit.concrete import ConcreteProgram
from teachgraph.jit.inline_program import inlined
from teachgraph.jit.model import FORWARD, Method, Traced
from teachgraph.jit.recorder import Recorder
from teachgraph.jit.tracing import Tracer, tracer
from teachgraph.jit.unfreezing import unfrozen
from teachgraph.nn import Layer
from teachgraph.nn.layer import changes
from teachgraph.planning.feeds import as_fed
from teachgraph.static.other_sizes import Shape, other_sizes, with_sizes
from teachgraph.static.program import Program
from teachgraph.static.state import persistables
from teachgraph.static.variable import Variable

__all__ = ["TranslatedLayer"]


class TranslatedMethod:
    """A method of a loaded layer.

    Attributes:
        method: Its programs of both modes, from the file.
        layer: The layer.
        programs: The programs that are ready to run, by `training` and the sizes of
            feeds that are others than those it was saved with.
    """

    def __init__(self, method: Method, layer: TranslatedLayer) -> None:
        self.method, self.layer = method, layer
        self.__name__ = method.name
        block = method.using.program.global_block()
        self.inputs = [block.var(name) for name in method.feeds]
        self.programs: dict[Any, ConcreteProgram] = {}

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Run the program of the layer's mode; arrays are taken as Tensors.

        Raises:
            FeedError: There are too few or too many arguments, or of the wrong shape.
            ConversionError: A run around it is traced by `TracedLayer`.
        """
        inputs = self.in_order(args, named)
        self.layer.look_up()
        here = tracer()
        if isinstance(here, Recorder):
            message = "a loaded layer cannot be traced by a run of it: use to_static"
            raise ConversionError.here(message)
        training, sizes = self.layer.training, other_sizes(self.inputs, inputs)
        try:
            if here is not None:
                traced = self.ready(training=training, sizes=sizes)
                held = self.held_by(traced.program)
                return inlined(traced, self.method.feeds, inputs, held, here)
            key = training, *sizes.items()
            program = self.programs.get(key)
            if program is None or not program.conditions.hold():
                program = self.concrete(training=training, sizes=sizes)
                self.programs[key] = program
        except OpError:
            for variable, value in zip(self.inputs, inputs, strict=True):
                as_input(variable, value)  # the feed is to blame
            raise
        return program([*map(as_input, program.inputs, inputs)])

    def in_order(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
        """Sort the arguments in the order of the inputs."""
        names = self.method.feeds
        args = tuple(leaves(args))
        rest = names[len(args) :]
        if len(args) > len(names) or set(rest) != set(named):
            raise FeedError.here(
                f"{self.__name__} takes {', '.join(names) or 'nothing'}; got "
                f"{len(args)} by place and {list(named)} by name"
            )
        return [*args, *(named[name] for name in rest)]

    def held_by(self, program: Program) -> dict[str, Tensor]:
        """Return the layer's Tensors that a program holds, by name."""
        return {v.name: self.layer._held[v.name] for v in persistables(program)}

    def ready(self, *, training: bool, sizes: Mapping[str, Shape]) -> Traced:
        """Return the program of a mode, with gradients to the parameters that train."""
        traced = self.method.training if training else self.method.using
        if sizes:
            traced = traced.of(with_sizes(traced.program, sizes))
        held = self.held_by(traced.program)
        return unfrozen(traced, {n: t.stop_gradient for n, t in held.items()})

    def concrete(
        self, *, training: bool, sizes: Mapping[str, Shape]
    ) -> ConcreteProgram:
        """Build the concrete program of a mode, for other sizes if there are any."""
        program, results = self.ready(training=training, sizes=sizes)
        find = program.global_block().var
        inputs = [find(name) for name in self.method.feeds]
        traced_by = tracer_of(program, self.held_by(program))
        return ConcreteProgram(traced_by, inputs, results, self.__name__)

    def __deepcopy__(self, memo: dict[int, Any]) -> TranslatedMethod:
        """Bind the method to the copied layer."""
        return TranslatedMethod(self.method, deepcopy(self.layer, memo))


def leaves(value: Any) -> Iterator[Any]:
    """Yield the leaves of nested arguments, in order."""
    if not isinstance(value, (list, tuple, dict)):
        yield value
        return
    for item in value.values() if isinstance(value, dict) else value:
        yield from leaves(item)


def tracer_of(program: Program, held: Mapping[str, Tensor]) -> Tracer:
    """Build a tracer with a finished program and the Tensors it has adopted."""
    adopter = Tracer(program)
    adopter.held = dict(held)
    return adopter


def as_input(variable: Variable, value: Any) -> Tensor:
    """Return an argument as a Tensor of the declared shape and dtype.

    Raises:
        FeedError: It has another one.
    """
    if isinstance(value, Tensor):
        as_fed(variable, value.data)
        return value
    return Tensor.results(as_fed(variable, value))


class TranslatedLayer(Layer):
    """A loaded layer, for inference and further training.

    Its parameters have their names from the saved layer, so that its `state_dict` fits
    that one. `train` and `eval` switch between the two programs.

    In Paddle this is `paddle.jit.TranslatedLayer`; it cannot be trained in 2.6.
    """

    def __init__(
        self, methods: Mapping[str, Method], held: Mapping[str, Tensor], name: str
    ) -> None:
        super().__init__(name)
        self._held = dict(held)
        self._places: dict[str, str] = {}
        self._seen = -1
        self._methods = {n: TranslatedMethod(m, self) for n, m in methods.items()}
        for method, run in self._methods.items():
            if method != FORWARD:
                if not method.isidentifier() or hasattr(Layer, method):
                    message = f"no method can be called {method!r}"
                    raise DataError.here(message)
                self.__dict__[method] = run

    def look_up(self) -> None:
        """Take the Tensors that stand in its attributes by now.

        That it has looked is no change of a layer, which others would look at anew.
        """
        if self._seen == changes.count:
            return
        now = self.state_dict()
        if not self._places:
            names = {id(tensor): name for name, tensor in now.items()}
            known = {n: names[id(t)] for n, t in self._held.items() if id(t) in names}
            self._places.update(known)
        for name, place in self._places.items():
            if now.get(place, self._held[name]) is not self._held[name]:
                self._held[name] = now[place]
                for run in self._methods.values():
                    run.programs.clear()
        self.__dict__["_seen"] = changes.count

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """Run the saved `forward`."""
        if FORWARD not in self._methods:
            raise NotImplementedError(
                at_user_line(f"only {', '.join(self._methods)} were saved")
            )
        return self._methods[FORWARD](*inputs, **named)

    def program(self, method_name: str = FORWARD) -> Program:
        """Return the program of a method in evaluation mode.

        Raises:
            InvalidValueError: There is no such method.
        """
        if method_name not in self._methods:
            raise InvalidValueError.here(
                "The method_name should be one of "
                f"{list(self._methods)}, but received {method_name!r}"
            )
        return self._methods[method_name].method.using.program

    def saved_again(self) -> tuple[list[Method], dict[str, Tensor]]:
        """Return its methods and all its Tensors, to be saved again."""
        return [run.method for run in self._methods.values()], self._held

    def extra_repr(self) -> str:
        """List its methods and their inputs."""
        return ", ".join(
            f"{run.__name__}({', '.join(run.method.feeds)})"
            for run in self._methods.values()
        )
