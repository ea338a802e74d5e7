"""The Gumbel distribution of extreme values."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import numpy as np

from teachgraph.distribution.distribution import Reparameterized
from teachgraph.distribution.parameters import (
    as_value,
    numbers_or_tensors,
    sample_shape,
)
from teachgraph.distribution.transformed_distribution import TransformedDistribution
from teachgraph.distribution.uniform import Uniform
from teachgraph.ops.functions.creation import full_like
from teachgraph.ops.functions.math import exp, log, sqrt, square
from teachgraph.ops.limits import finfo

__all__ = ["Gumbel"]


class Gumbel(Reparameterized, TransformedDistribution):
    """The Gumbel distribution, that of the largest of many numbers.

    p(x) = exp(-z - exp(-z)) / scale, with z = (x - loc) / scale

    A uniform number u becomes a Gumbel one as loc - scale log(-log u).

    Args:
        loc: The most probable value: a number or a Tensor; broadcasts with `scale`.
        scale: The width, positive: likewise.

    Raises:
        DTypeError: A parameter is no number or Tensor.

    In Paddle this is `paddle.distribution.Gumbel`.

    >>> from teachgraph.distribution import Gumbel
    >>> gumbel = Gumbel(loc=0.0, scale=1.0)
    >>> gumbel.mean.numpy().round(4), gumbel.cdf(0.0).numpy().round(4)
    (np.float32(0.5772), np.float32(0.3679))
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = numbers_or_tensors("Gumbel", loc=loc, scale=scale)
        limits = finfo(self.loc.dtype)
        low = full_like(self.loc.detach(), float(limits.tiny))
        high = full_like(self.loc.detach(), 1.0 - float(limits.eps))
        self.base_dist = Uniform(low, high)
        self.transforms = ()
        super().__init__(self.base_dist, self.transforms)

    @property
    def mean(self) -> Any:
        """The mean, loc + gamma scale, with gamma = 0.5772... Euler's constant."""
        return self.loc + self.scale * float(np.euler_gamma)

    @property
    def variance(self) -> Any:
        """The variance, (pi scale)^2 / 6."""
        return square(self.scale) * (pi * pi / 6.0)

    @property
    def stddev(self) -> Any:
        """The standard deviation, pi scale / sqrt(6)."""
        return sqrt(self.variance)

    def log_prob(self, value: Any) -> Any:
        """Compute -z - exp(-z) - log scale, with z = (x - loc) / scale.

        Args:
            value: Numbers x; they broadcast with the batch.
        """
        x = as_value("Gumbel.log_prob", value, self.loc)
        exponent = (self.loc - x) / self.scale
        return exponent - exp(exponent) - log(self.scale)

    def cdf(self, value: Any) -> Any:
        """Compute P(X <= x) = exp(-exp(-(x - loc) / scale))."""
        x = as_value("Gumbel.cdf", value, self.loc)
        return exp(-exp((self.loc - x) / self.scale))

    def entropy(self) -> Any:
        """Compute log scale + 1 + gamma, in the shape of the batch."""
        return log(self.scale) + (1.0 + float(np.euler_gamma))

    def rsample(self, shape: Sequence[int] = ()) -> Any:
        """Draw loc - scale log(-log(noise)), with noise uniform over (0, 1).

        Args:
            shape: The shape of the sample.

        Returns:
            `shape + batch_shape` numbers.
        """
        noise = self.base_dist.sample(sample_shape("Gumbel.rsample", shape))
        return self.loc - self.scale * log(-log(noise))
