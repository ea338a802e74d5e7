"""The geometric distribution of the failures before a success."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError
from teachgraph.distribution.distribution import Reparameterized, check_kind
from teachgraph.distribution.parameters import (
    as_value,
    numbers_or_tensors,
    repeated,
    sample_shape,
)
from teachgraph.ops.functions.creation import zeros_like
from teachgraph.ops.functions.logic import where
from teachgraph.ops.functions.math import floor, log, log1p, pow, sqrt
from teachgraph.ops.limits import finfo
from teachgraph.ops.sampling import uniform_like

__all__ = ["Geometric"]


class Geometric(Reparameterized):
    """The geometric distribution of the number of failures before the first success.

    P(X = k) = (1 - p)^k p, for k = 0, 1, 2, ...

    Args:
        probs: The probability p of a success: a number or a Tensor.

    Raises:
        DTypeError: `probs` is no number or Tensor.
        InvalidValueError: A probability is not above 0 and at most 1. In a program its
            value is not known yet, and nothing is raised.

    In Paddle this is `paddle.distribution.Geometric`.

    >>> from teachgraph.distribution import Geometric
    >>> geometric = Geometric(0.5)
    >>> geometric.mean.item(), geometric.pmf(2).item(), geometric.cdf(1).item()
    (1.0, 0.125, 0.75)
    """

    def __init__(self, probs: Any) -> None:
        (probs,) = numbers_or_tensors("Geometric", probs=probs)
        if isinstance(probs, Tensor) and not ((probs > 0.0) & (probs <= 1.0)).all():
            message = "Geometric: probs holds probabilities, above 0 and at most 1"
            raise InvalidValueError.here(message)
        self.probs: Any = probs
        super().__init__(probs.shape)

    @property
    def mean(self) -> Any:
        """The mean, 1 / p - 1."""
        return 1.0 / self.probs - 1.0

    @property
    def variance(self) -> Any:
        """The variance, (1 - p) / p^2."""
        return (1.0 / self.probs - 1.0) / self.probs

    @property
    def stddev(self) -> Any:
        """The standard deviation, sqrt(1 - p) / p."""
        return sqrt(self.variance)

    def pmf(self, k: Any) -> Any:
        """Compute P(X = k) = (1 - p)^k p.

        Args:
            k: Numbers of failures; they broadcast with the batch.
        """
        k = as_value("Geometric.pmf", k, self.probs)
        return pow(1.0 - self.probs, k) * self.probs

    def log_pmf(self, k: Any) -> Any:
        """Compute log P(X = k) = k log(1 - p) + log p."""
        k = as_value("Geometric.log_pmf", k, self.probs)
        failures = k * log1p(-self.probs)
        # A sure success has no failures: 0 log 0 counts as 0, not as NaN.
        return where(k == 0.0, zeros_like(failures), failures) + log(self.probs)

    def log_prob(self, value: Any) -> Any:
        """Compute `log_pmf`, by the name it has in other distributions.

        Paddle has it under the name `log_pmf` alone.
        """
        return self.log_pmf(value)

    def rsample(self, shape: Sequence[int] = ()) -> Any:
        """Draw floor(log(noise) / log(1 - p)), with noise uniform over (0, 1).

        The gradient of the floor is 0.

        Args:
            shape: The shape of the sample.

        Returns:
            `shape + batch_shape` floating numbers.
        """
        count = sample_shape("Geometric.rsample", shape)
        tiny = float(finfo(self.probs.dtype).tiny)
        noise = uniform_like(repeated(self.probs.detach(), count), min=tiny)
        return floor(log(noise) / log1p(-self.probs))

    def entropy(self) -> Any:
        """Compute (-p log p - (1 - p) log(1 - p)) / p, in the shape of the batch."""
        failure = 1.0 - self.probs
        total = failure * log(failure) + self.probs * log(self.probs)
        return -total / self.probs

    def cdf(self, k: Any) -> Any:
        """Compute P(X <= k) = 1 - (1 - p)^(k + 1)."""
        k = as_value("Geometric.cdf", k, self.probs)
        return 1.0 - pow(1.0 - self.probs, k + 1.0)

    def kl_divergence(self, other: Any) -> Any:
        """Compute KL(self || other) = log(p / q) + (1 - p) / p log((1 - p) / (1 - q)).

        Paddle 2.6 gives p times that, which is the divergence of one trial.
        """
        check_kind(Geometric, other)
        p, q = self.probs, other.probs
        return log(p / q) + (1.0 - p) / p * log((1.0 - p) / (1.0 - q))
