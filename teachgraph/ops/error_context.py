"""Public functions whose errors name them, and say what they were given.

What an op refuses, the op explains; what goes wrong between two ops, or before the
first, is explained here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from typing import Any

from teachgraph.core.errors import OpError, TeachgraphError
from teachgraph.core.op import Op
from teachgraph.ops.error_message import explain
from teachgraph.ops.given_name import name_scope_of

__all__ = ["all_in_words", "in_words"]

WRONG_ARGUMENTS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""Errors that Python and NumPy raise for wrong arguments."""


def in_words(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function: its errors are explained, and `name=` names its outputs.

    >>> try:
    ...     in_words(lambda x: x.shape)(3)
    ... except OpError as error:
    ...     print(str(error).splitlines()[0])
    <lambda> cannot take these inputs: int 3 is no tensor
    """
    if hasattr(function, "explained"):
        return function
    name, parameters = function.__name__, list(signature(function).parameters)
    named = "name" in parameters[1:]

    @wraps(function)
    def call(*inputs: Any, **attrs: Any) -> Any:
        try:
            if attrs and named and "name" in attrs:
                with name_scope_of(attrs["name"]):
                    return function(*inputs, **attrs)
            return function(*inputs, **attrs)
        except OpError as error:
            if error.op:
                raise
            reason: Exception = without_place(error, name)
        except TeachgraphError as error:
            if name in str(error):
                raise
            raise type(error)(f"{name}: {error}") from None
        except WRONG_ARGUMENTS as error:
            if not began(error):
                raise
            reason = error
        raise explain(name, parameters, inputs, attrs, reason) from None

    call.explained = True  # type: ignore[attr-defined]
    return call


def began(error: Exception) -> bool:
    """True if the function began; else it cannot be called with these arguments."""
    return error.__traceback__ is None or error.__traceback__.tb_next is not None


def without_place(error: OpError, name: str) -> OpError:
    """Strip the user's line and the name, which the explanation adds again."""
    return type(error)(str(error).partition("\n  at ")[0].removeprefix(f"{name}: "))


def all_in_words(names: Sequence[str], found: dict[str, Any]) -> None:
    """Explain the errors of the functions that these names stand for; ops do it."""
    for name in names:
        if not isinstance(found[name], Op):
            found[name] = in_words(found[name])
