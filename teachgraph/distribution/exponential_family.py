"""The base class of exponential families, with entropy and divergence of any of them.

Both follow from the log normalizer and its gradient (Nielsen and Nock, "Entropies and
cross-entropies of exponential families", 2010).
"""

from __future__ import annotations

from typing import Any

from teachgraph.autograd.gradient import grad
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import DTypeError, at_user_line
from teachgraph.distribution.distribution import Distribution, UndefinedError
from teachgraph.distribution.parameters import sum_last
from teachgraph.ops.functions.reduce import sum
from teachgraph.static.append_backward import gradients

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A distribution of an exponential family.

    p(x) = exp(<t(x), theta> - F(theta) + k(x))

    with natural parameters theta, sufficient statistic t, log normalizer F and carrier
    measure k. A subclass gives `_natural_parameters`, `_log_normalizer(*theta)`, and
    for the entropy `_mean_carrier_measure`, E k(X).

    In Paddle this is `paddle.distribution.ExponentialFamily`.

    >>> import teachgraph as tg
    >>> class Exponential(tg.distribution.ExponentialFamily):
    ...     def __init__(self, rate):
    ...         self.rate = rate
    ...         super().__init__(rate.shape)
    ...
    ...     @property
    ...     def _natural_parameters(self):
    ...         return (-self.rate,)
    ...
    ...     def _log_normalizer(self, theta):
    ...         return -tg.log(-theta)
    ...
    ...     @property
    ...     def _mean_carrier_measure(self):
    ...         return 0.0
    >>> round(Exponential(tg.to_tensor([1.0])).entropy().item(), 4)
    1.0
    """

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        self._lacks("natural parameters")

    def _log_normalizer(self, *parameters: Any) -> Any:
        self._lacks("log normalizer")

    @property
    def _mean_carrier_measure(self) -> Any:
        self._lacks("mean carrier measure")

    def entropy(self) -> Any:
        """Compute F(theta) - <theta, grad F(theta)> - E k(X)."""
        theta = trainable(self._natural_parameters)
        normalizer, slopes = self._normalizer_and_gradient(theta)
        entropy = normalizer - self._mean_carrier_measure
        for parameter, slope in zip(theta, slopes, strict=True):
            entropy = entropy - self._inner(parameter, slope)
        return entropy

    def _bregman_divergence(self, other: Any) -> Any:
        """Compute KL(self || other) = F(b) - F(a) - <b - a, grad F(a)>.

        Raises:
            DTypeError: The distributions are of different families.
        """
        if type(self) is not type(other):
            kinds = f"{type(self).__name__} and {type(other).__name__}"
            message = f"kl_divergence: {kinds} are different exponential families"
            raise DTypeError.here(message)
        a, b = trainable(self._natural_parameters), other._natural_parameters
        normalizer, slopes = self._normalizer_and_gradient(a)
        divergence = other._log_normalizer(*b) - normalizer
        for one, two, slope in zip(a, b, slopes, strict=True):
            divergence = divergence - self._inner(two - one, slope)
        return divergence

    def _normalizer_and_gradient(self, theta: list[Any]) -> tuple[Any, list[Any]]:
        normalizer = self._log_normalizer(*theta)
        total, slopes = sum(normalizer), list[Any]()
        if isinstance(total, Tensor):
            slopes += grad(total, theta, create_graph=True, allow_unused=True)
        else:
            slopes += gradients(total, theta)
        if any(slope is None for slope in slopes):
            name = type(self).__name__
            message = f"{name}: its log normalizer does not depend on each parameter"
            raise UndefinedError(at_user_line(message))
        return normalizer, slopes

    def _inner(self, x: Any, y: Any) -> Any:
        """Sum x y over the dimensions of the event."""
        return sum_last(x * y, len(self.event_shape))


def trainable(parameters: tuple[Any, ...]) -> list[Any]:
    """Copy the parameters that have no gradient, so that they can have one."""
    copies = []
    for parameter in parameters:
        one = parameter
        if one.stop_gradient:
            one = parameter.detach()
            one.stop_gradient = False
        copies.append(one)
    return copies
