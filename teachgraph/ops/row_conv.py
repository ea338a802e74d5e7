"""Row convolution: a convolution over the current and future steps of a sequence.

The op and its adjoint in the filter are each other's gradients, so that derivatives of
any order follow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import reduce_to
from teachgraph.ops.flip_roll import flip

__all__ = ["ahead_products", "row_conv"]


def check_steps(x: Any, filter: Any) -> None:
    """Check dtypes and shapes.

    Raises:
        DTypeError: An input is not floating.
        ShapeError: x is not 3-D, or the filter has other channels.
    """
    if not x.dtype.kind == filter.dtype.kind == "f":
        raise DTypeError(
            f"floating numbers are added up, not {x.dtype}, {filter.dtype}"
        )
    if len(x.shape) != 3 or len(filter.shape) != 2:
        raise ShapeError(
            f"x must be [N, T, D] and the filter [K, D], got {list(x.shape)} and "
            f"{list(filter.shape)}"
        )
    if -1 != x.shape[2] != filter.shape[1] != -1:
        raise ShapeError(f"{x.shape[2]} channels, but a filter of {filter.shape[1]}")


@op(needs="sequences X [N, T, D] and a Filter [K, D]")
def row_conv(x: Any, filter: Any) -> Any:
    """out[n, t, d] = the sum over k of x[n, t + k, d] filter[k, d].

    Steps after the last one are 0.
    """
    check_steps(x, filter)
    out = np.zeros(x.shape, np.result_type(x, filter))
    for k, weights in enumerate(filter[: x.shape[1]]):
        out[:, : x.shape[1] - k] += x[:, k:] * weights
    return out


@row_conv.grad
def row_conv_grad(dout: Any, x: Any, filter: Any) -> Any:
    """dx[t] = sum of dout[t - k] filter[k]: a causal convolution."""
    return (
        lambda: reduce_to(looking_back(dout, filter), x),
        lambda: ahead_products(dout, x, filter),
    )


def looking_back(x: Any, filter: Any) -> Any:
    """Compute the sum over k of x[n, t - k, d] filter[k, d]."""
    return flip(row_conv(flip(x, axis=[1]), filter), axis=[1])


@row_conv.infers
def infer_row_conv(x: Like, filter: Like) -> Any:
    """x's spec."""
    check_steps(x, filter)
    return [(tuple(x.shape), np.result_type(x.dtype, filter.dtype))]


@op
def ahead_products(x: Any, y: Any, filter: Any) -> Any:
    """out[k, d] = the sum over n and t of x[n, t, d] y[n, t + k, d], like `filter`."""
    check_steps(x, filter)
    check_steps(y, filter)
    out = np.zeros_like(filter)
    for k in range(min(len(filter), x.shape[1])):
        products = np.multiply(x[:, : x.shape[1] - k], y[:, k:], order="C")
        out[k] = products.sum(axis=(0, 1))
    return out


@ahead_products.grad(of=("x", "y"))
def ahead_products_grad(dout: Any, x: Any, y: Any, filter: Like) -> Any:
    """dx[t] = the sum of y[t + k] dout[k]; dy[t] = that of x[t - k] dout[k]."""
    return (
        lambda: reduce_to(row_conv(y, dout), x),
        lambda: reduce_to(looking_back(x, dout), y),
    )


@ahead_products.infers
def infer_ahead_products(x: Like, y: Like, filter: Like) -> Any:
    """The filter's shape."""
    check_steps(x, filter)
    check_steps(y, filter)
    return [(tuple(filter.shape), filter.dtype)]
