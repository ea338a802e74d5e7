"""The `reduction` of losses: mean, sum or none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from teachgraph.core import ops
from teachgraph.core.errors import InvalidValueError

__all__ = ["check_reduction", "mean_of_weighted", "reduced"]

REDUCE: dict[str, Callable[[Any], Any]] = {
    "mean": partial(ops.reduce_mean, reduce_all=True),
    "sum": ops.reduce_sum,
    "none": lambda loss: loss,
}
REDUCTIONS = tuple(REDUCE)


def check_reduction(reduction: str, *more: str) -> None:
    """Require a known reduction.

    Raises:
        InvalidValueError: The reduction is unknown.
    """
    known = (*REDUCTIONS, *more)
    if reduction not in known:
        words = ", ".join(map(repr, known[:-1])) + f" or {known[-1]!r}"
        raise InvalidValueError.here(f"reduction is {words}, got {reduction!r}")


def reduced(loss: Any, reduction: str) -> Any:
    """Reduce a loss by mean or sum, or return it unchanged.

    Raises:
        InvalidValueError: There is no reduction of that name.
    """
    if reduction not in REDUCE:
        check_reduction(reduction)
    return REDUCE[reduction](loss)


def mean_of_weighted(loss: Any, weight: Any) -> Any:
    """Divide the sum of weighted losses by the sum of the weights.

    If all weights are 0 the result is 0.
    """
    total = ops.reduce_sum(weight)
    return ops.reduce_sum(loss) / (total + (total == 0.0).astype(total.dtype))
