"""A layer that was loaded: its programs, and parameters under their old names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import (
    ConversionError,
    DataError,
    FeedError,
    InvalidValueError,
    at_user_line,
)
from teachgraph.jit.concrete import ConcreteProgram
from teachgraph.jit.inline_program import spliced
from teachgraph.jit.model import FORWARD, Method, Traced
from teachgraph.jit.recorder import recording
from teachgraph.jit.tracing import Tracer, tracer
from teachgraph.jit.unfreezing import unfrozen
from teachgraph.nn import Layer
from teachgraph.planning.executor import as_fed
from teachgraph.static.program import Program
from teachgraph.static.state import persistables
from teachgraph.static.variable import Variable

__all__ = ["TranslatedLayer"]


class TranslatedMethod:
    """A method of a loaded layer.

    Attributes:
        method: Its programs.
        layer: The layer.
    """

    def __init__(self, method: Method, layer: TranslatedLayer) -> None:
        self.method, self.layer = method, layer
        self.__name__ = method.name
        block = method.using.program.global_block()
        self.inputs = [block.var(name) for name in method.feeds]
        self.made: dict[bool, ConcreteProgram] = {}

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Run the program of the layer's mode; arrays are taken as Tensors.

        Raises:
            FeedError: There are too few or too many arguments, or of the wrong shape.
            ConversionError: A run around it is traced by `TracedLayer`.
        """
        given = self.in_order(args, named)
        if recording():
            message = "a loaded layer cannot be traced by a run of it: use to_static"
            raise ConversionError(at_user_line(message))
        here = tracer()
        if here is not None:
            traced = self.ready(training=self.layer.training)
            held = self.held_by(traced.program)
            return spliced(traced, self.method.feeds, given, held, here)
        found = self.made.get(self.layer.training)
        if found is None or not found.current():
            found = self.concrete(training=self.layer.training)
        return found([*map(taken, self.inputs, given)])

    def in_order(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
        """The arguments in the order of the inputs."""
        names = self.method.feeds
        args = tuple(leaves(args))
        rest = names[len(args) :]
        if len(args) > len(names) or set(rest) != set(named):
            raise FeedError(
                at_user_line(
                    f"{self.__name__} takes {', '.join(names) or 'nothing'}; got "
                    f"{len(args)} by place and {list(named)} by name"
                )
            )
        return [*args, *(named[name] for name in rest)]

    def held_by(self, program: Program) -> dict[str, Tensor]:
        """The layer's Tensors that a program holds."""
        return {v.name: self.layer._held[v.name] for v in persistables(program)}

    def ready(self, *, training: bool) -> Traced:
        """The program of a mode, with gradients to what is trained now."""
        traced = self.method.training if training else self.method.using
        held = self.held_by(traced.program)
        return unfrozen(traced, {n: t.stop_gradient for n, t in held.items()})

    def concrete(self, *, training: bool) -> ConcreteProgram:
        """The program of a mode, ready to run."""
        program, results = self.ready(training=training)
        find = program.global_block().var
        inputs = [find(name) for name in self.method.feeds]
        traced_by = tracer_of(program, self.held_by(program))
        made = ConcreteProgram(traced_by, inputs, results, self.__name__)
        self.made[training] = made
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> TranslatedMethod:
        """The same method of the copied layer."""
        return TranslatedMethod(self.method, deepcopy(self.layer, memo))


def leaves(value: Any) -> Iterator[Any]:
    """The tensors of nested arguments, in order."""
    if not isinstance(value, (list, tuple, dict)):
        yield value
        return
    for item in value.values() if isinstance(value, dict) else value:
        yield from leaves(item)


def tracer_of(program: Program, held: Mapping[str, Tensor]) -> Tracer:
    """Who would have traced this program, with what it has taken in."""
    found = Tracer(program)
    found.held = dict(held)
    return found


def taken(variable: Variable, value: Any) -> Tensor:
    """An argument as a Tensor of the declared shape and dtype.

    Raises:
        FeedError: It is of another one.
    """
    if isinstance(value, Tensor):
        as_fed(variable, value.data)
        return value
    return Tensor(as_fed(variable, value))


class TranslatedLayer(Layer):
    """A layer that was loaded: it predicts, and trains further.

    Its parameters have the names they had in the layer that was saved, so that its
    `state_dict` fits that one. `train` and `eval` choose between the two programs.

    In Paddle this is `paddle.jit.TranslatedLayer`; it cannot be trained in 2.6.
    """

    def __init__(
        self, methods: Mapping[str, Method], held: Mapping[str, Tensor], name: str
    ) -> None:
        super().__init__(name)
        self._held = dict(held)
        self._methods = {n: TranslatedMethod(m, self) for n, m in methods.items()}
        for method, run in self._methods.items():
            if method != FORWARD:
                if not method.isidentifier() or hasattr(Layer, method):
                    message = f"no method can be called {method!r}"
                    raise DataError(at_user_line(message))
                self.__dict__[method] = run

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """What becomes of the inputs."""
        if FORWARD not in self._methods:
            raise NotImplementedError(
                at_user_line(f"only {', '.join(self._methods)} were saved")
            )
        return self._methods[FORWARD](*inputs, **named)

    def program(self, method_name: str = FORWARD) -> Program:
        """The program of a method, as it is when used.

        Raises:
            InvalidValueError: There is no such method.
        """
        if method_name not in self._methods:
            raise InvalidValueError(
                at_user_line(
                    "The method_name should be one of "
                    f"{list(self._methods)}, but received {method_name!r}"
                )
            )
        return self._methods[method_name].method.using.program

    def saved_again(self) -> tuple[list[Method], dict[str, Tensor]]:
        """Its methods and all its Tensors, to be saved again."""
        return [run.method for run in self._methods.values()], self._held

    def extra_repr(self) -> str:
        """Its methods and what they take."""
        return ", ".join(
            f"{run.__name__}({', '.join(run.method.feeds)})"
            for run in self._methods.values()
        )
