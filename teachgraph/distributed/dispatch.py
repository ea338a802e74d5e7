"""Dispatchers: which server keeps which slice of the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

__all__ = ["HashName", "PSDispatcher", "RoundRobin"]


class PSDispatcher:
    """Base class of dispatchers.

    Args:
        pserver_endpoints: The addresses of the servers.

    In Paddle this is `fluid.transpiler.ps_dispatcher.PSDispatcher`.
    """

    def __init__(self, pserver_endpoints: Sequence[str]) -> None:
        self._eps = list(pserver_endpoints)
        self._step = 0

    @property
    def eps(self) -> list[str]:
        """The addresses of the servers."""
        return self._eps

    def reset(self) -> None:
        """Begin again with the first server."""
        self._step = 0

    def dispatch(self, varlist: Sequence[Any]) -> list[str]:
        """Choose a server for each variable."""
        raise NotImplementedError("PSDispatcher.dispatch: subclasses choose a server")


class RoundRobin(PSDispatcher):
    """Gives each server one variable in turn.

    In Paddle this is `fluid.transpiler.RoundRobin`.

    >>> RoundRobin(["a:1", "b:1"]).dispatch(["w", "b", "v"])
    ['a:1', 'b:1', 'a:1']
    """

    def dispatch(self, varlist: Sequence[Any]) -> list[str]:
        """Choose a server for each variable: the next one."""
        first, count = self._step, len(self._eps)
        self._step = (first + len(varlist)) % count
        return [self._eps[(first + at) % count] for at in range(len(varlist))]


class HashName(PSDispatcher):
    """Chooses by the name: server `crc32(w) + i mod servers` for block i of w.

    It is the same in every process, and no server gets two blocks of one parameter.

    In Paddle this is `fluid.transpiler.HashName`, which hashes with Python's `hash`:
    that differs from process to process, and raises an error in 1.8.5.

    >>> HashName(["a:1", "b:1"]).dispatch(["w.block0", "w.block1", "b", "v"])
    ['a:1', 'b:1', 'b:1', 'a:1']
    """

    def dispatch(self, varlist: Sequence[Any]) -> list[str]:
        """Choose a server for each variable, by its name."""
        names = [getattr(variable, "name", variable) for variable in varlist]
        return [self._eps[hashed(name) % len(self._eps)] for name in names]


def hashed(name: str) -> int:
    """A number that stands for a name; blocks of one parameter have successive ones."""
    whole, _, block = name.partition(".block")
    return crc32(whole.encode()) + int(block or 0)
