"""Names that do not repeat, as Paddle gives them: one counter a key, `fc_0`, `fc_1`.

A layer called `fc_0` names its results `fc_0.tmp_0`, `fc_0.tmp_1`; an operator such as
`x + y` names its result `tmp_0`; any other op is a layer of its own (`mean_0.tmp_0`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from teachgraph.core.extend import HookPoint
from teachgraph.core.threads import Guard, InForce

__all__ = ["generate", "guard", "switch"]


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


def of_its_own(key: str) -> Callable[[], str]:
    """The namer of an op's outputs: each op but arithmetic is a layer of its own."""
    arithmetic = key.startswith("elementwise_")
    return partial(generate, key if arithmetic else f"{generate(key)}.tmp")


namer = HookPoint(of_its_own)
"""Makes what names the outputs of an op: `namer(key)`; called, it gives the next."""
