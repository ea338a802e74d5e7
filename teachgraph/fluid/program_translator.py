"""Paddle 1.x's names for `to_static`: `@declarative` and the `ProgramTranslator`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any, ClassVar, Self

from teachgraph.control_flow.pytree import mapped
from teachgraph.core.errors import InvalidValueError, OpError
from teachgraph.errors import ConversionError
from teachgraph.fluid.io import save_inference_model
from teachgraph.jit import StaticFunction, enable_to_static, to_static
from teachgraph.jit.concrete import ConcreteProgram, trace
from teachgraph.jit.settings import switch
from teachgraph.jit.traced_layer import selected_variables
from teachgraph.static.input_spec import InputSpec
from teachgraph.static.scope import Scope, scope_guard

__all__ = ["ProgramTranslator", "declarative"]

declarative = to_static


class ProgramTranslator:
    """Converts functions to programs; a singleton.

    In Paddle 1.x this is `fluid.dygraph.ProgramTranslator`.

    >>> import teachgraph as tg
    >>> ProgramTranslator() is ProgramTranslator.get_instance()
    True
    """

    _instance: ClassVar[Any] = None
    functions: dict[Any, StaticFunction]
    latest: StaticFunction | None

    def __new__(cls) -> Self:
        """Return the one instance."""
        if cls._instance is None:
            new = cls._instance = super().__new__(cls)
            new.functions, new.latest = {}, None
        instance: Self = cls._instance
        return instance

    @classmethod
    def get_instance(cls) -> ProgramTranslator:
        """The one there is."""
        return cls()

    @classmethod
    def reset(cls) -> None:
        """Forget all functions, and enable conversion."""
        cls._instance = None
        enable_to_static(True)

    def enable(self, enable_declarative: bool) -> None:
        """Switch conversion on or off; without it functions run op by op."""
        enable_to_static(enable_declarative)

    def get_func(self, dygraph_func: Callable[..., Any]) -> Any:
        """Return a function converted by `to_static`.

        After `enable(False)` it warns, and returns the function itself.
        """
        if not switch.on:
            warn_disabled("get_func")
            return dygraph_func
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
        """Run a function as a program; return its result.

        After `enable(False)` it warns, and runs op by op.
        """
        if not switch.on:
            warn_disabled("get_output")
            return dygraph_func(*args, **kw)
        return self.get_func(dygraph_func)(*args, **kw)

    def get_program(
        self, dygraph_func: Callable[..., Any], *args: Any, **kw: Any
    ) -> Any:
        """Return the program for these arguments: main, startup, inputs and outputs.

        After `enable(False)` it warns, and returns the function's result.
        """
        if not switch.on:
            warn_disabled("get_program")
            return dygraph_func(*args, **kw)
        concrete, _ = self.get_func(dygraph_func).get_concrete_program(*args, **kw)
        return (
            concrete.main_program,
            concrete.startup_program,
            concrete.inputs,
            concrete.outputs,
        )

    def get_code(self, dygraph_func: Callable[..., Any]) -> str:
        """Return the source of a function after the transformers."""
        if isinstance(dygraph_func, StaticFunction):
            return dygraph_func.code
        static: StaticFunction = to_static(dygraph_func)
        return static.code

    def get_program_cache(self) -> Any:
        """Return the programs of the function that was called last.

        Raises:
            InvalidValueError: No function was called.
        """
        return self.used().program_cache

    def used(self) -> StaticFunction:
        """Return the StaticFunction that was called last, here or by itself."""
        latest: StaticFunction | None = StaticFunction.latest or self.latest
        if latest is None:
            raise InvalidValueError.here(
                "no function has become a program yet: call one first"
            )
        return latest

    def save_inference_model(
        self,
        dirname: Any,
        feed: Sequence[int] | None = None,
        fetch: Sequence[int] | None = None,
    ) -> list[str]:
        """Write the program that ran last to a folder, for batches of any size.

        The size of the batch that it ran on stays where the program depends on it.

        Args:
            dirname: The folder.
            feed: The numbers of the inputs to feed; by default all.
            fetch: The numbers of the results to fetch; by default all.

        Raises:
            InvalidValueError: There is no such number, or nothing has run.
        """
        _, (last, _) = self.used().program_cache.last()
        last = of_any_batch(self.used(), last)
        inputs = [v.name for v in selected_variables("feed", last.inputs, feed)]
        outputs = selected_variables("fetch", last.outputs, fetch)
        with scope_guard(values_of(last)):
            return save_inference_model(
                dirname, inputs, outputs, None, last.main_program
            )


def warn_disabled(method: str) -> None:
    """Warn that conversion is switched off."""
    warnings.warn(
        f"The ProgramTranslator.{method} doesn't work when setting "
        "ProgramTranslator.enable to False. We will just return dygraph output.",
        stacklevel=3,
    )


def of_any_batch(function: StaticFunction, last: ConcreteProgram) -> ConcreteProgram:
    """Trace for batches of any size, if that gives the same operators."""
    try:
        general = trace(function, mapped(last.values, widened))
    except (ConversionError, OpError):
        return last
    return general if operators(general) == operators(last) else last


def widened(value: Any) -> Any:
    """Return a spec with an unknown batch size."""
    if not isinstance(value, InputSpec) or not value.shape:
        return value
    return InputSpec([None, *value.shape[1:]], value.dtype, value.name)


def operators(concrete: ConcreteProgram) -> list[str]:
    """List the types of a program's operators."""
    return [op.type for block in concrete.main_program.blocks for op in block.ops]


def values_of(concrete: ConcreteProgram) -> Scope:
    """Return a scope with the Tensors that a program holds."""
    scope = Scope()
    scope.values = {name: tensor.data for name, tensor in concrete.held.items()}
    return scope
