"""Rows for `teachgraph/ops/special.py`."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from tests.ops.contract import UNARY_LACKS, Array, Case, Row, Wrong, each, unary
from tests.ops.values import numbers, positive

LEFT = np.array([-0.3, -1.7, -4.4, 0.2])
OUT = np.array([11.0, 13.5, 40.0, 0.01])


def by_halves(function: Any, low: float, high: float, steps: int = 4000) -> float:
    """The integral of a smooth function, by Simpson's rule."""
    x = np.linspace(low, high, 2 * steps + 1)
    y = function(x)
    weights = np.r_[1.0, np.tile([4.0, 2.0], steps)[:-1], 1.0]
    return float((y * weights).sum() * (high - low) / (6.0 * steps))


def psi(x: float, n: int) -> float:
    """The n-th derivative of digamma, as a sum over all poles and a rest."""
    poles = np.arange(20000) + x
    if n == 0:
        far = 20000.0 + x
        start = math.log(far) - 1.0 / (2.0 * far) - 1.0 / (12.0 * far**2)
        return start - math.fsum(1.0 / poles)
    rest = (20000.0 + x - 0.5) ** -n / n
    total = math.fsum(poles ** -(n + 1.0)) + rest
    return -((-1.0) ** n) * math.factorial(n) * total


def integral(x: float, order: int = 0, scaled: bool = False) -> float:
    """exp(-|x|) I_order(x), as the mean of exp(x cos t - |x|) cos(order t)."""
    shift = abs(x) if scaled else 0.0

    def height(t: Array) -> Array:
        wave: Array = np.exp(x * np.cos(t) - shift) * np.cos(order * t)
        return wave

    return by_halves(height, 0.0, math.pi) / math.pi


def bessel(x: Array, order: int, scaled: bool = False) -> Array:
    return each(partial(integral, order=order, scaled=scaled))(x)


def in_torch(t: Any, x: Any, order: int, scaled: bool = False) -> Any:
    """I_(n + 1) = I_(n - 1) - 2 n I_n / x leads up from those PyTorch has."""
    names = [f"i{n}e" if scaled else f"i{n}" for n in (0, 1)]
    found = [getattr(t.special, name)(x) for name in names]
    for n in range(1, order):
        found.append(found[n - 1] - 2 * n / x * found[n])
    return found[order]


def plain(name: str, order: int, *, scaled: bool) -> Row:
    return Row(
        name,
        (
            *unary(),
            Case("0", (np.zeros(2),), smooth=not scaled),
            Case("far out", (numbers(4) * 30.0,)),
        ),
        each(partial(integral, order=order, scaled=scaled)),
        lambda t, x: in_torch(t, x, order, scaled),
        lacks=UNARY_LACKS,
    )


ROWS = (
    Row(
        "lgamma",
        (
            *unary(positive),
            Case("left of 0", (LEFT,)),
            Case("far out", (OUT,)),
        ),
        each(math.lgamma),
        lambda t, x: t.lgamma(x),
        lacks=UNARY_LACKS,
    ),
    Row(
        "digamma",
        (*unary(positive), Case("far out", (OUT[:3],))),
        each(partial(psi, n=0)),
        lambda t, x: t.digamma(x),
        lacks=UNARY_LACKS,
    ),
    Row(
        "polygamma",
        (*unary(positive, n=1), Case("the third", (OUT[:3],), {"n": 3})),
        lambda x, n: each(partial(psi, n=n))(x),
        lambda t, x, n: t.polygamma(n, x),
        lacks=UNARY_LACKS,
        wrong=(
            Wrong("a negative order", (positive(3),), {"n": -1}, "InvalidValueError"),
        ),
    ),
    Row(
        "bessel_i",
        (
            *unary(order=1),
            *(Case(f"order {n}", (numbers(5),), {"order": n}) for n in (0, 2, 3)),
            *(
                Case(f"order {n}, scaled", (numbers(5),), {"order": n, "scaled": True})
                for n in (0, 1, 2)
            ),
        ),
        bessel,
        in_torch,
        lacks=UNARY_LACKS,
        inner=True,
    ),
    plain("i0", 0, scaled=False),
    plain("i1", 1, scaled=False),
    plain("i0e", 0, scaled=True),
    plain("i1e", 1, scaled=True),
)
