"""Log-gamma and its derivatives, and modified Bessel functions.

NumPy has hardly any of them. Each has an asymptotic series for large x; nearer to 0 a
recurrence shifts the argument (gamma), or the power series at 0 is used (Bessel). About
14 digits are correct, relative to max(1, |result|).
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial, log, pi
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.op import Like, Op, op
from teachgraph.core.ops import FLOATING
from teachgraph.ops.math import floats, sign

__all__ = [
    "bessel_i",
    "digamma",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "lgamma",
    "polygamma",
]

FAR = 12.0
"""From here on Stirling's series is accurate in float64."""

TERMS = 10
HIGHEST = 100
"""The highest derivative of ln gamma: beyond, factorials overflow float64."""


def bernoulli(count: int) -> list[Fraction]:
    """Compute the first Bernoulli numbers: 1, -1/2, 1/6, 0, -1/30, ..."""
    numbers: list[Fraction] = []
    for n in range(count):
        known = sum(comb(n + 1, k) * numbers[k] for k in range(n))
        numbers.append(Fraction(not n) - Fraction(known, n + 1))
    return numbers


EVEN = bernoulli(2 * TERMS + 1)[::2]
"""B_0, B_2, B_4, ..."""

stirling = Polynomial(
    [0.0, *(float(EVEN[k] / (2 * k * (2 * k - 1))) for k in range(1, TERMS))]
)
"""x (ln gamma(x) - (x - 1/2) ln x + x - ln(2 pi) / 2), in powers of 1 / x^2."""


def reduced_angle(x: Any) -> Any:
    """Compute pi (x - nearest integer), the argument of trigonometric functions."""
    # The rounded part is exact; pi x of a large x would have lost its fraction.
    return pi * (x - np.round(x))


def log_gamma(x: Any) -> Any:
    """Compute ln |gamma(x)| of float64 numbers; for x < 0 by reflection."""
    left = x <= 0
    # The reflection formula maps x <= 0 to 1 - x >= 1, where the series holds.
    y = np.where(left, 1.0 - x, x)
    product = np.ones_like(y)
    while (near := y < FAR).any():
        product = np.where(near, product * y, product)
        y = np.where(near, y + 1.0, y)
    rest = stirling(1.0 / np.square(y)) * y
    out = (y - 0.5) * (np.log(y) - 1.0) - 0.5 + 0.5 * log(2 * pi) + rest
    # At infinity the formula is inf - inf.
    out = np.where(np.isinf(y), y, out - np.log(product))
    mirrored = log(pi) - np.log(np.abs(np.sin(reduced_angle(x)))) - out
    return np.where(left, np.where(np.isinf(x), np.inf, mirrored), out)


def derivative(x: Any, n: int) -> Any:
    """Compute the n-th derivative of (ln gamma)' at float64 numbers.

    psi_n(x) = psi_n(x + 1) - (-1)^n n! / x^(n + 1) shifts x to the right; for x < 0 the
    reflection formula uses psi_n(1 - x).
    """
    left = x < 0
    y = np.where(left, 1.0 - x, x)
    passed = np.zeros_like(y)
    while (near := y < FAR + n).any():
        passed = np.where(near, passed + y ** -(n + 1.0), passed)
        y = np.where(near, y + 1.0, y)
    odd = -((-1.0) ** n)
    out = asymptotic(y, n) + odd * factorial(n) * passed
    return np.where(left, -odd * out + mirror(x, n), out)


def asymptotic(x: Any, n: int) -> Any:
    """Compute the n-th derivative of ln x - 1 / (2 x) - sum of B_2k / (2k x^2k)."""
    odd = -((-1.0) ** n)
    leading = np.log(x) if n == 0 else odd * factorial(n - 1) * x**-n
    half = odd * factorial(n) / 2.0 * x ** -(n + 1.0)
    series = [
        float(EVEN[k] * Fraction(factorial(2 * k + n - 1), factorial(2 * k)))
        for k in range(1, TERMS)
    ]
    rest = Polynomial([0.0, *series])(x**-2.0) * x ** -float(n)
    return leading + half + odd * rest


def mirror(x: Any, n: int) -> Any:
    """Compute -pi times the n-th derivative of cot(pi x), a polynomial in cot."""
    slope = Polynomial([0.0, 1.0])
    for _ in range(n):
        slope = Polynomial([-pi, 0.0, -pi]) * slope.deriv()
    cotangent = np.where(x == np.round(x), np.nan, 1.0 / np.tan(reduced_angle(x)))
    return -pi * slope(cotangent)


@op(needs=FLOATING)
def lgamma(x: Any) -> Any:
    """out = ln |gamma(x)|, where gamma(n + 1) = n! for integers n."""
    return log_gamma(floats(x).astype(np.float64)).astype(x.dtype)


@lgamma.grad
def lgamma_grad(dout: Any, x: Any) -> Any:
    """dx = dout digamma(x)."""
    return dout * digamma(x)


