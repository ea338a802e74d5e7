"""One case of a table, and what its op answers, computed once for all its checks.

A check is a function that raises where a fact does not hold. `run_all` makes all checks
of a case in one test, so that there is one test a case, and names those that fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pytest

from teachgraph.core import modes
from tests.ops.contract import Array, Case
from tests.ops.lives import Answers, eager, on_arrays

__all__ = ["Check", "Trial", "run_all"]


@dataclass(frozen=True)
class Trial:
    """A case of an op of the table, or of a function with a twin in PyTorch.

    What several checks compare with is computed by the first of them, and read-only.
    """

    row: Any
    case: Case

    @cached_property
    def kernel(self) -> list[Array]:
        """The kernel's results."""
        return read_only(on_arrays(self.row, self.case.inputs, self.case.attrs))

    @cached_property
    def tape(self) -> Answers:
        """Results, gradients and their gradients on Tensors."""
        return Answers(*map(read_only, eager(self.row, self.case)))


def read_only(arrays: Iterable[Array]) -> list[Array]:
    """Copies that no check can change for the next."""
    copies = [np.array(x) for x in arrays]
    for copy in copies:
        copy.flags.writeable = False
    return copies


class Check(NamedTuple):
    """A fact about some cases, or some rows.

    Attributes:
        holds: Raises where the fact does not hold; its name is what a report calls it.
        of: Selects what it is checked on.
    """

    holds: Callable[..., None]
    of: Callable[..., bool] = lambda *_: True

    @property
    def name(self) -> str:
        """The name in words."""
        return self.holds.__name__.replace("_", " ")


def run_all(checks: Iterable[tuple[str, Callable[[], None]]]) -> None:
    """Make every check, though some fail, and raise all that they raised.

    Raises:
        ExceptionGroup: Its message names the checks that failed.
    """
    failures: dict[str, Exception] = {}
    for name, check in checks:
        try:
            with modes.using(None):
                check()
        except pytest.fail.Exception as failure:  # no Exception, as a group's must be
            failures[name] = AssertionError(str(failure))
        except Exception as failure:
            failures[name] = failure
    for name, failure in failures.items():
        failure.add_note(f"in the check: {name}")
    if failures:
        raise ExceptionGroup("; ".join(failures), list(failures.values()))
