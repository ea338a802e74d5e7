"""Names that do not repeat: `fc_0`, `fc_1`, one counter a key, as in Paddle."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from teachgraph.core.threads import Guard, InForce

__all__ = ["generate", "guard", "switch"]


class Names(NamedTuple):
    """The counters in force, and what every name begins with."""

    used: Counter[str]
    prefix: str = ""


_names = InForce(Names(Counter()))


def generate(key: str) -> str:
    """The next name for `key`.

    >>> with guard():
    ...     generate("fc"), generate("fc"), generate("mean")
    ('fc_0', 'fc_1', 'mean_0')
    """
    used, prefix = _names.value
    number = used[key]
    used[key] += 1
    return f"{prefix}{key}_{number}"


def switch(counters: Counter[str] | None = None) -> Counter[str]:
    """Put other counters in force (by default, fresh ones); returns the old ones."""
    before = _names.value.used
    _names.put(Names(Counter() if counters is None else counters))
    return before


def guard(prefix: str = "") -> Guard[Names]:
    """Count from 0 inside the block, and begin every name with `prefix`.

    >>> with guard():
    ...     generate("fc")
    'fc_0'
    >>> with guard("critic_"):
    ...     generate("fc")
    'critic_fc_0'
    """
    return _names.holding(Names(Counter(), prefix))
