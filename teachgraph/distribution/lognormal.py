"""The log-normal distribution."""

from __future__ import annotations

from typing import Any

from teachgraph.distribution.distribution import check_kind
from teachgraph.distribution.normal import Normal
from teachgraph.distribution.transform import ExpTransform
from teachgraph.distribution.transformed_distribution import TransformedDistribution
from teachgraph.ops.functions.math import exp, expm1

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """The log-normal distribution: exp(x), with x from a normal distribution.

    p(y) = exp(-(log y - loc)^2 / (2 scale^2)) / (y scale sqrt(2 pi))

    Args:
        loc: The mean of x: a number, list, array or Tensor; it broadcasts with `scale`.
        scale: The standard deviation of x, positive: likewise, a Tensor if `loc` is
            one.

    Raises:
        DTypeError: A parameter is no number, array or Tensor.
        InvalidValueError: One parameter is a Tensor, the other is not.

    In Paddle this is `paddle.distribution.LogNormal`.

    >>> from teachgraph.distribution import LogNormal
    >>> lognormal = LogNormal(loc=0.0, scale=1.0)
    >>> lognormal.mean.numpy().round(4), lognormal.log_prob(1.0).numpy().round(4)
    (np.float32(1.6487), np.float32(-0.9189))
    """

    _base: Normal

    def __init__(self, loc: Any, scale: Any) -> None:
        normal = Normal(loc, scale)
        self.loc, self.scale = normal.loc, normal.scale
        super().__init__(normal, [ExpTransform()])

    @property
    def mean(self) -> Any:
        """The mean, exp(loc + scale^2 / 2)."""
        return exp(self._base.mean + self._base.variance / 2.0)

    @property
    def variance(self) -> Any:
        """The variance, (exp(scale^2) - 1) exp(2 loc + scale^2)."""
        variance = self._base.variance
        return expm1(variance) * exp(2.0 * self._base.mean + variance)

    def entropy(self) -> Any:
        """Compute log(2 pi e scale^2) / 2 + loc, in the shape of the batch."""
        return self._base.entropy() + self._base.mean

    def kl_divergence(self, other: Any) -> Any:
        """Compute that of the normal distributions: a bijection does not change it."""
        check_kind(LogNormal, other)
        return self._base.kl_divergence(other._base)
