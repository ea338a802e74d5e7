"""Programs, names, a scope and a mode that no other test has touched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from teachgraph.core import modes, unique_name
from teachgraph.static import Program, program_guard
from teachgraph.static.scope import Scope, scope_guard

__all__ = ["Fresh", "fresh"]


class Fresh(NamedTuple):
    """The programs that layers build inside, and the scope they run in."""

    main: Program
    startup: Program
    scope: Scope


@contextmanager
def fresh() -> Iterator[Fresh]:
    """Static mode with empty programs, names from 0 on and an empty scope."""
    programs = Fresh(Program(), Program(), Scope())
    with (
        modes.using(static=True),
        unique_name.guard(),
        program_guard(programs.main, programs.startup),
        scope_guard(programs.scope),
    ):
        yield programs
