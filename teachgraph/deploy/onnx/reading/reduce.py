"""Sums, means, extremes, sums so far; softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph.deploy.onnx.reading.reader import (
    IMPORTERS,
    Importer,
    Node,
    reads,
    traced,
)
from teachgraph.nn import functional as nnf
from teachgraph.ops import functions as f

Reduction = Callable[..., Any]


def logsum(x: Any, axis: Any, keepdim: bool) -> Any:
    """The logarithm of the sum."""
    return f.log(f.sum(x, axis, keepdim=keepdim))


def l1(x: Any, axis: Any, keepdim: bool) -> Any:
    """The sum of magnitudes."""
    return f.sum(f.abs(x), axis, keepdim=keepdim)


def sum_square(x: Any, axis: Any, keepdim: bool) -> Any:
    """The sum of squares."""
    return f.sum(f.multiply(x, x), axis, keepdim=keepdim)


def l2(x: Any, axis: Any, keepdim: bool) -> Any:
    """The root of it."""
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
    """Over some axes, all of them if none is named."""

    def importer(node: Node) -> Any:
        x, keep = node.x(), bool(node.attr("keepdims", 1))
        if node.has(1) and node.known(1) is None and node.x(1).shape[0]:
            return reduced_later(node, x, node.x(1), keep)
        axes = axes_of(node)
        if axes == [] and node.attr("noop_with_empty_axes", 0):
            return function(f.unsqueeze(x, [0]), axis=[0], keepdim=False)
        if 0 in x.shape and node.type in EMPTY:
            node.refuse("nothing has no extreme here")
        if x.dtype == np.bool_:
            small = function(f.cast(x, "int32"), axis=axes or None, keepdim=keep)
            return f.cast(small, "bool")
        found = function(x, axis=axes or None, keepdim=keep)
        return found if found.dtype == x.dtype else f.cast(found, x.dtype)

    return importer


def axes_of(node: Node) -> list[int]:
    """The axes, in whichever way they are given."""
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
    """Nothing done."""
    return x


def reduced_later(node: Node, x: Any, axes: Any, keep: bool) -> Any:
    """Over axes that are computed: something before it, the op, something after."""
    if 0 in x.shape and node.type in EMPTY:
        node.refuse("nothing has no extreme here")
    count = len(x.shape) if keep else len(x.shape) - axes.shape[0]
    log = node.type == "ReduceLogSumExp"
    how = {"keepdim": keep, "axis": axes} if log else {"keep_dim": keep, "dim": axes}
    inner = BEFORE.get(node.type, as_is)(x)
    truth = x.dtype == np.bool_
    inner = f.cast(inner, "int32") if truth else inner
    found = node.late(OURS[node.type], [inner], [-1] * count, **how)
    found = AFTER.get(node.type, as_is)(found)
    return f.cast(found, "bool") if truth else found


IMPORTERS.update({theirs: reducing(ours) for theirs, ours in REDUCTIONS.items()})


@reads("Softmax", "LogSoftmax", "Hardmax")
def softmax(node: Node) -> Any:
    """Along one axis; before opset 13 over all axes from there on."""
    x, old = node.x(), node.opset < 13
    axis = node.attr("axis", 1 if old else -1)
    if not old or axis in (-1, len(x.shape) - 1):
        return along(node, x, axis)
    shape = f.shape(x)
    rows = f.flatten(x, axis % len(x.shape), -1)
    return node.late("reshape2", [along(node, rows, -1)], x.shape, shape=shape)


def along(node: Node, x: Any, axis: int) -> Any:
    """One of the three."""
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
    """Where the first largest, or smallest, is; or the last."""
    x, axis = node.x(), node.attr("axis", 0)
    keep, last = bool(node.attr("keepdims", 1)), node.attr("select_last_index", 0)
    function = f.argmax if node.type == "ArgMax" else f.argmin
    if not last:
        return function(x, axis=axis, keepdim=keep)
    size = x.shape[axis]
    if size == -1:
        node.refuse("the last index along an axis of unknown size")
    found = function(f.flip(x, [axis]), axis=axis, keepdim=keep)
    return f.subtract(np.array(size - 1), found)


@reads("CumSum")
def cumsum(node: Node) -> Any:
    """Sums of what comes before."""
    from teachgraph.ops.scan import cumsum as op

    axis, x = node.known(1), node.x()
    how = {n: bool(node.attr(n, 0)) for n in ("exclusive", "reverse")}
    if axis is None:
        return node.late("cumsum", [x], x.shape, axis=f.reshape(node.x(1), []), **how)
    found = op(x, axis=int(axis), **how)
    return found if found.dtype == node.x().dtype else f.cast(found, node.x().dtype)


@reads("CumProd")
def cumprod(node: Node) -> Any:
    """Products of what comes before."""
    x, back = node.x(), bool(node.attr("reverse", 0))
    if node.attr("exclusive", 0):
        node.refuse("exclusive")
    axis: Any = node.ints(1) if node.known(1) is not None else node.x(1)
    axis = f.reshape(axis, [1]) if traced(axis) else axis

    def turned(value: Any) -> Any:
        return node.late("flip", [value], x.shape, axis=axis) if back else value

    along = f.reshape(axis, []) if traced(axis) else axis[0]
    return turned(node.late("cumprod", [turned(x)], x.shape, dim=along))


@reads("TopK")
def top_k(node: Node) -> Any:
    """The largest, or smallest, few."""
    from teachgraph.ops.sort import argsort

    x, axis = node.x(), node.attr("axis", -1) % len(node.x().shape)
    k = node.attr("k", node.known(1))
    largest = bool(node.attr("largest", 1))
    if k is None:
        parts = argsort(x, axis=axis, descending=largest)
        shape = [-1 if i == axis else n for i, n in enumerate(x.shape)]
        how = {"axes": [axis], "starts": [0], "ends": f.reshape(node.x(1), [1])}
        return tuple(node.late("slice", [part], shape, **how) for part in parts)
    return f.topk(x, int(np.reshape(k, ())), axis=axis, largest=largest)
