"""Ops in place: `x.add_(y)` is `x + y`, after which `x` is the result.

The array itself is not written to. The tensor takes the result's array and its place on
the tape, and what a node kept before stays what it was, but is out of date.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from teachgraph.eager.history import overwrite
from teachgraph.errors import InvalidValueError, at_user_line
from teachgraph.mode import state
from teachgraph.ops import functions

if TYPE_CHECKING:
    from teachgraph.eager.tensor import Tensor

__all__ = ["InPlace", "become", "refuse_leaf"]


def refuse_leaf(tensor: Tensor) -> None:
    """A leaf that wants a gradient must stay what the gradient is for.

    Raises:
        InvalidValueError: It is one, and ops are being recorded.
    """
    if tensor.is_leaf and not tensor.stop_gradient and state.grad:
        raise InvalidValueError(
            at_user_line(
                f"Leaf Tensor {tensor.label or tensor.shape} that doesn't stop "
                "gradient can't use inplace strategy: its gradient would be that of "
                "a value it no longer has; change it under no_grad, or a clone()"
            )
        )


def become(tensor: Tensor, result: Tensor, *, reshapes: bool = False) -> Tensor:
    """Give `tensor` the values of `result`, and where those came from.

    Raises:
        InvalidValueError: The result has another shape or dtype, or `tensor` is a leaf
            that wants a gradient.
    """
    refuse_leaf(tensor)
    if result.dtype != tensor.dtype or not (reshapes or result.shape == tensor.shape):
        raise InvalidValueError(
            at_user_line(
                f"in place, {tensor.dtype} {tensor.shape} cannot become "
                f"{result.dtype} {result.shape}"
            )
        )
    overwrite(tensor.data)
    tensor.data = result.data
    if state.grad:
        tensor.node, tensor.stop_gradient = result.node, result.stop_gradient
    tensor.inplace_version += 1
    return tensor


def in_place(function: Callable[..., Any], *, reshapes: bool = False) -> Any:
    """The method that runs a function and makes the tensor its result."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        refuse_leaf(self)
        return become(self, function(self, *args, **kwargs), reshapes=reshapes)

    story = (function.__doc__ or "").partition("\n")[0]
    method.__doc__ = f"In place: {story}"
    return method


class InPlace:
    """The ops of a Tensor that end in `_`: the same, in place."""

    __slots__ = ()

    abs_ = in_place(functions.abs)
    acos_ = in_place(functions.acos)
    acosh_ = in_place(functions.acosh)
    add_ = in_place(functions.add)
    addmm_ = in_place(functions.addmm)
    asin_ = in_place(functions.asin)
    asinh_ = in_place(functions.asinh)
    atan_ = in_place(functions.atan)
    atanh_ = in_place(functions.atanh)
    bitwise_and_ = in_place(functions.bitwise_and)
    bitwise_not_ = in_place(functions.bitwise_not)
    bitwise_or_ = in_place(functions.bitwise_or)
    bitwise_xor_ = in_place(functions.bitwise_xor)
    ceil_ = in_place(functions.ceil)
    clip_ = in_place(functions.clip)
    cos_ = in_place(functions.cos)
    cosh_ = in_place(functions.cosh)
    cumprod_ = in_place(functions.cumprod)
    cumsum_ = in_place(functions.cumsum)
    divide_ = in_place(functions.divide)
    erf_ = in_place(functions.erf)
    erfinv_ = in_place(functions.erfinv)
    exp_ = in_place(functions.exp)
    expm1_ = in_place(functions.expm1)
    floor_ = in_place(functions.floor)
    floor_divide_ = in_place(functions.floor_divide)
    floor_mod_ = in_place(functions.floor_mod)
    frac_ = in_place(functions.frac)
    index_add_ = in_place(functions.index_add)
    index_fill_ = in_place(functions.index_fill)
    index_put_ = in_place(functions.index_put)
    lerp_ = in_place(functions.lerp)
    log_ = in_place(functions.log)
    log10_ = in_place(functions.log10)
    log1p_ = in_place(functions.log1p)
    log2_ = in_place(functions.log2)
    logical_and_ = in_place(functions.logical_and)
    logical_not_ = in_place(functions.logical_not)
    logical_or_ = in_place(functions.logical_or)
    logical_xor_ = in_place(functions.logical_xor)
    logit_ = in_place(functions.logit)
    mod_ = in_place(functions.mod)
    multiply_ = in_place(functions.multiply)
    nan_to_num_ = in_place(functions.nan_to_num)
    neg_ = in_place(functions.neg)
    pow_ = in_place(functions.pow)
    put_along_axis_ = in_place(functions.put_along_axis)
    reciprocal_ = in_place(functions.reciprocal)
    remainder_ = in_place(functions.remainder)
    round_ = in_place(functions.round)
    rsqrt_ = in_place(functions.rsqrt)
    scale_ = in_place(functions.scale)
    scatter_ = in_place(functions.scatter)
    sin_ = in_place(functions.sin)
    sinh_ = in_place(functions.sinh)
    sqrt_ = in_place(functions.sqrt)
    square_ = in_place(functions.square)
    subtract_ = in_place(functions.subtract)
    tan_ = in_place(functions.tan)
    tanh_ = in_place(functions.tanh)
    tril_ = in_place(functions.tril)
    triu_ = in_place(functions.triu)
    trunc_ = in_place(functions.trunc)

    flatten_ = in_place(functions.flatten, reshapes=True)
    reshape_ = in_place(functions.reshape, reshapes=True)
    squeeze_ = in_place(functions.squeeze, reshapes=True)
    t_ = in_place(functions.t, reshapes=True)
    transpose_ = in_place(functions.transpose, reshapes=True)
    unsqueeze_ = in_place(functions.unsqueeze, reshapes=True)

    fill_ = in_place(functions.full_like)
    normal_ = in_place(lambda x, mean=0.0, std=1.0: normal_like(x, mean, std))
    uniform_ = in_place(lambda x, min=-1.0, max=1.0: uniform_like(x, min, max))
    zero_ = in_place(functions.zeros_like)


def normal_like(x: Tensor, mean: float, std: float) -> Any:
    """Normally distributed numbers, as many as in `x`."""
    return functions.cast(functions.normal(mean, std, x.shape), x.dtype)


def uniform_like(x: Tensor, low: float, high: float) -> Any:
    """Numbers spread evenly over [low, high), as many as in `x`."""
    return functions.uniform(x.shape, x.dtype, low, high)
