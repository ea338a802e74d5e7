"""Runs a program before and after passes, and holds the two to one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from teachgraph import passes
from teachgraph.planning.executor import Executor
from teachgraph.static import Program, Variable
from teachgraph.static.scope import Scope

__all__ = ["copy_of", "types", "unchanged"]


def types(program: Program) -> list[str]:
    """The op types of the global block, in order."""
    return [op.type for op in program.global_block().ops]


def unchanged(
    program: Program,
    names: str | Sequence[str],
    feed: Mapping[str, Any],
    fetches: Sequence[Variable],
    scope: Scope | None = None,
    rtol: float = 0.0,
    steps: int = 2,
) -> passes.Optimised:
    """Apply passes; what is fetched and what is stored must be as before.

    The user's program must print as before, and every step must agree.
    """
    before = str(program)
    first, second = copy_of(scope), copy_of(scope)
    made = passes.apply_pass(program, names, fetches=fetches, scope=second)
    executor = Executor(interpret=True)
    for _ in range(steps):
        wanted = executor.run(program, feed, list(fetches), scope=first)
        found = executor.run(made, feed, [v.name for v in fetches], scope=second)
        for one, other in zip(found, wanted, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol)
    for name, value in first.values.items():
        np.testing.assert_allclose(second.values[name], value, rtol=rtol, atol=rtol)
    assert str(program) == before
    return made


def copy_of(scope: Scope | None) -> Scope:
    """A scope of one's own with the same values."""
    copy = Scope()
    if scope is not None:
        copy.values.update(scope.values)
    return copy
