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

    method.__doc__ = f"In place: {function.__doc__}"
    return method


class InPlace:
    """The ops of a Tensor that end in `_`: the same, in place."""

    __slots__ = ()

    add_ = in_place(functions.add)
    subtract_ = in_place(functions.subtract)
    multiply_ = in_place(functions.multiply)
    divide_ = in_place(functions.divide)
    exp_ = in_place(functions.exp)
    reshape_ = in_place(functions.reshape, reshapes=True)
    scale_ = in_place(functions.scale)
    sqrt_ = in_place(functions.sqrt)
    tanh_ = in_place(functions.tanh)
    unsqueeze_ = in_place(functions.unsqueeze, reshapes=True)
