"""Elementwise functions of one input: copies, scale, powers, exponentials, tanh.

Outside a function's domain the result is infinity or NaN, as in Paddle.
"""

from __future__ import annotations

from copy import copy
from math import inf
from math import log as ln
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import FLOATING
from teachgraph.ops.default_dtype import is_floating
from teachgraph.ops.expressions import grad_numpy, numpy
from teachgraph.ops.inline_rules import inline_grad

__all__ = [
    "abs_",
    "assign",
    "cast",
    "clip",
    "exp",
    "expm1",
    "increment",
    "integer_for",
    "log",
    "log1p",
    "log2",
    "log10",
    "logit",
    "pow_",
    "reciprocal",
    "rsqrt",
    "scale",
    "scale_op",
    "sigmoid",
    "sign",
    "sqrt",
    "square",
    "stanh",
    "tanh",
]

NUMBERS = "numbers; integers count as float32"


def as_floats(x: Any) -> Any:
    """Cast integers to float32, which Paddle's logarithms and exponentials take."""
    return x.astype(np.float32) if x.dtype.kind in "iu" else x


@op
def assign(x: Any) -> Any:
    """out = a copy of x."""
    return copy(x)


@inline_grad(assign)
def assign_grad(dout: Any) -> Any:
    """dx = dout."""
    return lambda: assign(dout)


@op(needs="numbers, and beside integers a whole scale and bias")
def scale(
    x: Any,
    *,
    scale: float = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    out: Any = None,
) -> Any:
    """out = scale x + bias, or scale (x + bias), in the dtype of x."""
    if x.dtype.kind != "f":
        # A float would make NumPy's product of integers float64.
        scale, bias = integer_for(scale, x.dtype), integer_for(bias, x.dtype)
    if bias == 0.0:
        return np.multiply(x, scale, out=out)
    if scale == 1.0:
        return np.add(x, bias, out=out)
    if bias_after_scale:
        return np.add(x * scale, bias, out=out)
    return np.multiply(x + bias, scale, out=out)


def integer_for(number: float, dtype: np.dtype[Any]) -> Any:
    """Convert a number to an integer for an integer input.

    Raises:
        DTypeError: The number has a fraction, or the dtype is bool.
    """
    if dtype.kind == "b" or number != int(number):
        raise DTypeError(f"{dtype} does not go with {number}")
    whole = int(number)
    if dtype.kind == "u" and whole < 0:
        # Unsigned numbers count modulo a power of 2: 255 - x is -1 x + 255 in uint8.
        whole += int(np.iinfo(dtype).max) + 1
    return dtype.type(whole)


@inline_grad(scale)
def scale_grad(dout: Any, *, scale: float) -> Any:
    """dx = scale dout: a `scale` op itself."""
    return lambda: scale_op(dout, scale=scale)


scale_op = scale  # in rules and kernels, `scale` is the attribute


@op
def cast(x: Any, *, in_dtype: int | None = None, out_dtype: int) -> Any:
    """Cast to another dtype (Paddle's code)."""
    return np.asarray(x).astype(dtypes.of_code(out_dtype))


@inline_grad(cast)
def cast_grad(dout: Any, x: Like, *, out_dtype: int) -> Any:
    """dx = dout in the dtype of x; uncut, if these are integers that a PyLayer gave."""
    code = dtypes.PADDLE_CODES[x.dtype]
    if not is_floating(x.dtype):
        return lambda: assign(dout)
    return lambda: cast(dout, in_dtype=out_dtype, out_dtype=code)


@op(needs=FLOATING)
def tanh(x: Any, *, out: Any = None) -> Any:
    """out = tanh x."""
    # "equiv" refuses integers, of which NumPy would silently make float64.
    return np.tanh(x, out=out, casting="equiv")


@tanh.grad
def tanh_grad(dout: Any, out: Any) -> Any:
    """dx = dout (1 - out^2)."""
    return dout * (1.0 - out * out)


@op(needs=FLOATING)
def sigmoid(x: Any) -> Any:
    """out = 1 / (1 + exp(-x)), which is 0 where exp(-x) is infinite."""
    # `negative` refuses bools, "equiv" integers, of which NumPy would make float64.
    return 1 / (1 + np.exp(np.negative(x), casting="equiv"))


@sigmoid.grad
def sigmoid_grad(dout: Any, out: Any) -> Any:
    """dx = dout out (1 - out)."""
    return dout * out * (1.0 - out)


@numpy(sigmoid)
def sigmoid_numpy(x: Like) -> str | None:
    """The formula, of floating numbers."""
    return "out = 1 / (1 + np.exp(-x))" if x.dtype.kind == "f" else None


