"""The Laplace distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.distribution.distribution import Reparameterized, check_kind
from teachgraph.distribution.parameters import (
    as_value,
    numbers_or_tensors,
    repeated,
    sample_shape,
)
from teachgraph.ops.functions.math import abs, exp, expm1, log, log1p, sign, square
from teachgraph.ops.limits import finfo
from teachgraph.ops.sampling import uniform_like

__all__ = ["Laplace"]


class Laplace(Reparameterized):
    """The Laplace distribution: exponential to both sides of `loc`.

    p(x) = exp(-|x - loc| / scale) / (2 scale)

    Args:
        loc: The mean: a number or a Tensor; it broadcasts with `scale`.
        scale: The mean distance from `loc`, positive: likewise.

    Raises:
        DTypeError: A parameter is no number or Tensor.

    In Paddle this is `paddle.distribution.Laplace`.

    >>> from teachgraph.distribution import Laplace
    >>> laplace = Laplace(loc=0.0, scale=0.5)
    >>> laplace.prob(0.0).item(), laplace.cdf(0.0).item(), laplace.variance.item()
    (1.0, 0.5, 0.5)
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = numbers_or_tensors("Laplace", loc=loc, scale=scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Any:
        """The mean, loc."""
        return self.loc

    @property
    def stddev(self) -> Any:
        """The standard deviation, sqrt(2) scale."""
        return self.scale * 2.0**0.5

    @property
    def variance(self) -> Any:
        """The variance, 2 scale^2."""
        return 2.0 * square(self.scale)

    def rsample(self, shape: Sequence[int] = ()) -> Any:
        """Draw loc - scale sign(noise) log(1 - |noise|), noise uniform over (-1, 1).

        Args:
            shape: The shape of the sample.

        Returns:
            `shape + batch_shape` numbers.
        """
        count = sample_shape("Laplace.rsample", shape)
        least = float(finfo(self.loc.dtype).eps) - 1.0
        noise = uniform_like(repeated(self.loc.detach(), count), min=least)
        return self.loc - self.scale * sign(noise) * log1p(-abs(noise))

    def log_prob(self, value: Any) -> Any:
        """Compute -log(2 scale) - |x - loc| / scale.

        Args:
            value: Numbers x; they broadcast with the batch.
        """
        x = as_value("Laplace.log_prob", value, self.scale)
        return -log(2.0 * self.scale) - abs(x - self.loc) / self.scale

    def entropy(self) -> Any:
        """Compute 1 + log(2 scale), in the shape of the batch."""
        return 1.0 + log(2.0 * self.scale)

    def cdf(self, value: Any) -> Any:
        """Compute P(X <= x) = (1 + sign(x - loc) (1 - exp(-|x - loc| / scale))) / 2."""
        x = as_value("Laplace.cdf", value, self.scale)
        distance = x - self.loc
        return 0.5 - 0.5 * sign(distance) * expm1(-abs(distance) / self.scale)

    def icdf(self, value: Any) -> Any:
        """Compute the x for which cdf(x) = q: loc - scale sign(c) log(1 - 2 |c|).

        With c = q - 1/2.

        Args:
            value: Probabilities q; they broadcast with the batch.
        """
        centred = as_value("Laplace.icdf", value, self.scale) - 0.5
        return self.loc - self.scale * sign(centred) * log1p(-2.0 * abs(centred))

    def kl_divergence(self, other: Any) -> Any:
        """Compute KL(self || other) = (s exp(-d / s) + d) / t + log(t / s) - 1.

        With s and t the scales, and d the distance of the locations.
        """
        check_kind(Laplace, other)
        s, t = self.scale, other.scale
        distance = abs(self.loc - other.loc)
        return (s * exp(-distance / s) + distance) / t + log(t / s) - 1.0
