"""The Bernoulli distribution of a 0 or a 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.modes import no_grad
from teachgraph.distribution.distribution import check_kind
from teachgraph.distribution.exponential_family import ExponentialFamily
from teachgraph.distribution.parameters import (
    arrays_or_tensors,
    as_value,
    broadcast,
    repeated,
    sample_shape,
)
from teachgraph.nn.functional import sigmoid, softplus
from teachgraph.ops.functions.creation import ones_like, zeros_like
from teachgraph.ops.functions.logic import where
from teachgraph.ops.functions.math import clip, log, log1p
from teachgraph.ops.functions.random import bernoulli
from teachgraph.ops.limits import finfo
from teachgraph.ops.sampling import uniform_like

__all__ = ["Bernoulli"]


class Bernoulli(ExponentialFamily):
    """The Bernoulli distribution: 1 with probability p, 0 with probability 1 - p.

    Args:
        probs: The probabilities p: a number, a list, an array or a Tensor. They are
            clipped to [eps, 1 - eps], so that the logits are finite.
        name: Accepted for Paddle's sake.

    Raises:
        DTypeError: `probs` is no number, array or Tensor.
        InvalidValueError: A probability is not between 0 and 1. In a program its value
            is not known yet, and nothing is raised.

    In Paddle this is `paddle.distribution.Bernoulli`.

    >>> import teachgraph as tg
    >>> from teachgraph.distribution import Bernoulli
    >>> bernoulli = Bernoulli([0.5, 0.25])
    >>> bernoulli.prob(tg.to_tensor([1.0, 0.0])).tolist()
    [0.5, 0.75]
    >>> bernoulli.variance.tolist()
    [0.25, 0.1875]
    """

    def __init__(self, probs: Any, name: str | None = None) -> None:
        self.name = name or "Bernoulli"
        (probs,) = arrays_or_tensors("Bernoulli", probs=probs)
        if isinstance(probs, Tensor) and not ((probs >= 0.0) & (probs <= 1.0)).all():
            message = "Bernoulli: probs holds probabilities, from 0 to 1"
            raise InvalidValueError.here(message)
        self.dtype = probs.dtype
        eps = float(finfo(self.dtype).eps)
        self.probs: Any = clip(probs, eps, 1.0 - eps)
        self.logits = log(self.probs) - log1p(-self.probs)
        super().__init__(self.probs.shape)

    @property
    def mean(self) -> Any:
        """The mean, p."""
        return self.probs

    @property
    def variance(self) -> Any:
        """The variance, p (1 - p)."""
        return self.probs * (1.0 - self.probs)

    def sample(self, shape: Sequence[int] = ()) -> Any:
        """Draw zeros and ones.

        Args:
            shape: The shape of the sample.

        Returns:
            `shape + batch_shape` numbers, without a gradient.
        """
        count = sample_shape("Bernoulli.sample", shape)
        with no_grad():
            return bernoulli(repeated(self.probs, count))

    def rsample(self, shape: Sequence[int] = (), temperature: float = 1.0) -> Any:
        """Draw the logits of a relaxed sample, a differentiable function of p.

        (logit(noise) + logit(p)) / temperature, with noise uniform over (0, 1): the
        sigmoid of this is in (0, 1), and the nearer to 0 or 1 the lower the
        temperature (Maddison, Mnih and Teh, 2016; Jang, Gu and Poole, 2016).

        Args:
            shape: The shape of the sample.
            temperature: A positive number.

        Raises:
            InvalidValueError: The temperature is not positive.
        """
        if temperature <= 0.0:
            message = f"Bernoulli.rsample: a temperature is positive, not {temperature}"
            raise InvalidValueError.here(message)
        count = sample_shape("Bernoulli.rsample", shape)
        tiny = float(finfo(self.dtype).tiny)
        noise = uniform_like(repeated(self.probs.detach(), count), min=tiny)
        return (log(noise) - log1p(-noise) + self.logits) / temperature

    def cdf(self, value: Any) -> Any:
        """Compute P(X <= value): 0 below 0, 1 - p below 1, then 1."""
        x = as_value("Bernoulli.cdf", value, self.probs)
        probs, x = broadcast(self.probs, x)
        from_zero = where(x < 1.0, 1.0 - probs, ones_like(probs))
        return where(x < 0.0, zeros_like(probs), from_zero)

    def log_prob(self, value: Any) -> Any:
        """Compute x log p + (1 - x) log(1 - p).

        Args:
            value: Zeros and ones x; they broadcast with the batch.
        """
        x = as_value("Bernoulli.log_prob", value, self.probs)
        return -self._cross_entropy(x)

    def entropy(self) -> Any:
        """Compute -p log p - (1 - p) log(1 - p), in the shape of the batch."""
        return self._cross_entropy(self.probs)

    def _cross_entropy(self, x: Any) -> Any:
        """Compute -x log p - (1 - x) log(1 - p), with a gradient for x as well."""
        # log p = log sigmoid(logits) = -softplus(-logits)
        return x * softplus(-self.logits) + (1.0 - x) * softplus(self.logits)

    def kl_divergence(self, other: Any) -> Any:
        """Compute KL(self || other) = p log(p / q) + (1 - p) log((1 - p) / (1 - q))."""
        check_kind(Bernoulli, other)
        a, b = self.logits, other.logits
        of_one = sigmoid(a) * (softplus(-b) - softplus(-a))
        return of_one + sigmoid(-a) * (softplus(b) - softplus(a))

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        return (self.logits,)

    def _log_normalizer(self, *parameters: Any) -> Any:
        return softplus(parameters[0])

    @property
    def _mean_carrier_measure(self) -> Any:
        return 0.0