@op(needs=FLOATING)
def digamma(x: Any) -> Any:
    """out = the derivative of ln gamma(x); NaN at 0, -1, -2, ..."""
    out = derivative(floats(x).astype(np.float64), 0).astype(x.dtype)
    # 0 is a pole like -1 and -2, where the formula gives an infinity of one sign.
    return np.where(x == 0, np.asarray(np.nan, x.dtype), out)


@digamma.grad
def digamma_grad(dout: Any, x: Any) -> Any:
    """dx = dout psi_1(x)."""
    return dout * polygamma(x, n=1)


@op(needs=f"{FLOATING}, and an order from 0 to {HIGHEST}")
def polygamma(x: Any, *, n: int) -> Any:
    """out = the n-th derivative of digamma."""
    if not 0 <= n <= HIGHEST:
        raise InvalidValueError(f"the order is from 0 to {HIGHEST}, got {n}")
    return derivative(floats(x).astype(np.float64), n).astype(x.dtype)


@polygamma.grad
def polygamma_grad(dout: Any, x: Any, *, n: int) -> Any:
    """dx = dout psi_(n + 1)(x)."""
    return dout * polygamma(x, n=n + 1)


LARGE = 30.0
"""From here on the series in 1 / x is accurate in float64."""

POWERS = 70


def bessel(x: Any, order: int) -> Any:
    """Compute exp(-|x|) I_order(x) of float64 numbers, without overflow."""
    size = np.abs(x)
    # `where` evaluates both formulas everywhere: each gets arguments of its range only.
    small, large = np.minimum(size, LARGE), np.maximum(size, LARGE)
    out = np.where(size < LARGE, at_zero(small, order), far_out(large, order))
    return out * np.sign(x) if order % 2 else out


def at_zero(x: Any, order: int) -> Any:
    """Compute exp(-x) times the sum of (x/2)^(2k + order) / (k! (k + order)!)."""
    series = Polynomial(
        [1.0 / factorial(k) / factorial(k + order) for k in range(POWERS)]
    )
    half = x / 2.0
    return np.exp(-x) * half**order * series(np.square(half))


def far_out(x: Any, order: int) -> Any:
    """Compute 1 / sqrt(2 pi x) times a series in 1 / x.

    Term k is the one before times ((2k - 1)^2 - 4 order^2) / (8 k x).
    """
    terms = [1.0]
    for k in range(1, 30):
        terms.append(terms[-1] * ((2 * k - 1) ** 2 - 4 * order**2) / (8.0 * k))
    return Polynomial(terms)(1.0 / x) / np.sqrt(2.0 * pi * x)


@op(needs=f"{FLOATING}, and an order from 0 to {HIGHEST // 10}")
def bessel_i(x: Any, *, order: int, scaled: bool = False) -> Any:
    """out = I_order(x), or exp(-|x|) I_order(x): the modified Bessel function.

    It solves x^2 y'' + x y' = (x^2 + order^2) y.
    """
    if not 0 <= order <= HIGHEST // 10:
        raise InvalidValueError(f"the order is from 0 to {HIGHEST // 10}, got {order}")
    y = floats(x).astype(np.float64)
    out = bessel(y, order)
    if not scaled:
        # exp(|y|) in two factors: it overflows earlier than the result.
        root = np.exp(np.abs(y) / 2.0)
        out = np.where(np.isinf(y), np.sign(y) ** order * np.inf, out * root * root)
    return out.astype(x.dtype)


@bessel_i.grad
def bessel_i_grad(dout: Any, x: Any, *, order: int, scaled: bool) -> Any:
    """dx = dout (I_(order - 1) + I_(order + 1)) / 2, plus the term of exp(-|x|)."""
    above = bessel_i(x, order=order + 1, scaled=scaled)
    below = bessel_i(x, order=abs(order - 1), scaled=scaled)
    slope = (above + below) * 0.5
    if scaled:
        slope = slope - sign(x) * bessel_i(x, order=order, scaled=True)
    return dout * slope


def of_order(name: str, order: int, *, scaled: bool, doc: str) -> Op:
    """Create Paddle's op for one order and scaling."""

    def kernel(x: Any) -> Any:
        return bessel_i.kernel(x, order=order, scaled=scaled)

    def rule(dout: Any, x: Any) -> Any:
        return bessel_i_grad(dout, x, order=order, scaled=scaled)

    kernel.__doc__, rule.__name__ = doc, f"{name}_grad"
    bessel_op = op(type=name, needs=FLOATING)(kernel)
    bessel_op.grad(rule)
    bessel_op.infers(like_x)
    return bessel_op


def like_x(x: Like, **attrs: Any) -> Any:
    """Shape and dtype of x."""
    return [(floats(x).shape, x.dtype)]


i0 = of_order("i0", 0, scaled=False, doc="out = I_0(x): the sum of (x/2)^2k / k!^2.")
i1 = of_order("i1", 1, scaled=False, doc="out = I_1(x), the derivative of I_0.")
i0e = of_order("i0e", 0, scaled=True, doc="out = exp(-|x|) I_0(x).")
i1e = of_order("i1e", 1, scaled=True, doc="out = exp(-|x|) I_1(x).")

for function in (lgamma, digamma):
    function.infers(like_x)
