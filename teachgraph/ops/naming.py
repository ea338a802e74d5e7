"""Names of results that come from around an op: of its layer, or of its caller."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any

from teachgraph.core.threads import Guard
from teachgraph.core.unique_name import generate, namer

__all__ = ["Layer", "Namer", "called", "layer", "plain", "scope"]

Namer = Callable[[str], str]
"""Gives the next output its name; it is told the key of the op."""

_innermost: ContextVar[Namer | None] = ContextVar("innermost", default=None)


class Layer:
    """`fc_0.tmp_0`, `fc_0.tmp_1`, ... for a layer called `fc_0`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, key: str = "") -> str:
        """The next name of this layer's results."""
        return generate(f"{self.name}.tmp")


def scope(namer: Namer | None) -> Guard[Namer | None]:
    """Let `namer` name whatever is appended inside; None leaves it to each op."""
    return Guard(_innermost.get, _innermost.set, namer)


def plain(key: str) -> Guard[Namer | None]:
    """Name whatever is appended inside `key_0`, `key_1`, ..."""
    return scope(lambda _: generate(key))


def called(name: str) -> Guard[Namer | None]:
    """Give the one output that is appended inside this name."""
    return scope(lambda _: name)


def layer(key: str, name: str | None = None) -> Guard[Any]:
    """A layer: its outputs are named `key_0.tmp_0` or after the given name."""
    return scope(Layer(name or generate(key)))


@namer.wrap
def from_around(of_its_own: Any) -> Any:
    """Let the innermost scope name the outputs of an op, if there is one."""

    def namer_for(key: str) -> Callable[[], str]:
        innermost = _innermost.get()
        return of_its_own(key) if innermost is None else partial(innermost, key)

    return namer_for
