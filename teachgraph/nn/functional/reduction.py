"""The `reduction` of losses: mean, sum or none."""

from __future__ import annotations

from typing import Any

from teachgraph.errors import InvalidValueError, at_user_line
from teachgraph.ops import reduce

__all__ = ["check_reduction", "mean_of_weighted", "reduced"]

REDUCTIONS = ("mean", "sum", "none")


def check_reduction(reduction: str, *more: str) -> None:
    """Require a known reduction.

    Raises:
        InvalidValueError: The reduction is unknown.
    """
    known = (*REDUCTIONS, *more)
    if reduction not in known:
        words = ", ".join(map(repr, known[:-1])) + f" or {known[-1]!r}"
        raise InvalidValueError(
            at_user_line(f"reduction is {words}, got {reduction!r}")
        )


def reduced(loss: Any, reduction: str) -> Any:
    """Reduce a loss by mean or sum, or return it unchanged."""
    check_reduction(reduction)
    if reduction == "mean":
        return reduce.reduce_mean(loss, reduce_all=True)
    if reduction == "sum":
        return reduce.reduce_sum(loss)
    return loss


def mean_of_weighted(loss: Any, weight: Any) -> Any:
    """Divide the sum of weighted losses by the sum of the weights.

    If all weights are 0 the result is 0.
    """
    total = reduce.reduce_sum(weight)
    return reduce.reduce_sum(loss) / (total + (total == 0.0).astype(total.dtype))
