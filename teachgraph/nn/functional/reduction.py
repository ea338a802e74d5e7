"""What becomes of the losses of a batch: their mean, their sum, or each by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from teachgraph.core.errors import InvalidValueError, at_user_line
from teachgraph.ops import reduce

__all__ = ["check_reduction", "mean_of_weighted", "reduced", "reduction_of"]

REDUCE: dict[str, Callable[[Any], Any]] = {
    "mean": partial(reduce.reduce_mean, reduce_all=True),
    "sum": reduce.reduce_sum,
    "none": lambda loss: loss,
}
REDUCTIONS = tuple(REDUCE)


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


def reduction_of(name: str) -> Callable[[Any], Any]:
    """The reduction of this name: the mean, the sum, or the losses as they are.

    Raises:
        InvalidValueError: There is none of that name.
    """
    check_reduction(name)
    return REDUCE[name]


def reduced(loss: Any, reduction: str) -> Any:
    """The mean or sum of a loss, or the loss itself."""
    return reduction_of(reduction)(loss)


def mean_of_weighted(loss: Any, weight: Any) -> Any:
    """The sum of a loss that is weighted already, over the sum of the weights.

    Where all weights are 0 it is 0.
    """
    total = reduce.reduce_sum(weight)
    return reduce.reduce_sum(loss) / (total + (total == 0.0).astype(total.dtype))
