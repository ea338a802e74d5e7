"""Importers of reductions, cumulative sums, softmax and top k."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph.deploy.onnx.reading.reader import (
    IMPORTERS,
    Importer,
    Node,
    is_traced,
    reads,
)
from teachgraph.nn import functional as nnf
from teachgraph.ops import functions as f

Reduction = Callable[..., Any]


def logsum(x: Any, axis: Any, keepdim: bool) -> Any:
    """Compute the logarithm of the sum."""
    return f.log(f.sum(x, axis, keepdim=keepdim))


def l1(x: Any, axis: Any, keepdim: bool) -> Any:
    """Compute the sum of absolute values."""
    return f.sum(f.abs(x), axis, keepdim=keepdim)


def sum_square(x: Any, axis: Any, keepdim: bool) -> Any:
    """Compute the sum of squares."""
    return f.sum(f.multiply(x, x), axis, keepdim=keepdim)


def l2(x: Any, axis: Any, keepdim: bool) -> Any:
    """Compute the root of the sum of squares."""
    return f.sqrt(sum_square(x, axis, keepdim))


REDUCTIONS: dict[str, Reduction] = {
    "ReduceL1": l1,
    "ReduceL2": l2,
    "ReduceLogSum": logsum,
    "ReduceLogSumExp": f.logsumexp,
    "ReduceMax": f.max,
    "ReduceMean": f.mean,
    "ReduceMin": f.min,
    "ReduceProd": f.prod,
    "ReduceSum": f.sum,
    "ReduceSumSquare": sum_square,
}

EMPTY = {"ReduceMax", "ReduceMin"}


def reducing(function: Reduction) -> Importer:
    """Return the importer of a reduction over some axes, by default all."""

    def importer(node: Node) -> Any:
        x, keep = node.x(), bool(node.attr("keepdims", 1))
        if node.has(1) and node.known(1) is None and node.x(1).shape[0]:
            return reduced_by_tensor(node, x, node.x(1), keep)
        axes = axes_of(node)
        if axes == [] and node.attr("noop_with_empty_axes", 0):
            return function(f.unsqueeze(x, [0]), axis=[0], keepdim=False)
        if 0 in x.shape and node.type in EMPTY:
            node.refuse("nothing has no extreme here")
        if x.dtype == np.bool_:
            small = function(f.cast(x, "int32"), axis=axes or None, keepdim=keep)
            return f.cast(small, "bool")
        out = function(x, axis=axes or None, keepdim=keep)
        return out if out.dtype == x.dtype else f.cast(out, x.dtype)

    return importer


def axes_of(node: Node) -> list[int]:
    """Return the axes, from an attribute or, in newer opsets, an input."""
    if "axes" in node.attrs:
        return [int(n) for n in node.attr("axes")]
    if node.has(1) and node.known(1) is None:
        return []
    return node.ints(1) or []


OURS = {
    "ReduceL1": "reduce_sum",
    "ReduceL2": "reduce_sum",
    "ReduceLogSum": "reduce_sum",
    "ReduceLogSumExp": "logsumexp",
    "ReduceMax": "reduce_max",
    "ReduceMean": "reduce_mean",
    "ReduceMin": "reduce_min",
    "ReduceProd": "reduce_prod",
    "ReduceSum": "reduce_sum",
    "ReduceSumSquare": "reduce_sum",
}

BEFORE: dict[str, Any] = {
    "ReduceL1": f.abs,
    "ReduceL2": f.square,
    "ReduceSumSquare": f.square,
}
AFTER: dict[str, Any] = {"ReduceL2": f.sqrt, "ReduceLogSum": f.log}


def as_is(x: Any) -> Any:
    """Return x."""
    return x


def reduced_by_tensor(node: Node, x: Any, axes: Any, keep: bool) -> Any:
    """Reduce over computed axes, by our op between the functions of two tables."""
    if 0 in x.shape and node.type in EMPTY:
        node.refuse("nothing has no extreme here")
    count = len(x.shape) if keep else len(x.shape) - axes.shape[0]
    log = node.type == "ReduceLogSumExp"
    how = {"keepdim": keep, "axis": axes} if log else {"keep_dim": keep, "dim": axes}
    inner = BEFORE.get(node.type, as_is)(x)
    truth = x.dtype == np.bool_
    inner = f.cast(inner, "int32") if truth else inner
    out = node.with_tensors(OURS[node.type], [inner], [-1] * count, **how)
    out = AFTER.get(node.type, as_is)(out)
    return f.cast(out, "bool") if truth else out


IMPORTERS.update({theirs: reducing(ours) for theirs, ours in REDUCTIONS.items()})


@reads("Softmax", "LogSoftmax", "Hardmax")
def softmax(node: Node) -> Any:
    """Compute softmax along an axis; before opset 13 over all axes from it on."""
    x, old = node.x(), node.opset < 13
    axis = node.attr("axis", 1 if old else -1)
    if not old or axis in (-1, len(x.shape) - 1):
        return reduce_axis(node, x, axis)
    shape = f.shape(x)
    rows = f.flatten(x, axis % len(x.shape), -1)
    return node.with_tensors(
        "reshape2", [reduce_axis(node, rows, -1)], x.shape, shape=shape
    )


def reduce_axis(node: Node, x: Any, axis: int) -> Any:
    """Compute one of the three along an axis."""
    if node.type == "Hardmax":
        size = x.shape[axis]
        places = nnf.one_hot(f.argmax(x, axis=axis), size)
        moved = (
            places if axis in (-1, len(x.shape) - 1) else f.moveaxis(places, -1, axis)
        )
        return f.cast(moved, x.dtype)
    function = nnf.softmax if node.type == "Softmax" else nnf.log_softmax
    return function(x, axis=axis)


@reads("ArgMax", "ArgMin")
def arg_extreme(node: Node) -> Any:
    """Return the index of the first, or last, largest or smallest element."""
    x, axis = node.x(), node.attr("axis", 0)
    keep, last = bool(node.attr("keepdims", 1)), node.attr("select_last_index", 0)
    function = f.argmax if node.type == "ArgMax" else f.argmin
    if not last:
        return function(x, axis=axis, keepdim=keep)
    size = x.shape[axis]
    if size == -1:
        node.refuse("the last index along an axis of unknown size")
    from_end = function(f.flip(x, [axis]), axis=axis, keepdim=keep)
    return f.subtract(np.array(size - 1), from_end)


@reads("CumSum")
def cumsum(node: Node) -> Any:
    """Compute the cumulative sum."""
    from teachgraph.ops.scan import cumsum as op

    axis, x = node.known(1), node.x()
    how = {n: bool(node.attr(n, 0)) for n in ("exclusive", "reverse")}
    if axis is None:
        return node.with_tensors(
            "cumsum", [x], x.shape, axis=f.reshape(node.x(1), []), **how
        )
    out = op(x, axis=int(axis), **how)
    return out if out.dtype == node.x().dtype else f.cast(out, node.x().dtype)


@reads("CumProd")
def cumprod(node: Node) -> Any:
    """Compute the cumulative product."""
    x, reverse = node.x(), bool(node.attr("reverse", 0))
    if node.attr("exclusive", 0):
        node.refuse("exclusive")
    axis: Any = node.ints(1) if node.known(1) is not None else node.x(1)
    axis = f.reshape(axis, [1]) if is_traced(axis) else axis

    def flipped(value: Any) -> Any:
        if not reverse:
            return value
        return node.with_tensors("flip", [value], x.shape, axis=axis)

    dim = f.reshape(axis, []) if is_traced(axis) else axis[0]
    return flipped(node.with_tensors("cumprod", [flipped(x)], x.shape, dim=dim))


@reads("TopK")
def top_k(node: Node) -> Any:
    """Return the k largest, or smallest, elements and their indices."""
    from teachgraph.ops.sort import argsort

    x, axis = node.x(), node.attr("axis", -1) % len(node.x().shape)
    k = node.attr("k", node.known(1))
    largest = bool(node.attr("largest", 1))
    if k is None:
        parts = argsort(x, axis=axis, descending=largest)
        shape = [-1 if i == axis else n for i, n in enumerate(x.shape)]
        how = {"axes": [axis], "starts": [0], "ends": f.reshape(node.x(1), [1])}
        return tuple(node.with_tensors("slice", [part], shape, **how) for part in parts)
    return f.topk(x, int(np.reshape(k, ())), axis=axis, largest=largest)
