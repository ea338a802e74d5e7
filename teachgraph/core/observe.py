"""The only door for whoever watches: a list of observers, told what happens.

The framework announces; it never draws, prints or times. The recorder, the profiler,
the NaN check and the widgets are observers. An announcement costs an unwatched run one
truth test; ops and the tape cost none, as `attach` wraps them.
"""

from __future__ import annotations

from typing import Any

observers: list[Any] = []
"""Those that watch, with the methods of `utils.observe.Observer`."""


def announce(what: str, *facts: Any) -> None:
    """Call the method `what` of every observer; ask `if observers:` first."""
    for observer in observers:
        getattr(observer, what)(*facts)
