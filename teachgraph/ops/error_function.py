"""The error function, 2/sqrt(pi) times the integral of exp(-t^2), and its inverse.

NumPy has neither. Near 0 its power series is short. Beyond 1, 1 - erf(x) is exp(-x^2)
times a smooth function of 1 / (x + 3), which a polynomial approximates to the last
digit; at 6 erf is 1 in float64. For float32 the tanh of a polynomial is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, factorial, pi, sqrt
from math import exp as e_to
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from teachgraph.core.op import Like, op
from teachgraph.core.ops import FLOATING
from teachgraph.ops.blocked_update import in_parts
from teachgraph.ops.math import exp, floats, square

__all__ = ["erf", "erfinv"]

SLOPE = 2.0 / sqrt(pi)
"""The slope at 0."""

TERMS = 18
DEGREE = 14
SHIFT = 3.0
NEAR, FAR = 1.0, 6.0


def tail(t: float) -> float:
    """Compute (1 - erf(x)) exp(x^2) at x = 1 / t - 3."""
    x = 1.0 / t - SHIFT
    return erfc(x) * e_to(x * x)


series = Polynomial(
    [SLOPE * (-1) ** n / (factorial(n) * (2 * n + 1)) for n in range(TERMS)]
)
"""erf(x) / x in powers of x^2."""

rest = Chebyshev.interpolate(
    np.vectorize(tail), DEGREE, [1.0 / (FAR + SHIFT), 1.0 / (NEAR + SHIFT)]
)


def error_function(x: Any) -> Any:
    """Compute erf of float64 numbers, accurate to the last digit or two."""
    # From 6 on erf is 1 to the last digit of float64, and the fit ends there.
    size = np.minimum(np.abs(x), FAR)
    near = size < NEAR
    small, large = size[near], size[~near]
    out = np.empty_like(size)
    # Two formulas on two parts: `where` would evaluate both for all.
    out[near] = small * series(np.square(small))
    out[~near] = 1.0 - np.exp(-np.square(large)) * rest(1.0 / (large + SHIFT))
    return np.copysign(out, x)


def in_double(x: Any) -> Any:
    """Compute erf of numbers of any precision in float64."""
    return error_function(x.astype(np.float64))


BENT = (
    1.12837927,
    0.102769055,
    -0.000191828223,
    -0.000619787283,
    8.76384457e-05,
    -5.66867675e-06,
    1.41864618e-07,
)
"""Coefficients of a least-squares fit of artanh(erf(x)) / x in powers of x^2.

Where the fit is worse, tanh is flat: the error of erf is 1e-7 at most.
"""


def in_single(x: Any) -> Any:
    """Compute erf of float32 numbers to a few ulps, as tanh(x p(x^2))."""
    out = polynomial(BENT, np.square(x))
    out *= x
    return np.tanh(out, out=out)


def polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """Evaluate a polynomial with coefficients of 1, x, x^2, ... by Horner's rule."""
    *others, last, highest = coefficients
    out = np.multiply(x, highest)
    out += last
    for coefficient in reversed(others):
        out *= x
        out += coefficient
    return out


@op(needs=FLOATING)
def erf(x: Any) -> Any:
    """out = erf x, the probability that a normal variable is within x sqrt(2) sigma."""
    x = floats(x)
    return in_parts(in_single if x.dtype == np.float32 else in_double, x)


def like_x(x: Like) -> Any:
    """Shape and dtype of x."""
    return [(floats(x).shape, x.dtype)]


erf.infers(like_x)


@erf.grad
def erf_grad(dout: Any, x: Any) -> Any:
    """dx = dout 2/sqrt(pi) exp(-x^2)."""
    return dout * exp(-square(x)) * SLOPE


@op(needs=FLOATING)
def erfinv(x: Any) -> Any:
    """out = the inverse of erf; infinite at -1 and 1, NaN beyond.

    Winitzki's formula gives a first guess within 2 percent; each step of Halley's
    method then triples the number of digits.
    """
    wanted = floats(x).astype(np.float64)
    y = first_guess(wanted)
    for _ in range(3):
        step = (error_function(y) - wanted) / (SLOPE * np.exp(-y * y))
        y = y - step / (1.0 + y * step)
    # At -1 and 1 the first guess is infinite, and the iteration inf - inf.
    return np.where(np.abs(x) == 1, x * np.inf, y).astype(x.dtype)


erfinv.infers(like_x)


def first_guess(x: Any) -> Any:
    """Solve erf(y)^2 = 1 - exp(-y^2 (4/pi + a y^2) / (1 + a y^2)), nearly erf's own."""
    a = 0.147
    logarithm = np.log1p(-x * x)
    middle = 2.0 / (pi * a) + logarithm / 2.0
    return np.copysign(np.sqrt(np.sqrt(middle**2 - logarithm / a) - middle), x)


@erfinv.grad
def erfinv_grad(dout: Any, out: Any) -> Any:
    """dx = dout sqrt(pi)/2 exp(out^2)."""
    return dout * exp(square(out)) * (1.0 / SLOPE)
