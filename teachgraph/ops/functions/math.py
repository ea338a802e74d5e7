"""Arithmetic and functions, element by element."""

from __future__ import annotations

from typing import Any

from teachgraph import dtypes
from teachgraph.ops import elementwise
from teachgraph.ops import math as maths

__all__ = [
    "abs",
    "add",
    "cast",
    "divide",
    "exp",
    "log",
    "maximum",
    "minimum",
    "multiply",
    "pow",
    "scale",
    "sign",
    "sqrt",
    "square",
    "subtract",
    "tanh",
]

add = elementwise.elementwise_add
subtract = elementwise.elementwise_sub
multiply = elementwise.elementwise_mul
divide = elementwise.elementwise_div
maximum = elementwise.elementwise_max
minimum = elementwise.elementwise_min
abs = maths.abs_
exp = maths.exp
log = maths.log
sign = maths.sign
sqrt = maths.sqrt
square = maths.square
tanh = maths.tanh


def pow(x: Any, y: Any, name: Any = None) -> Any:
    """x to the power y.

    >>> import numpy as np
    >>> pow(np.array([2.0, 3.0]), 2)
    array([4., 9.])
    """
    return x**y


def scale(
    x: Any, scale: float = 1.0, bias: float = 0.0, bias_after_scale: bool = True
) -> Any:
    """scale x + bias, or scale (x + bias)."""
    return maths.scale(x, scale=scale, bias=bias, bias_after_scale=bias_after_scale)


def cast(x: Any, dtype: Any) -> Any:
    """The same values in another dtype."""
    code = dtypes.PADDLE_CODES
    target = dtypes.convert(dtype)
    return maths.cast(x, in_dtype=code[x.dtype], out_dtype=code[target])
