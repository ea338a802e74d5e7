"""Ops that speak while a program runs: print a text, or stop the run with an error.

A text is a list of parts: words, and for each tensor in it how to write it.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import OpError
from teachgraph.core.op import Like, op

__all__ = ["Stopped", "fail_unless", "name_of_kind", "print_text"]

TENSOR = None
"""Stands in a text for the next tensor."""

_kinds: dict[str, type[BaseException]] = {}
"""The user's own kinds of errors, by name."""


def name_of_kind(kind: type[BaseException]) -> str:
    """What a program calls a kind of error."""
    _kinds[kind.__name__] = kind
    return kind.__name__


def kind_named(name: str) -> type[BaseException]:
    """The kind of error of that name; where nobody knows it, RuntimeError."""
    found = _kinds.get(name, getattr(builtins, name, None))
    if isinstance(found, type) and issubclass(found, BaseException):
        return found
    return RuntimeError


class Stopped(OpError, RuntimeError):
    """A run that the user's own `raise` or `assert` has ended; its cause says why."""

    __str__ = Exception.__str__  # an error about a key among its kinds would quote


def said(parts: Sequence[Any], specs: Sequence[str], values: Sequence[Any]) -> str:
    """A text with the values of its tensors.

    >>> said(["x = ", None], [".1f"], [np.array(1.0)])
    'x = 1.0'
    """
    left = iter(zip(values, specs, strict=True))
    words = (written(*next(left)) if part is TENSOR else part for part in parts)
    return "".join(words)


def written(value: Any, spec: str) -> str:
    """One tensor as text, as dynamic mode writes it."""
    return format(Tensor(np.asarray(value)), spec)


@op(outputs=(), foreign=True)
def print_text(
    *x: Any, parts: Sequence[Any], specs: Sequence[str], end: str = "\n"
) -> Any:
    """Prints a text."""
    sys.stdout.write(said(parts, specs, x) + end)
    return ()


@print_text.infers
def print_text_spec(*x: Like, **_: Any) -> Any:
    """It gives nothing."""
    return []


@op(outputs=(), needs="Cond: one boolean", foreign=True)
def fail_unless(
    cond: Any, *x: Any, kind: str, parts: Sequence[Any] = (), specs: Sequence[str] = ()
) -> Any:
    """Stops the run unless `cond` holds, with an error of a kind.

    Raises:
        Stopped: It does not; its cause is the error.
    """
    if not np.reshape(cond, ()):
        text = said(parts, specs, x)
        error = kind_named(kind)
        raise Stopped(text) from (error(text) if text else error())
    return ()


@fail_unless.infers
def fail_unless_spec(cond: Like, *x: Like, **_: Any) -> Any:
    """It gives nothing."""
    return []
