"""The multinomial distribution of counts of classes in n trials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    ShapeError,
)
from teachgraph.core.op import Traced
from teachgraph.distribution.categorical import Categorical
from teachgraph.distribution.distribution import Distribution
from teachgraph.distribution.parameters import as_value, broadcast, sample_shape
from teachgraph.nn.functional import one_hot
from teachgraph.ops.error_message import describe
from teachgraph.ops.functions.creation import arange, ones_like, zeros_like
from teachgraph.ops.functions.logic import where
from teachgraph.ops.functions.manipulation import reshape
from teachgraph.ops.functions.math import cast, clip, exp, log, log1p
from teachgraph.ops.functions.reduce import sum
from teachgraph.ops.functions.special import lgamma
from teachgraph.ops.limits import finfo

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """The multinomial distribution: how often each of k classes comes in n trials.

    p(x) = n! / (x_1! ... x_k!) p_1^(x_1) ... p_k^(x_k), with sum x_i = n

    Args:
        total_count: The number of trials n, 1 or more.
        probs: Probabilities, a Tensor [..., k], a distribution a row; each row is
            divided by its sum.

    Raises:
        InvalidValueError: `total_count` is no positive integer.
        DTypeError: `probs` is no Tensor.
        ShapeError: `probs` has no dimension.

    In Paddle this is `paddle.distribution.Multinomial`.

    >>> import teachgraph as tg
    >>> from teachgraph.distribution import Multinomial
    >>> multinomial = Multinomial(2, tg.to_tensor([0.5, 0.25, 0.25]))
    >>> multinomial.mean.tolist()
    [1.0, 0.5, 0.5]
    >>> multinomial.prob(tg.to_tensor([1.0, 1.0, 0.0])).numpy().round(4)
    np.float32(0.25)
    """

    def __init__(self, total_count: int, probs: Any) -> None:
        if not isinstance(total_count, int) or total_count < 1:
            message = "total_count is an integer, 1 or more"
            raise InvalidValueError.here(f"Multinomial: {message}, not {total_count!r}")
        if not isinstance(probs, Traced):
            message = f"Multinomial: probs is a Tensor, not {describe(probs)}"
            raise DTypeError.here(message)
        shape = tuple(probs.shape)
        if len(shape) < 1:
            message = "Multinomial: probs has a dimension for the k classes"
            raise ShapeError.here(message)
        self.probs: Any = probs / sum(probs, -1, keepdim=True)
        self.total_count = total_count
        self._categorical = Categorical(log(probs))
        super().__init__(shape[:-1], shape[-1:])

    @property
    def mean(self) -> Any:
        """The mean, n p."""
        return self.probs * float(self.total_count)

    @property
    def variance(self) -> Any:
        """The variance, n p (1 - p)."""
        return float(self.total_count) * self.probs * (1.0 - self.probs)

    def sample(self, shape: Sequence[int] = ()) -> Any:
        """Draw counts.

        Args:
            shape: The shape of the sample.

        Returns:
            `shape + batch_shape + event_shape` counts; the last dimension sums to n.
        """
        count = sample_shape("Multinomial.sample", shape)
        trials = self._categorical.sample([self.total_count, *count])
        classes = one_hot(trials, self.probs.shape[-1])
        return sum(cast(classes, self.probs.dtype), 0)

    def log_prob(self, value: Any) -> Any:
        """Compute log n! - sum log x_i! + sum x_i log p_i, with 0 log 0 = 0.

        Args:
            value: Counts [..., k]; they broadcast with the batch.
        """
        x = as_value("Multinomial.log_prob", value, self.probs)
        probs, x = broadcast(self.probs, x)
        never = (x == 0.0) & (probs == 0.0)
        # log 1 in place of log 0, so that the gradient is finite as well.
        logs = log(where(never, ones_like(probs), probs))
        orders = lgamma(sum(x, -1) + 1.0) - sum(lgamma(x + 1.0), -1)
        return orders + sum(x * logs, -1)

    def entropy(self) -> Any:
        """Compute n H - log n! + sum_i E log X_i!, with H the entropy of one trial.

        Each count X_i has a binomial distribution, so the expectation is a sum over
        1, ..., n.
        """
        n, rank = self.total_count, len(self.probs.shape)
        counts = arange(1, n + 1, dtype=self.probs.dtype)
        counts = reshape(counts, [n] + [1] * rank)
        log_factorials = lgamma(counts + 1.0)
        # Clipped, so that the logarithm is finite where p is 0.
        trials = sum(self.probs * log(self._clipped_probs()), -1) * -float(n)
        log_orders = lgamma(ones_like(trials) * (n + 1.0))
        weights = exp(self._binomial_log_prob(counts))
        return trials - log_orders + sum(weights * log_factorials, [0, -1])

    def _binomial_log_prob(self, counts: Any) -> Any:
        """Compute log P(X_i = m) for counts m = 1, ..., n."""
        n, p = float(self.total_count), self._clipped_probs()
        choices = lgamma(zeros_like(counts) + (n + 1.0)) - lgamma(counts + 1.0)
        choices = choices - lgamma(n - counts + 1.0)
        return choices + counts * log(p) + (n - counts) * log1p(-p)

    def _clipped_probs(self) -> Any:
        eps = float(finfo(self.probs.dtype).eps)
        return clip(self.probs, eps, 1.0 - eps)
