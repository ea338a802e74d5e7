"""The Dirichlet distribution over the simplex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.modes import no_grad
from teachgraph.core.op import Traced
from teachgraph.distribution.distribution import check_kind
from teachgraph.distribution.exponential_family import ExponentialFamily
from teachgraph.distribution.parameters import as_value, repeated, sample_shape
from teachgraph.ops import sampling
from teachgraph.ops.error_message import describe
from teachgraph.ops.functions.manipulation import unsqueeze
from teachgraph.ops.functions.math import log, square
from teachgraph.ops.functions.reduce import sum
from teachgraph.ops.functions.special import digamma, lgamma

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution of k shares whose sum is 1.

    p(x) = Gamma(a_0) / prod Gamma(a_i) prod x_i^(a_i - 1), with a_0 = sum a_i

    Args:
        concentration: The parameters a > 0: a Tensor [..., k], a distribution a row.

    Raises:
        DTypeError: `concentration` is no Tensor.
        ShapeError: `concentration` has no dimension.

    In Paddle this is `paddle.distribution.Dirichlet`.

    >>> import teachgraph as tg
    >>> from teachgraph.distribution import Dirichlet
    >>> dirichlet = Dirichlet(tg.to_tensor([1.0, 1.0, 2.0]))
    >>> dirichlet.mean.tolist(), dirichlet.event_shape
    ([0.25, 0.25, 0.5], (3,))
    >>> dirichlet.prob(tg.to_tensor([0.25, 0.25, 0.5])).numpy().round(4)
    np.float32(3.0)
    """

    def __init__(self, concentration: Any) -> None:
        if not isinstance(concentration, Traced):
            message = f"concentration is a Tensor, not {describe(concentration)}"
            raise DTypeError.here(f"Dirichlet: {message}")
        shape = tuple(concentration.shape)
        if len(shape) < 1:
            message = "Dirichlet: concentration has a dimension for the k shares"
            raise ShapeError.here(message)
        self.concentration: Any = concentration
        super().__init__(shape[:-1], shape[-1:])

    @property
    def mean(self) -> Any:
        """The mean, a / a_0."""
        return self.concentration / sum(self.concentration, -1, keepdim=True)

    @property
    def variance(self) -> Any:
        """The variance, a (a_0 - a) / (a_0^2 (a_0 + 1))."""
        total = sum(self.concentration, -1, keepdim=True)
        spread = self.concentration * (total - self.concentration)
        return spread / (square(total) * (total + 1.0))

    def sample(self, shape: Sequence[int] = ()) -> Any:
        """Draw points of the simplex, without a gradient.

        Args:
            shape: The shape of the sample.

        Returns:
            `shape + batch_shape + event_shape` numbers; the last dimension sums to 1.
        """
        count = sample_shape("Dirichlet.sample", shape)
        with no_grad():
            return sampling.dirichlet(repeated(self.concentration, count))

    def log_prob(self, value: Any) -> Any:
        """Compute sum (a_i - 1) log x_i + log Gamma(a_0) - sum log Gamma(a_i).

        Args:
            value: Points [..., k] of the simplex; they broadcast with the batch.
        """
        x = as_value("Dirichlet.log_prob", value, self.concentration)
        exponent = sum(log(x) * (self.concentration - 1.0), -1)
        return exponent - self._log_normalizer(self.concentration)

    def entropy(self) -> Any:
        """Compute log B(a) - (k - a_0) psi(a_0) - sum (a_i - 1) psi(a_i).

        With log B(a) = sum log Gamma(a_i) - log Gamma(a_0) and psi the digamma
        function.
        """
        a, total = self.concentration, sum(self.concentration, -1)
        of_total = (float(a.shape[-1]) - total) * digamma(total)
        return self._log_normalizer(a) - of_total - sum((a - 1.0) * digamma(a), -1)

    def kl_divergence(self, other: Any) -> Any:
        """Compute KL(self || other) = log B(b) - log B(a) + sum (a - b) E log x.

        With a and b the concentrations, and E log x = psi(a) - psi(a_0).
        """
        check_kind(Dirichlet, other)
        a, b = self.concentration, other.concentration
        mean_log = digamma(a) - unsqueeze(digamma(sum(a, -1)), -1)
        normalizers = self._log_normalizer(b) - self._log_normalizer(a)
        return normalizers + sum((a - b) * mean_log, -1)

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        return (self.concentration,)

    def _log_normalizer(self, *parameters: Any) -> Any:
        (a,) = parameters
        return sum(lgamma(a), -1) - lgamma(sum(a, -1))
