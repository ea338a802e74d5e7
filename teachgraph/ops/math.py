"""Functions of one input, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph import dtypes
from teachgraph.errors import DTypeError, ShapeError
from teachgraph.ops.op import Like, op

__all__ = [
    "abs_",
    "cast",
    "exp",
    "log",
    "relu",
    "scale",
    "sigmoid",
    "sign",
    "sqrt",
    "square",
    "sum_",
    "tanh",
]

FLOATING = "floating numbers: x.astype('float32') makes some"


@op(needs="numbers, and beside integers a whole scale and bias")
def scale(
    x: Any, *, scale: float = 1.0, bias: float = 0.0, bias_after_scale: bool = True
) -> Any:
    """out = scale x + bias, or scale (x + bias), in the dtype of x."""
    if x.dtype.kind != "f":
        scale, bias = whole(scale, x.dtype), whole(bias, x.dtype)
    if bias == 0.0:
        return x * scale
    if scale == 1.0:
        return x + bias
    return x * scale + bias if bias_after_scale else (x + bias) * scale


def whole(number: float, dtype: np.dtype[Any]) -> Any:
    """A number as integers take it.

    Raises:
        DTypeError: It has a fraction, or the dtype is bool.
    """
    if dtype.kind == "b" or number != int(number):
        raise DTypeError(f"{dtype} cannot be scaled by {number}")
    return dtype.type(number)


@scale.grad(inline=True)
def scale_grad(dout: Any, *, scale: float) -> Any:
    """dx = scale dout: a `scale` op itself."""
    return lambda: scale_op(dout, scale=scale)


scale_op = scale


@op(type="sum", key="sum", needs="inputs of one shape and dtype")
def sum_(*x: Any) -> Any:
    """out = x1 + x2 + ...: what joins the gradients at a fan-out."""
    total = x[0]
    for term in x[1:]:
        if term.shape != total.shape:
            raise ShapeError(f"{list(term.shape)} is not {list(total.shape)}")
        if term.dtype != total.dtype:
            raise DTypeError(f"{term.dtype} is not {total.dtype}")
        total = total + term
    return total


@sum_.grad(inline=True)
def sum_grad(dout: Any, *x: Like) -> Any:
    """Each term gets dout."""
    return tuple((lambda: scale_op(dout)) for _ in x)


@op
def cast(x: Any, *, in_dtype: int | None = None, out_dtype: int) -> Any:
    """The same values in another dtype (Paddle's number of it)."""
    return np.asarray(x).astype(dtypes.convert(out_dtype))


@cast.grad(inline=True)
def cast_grad(dout: Any, x: Like, *, out_dtype: int) -> Any:
    """The gradient, in the dtype of x."""
    code = dtypes.PADDLE_CODES[x.dtype]
    return lambda: cast(dout, in_dtype=out_dtype, out_dtype=code)


@op
def relu(x: Any) -> Any:
    """out = max(x, 0)."""
    return np.maximum(x, 0)


@relu.grad
def relu_grad(dout: Any, out: Any) -> Any:
    """dx = dout where out > 0."""
    return dout * (out > 0)


@op(needs=FLOATING)
def sigmoid(x: Any) -> Any:
    """out = 1 / (1 + exp(-x)), computed so that it never overflows."""
    small = np.exp(-np.abs(x), casting="equiv")
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small)).astype(x.dtype)


@sigmoid.grad
def sigmoid_grad(dout: Any, out: Any) -> Any:
    """dx = dout out (1 - out)."""
    return dout * out * (1.0 - out)


@op(needs=FLOATING)
def tanh(x: Any) -> Any:
    """out = tanh x."""
    return np.tanh(x, casting="equiv")


@tanh.grad
def tanh_grad(dout: Any, out: Any) -> Any:
    """dx = dout (1 - out^2)."""
    return dout * (1.0 - out * out)


@op(needs=FLOATING)
def exp(x: Any) -> Any:
    """out = e to the power x."""
    return np.exp(x, casting="equiv")


@exp.grad
def exp_grad(dout: Any, out: Any) -> Any:
    """dx = dout out."""
    return dout * out


@op(needs=FLOATING)
def log(x: Any) -> Any:
    """out = ln x."""
    return np.log(x, casting="equiv")


@log.grad
def log_grad(dout: Any, x: Any) -> Any:
    """dx = dout / x."""
    return dout / x


@op(needs=FLOATING)
def sqrt(x: Any) -> Any:
    """out = the square root of x."""
    return np.sqrt(x, casting="equiv")


@sqrt.grad
def sqrt_grad(dout: Any, out: Any) -> Any:
    """dx = dout / (2 out)."""
    return dout * 0.5 / out


@op(needs="numbers")
def square(x: Any) -> Any:
    """out = x^2."""
    return np.square(x, casting="equiv")


@square.grad
def square_grad(dout: Any, x: Any) -> Any:
    """dx = 2 x dout."""
    return dout * x * 2.0


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
    """-1, 0 or 1."""
    return np.sign(x)


@sign.grad
def sign_grad(dout: Any) -> Any:
    """Flat everywhere it has a slope."""
    return dout * 0.0
