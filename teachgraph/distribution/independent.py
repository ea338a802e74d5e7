"""A distribution whose last batch dimensions belong to the event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.distribution.distribution import Distribution
from teachgraph.distribution.parameters import sum_last
from teachgraph.ops.error_message import describe

__all__ = ["Independent"]


class Independent(Distribution):
    """Independent distributions as one: its event is a draw from each of them.

    The joint density is the product of the densities, so `log_prob` and `entropy` are
    sums over the dimensions that change side.

    Args:
        base: The distributions.
        reinterpreted_batch_rank: How many of the last batch dimensions become event
            dimensions, at least 1.

    Raises:
        DTypeError: `base` is no distribution.
        InvalidValueError: `base` has not so many batch dimensions.

    In Paddle this is `paddle.distribution.Independent`.

    >>> from teachgraph.distribution import Independent, Normal
    >>> pair = Independent(Normal([0.0, 1.0], [1.0, 1.0]), 1)
    >>> pair.batch_shape, pair.event_shape, pair.log_prob([0.0, 1.0]).shape
    ((), (2,), [])
    """

    def __init__(self, base: Distribution, reinterpreted_batch_rank: int) -> None:
        if not isinstance(base, Distribution):
            message = f"Independent: base is a distribution, not {describe(base)}"
            raise DTypeError.here(message)
        rank = len(base.batch_shape)
        if not 0 < reinterpreted_batch_rank <= rank:
            message = f"reinterpreted_batch_rank is from 1 to {rank}"
            raise InvalidValueError.here(
                f"Independent: {message}, not {reinterpreted_batch_rank}"
            )
        self._base, self._reinterpreted_batch_rank = base, reinterpreted_batch_rank
        shape = base.batch_shape + base.event_shape
        kept = rank - reinterpreted_batch_rank
        super().__init__(shape[:kept], shape[kept:])

    @property
    def mean(self) -> Any:
        """The mean of each distribution."""
        return self._base.mean

    @property
    def variance(self) -> Any:
        """The variance of each distribution."""
        return self._base.variance

    def sample(self, shape: Sequence[int] = ()) -> Any:
        """Draw from each distribution."""
        return self._base.sample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Any:
        """Draw from each distribution, differentiably; Paddle leaves it out."""
        return self._base.rsample(shape)

    def log_prob(self, value: Any) -> Any:
        """Compute the sum of the log densities over the new event dimensions."""
        return sum_last(self._base.log_prob(value), self._reinterpreted_batch_rank)

    def entropy(self) -> Any:
        """Compute the sum of the entropies over the new event dimensions."""
        return sum_last(self._base.entropy(), self._reinterpreted_batch_rank)
