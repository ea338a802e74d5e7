"""Special functions: log-gamma, digamma, polygamma, Bessel functions."""

from __future__ import annotations

from math import log, pi
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.ops import special
from teachgraph.ops.functions.math import add_n, of_one

__all__ = [
    "digamma",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "lgamma",
    "multigammaln",
    "polygamma",
]

MOST = 10_000
"""The largest dimension of the multivariate gamma function; each one is an op."""

lgamma = of_one(special.lgamma)
digamma = of_one(special.digamma)
i0 = of_one(special.i0)
i0e = of_one(special.i0e)
i1 = of_one(special.i1)
i1e = of_one(special.i1e)


def polygamma(x: Any, n: int, name: Any = None) -> Any:
    """The n-th derivative of `digamma`.

    Raises:
        InvalidValueError: `n` is negative, or above 100.

    >>> import numpy as np
    >>> polygamma(np.array([1.0]), 1) * 6 / np.pi**2
    array([1.])
    """
    return special.polygamma(x, n=n) if n else special.digamma(x)


def multigammaln(x: Any, p: int, name: Any = None) -> Any:
    """ln of the multivariate gamma function of dimension p.

    It is p (p - 1) / 4 ln pi + the sum over i < p of lgamma(x - i / 2).

    Raises:
        InvalidValueError: `p` is below 1 or above 10000.

    >>> import numpy as np
    >>> multigammaln(np.array([2.5]), 2).round(4)
    array([0.857])
    """
    if not 1 <= p <= MOST:
        raise InvalidValueError.here(f"multigammaln: p is 1 to {MOST}, got {p}")
    terms = [special.lgamma(x + (-0.5 * i)) for i in range(p)]
    return add_n(terms) + 0.25 * p * (p - 1) * log(pi)
