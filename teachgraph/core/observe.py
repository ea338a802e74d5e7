"""The only door for whoever watches: a list of observers, told what happens.

The framework announces; it never draws, prints or times. Ops and the tape are wrapped
while somebody watches; any other announcement costs an unwatched run one truth test.
The recorder, the profiler, the NaN check and the widgets are all observers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from teachgraph.core.extend import HookPoint, unregistered

observers: list[Any] = []
"""Those that watch, with the methods of `utils.observe.Observer`; see `attach`."""

watched: list[tuple[HookPoint[Any], Callable[..., Any], bool]] = []
"""Functions of the core that are wrapped as long as somebody watches."""


def while_watched(
    point: HookPoint[Any], wrapper: Callable[..., Any], *, innermost: bool = False
) -> None:
    """Wrap a function of the core from the first observer on until the last is gone."""
    watched.append((point, wrapper, innermost))
    if observers:
        point.wrap(wrapper, innermost=innermost)


def attach(observer: Any) -> None:
    """Let `observer` watch from now on."""
    unregistered.call("observer", "tape")
    if not observers:
        for point, wrapper, innermost in watched:
            point.wrap(wrapper, innermost=innermost)
    observers.append(observer)


def detach(observer: Any) -> None:
    """Let `observer` watch no more."""
    observers.remove(observer)
    if not observers:
        for point, wrapper, _ in watched:
            point.unwrap(wrapper)


def announce(what: str, *facts: Any) -> None:
    """Call the method `what` of every observer; ask `if observers:` first."""
    for observer in observers:
        getattr(observer, what)(*facts)


@contextmanager
def unwatched() -> Iterator[None]:
    """Let nobody watch inside the `with` block: it is the framework's own affair."""
    hidden = observers[:]
    for observer in hidden:
        detach(observer)
    try:
        yield
    finally:
        for observer in hidden:
            attach(observer)
