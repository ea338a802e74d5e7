"""The normal distribution."""

from __future__ import annotations

from collections.abc import Sequence
from math import log as log_of
from math import pi, sqrt
from typing import Any

from teachgraph.distribution.distribution import Distribution, check_kind
from teachgraph.distribution.parameters import (
    arrays_or_tensors,
    as_value,
    repeated,
    sample_shape,
)
from teachgraph.ops.functions.math import exp, log, square
from teachgraph.ops.sampling import gaussian_like

__all__ = ["Normal"]


class Normal(Distribution):
    """The normal (Gaussian) distribution.

    p(x) = exp(-(x - loc)^2 / (2 scale^2)) / (scale sqrt(2 pi))

    Args:
        loc: The mean: a number, list, array or Tensor; it broadcasts with `scale`.
        scale: The standard deviation, positive: likewise, a Tensor if `loc` is one.
        name: Accepted for Paddle's sake.

    Raises:
        DTypeError: A parameter is no number, array or Tensor.
        InvalidValueError: One parameter is a Tensor, the other is not.

    In Paddle this is `paddle.distribution.Normal`.

    >>> from teachgraph.distribution import Normal
    >>> normal = Normal(loc=0.0, scale=[1.0, 2.0])
    >>> normal.log_prob(1.0).numpy().round(4)
    array([-1.4189, -1.7371], dtype=float32)
    >>> normal.entropy().numpy().round(4)
    array([1.4189, 2.1121], dtype=float32)
    """

    def __init__(self, loc: Any, scale: Any, name: str | None = None) -> None:
        self.name = name or "Normal"
        self.loc, self.scale = arrays_or_tensors("Normal", loc=loc, scale=scale)
        self.dtype = self.loc.dtype
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Any:
        """The mean, loc."""
        return self.loc

    @property
    def variance(self) -> Any:
        """The variance, scale^2."""
        return square(self.scale)

    def sample(self, shape: Sequence[int] = (), seed: int = 0) -> Any:
        """Draw a sample; as in Paddle it has a gradient, and is `rsample` with a seed.

        Args:
            shape: The shape of the sample.
            seed: If not 0, every call draws the same numbers.

        Returns:
            `shape + batch_shape` numbers.
        """
        count = sample_shape("Normal.sample", shape)
        noise = gaussian_like(repeated(self.loc.detach(), count), seed=seed)
        return self.loc + noise * self.scale

    def rsample(self, shape: Sequence[int] = ()) -> Any:
        """Draw loc + scale noise, with noise from the standard normal distribution."""
        return self.sample(shape)

    def entropy(self) -> Any:
        """Compute log(2 pi e scale^2) / 2, in the shape of the batch."""
        return log(self.scale) + (0.5 + 0.5 * log_of(2.0 * pi))

    def log_prob(self, value: Any) -> Any:
        """Compute -(x - loc)^2 / (2 scale^2) - log(scale sqrt(2 pi)).

        Args:
            value: Numbers x; they broadcast with the batch.
        """
        x = as_value("Normal.log_prob", value, self.loc)
        exponent = -square(x - self.loc) / (2.0 * square(self.scale))
        return exponent - (log(self.scale) + log_of(sqrt(2.0 * pi)))

    def probs(self, value: Any) -> Any:
        """Compute the density at numbers that broadcast with the batch."""
        x = as_value("Normal.probs", value, self.loc)
        exponent = -square(x - self.loc) / (2.0 * square(self.scale))
        return exp(exponent) / (sqrt(2.0 * pi) * self.scale)

    def kl_divergence(self, other: Any) -> Any:
        """Compute KL(self || other) = (r^2 + d^2 - 1 - log r^2) / 2.

        With r = scale / other.scale and d = (loc - other.loc) / other.scale.
        """
        check_kind(Normal, other)
        ratio = square(self.scale / other.scale)
        distance = square((self.loc - other.loc) / other.scale)
        return 0.5 * ratio + 0.5 * (distance - 1.0 - log(ratio))
