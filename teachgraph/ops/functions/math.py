"""Elementwise arithmetic and elementary functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, pi
from typing import Any

import numpy as np

from teachgraph.core import dtypes, ops
from teachgraph.core.op import Op
from teachgraph.ops import elementwise, error_function, rounding
from teachgraph.ops import math as maths
from teachgraph.ops import trigonometry as angles
from teachgraph.ops.activation import activated
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.elementwise import elementwise_div
from teachgraph.ops.logic import isnan_v2, where

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cast",
    "ceil",
    "clip",
    "cos",
    "cosh",
    "deg2rad",
    "divide",
    "erf",
    "erfinv",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "floor_mod",
    "fmax",
    "fmin",
    "frac",
    "increment",
    "lerp",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logit",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "nan_to_num",
    "neg",
    "pow",
    "rad2deg",
    "reciprocal",
    "remainder",
    "round",
    "rsqrt",
    "scale",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "stanh",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]


def of_one(op: Op) -> Callable[..., Any]:
    """Wrap an op of one input as a function with Paddle's `name` argument."""

    def function(x: Any, name: Any = None) -> Any:
        return op(x)

    function.__name__, function.__doc__ = op.type, op.__doc__
    return function


def of_two(op: Op) -> Callable[..., Any]:
    """Wrap an op of two inputs, which broadcast; one of them may be a number."""

    def function(x: Any, y: Any, name: Any = None) -> Any:
        return op(x, y)

    function.__name__, function.__doc__ = op.type, op.__doc__
    return function


add = of_two(ops.elementwise_add)
subtract = of_two(elementwise.elementwise_sub)
multiply = of_two(ops.elementwise_mul)
divide = of_two(elementwise_div)
floor_divide = of_two(elementwise.elementwise_floordiv)
remainder = mod = floor_mod = of_two(elementwise.elementwise_mod)
maximum = of_two(elementwise.elementwise_max)
minimum = of_two(elementwise.elementwise_min)
fmax = of_two(elementwise.elementwise_fmax)
fmin = of_two(elementwise.elementwise_fmin)
atan2 = of_two(angles.atan2)
logaddexp = of_two(elementwise.logaddexp)

abs = of_one(maths.abs_)
exp = of_one(maths.exp)
expm1 = of_one(maths.expm1)
log = of_one(maths.log)
log1p = of_one(maths.log1p)
log2 = of_one(maths.log2)
log10 = of_one(maths.log10)
sign = of_one(maths.sign)
sqrt = of_one(maths.sqrt)
rsqrt = of_one(maths.rsqrt)
square = of_one(maths.square)
reciprocal = of_one(maths.reciprocal)
erf = of_one(error_function.erf)
erfinv = of_one(error_function.erfinv)

sin = of_one(angles.sin)
cos = of_one(angles.cos)
tan = of_one(angles.tan)
asin = of_one(angles.asin)
acos = of_one(angles.acos)
atan = of_one(angles.atan)
sinh = of_one(angles.sinh)
cosh = of_one(angles.cosh)
tanh = of_one(maths.tanh)
asinh = of_one(angles.asinh)
acosh = of_one(angles.acosh)
atanh = of_one(angles.atanh)

floor = of_one(rounding.floor)
ceil = of_one(rounding.ceil)
round = of_one(rounding.round_)


def is_bare(number: Any) -> bool:
    """True for a Python or NumPy number."""
    return isinstance(number, (int, float, np.number))


def pow(x: Any, y: Any, name: Any = None) -> Any:
    """x to the power y, a number or a tensor.

    Raises:
        DTypeError: `x` holds integers and `y` is a fraction.
        InvalidValueError: `x` holds integers and `y` is negative.

    >>> import numpy as np
    >>> pow(np.array([2.0, 3.0]), 2)
    array([4., 9.])
    """
    if is_bare(y):
        return maths.pow_(x, factor=float(y))
    return elementwise.elementwise_pow(x, y)


def neg(x: Any, name: Any = None) -> Any:
    """-x."""
    return maths.scale(x, scale=-1.0)


def scale(
    x: Any,
    scale: float = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: Any = None,
) -> Any:
    """Compute scale x + bias, or scale (x + bias), and optionally an activation.

    Args:
        x: Numbers.
        scale: The factor.
        bias: The summand.
        bias_after_scale: Add the bias after scaling.
        act: The name of an op to apply to the result, such as "relu".
        name: Accepted for Paddle's sake.
    """
    out = maths.scale(x, scale=scale, bias=bias, bias_after_scale=bias_after_scale)
    return activated(out, act)


