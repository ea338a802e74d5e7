"""What becomes of the losses of a batch: their mean, their sum, or each by itself."""

from __future__ import annotations

from typing import Any

from teachgraph.core.errors import InvalidValueError, at_user_line
from teachgraph.ops import reduce

__all__ = ["check_reduction", "mean_of_weighted", "reduced"]

REDUCTIONS = ("mean", "sum", "none")


def check_reduction(reduction: str, *more: str) -> None:
    """Refuse a reduction that there is not.

    Raises:
        InvalidValueError: It is none of those.
    """
    known = (*REDUCTIONS, *more)
    if reduction not in known:
        words = ", ".join(map(repr, known[:-1])) + f" or {known[-1]!r}"
        raise InvalidValueError(
            at_user_line(f"reduction is {words}, got {reduction!r}")
        )


def reduced(loss: Any, reduction: str) -> Any:
    """The mean or sum of a loss, or the loss itself."""
    check_reduction(reduction)
    if reduction == "mean":
        return reduce.reduce_mean(loss, reduce_all=True)
    if reduction == "sum":
        return reduce.reduce_sum(loss)
    return loss


def mean_of_weighted(loss: Any, weight: Any) -> Any:
    """The sum of a loss that is weighted already, over the sum of the weights.

    Where all weights are 0 it is 0.
    """
    total = reduce.reduce_sum(weight)
    return reduce.reduce_sum(loss) / (total + (total == 0.0).astype(total.dtype))
