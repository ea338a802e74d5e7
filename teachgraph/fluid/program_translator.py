"""Paddle 1.x's words for `to_static`: `@declarative` and the `ProgramTranslator`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any, ClassVar, Self

from teachgraph.errors import InvalidValueError, ModeError, at_user_line
from teachgraph.executor import Scope, scope_guard
from teachgraph.fluid.io import save_inference_model
from teachgraph.jit import StaticFunction, enable_to_static, to_static
from teachgraph.jit.concrete import ConcreteProgram
from teachgraph.jit.static_function import switch
from teachgraph.static import Program, Variable

__all__ = ["ProgramTranslator", "declarative"]

declarative = to_static


class ProgramTranslator:
    """Makes programs of functions; there is one of it.

    In Paddle 1.x this is `fluid.dygraph.ProgramTranslator`.

    >>> import teachgraph as tg
    >>> ProgramTranslator() is ProgramTranslator.get_instance()
    True
    """

    _instance: ClassVar[Any] = None
    functions: dict[Any, StaticFunction]
    latest: StaticFunction | None

    def __new__(cls) -> Self:
        """The one there is."""
        if cls._instance is None:
            made = cls._instance = super().__new__(cls)
            made.functions, made.latest = {}, None
        found: Self = cls._instance
        return found

    @classmethod
    def get_instance(cls) -> ProgramTranslator:
        """The one there is."""
        return cls()

    def enable(self, enable_declarative: bool) -> None:
        """Make programs of functions, or run them op by op."""
        enable_to_static(enable_declarative)

    def get_func(self, dygraph_func: Callable[..., Any]) -> StaticFunction:
        """The function as one that becomes a program."""
        if isinstance(dygraph_func, StaticFunction):
            self.latest = dygraph_func
            return dygraph_func
        key: Any = dygraph_func
        if isinstance(dygraph_func, MethodType):
            key = dygraph_func.__func__, dygraph_func.__self__
        if key not in self.functions:
            self.functions[key] = to_static(dygraph_func)
        self.latest = self.functions[key]
        return self.latest

    def get_output(
        self, dygraph_func: Callable[..., Any], *args: Any, **kw: Any
    ) -> Any:
        """What the function returns, run as a program."""
        return self.get_func(dygraph_func)(*args, **kw)

    def get_program(
        self, dygraph_func: Callable[..., Any], *args: Any, **kw: Any
    ) -> tuple[Program, Program, list[Variable], list[Variable]]:
        """The program for these arguments: main, startup, inputs and outputs.

        Raises:
            ModeError: `enable(False)` was said.
        """
        if not switch.on:
            raise ModeError(
                at_user_line("ProgramTranslator is off: say enable(True) first")
            )
        found = self.get_func(dygraph_func).get_concrete_program(*args, **kw)
        return found.main_program, found.startup_program, found.inputs, found.outputs

    def get_code(self, dygraph_func: Callable[..., Any]) -> str:
        """The source of the function after the transformers."""
        return self.get_func(dygraph_func).code

    def get_program_cache(self) -> Any:
        """The programs of the function that was used last; `.last()` is the newest.

        Raises:
            InvalidValueError: None was.
        """
        return self.used().program_cache

    def used(self) -> StaticFunction:
        """The function that was used last, here or by a call of its own."""
        found = StaticFunction.latest or self.latest
        if found is None:
            raise InvalidValueError(
                at_user_line("no function has become a program yet: call one first")
            )
        return found

    def save_inference_model(
        self,
        dirname: Any,
        feed: Sequence[int] | None = None,
        fetch: Sequence[int] | None = None,
    ) -> list[str]:
        """Write the program that ran last to a folder.

        Args:
            dirname: The folder.
            feed: Which of its tensors are fed, by number; by default all.
            fetch: Which of its results are fetched, by number; by default all.

        Raises:
            InvalidValueError: There is no such number, or nothing has run.
        """
        last = self.used().program_cache.last()
        if last is None:
            raise InvalidValueError(at_user_line("the function has not been run yet"))
        inputs = [v.name for v in chosen("feed", last.inputs, feed)]
        outputs = chosen("fetch", last.outputs, fetch)
        with scope_guard(values_of(last)):
            return save_inference_model(
                dirname, inputs, outputs, None, last.main_program
            )


def chosen(
    what: str, variables: Sequence[Variable], places: Sequence[int] | None
) -> list[Variable]:
    """Some of the variables, by number.

    Raises:
        InvalidValueError: There is no such number.
    """
    if places is None:
        return list(variables)
    for place in places:
        if not isinstance(place, int) or not 0 <= place < len(variables):
            raise InvalidValueError(
                at_user_line(
                    f"{what} is a list of numbers from 0 to {len(variables) - 1}, got "
                    f"{place!r}"
                )
            )
    return [variables[place] for place in places]


def values_of(concrete: ConcreteProgram) -> Scope:
    """A scope with the values of what a program holds."""
    scope = Scope()
    scope.values = {name: tensor.data for name, tensor in concrete.held.items()}
    return scope
