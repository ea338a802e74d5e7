"""The beta distribution over [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.distribution.dirichlet import Dirichlet
from teachgraph.distribution.distribution import check_kind
from teachgraph.distribution.exponential_family import ExponentialFamily
from teachgraph.distribution.parameters import as_value, numbers_or_tensors
from teachgraph.ops.functions.joining import stack
from teachgraph.ops.functions.math import square
from teachgraph.ops.functions.special import lgamma

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    """The beta distribution: the Dirichlet distribution of two shares, x and 1 - x.

    p(x) = x^(alpha - 1) (1 - x)^(beta - 1) / B(alpha, beta)

    with B(a, b) = Gamma(a) Gamma(b) / Gamma(a + b).

    Args:
        alpha: A positive number, or a Tensor; it broadcasts with `beta`.
        beta: Likewise.

    Raises:
        DTypeError: A parameter is no number or Tensor.

    In Paddle this is `paddle.distribution.Beta`.

    >>> from teachgraph.distribution import Beta
    >>> beta = Beta(alpha=2.0, beta=2.0)
    >>> beta.prob(0.5).numpy().round(4), beta.variance.numpy().round(4)
    (np.float32(1.5), np.float32(0.05))
    """

    def __init__(self, alpha: Any, beta: Any) -> None:
        self.alpha, self.beta = numbers_or_tensors("Beta", alpha=alpha, beta=beta)
        self._dirichlet = Dirichlet(stack([self.alpha, self.beta], -1))
        super().__init__(self._dirichlet.batch_shape)

    @property
    def mean(self) -> Any:
        """The mean, alpha / (alpha + beta)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self) -> Any:
        """The variance, alpha beta / (s^2 (s + 1)) with s = alpha + beta."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (square(total) * (total + 1.0))

    def sample(self, shape: Sequence[int] = ()) -> Any:
        """Draw a sample, without a gradient.

        Args:
            shape: The shape of the sample.

        Returns:
            `shape + batch_shape` numbers.
        """
        return self._dirichlet.sample(shape)[..., 0]

    def log_prob(self, value: Any) -> Any:
        """Compute (alpha - 1) log x + (beta - 1) log(1 - x) - log B(alpha, beta).

        Args:
            value: Numbers x in (0, 1); they broadcast with the batch.
        """
        x = as_value("Beta.log_prob", value, self.alpha)
        return self._dirichlet.log_prob(stack([x, 1.0 - x], -1))

    def entropy(self) -> Any:
        """Compute the entropy as that of a Dirichlet distribution."""
        return self._dirichlet.entropy()

    def kl_divergence(self, other: Any) -> Any:
        """Compute KL(self || other) as that of Dirichlet distributions."""
        check_kind(Beta, other)
        return self._dirichlet.kl_divergence(other._dirichlet)

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        return (self.alpha, self.beta)

    def _log_normalizer(self, *parameters: Any) -> Any:
        x, y = parameters
        return lgamma(x) + lgamma(y) - lgamma(x + y)
