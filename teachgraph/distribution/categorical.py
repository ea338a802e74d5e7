"""The categorical distribution over classes 0, 1, ..., k - 1."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from teachgraph.core.errors import ShapeError
from teachgraph.distribution.distribution import Distribution, check_kind
from teachgraph.distribution.parameters import arrays_or_tensors, sample_shape
from teachgraph.ops.functions.creation import assign
from teachgraph.ops.functions.indexing import gather, take_along_axis
from teachgraph.ops.functions.manipulation import reshape, transpose
from teachgraph.ops.functions.math import exp, log
from teachgraph.ops.functions.random import multinomial
from teachgraph.ops.functions.reduce import logsumexp, sum

__all__ = ["Categorical"]


class Categorical(Distribution):
    """The categorical distribution over classes 0, 1, ..., k - 1.

    Paddle reads `logits` in two ways, and so it is here: `sample`, `entropy` and
    `kl_divergence` take softmax(logits) for the probabilities, but `probs` and
    `log_prob` take logits / sum(logits). With logits log p, where p sums to 1, the
    former are right, with logits p the latter.

    Args:
        logits: A list, an array or a Tensor [..., k], a distribution a row.
        name: Accepted for Paddle's sake.

    Raises:
        DTypeError: `logits` is no array or Tensor.
        ShapeError: `logits` has no dimension.

    In Paddle this is `paddle.distribution.Categorical`.

    >>> import teachgraph as tg
    >>> from teachgraph.distribution import Categorical
    >>> categorical = Categorical([1.0, 1.0, 2.0])
    >>> categorical.probs(tg.to_tensor([0, 2])).tolist()
    [0.25, 0.5]
    >>> categorical.sample([2, 3]).shape
    [2, 3]
    """

    def __init__(self, logits: Any, name: str | None = None) -> None:
        self.name = name or "Categorical"
        (self.logits,) = arrays_or_tensors("Categorical", logits=logits)
        if len(self.logits.shape) < 1:
            message = "Categorical: logits is a vector [k], or more of them [..., k]"
            raise ShapeError.here(message)
        self.dtype = self.logits.dtype
        self._prob = self.logits / sum(self.logits, -1, keepdim=True)
        super().__init__(self.logits.shape[:-1])

    def sample(self, shape: Sequence[int] = ()) -> Any:
        """Draw classes with probabilities softmax(logits).

        Args:
            shape: The shape of the sample.

        Returns:
            `shape + batch_shape` integers.
        """
        count = sample_shape("Categorical.sample", shape)
        batch = list(self.logits.shape[:-1])
        rows = reshape(self.logits, [-1, self.logits.shape[-1]])
        weights = exp(log_normalised(rows)).detach()
        drawn = multinomial(weights, prod(count), replacement=True)
        return reshape(transpose(drawn, [1, 0]), [*count, *batch])

    def entropy(self) -> Any:
        """Compute -sum p log p with p = softmax(logits), in the shape of the batch."""
        log_p = log_normalised(self.logits)
        return -sum(exp(log_p) * log_p, -1)

    def kl_divergence(self, other: Any) -> Any:
        """Compute KL(self || other) = sum p log(p / q), of the softmax of the logits.

        Returns:
            The divergences, `batch_shape + (1,)`, as in Paddle.
        """
        check_kind(Categorical, other)
        log_p, log_q = log_normalised(self.logits), log_normalised(other.logits)
        return sum(exp(log_p) * (log_p - log_q), -1, keepdim=True)

    def probs(self, value: Any) -> Any:
        """Compute the probabilities logits / sum(logits) of classes.

        Args:
            value: Integers. A vector is asked of each distribution of a batch;
                otherwise the dimensions but the last are those of the batch.
        """
        classes = assign(value)
        if len(self._prob.shape) == 1:
            flat = gather(self._prob, reshape(classes, [-1]))
            return reshape(flat, classes.shape)
        if len(classes.shape) == 1:
            rank = len(self._prob.shape)
            classes = reshape(classes, [1] * (rank - 1) + [-1])
        return take_along_axis(self._prob, classes, axis=-1)

    prob = probs

    def log_prob(self, value: Any) -> Any:
        """Compute the logarithms of `probs`."""
        return log(self.probs(value))


def log_normalised(logits: Any) -> Any:
    """Compute log softmax(logits) over the last dimension."""
    return logits - logsumexp(logits, -1, keepdim=True)