def cast(x: Any, dtype: Any) -> Any:
    """Cast to another dtype."""
    code = dtypes.PADDLE_CODES
    target = dtypes.convert(dtype)
    return maths.cast(x, in_dtype=code[x.dtype], out_dtype=code[target])


def frac(x: Any, name: Any = None) -> Any:
    """The fractional part of each element.

    >>> import numpy as np
    >>> frac(np.array([2.5, -2.5]))
    array([ 0.5, -0.5])
    """
    return elementwise.elementwise_sub(x, rounding.trunc(x))


def clip(x: Any, min: Any = None, max: Any = None, name: Any = None) -> Any:
    """Clip x to [min, max]; bounds are numbers, tensors or None.

    Raises:
        InvalidValueError: The number `min` is larger than the number `max`.
        DTypeError: `x` holds integers, and a bound is a fraction.

    >>> import numpy as np
    >>> clip(np.array([-1.0, 0.5, 3.0]), 0.0, 1.0)
    array([0. , 0.5, 1. ])
    """
    if all(bound is None or is_bare(bound) for bound in (min, max)):
        low, high = -inf if min is None else min, inf if max is None else max
        return maths.clip(x, min=float(low), max=float(high))
    x = x if min is None else elementwise.elementwise_max(x, min)
    return x if max is None else elementwise.elementwise_min(x, max)


def lerp(x: Any, y: Any, weight: Any, name: Any = None) -> Any:
    """Interpolate linearly: x + weight (y - x).

    >>> import numpy as np
    >>> lerp(np.array([0.0, 10.0]), np.array([4.0, 20.0]), 0.25)
    array([ 1. , 12.5])
    """
    if is_bare(weight):
        weight = np.asarray(weight, x.dtype)
    return elementwise.lerp(x, y, weight)


def logit(x: Any, eps: float | None = None, name: Any = None) -> Any:
    """ln(x / (1 - x)), the inverse of sigmoid; with `eps`, x is clipped first."""
    return maths.logit(x, eps=eps or 0.0)


def trunc(input: Any, name: Any = None) -> Any:
    """The integer part of each element (rounded towards 0).

    >>> import numpy as np
    >>> trunc(np.array([-1.5, 1.5])).tolist()
    [-1.0, 1.0]
    """
    return rounding.trunc(input)


def stanh(
    x: Any, scale_a: float = 0.67, scale_b: float = 1.7159, name: Any = None
) -> Any:
    """b tanh(a x), LeCun's scaled activation."""
    return maths.stanh(x, scale_a=scale_a, scale_b=scale_b)


def add_n(inputs: Any, name: Any = None) -> Any:
    """The sum of several tensors of one shape and dtype.

    >>> import numpy as np
    >>> add_n([np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0])])
    array([ 9., 12.])
    """
    terms = inputs if isinstance(inputs, Sequence) else [inputs]
    return ops.sum_(*terms)


def increment(x: Any, value: float = 1.0, name: Any = None) -> Any:
    """Add a number to a counter, a tensor of one element, in place."""
    return maths.increment(x, step=float(value))


def nan_to_num(
    x: Any,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    name: Any = None,
) -> Any:
    """Replace NaN and the two infinities by numbers.

    Args:
        x: Floating numbers.
        nan: The replacement of NaN.
        posinf: The replacement of infinity; by default the dtype's largest number.
        neginf: The replacement of minus infinity; by default the dtype's lowest number.
        name: Accepted for Paddle's sake.

    >>> import numpy as np
    >>> nan_to_num(np.array([np.nan, 1.0, np.inf]), posinf=9.0)
    array([0., 1., 9.])
    """
    largest = float(np.finfo(x.dtype).max)
    high, low, number = filled(x, inf), filled(x, -inf), filled(x, nan)
    highest = filled(x, largest if posinf is None else posinf)
    lowest = filled(x, -largest if neginf is None else neginf)
    x = where(number, x, isnan_v2(x))
    x = where(highest, x, elementwise.equal(x, high))
    return where(lowest, x, elementwise.equal(x, low))


def filled(x: Any, value: float) -> Any:
    """Create a constant in shape and dtype of `x`."""
    return fill_any_like(x, value=value, dtype=dtypes.PADDLE_CODES[x.dtype])


def deg2rad(x: Any, name: Any = None) -> Any:
    """Convert degrees to radians, integers as float32."""
    return maths.scale(ints_to_float(x), scale=pi / 180.0)


def rad2deg(x: Any, name: Any = None) -> Any:
    """Convert radians to degrees, integers as float32."""
    return maths.scale(ints_to_float(x), scale=180.0 / pi)


def ints_to_float(x: Any) -> Any:
    """Cast integers to float32."""
    return x.astype("float32") if x.dtype.kind in "iu" else x
