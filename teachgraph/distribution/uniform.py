"""The uniform distribution over an interval."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from teachgraph.distribution.distribution import Distribution, check_kind
from teachgraph.distribution.parameters import (
    arrays_or_tensors,
    as_value,
    repeated,
    sample_shape,
)
from teachgraph.ops.functions.creation import full_like
from teachgraph.ops.functions.logic import logical_and, where
from teachgraph.ops.functions.math import cast, log, square
from teachgraph.ops.sampling import uniform_like

__all__ = ["Uniform"]


class Uniform(Distribution):
    """The uniform distribution over an interval.

    p(x) = 1 / (high - low) for low < x < high, else 0

    Args:
        low: The lower bound: a number, list, array or Tensor; broadcasts with `high`.
        high: The upper bound, above `low`: likewise, a Tensor if `low` is one.
        name: Accepted for Paddle's sake.

    Raises:
        DTypeError: A parameter is no number, array or Tensor.
        InvalidValueError: One parameter is a Tensor, the other is not.

    In Paddle this is `paddle.distribution.Uniform`.

    >>> from teachgraph.distribution import Uniform
    >>> uniform = Uniform(low=0.0, high=[2.0, 4.0])
    >>> uniform.probs(3.0).tolist()
    [0.0, 0.25]
    >>> uniform.entropy().numpy().round(4)
    array([0.6931, 1.3863], dtype=float32)
    """

    def __init__(self, low: Any, high: Any, name: str | None = None) -> None:
        self.name = name or "Uniform"
        self.low, self.high = arrays_or_tensors("Uniform", low=low, high=high)
        self.dtype = self.low.dtype
        super().__init__(self.low.shape)

    @property
    def mean(self) -> Any:
        """The mean, (low + high) / 2; Paddle leaves it out."""
        return (self.low + self.high) * 0.5

    @property
    def variance(self) -> Any:
        """The variance, (high - low)^2 / 12; Paddle leaves it out."""
        return square(self.high - self.low) / 12.0

    def sample(self, shape: Sequence[int] = (), seed: int = 0) -> Any:
        """Draw a sample low + (high - low) noise, noise uniform over [0, 1).

        Args:
            shape: The shape of the sample.
            seed: If not 0, every call draws the same numbers.

        Returns:
            `shape + batch_shape` numbers; as in Paddle with a gradient.
        """
        count = sample_shape("Uniform.sample", shape)
        noise = uniform_like(repeated(self.low.detach(), count), seed=seed)
        return self.low + noise * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        """Compute -log(high - low) inside the interval, -inf outside.

        Args:
            value: Numbers; they broadcast with the batch.
        """
        return log(self._inside(value)) - log(self.high - self.low)

    def probs(self, value: Any) -> Any:
        """Compute the density at numbers that broadcast with the batch."""
        return self._inside(value) / (self.high - self.low)

    prob = probs

    def _inside(self, value: Any) -> Any:
        """1 for numbers inside the interval, 0 outside."""
        x = as_value("Uniform.log_prob", value, self.low)
        return cast(logical_and(self.low < x, x < self.high), self.low.dtype)

    def entropy(self) -> Any:
        """Compute log(high - low), in the shape of the batch."""
        return log(self.high - self.low)

    def kl_divergence(self, other: Any) -> Any:
        """Compute KL(self || other) = log((other.high - other.low) / (high - low)).

        It is infinite where the other interval does not contain this one. Paddle has
        no formula for it.
        """
        check_kind(Uniform, other)
        ratio = log(other.high - other.low) - log(self.high - self.low)
        contained = logical_and(other.low <= self.low, self.high <= other.high)
        return where(contained, ratio, full_like(ratio, inf))
