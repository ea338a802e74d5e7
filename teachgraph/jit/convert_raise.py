"""`assert` and `raise` at run time: if a tensor decides, an op stops the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.errors import ConversionError
from teachgraph.jit.convert_text import Text, parts_of
from teachgraph.jit.messages import fail_unless, name_of_kind
from teachgraph.jit.tracing import as_variable, tracer
from teachgraph.ops import functions
from teachgraph.static.program import current_block
from teachgraph.static.variable import Variable

__all__ = ["convert_assert", "convert_raise", "convert_raise_in_try", "required"]


def convert_assert(test: Any, said: Callable[[], Any]) -> None:
    """`assert test, said`."""
    condition = as_variable(test)
    if isinstance(condition, Variable):
        message = said()
        required(condition, AssertionError, "" if message is None else message)
    elif not test:
        message = said()
        raise AssertionError(*([] if message is None else [message]))


def convert_raise(error: Any, cause: BaseException | None = None) -> None:
    """`raise error`: now, or in a branch that a tensor decides, once it is taken."""
    if tracer() is None or current_block().idx == 0:
        if cause is not None:
            raise error from cause
        raise error
    instance = error() if isinstance(error, type) else error
    message = instance.args[0] if instance.args else ""
    text = message if isinstance(message, str) else str(message)
    required(functions.full([], False, "bool"), type(instance), text)


def convert_raise_in_try(error: Any, cause: BaseException | None = None) -> None:
    """`raise error` where an `except` of the same function may catch it.

    Raises:
        ConversionError: A tensor decides whether it is raised.
    """
    if tracer() is not None and current_block().idx != 0:
        raise ConversionError.here(
            "this error is raised when the program runs, so no `except` of the "
            "function that is traced can catch it: write an if and an else instead"
        )
    convert_raise(error, cause)


def required(condition: Any, kind: type[BaseException], said: Any) -> None:
    """Append an op that stops the program with an error unless a condition holds."""
    text = said if isinstance(said, Text) else Text([str(said)])
    if condition.dtype != "bool":
        condition = functions.cast(condition, "bool")
    parts, specs, values = parts_of(text)
    name = name_of_kind(kind)
    fail_unless(condition, *values, kind=name, parts=parts, specs=specs)
