"""The distribution of a transformed random variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.distribution.distribution import Distribution
from teachgraph.distribution.independent import Independent
from teachgraph.distribution.parameters import as_tensor, sum_last
from teachgraph.distribution.transform.base import (
    ChainTransform,
    Transform,
    log_det,
)
from teachgraph.ops.error_message import describe

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of y = f(x), where x has a base distribution.

    log p(y) = log p_base(x) - log |det J_f(x)|, with x the inverse of y

    Args:
        base: The distribution of x.
        transforms: The transforms of which f consists, the first one first.

    Raises:
        DTypeError: `base` is no distribution, or `transforms` no list of transforms.
        ShapeError: The base has fewer dimensions than an event of the first transform.

    In Paddle this is `paddle.distribution.TransformedDistribution`.

    >>> from teachgraph.distribution import Normal, TransformedDistribution
    >>> from teachgraph.distribution import ExpTransform
    >>> positive = TransformedDistribution(Normal(0.0, 1.0), [ExpTransform()])
    >>> round(positive.log_prob(1.0).item(), 4)
    -0.9189
    """

    def __init__(self, base: Distribution, transforms: Sequence[Transform]) -> None:
        if not isinstance(base, Distribution):
            message = f"base is a distribution, not {describe(base)}"
            raise DTypeError.here(f"TransformedDistribution: {message}")
        if not isinstance(transforms, Sequence) or not all(
            isinstance(transform, Transform) for transform in transforms
        ):
            message = "TransformedDistribution: transforms is a list of transforms"
            raise DTypeError.here(message)
        self._transforms = transforms
        if not transforms:
            self._base = base
            super().__init__(base.batch_shape, base.event_shape)
            return
        chain = ChainTransform(transforms)
        rank, shape = chain._domain.event_rank, base.batch_shape + base.event_shape
        if len(shape) < rank:
            message = f"an event of the transforms has {rank} dimensions"
            raise ShapeError.here(
                f"TransformedDistribution: {message}, the base {list(shape)}"
            )
        if (missing := rank - len(base.event_shape)) > 0:
            base = Independent(base, missing)
        self._base = base
        shape = tuple(chain.forward_shape(shape))
        kept = max(len(base.event_shape) - rank, 0) + chain._codomain.event_rank
        border = len(shape) - kept
        super().__init__(shape[:border], shape[border:])

    def sample(self, shape: Sequence[int] = ()) -> Any:
        """Draw from the base distribution, and transform the sample."""
        return self._transformed(self._base.sample(shape))

    def rsample(self, shape: Sequence[int] = ()) -> Any:
        """Draw from the base distribution differentiably, and transform the sample."""
        return self._transformed(self._base.rsample(shape))

    def _transformed(self, x: Any) -> Any:
        for transform in self._transforms:
            x = transform.forward(x)
        return x

    def log_prob(self, value: Any) -> Any:
        """Compute log p_base(x) - log |det J_f(x)|, with x the inverse of the value."""
        y = as_tensor("TransformedDistribution.log_prob", value)
        rank, log_prob = len(self.event_shape), 0.0
        for transform in reversed(self._transforms):
            x = transform.inverse(y)
            rank += transform._domain.event_rank - transform._codomain.event_rank
            log_prob = log_prob - log_det(transform, x, rank)
            y = x
        base = self._base.log_prob(y)
        return log_prob + sum_last(base, rank - len(self._base.event_shape))
