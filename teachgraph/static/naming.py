"""How the outputs of ops are named: after the layer that appends them, as in Paddle.

A layer called `fc_0` names its results `fc_0.tmp_0`, `fc_0.tmp_1`; an operator such as
`x + y` names its result `tmp_0`; any other op is a layer of its own (`mean_0.tmp_0`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from teachgraph import unique_name

__all__ = ["Layer", "Names", "Plain", "layer", "names_for", "scope"]


class Names(Protocol):
    """Something that gives the next output its name."""

    def __call__(self) -> str:
        """The next name."""


class Layer:
    """`fc_0.tmp_0`, `fc_0.tmp_1`, ... for a layer called `fc_0`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self) -> str:
        """The next name of this layer's results."""
        return unique_name.generate(f"{self.name}.tmp")


class Plain:
    """`tmp_0`, `tmp_1`, ...: a key and a number."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __call__(self) -> str:
        """The next name under this key."""
        return unique_name.generate(self.key)


class _Scopes(threading.local):
    """Who names, the innermost last; each thread appends for itself."""

    def __init__(self) -> None:
        self.names: list[Names] = []


_scopes = _Scopes()


@contextmanager
def scope(names: Names) -> Iterator[Names]:
    """Let `names` name whatever is appended inside."""
    _scopes.names.append(names)
    try:
        yield names
    finally:
        _scopes.names.pop()


@contextmanager
def layer(key: str, name: str | None = None) -> Iterator[Layer]:
    """A layer: its outputs are named `key_0.tmp_0` or after the given name."""
    found = Layer(name or unique_name.generate(key))
    with scope(found):
        yield found


def names_for(key: str) -> Names:
    """Who names the outputs of an op: the layer around it, or a layer of its own."""
    if _scopes.names:
        return _scopes.names[-1]
    if key.startswith("elementwise_"):
        return Plain(key)
    return Layer(unique_name.generate(key))