@grad_numpy(sigmoid)
def sigmoid_grad_numpy(dout: Like, out: Like) -> str:
    """The rule's own formula."""
    return "dx = dout * out * (1.0 - out)"


@op(needs=NUMBERS)
def exp(x: Any, *, out: Any = None) -> Any:
    """out = e to the power x."""
    # "equiv" refuses bools, of which NumPy would make float16.
    return np.exp(as_floats(x), out=out, casting="equiv")


@numpy(exp)
def exp_numpy(x: Like) -> str | None:
    """NumPy's exp, of floating numbers."""
    return "out = np.exp(x)" if x.dtype.kind == "f" else None


@exp.grad
def exp_grad(dout: Any, out: Any) -> Any:
    """dx = dout out."""
    return dout * out


@op(needs=NUMBERS)
def log(x: Any) -> Any:
    """out = ln x."""
    return np.log(as_floats(x), casting="equiv")


@log.grad
def log_grad(dout: Any, x: Any) -> Any:
    """dx = dout / x."""
    return dout / x


@op(needs=NUMBERS)
def expm1(x: Any) -> Any:
    """out = exp(x) - 1, accurate also for small x."""
    return np.expm1(as_floats(x), casting="equiv")


@expm1.grad
def expm1_grad(dout: Any, out: Any) -> Any:
    """dx = dout (out + 1)."""
    return dout * out + dout


@op(needs=NUMBERS)
def log1p(x: Any) -> Any:
    """out = ln(1 + x), accurate also for small x."""
    return np.log1p(as_floats(x), casting="equiv")


@log1p.grad
def log1p_grad(dout: Any, x: Any) -> Any:
    """dx = dout / (1 + x)."""
    return dout / (x + 1.0)


@op(needs=NUMBERS)
def log2(x: Any) -> Any:
    """out = the logarithm of x to base 2."""
    return np.log2(as_floats(x), casting="equiv")


@log2.grad
def log2_grad(dout: Any, x: Any) -> Any:
    """dx = dout / (x ln 2)."""
    return dout / (x * ln(2.0))


@op(needs=NUMBERS)
def log10(x: Any) -> Any:
    """out = the logarithm of x to base 10."""
    return np.log10(as_floats(x), casting="equiv")


@log10.grad
def log10_grad(dout: Any, x: Any) -> Any:
    """dx = dout / (x ln 10)."""
    return dout / (x * ln(10.0))


@op(needs=FLOATING)
def logit(x: Any, *, eps: float = 0.0) -> Any:
    """out = ln(x / (1 - x)), the inverse of sigmoid; eps > 0 clips x to [eps, 1 - eps].

    Without eps it is NaN outside of [0, 1].
    """
    p = np.clip(x, eps, 1.0 - eps) if eps > 0 else x
    # `log1p(-p)` is accurate for small p, where 1 - p is rounded to 1.
    return np.subtract(np.log(p, casting="equiv"), np.log1p(-p))


@logit.grad
def logit_grad(dout: Any, x: Any, *, eps: float) -> Any:
    """dx = dout / (x (1 - x)), 0 where x was clipped."""
    if eps > 0:
        # Where x was clipped dout is 0, and x (1 - x) must not be: 0 / 0 is NaN.
        dout = dout * (x >= eps) * (x <= 1.0 - eps)
        x = clip(x, min=eps, max=1.0 - eps)
    return dout / (x * (1.0 - x))


@op(needs=FLOATING)
def sqrt(x: Any, *, out: Any = None) -> Any:
    """out = the square root of x."""
    return np.sqrt(x, out=out, casting="equiv")


@sqrt.grad
def sqrt_grad(dout: Any, out: Any) -> Any:
    """dx = dout / (2 out)."""
    return dout * 0.5 / out


@op(needs=FLOATING)
def rsqrt(x: Any) -> Any:
    """out = 1 / sqrt(x)."""
    return 1.0 / np.sqrt(x, casting="equiv")


@rsqrt.grad
def rsqrt_grad(dout: Any, out: Any) -> Any:
    """dx = -dout out^3 / 2."""
    return dout * out * out * out * -0.5


@op(needs=FLOATING)
def reciprocal(x: Any) -> Any:
    """out = 1 / x."""
    return np.reciprocal(floats(x))


@reciprocal.grad
def reciprocal_grad(dout: Any, out: Any) -> Any:
    """dx = -dout out^2."""
    return -dout * out * out


