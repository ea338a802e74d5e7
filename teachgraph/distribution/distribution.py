"""The base class of distributions: batch and event shapes, and what each can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from teachgraph.core.errors import DTypeError, TeachgraphError, at_user_line
from teachgraph.core.modes import no_grad
from teachgraph.ops.functions.math import exp

__all__ = ["Distribution", "Reparameterized", "UndefinedError", "check_kind"]


class UndefinedError(TeachgraphError, NotImplementedError):
    """A quantity that a distribution does not have, or not in closed form."""


class Distribution:
    """A probability distribution, or a batch of them.

    A sample has the shape `sample_shape + batch_shape + event_shape`: how many are
    drawn, from which distributions, and what one draw looks like.

    Args:
        batch_shape: The shape of the batch of distributions; () for a single one.
        event_shape: The shape of one draw; () for a random number.

    In Paddle this is `paddle.distribution.Distribution`.

    >>> from teachgraph.distribution import Normal
    >>> normal = Normal([0.0, 10.0], [1.0, 2.0])
    >>> normal.batch_shape, normal.event_shape, normal.sample([4]).shape
    ((2,), (), [4, 2])
    """

    name: str

    def __init__(
        self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = ()
    ) -> None:
        self._batch_shape = tuple(batch_shape)
        self._event_shape = tuple(event_shape)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        """The shape of one draw."""
        return self._event_shape

    @property
    def mean(self) -> Any:
        """The mean."""
        self._lacks("mean")

    @property
    def variance(self) -> Any:
        """The variance."""
        self._lacks("variance")

    def sample(self, shape: Sequence[int] = ()) -> Any:
        """Draw a sample."""
        self._lacks("sample")

    def rsample(self, shape: Sequence[int] = ()) -> Any:
        """Draw a sample that is a differentiable function of the parameters."""
        self._lacks("rsample")

    def entropy(self) -> Any:
        """Compute the Shannon entropy in nats, -E log p(X)."""
        self._lacks("entropy")

    def kl_divergence(self, other: Distribution) -> Any:
        """Compute the Kullback-Leibler divergence of `other` from this distribution."""
        self._lacks("kl_divergence")

    def prob(self, value: Any) -> Any:
        """Compute the probability density or mass, exp(log_prob)."""
        return exp(self.log_prob(value))

    def log_prob(self, value: Any) -> Any:
        """Compute the logarithm of the probability density or mass."""
        self._lacks("log_prob")

    def probs(self, value: Any) -> Any:
        """Compute the probability density or mass, by its former name."""
        return self.prob(value)

    def _extend_shape(self, sample_shape: Sequence[int]) -> tuple[int, ...]:
        return (*sample_shape, *self._batch_shape, *self._event_shape)

    def _lacks(self, what: str) -> NoReturn:
        message = f"{type(self).__name__} has no {what}"
        raise UndefinedError(at_user_line(message))


class Reparameterized(Distribution):
    """Base of distributions whose samples are functions of their parameters."""

    def sample(self, shape: Sequence[int] = ()) -> Any:
        """Draw a sample of `shape + batch_shape`, without a gradient."""
        with no_grad():
            return self.rsample(shape)


def check_kind(kind: type[Distribution], other: object) -> None:
    """Require a distribution of the kind whose divergence has a formula.

    Raises:
        DTypeError: It is of another kind.
    """
    if not isinstance(other, kind):
        name = kind.__name__
        message = f"{name}.kl_divergence: the other is a {name}, not a"
        raise DTypeError.here(f"{message} {type(other).__name__}")
