"""Trigonometric and hyperbolic functions, and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.op import op
from teachgraph.core.ops import BROADCAST as NEEDS
from teachgraph.core.ops import FLOATING, promoted, reduce_to
from teachgraph.ops.elementwise import floating
from teachgraph.ops.math import floats, rsqrt, square

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "sin",
    "sinh",
    "tan",
]


@op(needs=FLOATING)
def sin(x: Any) -> Any:
    """out = sin x."""
    return np.sin(x, casting="equiv")


@sin.grad
def sin_grad(dout: Any, x: Any) -> Any:
    """dx = dout cos x."""
    return dout * cos(x)


@op(needs=FLOATING)
def cos(x: Any) -> Any:
    """out = cos x."""
    return np.cos(x, casting="equiv")


@cos.grad
def cos_grad(dout: Any, x: Any) -> Any:
    """dx = -dout sin x."""
    return -dout * sin(x)


@op(needs=FLOATING)
def tan(x: Any) -> Any:
    """out = tan x."""
    return np.tan(x, casting="equiv")


@tan.grad
def tan_grad(dout: Any, x: Any) -> Any:
    """dx = dout / cos^2 x."""
    return dout / square(cos(x))


@op(needs=FLOATING)
def asin(x: Any) -> Any:
    """out = the angle from -pi/2 to pi/2 whose sine is x."""
    return np.arcsin(x, casting="equiv")


@asin.grad
def asin_grad(dout: Any, x: Any) -> Any:
    """dx = dout / sqrt(1 - x^2)."""
    return dout * rsqrt(1.0 - square(x))


@op(needs=FLOATING)
def acos(x: Any) -> Any:
    """out = the angle from 0 to pi whose cosine is x."""
    return np.arccos(x, casting="equiv")


@acos.grad
def acos_grad(dout: Any, x: Any) -> Any:
    """dx = -dout / sqrt(1 - x^2)."""
    return -dout * rsqrt(1.0 - square(x))


@op(needs=FLOATING)
def atan(x: Any) -> Any:
    """out = the angle from -pi/2 to pi/2 whose tangent is x."""
    return np.arctan(x, casting="equiv")


@atan.grad
def atan_grad(dout: Any, x: Any) -> Any:
    """dx = dout / (1 + x^2)."""
    return dout / (square(x) + 1.0)


@op(needs=f"numbers, and {NEEDS}")
def atan2(x1: Any, x2: Any) -> Any:
    """out = the angle from -pi to pi of the point with height x1 and width x2.

    It is float64 of integers, as in Paddle.
    """
    height, width = promoted(x1, x2)
    integers = height.dtype.kind in "iu" and width.dtype.kind in "iu"
    return np.arctan2(
        *map(floats, (v.astype(np.float64) if integers else v for v in (height, width)))
    )


@atan2.grad
def atan2_grad(dout: Any, x1: Any, x2: Any) -> Any:
    """dx1 = dout x2 / (x1^2 + x2^2), dx2 = -dout x1 / (x1^2 + x2^2)."""
    height, width = floating(x1, dout), floating(x2, dout)
    turned = dout / (square(height) + square(width))
    return (
        lambda: reduce_to(turned * width, x1),
        lambda: reduce_to(-turned * height, x2),
    )


@op(needs=FLOATING)
def sinh(x: Any) -> Any:
    """out = (exp(x) - exp(-x)) / 2."""
    return np.sinh(x, casting="equiv")


@sinh.grad
def sinh_grad(dout: Any, x: Any) -> Any:
    """dx = dout cosh x."""
    return dout * cosh(x)


@op(needs=FLOATING)
def cosh(x: Any) -> Any:
    """out = (exp(x) + exp(-x)) / 2."""
    return np.cosh(x, casting="equiv")


@cosh.grad
def cosh_grad(dout: Any, x: Any) -> Any:
    """dx = dout sinh x."""
    return dout * sinh(x)


@op(needs=FLOATING)
def asinh(x: Any) -> Any:
    """out = the number whose sinh is x."""
    return np.arcsinh(x, casting="equiv")


@asinh.grad
def asinh_grad(dout: Any, x: Any) -> Any:
    """dx = dout / sqrt(x^2 + 1)."""
    return dout * rsqrt(square(x) + 1.0)


@op(needs=FLOATING)
def acosh(x: Any) -> Any:
    """out = the number from 0 on whose cosh is x, for x from 1 on."""
    return np.arccosh(x, casting="equiv")


@acosh.grad
def acosh_grad(dout: Any, x: Any) -> Any:
    """dx = dout / sqrt(x^2 - 1)."""
    return dout * rsqrt(square(x) - 1.0)


@op(needs=FLOATING)
def atanh(x: Any) -> Any:
    """out = the number whose tanh is x, for x between -1 and 1."""
    return np.arctanh(x, casting="equiv")


@atanh.grad
def atanh_grad(dout: Any, x: Any) -> Any:
    """dx = dout / (1 - x^2)."""
    return dout / (1.0 - square(x))