def floats(x: Any) -> Any:
    """Return `x` if it is floating.

    Raises:
        DTypeError: The dtype is not floating.
    """
    if x.dtype.kind != "f":
        raise DTypeError(f"{x.dtype} is no floating type")
    return x


@op(type="pow", key="pow", needs="numbers, and of integers a whole power from 0 on")
def pow_(x: Any, *, factor: float = 1.0) -> Any:
    """out = x to the power of a number."""
    if x.dtype.kind == "f":
        return np.power(x, factor)
    power = integer_for(factor, x.dtype)
    if power < 0:
        raise InvalidValueError("integers have no negative powers")
    return np.power(x, power)


@pow_.grad
def pow_grad(dout: Any, x: Any, *, factor: float) -> Any:
    """dx = dout factor x^(factor - 1)."""
    if factor == 0:
        # The formula would be 0 times x^-1, which is NaN at 0.
        return dout * 0.0
    return dout * pow_(x, factor=factor - 1) * float(factor)


@op(needs="numbers")
def square(x: Any) -> Any:
    """out = x^2."""
    # "equiv" refuses bools, which NumPy would square as int8.
    return np.square(x, casting="equiv")


@square.grad
def square_grad(dout: Any, x: Any) -> Any:
    """dx = 2 x dout."""
    return dout * x * 2.0


@numpy(square)
def square_numpy(x: Like) -> str | None:
    """NumPy's square, of numbers."""
    return "out = np.square(x)" if x.dtype.kind in "fi" else None


@grad_numpy(square)
def square_grad_numpy(dout: Like, x: Like) -> str:
    """The rule's own formula."""
    return "dx = dout * x * 2.0"


@op(type="abs", key="abs")
def abs_(x: Any) -> Any:
    """out = |x|."""
    return np.abs(x)


@abs_.grad
def abs_grad(dout: Any, x: Any) -> Any:
    """dx = dout sign(x)."""
    return dout * sign(x)


@op
def sign(x: Any) -> Any:
    """out = -1, 0 or 1."""
    return np.sign(x)


@inline_grad(sign)
def sign_grad(dout: Any) -> Any:
    """dx = 0."""
    return lambda: scale_op(dout, scale=0.0)


@op(needs="numbers, and bounds that are numbers of this type")
def clip(x: Any, *, min: float = -inf, max: float = inf) -> Any:
    """out = min where x is below it, max where x is above it, else x.

    An infinite bound is no bound: infinity itself is not clipped.
    """
    if min > max:
        raise InvalidValueError(f"min = {min} is above max = {max}")
    if x.dtype.kind == "f":
        return np.clip(x, min, max)
    # NumPy takes no bound that is outside of the integers' range.
    return np.clip(x, bound(min, x.dtype), bound(max, x.dtype))


def bound(number: float, dtype: np.dtype[Any]) -> Any:
    """Convert a number to a bound of integers: an integer, or out of their range."""
    if dtype.kind == "b":
        raise DTypeError("True and False have no order")
    limits = np.iinfo(dtype)
    return integer_for(min(max(number, limits.min), limits.max), dtype)


@clip.grad
def clip_grad(dout: Any, x: Any, *, min: float, max: float) -> Any:
    """dx = dout where min < x < max: at the bounds, as in Paddle, it is 0."""
    if min > -inf:
        dout = dout * (x > min)
    return dout * (x < max) if max < inf else dout


@op(needs=FLOATING)
def stanh(x: Any, *, scale_a: float = 0.67, scale_b: float = 1.7159) -> Any:
    """out = b tanh(a x)."""
    return np.tanh(floats(x) * scale_a) * scale_b


@stanh.grad
def stanh_grad(dout: Any, x: Any, *, scale_a: float, scale_b: float) -> Any:
    """dx = dout a b (1 - tanh^2(a x))."""
    return dout * (1.0 - square(tanh(x * scale_a))) * (scale_a * scale_b)


@op(inplace={"out": "x"}, needs="one number")
def increment(x: Any, *, step: float = 1.0) -> Any:
    """x <- x + step, for a counter: a tensor of one element."""
    if x.size != 1:
        raise ShapeError(f"a counter is one number, not {x.size}")
    return x + (step if x.dtype.kind == "f" else integer_for(step, x.dtype))


@increment.grad_builder
def build_increment_grad(backward: Any, operator: Any, parts: Any) -> None:
    """Append `dx = dout`; on the tape the tensor simply keeps its place."""
    (out,) = operator.outputs["Out"]
    backward.append(assign.type, {"X": [backward.names[out]]}, parts[0])
