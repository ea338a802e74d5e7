"""ONNX Runtime in the place of a plan, where it is installed and gives the same.

Its matrix products are faster than NumPy's, so whoever predicts again and again wants
it; whoever predicts once does not want to wait for an export. And what it will not do
(a dtype, an op, an error that names the user's line) must come out as without it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from itertools import count
from typing import Any, Protocol

import numpy as np

__all__ = ["TakeOver", "agree", "installed"]

Array = np.ndarray[Any, Any]
Feed = Mapping[str, Array]

TOLERANCE = 1e-5

logger = logging.getLogger(__name__)


class Runs(Protocol):
    """What gives results for inputs."""

    def run(self, feed: Feed) -> list[Array]:
        """The results."""


class TakeOver:
    """Runs the plan, and from the third run on what has given the plan's answers.

    The first run is the plan's. The second is made both ways, and if the results agree
    the session has the rest: but for inputs that it refuses, or that name no row of a
    table, for the plan says better what is wrong.

    Args:
        plan: Runs the plan.
        make: Makes the session.
        rows: For inputs that choose rows of tables, how many rows there are.

    Attributes:
        session: What has taken over, None as long as nothing has.
    """

    def __init__(
        self,
        plan: Callable[[Feed], list[Array]],
        make: Callable[[], Runs],
        rows: Mapping[str, int],
    ) -> None:
        self.plan, self.make, self.rows = plan, make, rows
        self.session: Runs | None = None
        self.runs = count(1)

    def run(self, feed: Feed) -> list[Array]:
        """The results for these inputs."""
        if self.session is not None:
            return self.by_session(self.session, feed)
        found = self.plan(feed)
        if next(self.runs) == 2:
            self.session = self.tried(feed, found)
        return found

    def by_session(self, session: Runs, feed: Feed) -> list[Array]:
        """The session's results; the plan's, or its error, if it has none."""
        if not all(names_rows(feed[name], rows) for name, rows in self.rows.items()):
            return self.plan(feed)
        try:
            return session.run(feed)
        except Exception:  # whatever the runtime raises
            return self.plan(feed)

    def tried(self, feed: Feed, wanted: Sequence[Array]) -> Runs | None:
        """A session that gives what the plan gave, None if there is none."""
        try:
            session = self.make()
            found = session.run(feed)
        except Exception as error:  # the exporter's, the runtime's or an ImportError
            logger.info("the plan stays, for ONNX Runtime cannot run it: %s", error)
            return None
        if not all(map(agree, found, wanted)):
            logger.info("the plan stays, for ONNX Runtime gives other results")
            return None
        logger.info("ONNX Runtime takes over: it gives what the plan gave")
        return session


def names_rows(ids: Array, rows: int) -> bool:
    """Whether there is a row for each id; ONNX would count negative ones backwards."""
    return not ids.size or bool(ids.min() >= 0 and ids.max() < rows)


def agree(found: Array, wanted: Array) -> bool:
    """Whether two results are alike, floating ones to 1e-5 of the largest.

    >>> one = np.ones(2, "float32")
    >>> agree(one + np.float32(1e-6), one), agree(one * 2, one)
    (True, False)
    """
    if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
        return False
    if wanted.dtype.kind != "f":
        return bool(np.array_equal(found, wanted))
    largest = np.max(np.abs(wanted), initial=1.0, where=np.isfinite(wanted))
    return bool(np.allclose(found, wanted, 0, TOLERANCE * largest, equal_nan=True))


def installed() -> bool:
    """Whether the extra `deploy` is there."""
    return all(find_spec(name) is not None for name in ("onnx", "onnxruntime"))
