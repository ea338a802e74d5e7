"""The Cauchy distribution."""

from __future__ import annotations

from collections.abc import Sequence
from math import log as log_of
from math import pi
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.modes import no_grad
from teachgraph.distribution.distribution import Distribution, check_kind
from teachgraph.distribution.parameters import (
    as_value,
    numbers_or_tensors,
    repeated,
    sample_shape,
)
from teachgraph.ops.functions.math import atan, log, log1p, square, tan
from teachgraph.ops.sampling import uniform_like

__all__ = ["Cauchy"]


class Cauchy(Distribution):
    """The Cauchy distribution, with tails so long that it has no mean.

    p(x) = 1 / (pi scale (1 + ((x - loc) / scale)^2))

    Args:
        loc: The median: a number or a Tensor; it broadcasts with `scale`.
        scale: The distance from `loc` at which the density is half as high, positive:
            likewise.
        name: Accepted for Paddle's sake.

    Raises:
        DTypeError: A parameter is no number or Tensor.

    In Paddle this is `paddle.distribution.Cauchy`.

    >>> from teachgraph.distribution import Cauchy
    >>> cauchy = Cauchy(loc=0.0, scale=2.0)
    >>> cauchy.cdf([-2.0, 0.0, 2.0]).numpy().round(4)
    array([0.25, 0.5 , 0.75], dtype=float32)
    """

    def __init__(self, loc: Any, scale: Any, name: str | None = None) -> None:
        self.name = name or "Cauchy"
        self.loc, self.scale = numbers_or_tensors("Cauchy", loc=loc, scale=scale)
        self.dtype = self.loc.dtype
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Any:
        """Undefined, for the integral of x p(x) diverges.

        Raises:
            InvalidValueError: Always.
        """
        raise undefined("mean")

    @property
    def variance(self) -> Any:
        """Undefined, as the mean is."""
        raise undefined("variance")

    @property
    def stddev(self) -> Any:
        """Undefined, as the mean is."""
        raise undefined("stddev")

    def sample(self, shape: Sequence[int] = (), name: str | None = None) -> Any:
        """Draw `shape + batch_shape` numbers, without a gradient."""
        with no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = (), name: str | None = None) -> Any:
        """Draw loc + scale tan(pi (noise - 1/2)), with noise uniform over [0, 1).

        Args:
            shape: The shape of the sample.
            name: Accepted for Paddle's sake.

        Returns:
            `shape + batch_shape` numbers.
        """
        count = sample_shape("Cauchy.rsample", shape)
        noise = uniform_like(repeated(self.loc.detach(), count))
        return self.loc + self.scale * tan(pi * (noise - 0.5))

    def log_prob(self, value: Any) -> Any:
        """Compute -log(1 + ((x - loc) / scale)^2) - log(pi scale).

        Args:
            value: Numbers x; they broadcast with the batch.
        """
        x = as_value("Cauchy.log_prob", value, self.loc)
        steps = (x - self.loc) / self.scale
        return -log1p(square(steps)) - (log(self.scale) + log_of(pi))

    def cdf(self, value: Any) -> Any:
        """Compute P(X <= x) = atan((x - loc) / scale) / pi + 1/2."""
        x = as_value("Cauchy.cdf", value, self.loc)
        return atan((x - self.loc) / self.scale) / pi + 0.5

    def entropy(self) -> Any:
        """Compute log(4 pi scale), in the shape of the batch."""
        return log(self.scale) + log_of(4.0 * pi)

    def kl_divergence(self, other: Any) -> Any:
        """Compute KL(self || other) = log(((s + t)^2 + d^2) / (4 s t)).

        With s and t the scales and d the distance of the medians (Chyzak and Nielsen,
        2019).
        """
        check_kind(Cauchy, other)
        s, t = self.scale, other.scale
        distance = square(s + t) + square(self.loc - other.loc)
        return log(distance) - log(4.0 * s * t)


def undefined(moment: str) -> InvalidValueError:
    return InvalidValueError.here(f"Cauchy: the distribution has no {moment}")
