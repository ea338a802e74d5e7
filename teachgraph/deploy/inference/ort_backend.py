"""ONNX Runtime as a predictor's backend, once its results have been verified.

Its matrix products are faster than NumPy's, but an export takes longer than one run, so
the plan serves the first runs. What the runtime cannot do (a dtype, an op, an error
that names the user's line) is left to the plan.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from itertools import count
from typing import Any, Protocol

import numpy as np

__all__ = ["OrtBackend", "agree", "installed"]

Array = np.ndarray[Any, Any]
Feed = Mapping[str, Array]

TOLERANCE = 1e-5

logger = logging.getLogger(__name__)


class Runs(Protocol):
    """A runner of a model."""

    def run(self, feed: Feed) -> list[Array]:
        """Run the model; return its results."""


class OrtBackend:
    """A plan that a verified session of ONNX Runtime replaces from the third run on.

    The first run is the plan's. The second is made by both, and if the results agree
    the session serves the rest: but for inputs that it refuses, or that contain an id
    outside of a table, for which the plan has the better error.

    Args:
        plan: Runs the plan.
        new_session: Exports the model to a session.
        rows: For inputs that are ids of a table, its number of rows.

    Attributes:
        session: The verified session, or None.
    """

    def __init__(
        self,
        plan: Callable[[Feed], list[Array]],
        new_session: Callable[[], Runs],
        rows: Mapping[str, int],
    ) -> None:
        self.plan, self.new_session, self.rows = plan, new_session, rows
        self.session: Runs | None = None
        # `next` of a counter is atomic: of several threads one verifies.
        self.runs = count(1)

    def run(self, feed: Feed) -> list[Array]:
        """Run the model; return its results."""
        if self.session is not None:
            return self.by_session(self.session, feed)
        results = self.plan(feed)
        if next(self.runs) == 2:
            self.session = self.verified_session(feed, results)
        return results

    def by_session(self, session: Runs, feed: Feed) -> list[Array]:
        """Run the session; if it fails, run the plan, or raise the plan's error."""
        if not all(in_table(feed[name], rows) for name, rows in self.rows.items()):
            return self.plan(feed)
        try:
            return session.run(feed)
        except Exception:  # whatever the runtime raises
            return self.plan(feed)

    def verified_session(self, feed: Feed, expected: Sequence[Array]) -> Runs | None:
        """Return a session with the plan's results, None if there is none."""
        try:
            session = self.new_session()
            results = session.run(feed)
        except Exception as error:  # the exporter's, the runtime's or an ImportError
            logger.info("the plan stays, for ONNX Runtime cannot run it: %s", error)
            return None
        if not all(map(agree, results, expected)):
            logger.info("the plan stays, for ONNX Runtime gives other results")
            return None
        logger.info("ONNX Runtime takes over: it gives what the plan gave")
        return session


def in_table(ids: Array, rows: int) -> bool:
    """True if a table has a row for each id; ONNX counts negative ones from the end."""
    return not ids.size or bool(ids.min() >= 0 and ids.max() < rows)


def agree(result: Array, expected: Array) -> bool:
    """True if two results are equal, floating ones to 1e-5 of the largest.

    >>> one = np.ones(2, "float32")
    >>> agree(one + np.float32(1e-6), one), agree(one * 2, one)
    (True, False)
    """
    if (result.shape, result.dtype) != (expected.shape, expected.dtype):
        return False
    if expected.dtype.kind != "f":
        return bool(np.array_equal(result, expected))
    largest = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
    return bool(np.allclose(result, expected, 0, TOLERANCE * largest, equal_nan=True))


def installed() -> bool:
    """True if the packages of the extra `deploy` are installed."""
    return all(find_spec(name) is not None for name in ("onnx", "onnxruntime"))
