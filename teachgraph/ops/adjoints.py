"""Gradients of the ops that only gradients are made of, for derivatives of any order.

The core's rules sum what was broadcast (`unbroadcast`), broadcast what was summed
(`spread`), restore shapes and subtract labels. A gradient of a gradient goes through
these ops too; a first one does not, and so the core has no rules for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.op import Like, op
from teachgraph.core.ops import (
    aligned,
    less_label,
    reduce_mean,
    reduce_sum,
    reshape_as,
    spread,
    sum_,
    unbroadcast,
)
from teachgraph.ops.inline_rules import inline_grad
from teachgraph.ops.math import scale

__all__ = ["expand_as_v2", "unless_ignored"]


@op(key="expand_as", needs="a shape of X that broadcasts to that of Y")
def expand_as_v2(x: Any, y: Any, *, axis: int = -1) -> Any:
    """Broadcast `x` to the shape of `y`."""
    out = np.empty(y.shape, x.dtype)
    out[...] = aligned(x, len(y.shape), axis)
    return out


@inline_grad(sum_)
def sum_grad(dout: Any, *x: Like) -> Any:
    """Each term gets dout."""
    return tuple((lambda: scale(dout)) for _ in x)


@unbroadcast.grad(of=("x",))
def unbroadcast_grad(dout: Any, x: Like, *, axis: int) -> Any:
    """dx = dout broadcast to x's shape."""
    return expand_as_v2(dout, x, axis=axis)


@expand_as_v2.grad(of=("x",))
def expand_as_v2_grad(dout: Any, x: Like, *, axis: int) -> Any:
    """dx = dout summed over the broadcast dimensions."""
    return unbroadcast(dout, x, axis=axis)


@reshape_as.grad(of=("x",))
def reshape_as_grad(dout: Any, x: Like) -> Any:
    """dx = dout in the shape of x."""
    return reshape_as(dout, x)


@spread.grad(of=("x",))
def spread_grad(
    dout: Any,
    *,
    dim: Sequence[int],
    keep_dim: bool,
    reduce_all: bool,
    mean: bool,
) -> Any:
    """dx = the sum of dout over the reduced dimensions."""
    reduce = reduce_mean if mean else reduce_sum
    return reduce(dout, dim=dim, keep_dim=keep_dim, reduce_all=reduce_all)


@less_label.grad(of=("softmax",))
def less_label_grad(dout: Any, label: Any, *, ignore_index: int) -> Any:
    """dsoftmax = dout, 0 where ignored."""
    return unless_ignored(dout, label, ignore_index)


def unless_ignored(dloss: Any, label: Any, ignore_index: int) -> Any:
    """Mask a gradient: 0 where the label is ignored."""
    return dloss * (label != ignore_index)
