"""Names that do not repeat, as Paddle gives them: one counter a key, `fc_0`, `fc_1`.

A layer called `fc_0` names its results `fc_0.tmp_0`, `fc_0.tmp_1`; an operator such as
`x + y` names its result `tmp_0`; any other op is a layer of its own (`mean_0.tmp_0`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, NamedTuple

from teachgraph.core.threads import Guard, InForce

__all__ = ["generate", "guard", "switch"]

Namer = Callable[[str], str]
"""Gives the next output its name; it is told the key of the op."""


class Counters(NamedTuple):
    """The counters in force, and what every name begins with."""

    used: Counter[str]
    prefix: str = ""


_counters = InForce(Counters(Counter()))


def generate(key: str) -> str:
    """The next name for `key`.

    >>> with guard():
    ...     generate("fc"), generate("fc"), generate("mean")
    ('fc_0', 'fc_1', 'mean_0')
    """
    used, prefix = _counters.value
    number = used[key]
    used[key] += 1
    return f"{prefix}{key}_{number}"


def switch(counters: Counter[str] | None = None) -> Counter[str]:
    """Put other counters in force (by default, fresh ones); returns the old ones."""
    before = _counters.value.used
    _counters.put(Counters(Counter() if counters is None else counters))
    return before


def guard(prefix: str = "") -> Guard[Counters]:
    """Count from 0 inside the block, and begin every name with `prefix`.

    >>> with guard("critic_"):
    ...     generate("fc")
    'critic_fc_0'
    """
    return _counters.holding(Counters(Counter(), prefix))


class Layer:
    """`fc_0.tmp_0`, `fc_0.tmp_1`, ... for a layer called `fc_0`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, key: str = "") -> str:
        """The next name of this layer's results."""
        return generate(f"{self.name}.tmp")


_namer: ContextVar[Namer | None] = ContextVar("namer", default=None)


def scope(namer: Namer | None) -> Guard[Namer | None]:
    """Let `namer` name whatever is appended inside; None leaves it to each op."""
    return Guard(_namer.get, _namer.set, namer)


def plain(key: str) -> Guard[Namer | None]:
    """Name whatever is appended inside `key_0`, `key_1`, ..."""
    return scope(lambda _: generate(key))


def called(name: str) -> Guard[Namer | None]:
    """Give the one output that is appended inside this name."""
    return scope(lambda _: name)


def layer(key: str, name: str | None = None) -> Guard[Any]:
    """A layer: its outputs are named `key_0.tmp_0` or after the given name."""
    return scope(Layer(name or generate(key)))


def namer_for(key: str) -> Callable[[], str]:
    """The namer of an op's outputs: the layer around it, or a layer of its own."""
    if (innermost := _namer.get()) is not None:
        return partial(innermost, key)
    if key.startswith("elementwise_"):
        return partial(generate, key)
    return Layer(generate(key))
