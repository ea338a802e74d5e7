"""Ops that print a text or stop the run with an error, while a program runs.

A text is a list of parts: strings, and None for each tensor, with its format spec.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import OpError
from teachgraph.core.op import Like
from teachgraph.ops.foreign import foreign_op

__all__ = ["Stopped", "fail_unless", "name_of_kind", "print_text"]

TENSOR = None
"""Placeholder in a text for the next tensor."""

_kinds: dict[str, type[BaseException]] = {}
"""The user's own exception classes, by name."""


def name_of_kind(kind: type[BaseException]) -> str:
    """Register an exception class; return its name, which a program can hold."""
    _kinds[kind.__name__] = kind
    return kind.__name__


def kind_named(name: str) -> type[BaseException]:
    """Return the exception class of a name, RuntimeError if it is unknown.

    It is unknown in a process that has loaded the program instead of tracing it.
    """
    kind = _kinds.get(name, getattr(builtins, name, None))
    if isinstance(kind, type) and issubclass(kind, BaseException):
        return kind
    return RuntimeError


class Stopped(OpError, RuntimeError):
    """The end of a run by the user's own `raise` or `assert`, which is its cause."""

    __str__ = Exception.__str__  # an explained KeyError would quote the text


def formatted(parts: Sequence[Any], specs: Sequence[str], values: Sequence[Any]) -> str:
    """Format a text with the values of its tensors.

    >>> formatted(["x = ", None], [".1f"], [np.array(1.0)])
    'x = 1.0'
    """
    left = iter(zip(values, specs, strict=True))
    words = (one_tensor(*next(left)) if part is TENSOR else part for part in parts)
    return "".join(words)


def one_tensor(value: Any, spec: str) -> str:
    """Format one tensor as dynamic mode does."""
    return format(Tensor.results(np.asarray(value)), spec)


@foreign_op(outputs=())
def print_text(
    *x: Any, parts: Sequence[Any], specs: Sequence[str], end: str = "\n"
) -> Any:
    """Print a text."""
    sys.stdout.write(formatted(parts, specs, x) + end)
    return ()


@print_text.infers
def print_text_spec(*x: Like, **_: Any) -> Any:
    """Infer no outputs."""
    return []


@foreign_op(outputs=(), needs="Cond: one boolean")
def fail_unless(
    cond: Any, *x: Any, kind: str, parts: Sequence[Any] = (), specs: Sequence[str] = ()
) -> Any:
    """Stop the run with an error of a kind, unless `cond` holds.

    Raises:
        Stopped: It does not hold; the cause is the error.
    """
    if not np.reshape(cond, ()):
        text = formatted(parts, specs, x)
        error = kind_named(kind)
        raise Stopped(text) from (error(text) if text else error())
    return ()


@fail_unless.infers
def fail_unless_spec(cond: Like, *x: Like, **_: Any) -> Any:
    """Infer no outputs."""
    return []
