"""Importers of gather, scatter and other indexing ops."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from teachgraph.deploy.onnx.reading.reader import Node, as_variable, is_traced, reads
from teachgraph.deploy.onnx.suppression import suppressed
from teachgraph.nn import functional as nnf
from teachgraph.ops import functions as f
from teachgraph.ops import gather as by_place
from teachgraph.ops.ranges import range_


def from_the_front(node: Node, index: Any, x: Any, axis: int) -> Any:
    """Replace negative indices, which count from the end."""
    known = not is_traced(index)
    if known:
        if (index >= 0).all():
            return index
        if x.shape[axis] != -1:
            return np.where(index < 0, index + x.shape[axis], index)
    size = x.shape[axis]
    total = (
        np.array(size, index.dtype)
        if size != -1
        else f.cast(f.shape(x)[axis], index.dtype)
    )
    return f.where(
        f.less_than(index, np.array(0, index.dtype)), f.add(index, total), index
    )


@reads("Gather")
def gather(node: Node) -> Any:
    """Gather slices along an axis, by an index of any shape."""
    x, index, axis = node.x(), node.x(1), node.attr("axis", 0)
    axis %= len(x.shape)
    if (sizes := known_sizes(node, x, index)) is not None:
        return sizes
    index = from_the_front(node, index, x, axis)
    if not is_traced(x) and not is_traced(index):
        return np.take(x, index, axis)
    if len(index.shape) == 1:
        return f.gather(x, index, axis)
    if axis == 0 and len(x.shape) == 2 and index.shape:
        return nnf.embedding(index, x)
    flat = f.gather(x, f.reshape(index, [-1]), axis)
    if -1 not in index.shape:
        unknown = [*x.shape[:axis], *x.shape[axis + 1 :]].count(-1)
        shape = [*x.shape[:axis], *index.shape, *x.shape[axis + 1 :]]
        if unknown <= 1 and not (unknown and 0 in shape):
            return f.reshape(flat, shape)
    sizes = f.cast(f.shape(x), "int64")
    parts = [sizes[:axis], f.cast(f.shape(index), "int64"), sizes[axis + 1 :]]
    ndim = [*x.shape[:axis], *index.shape, *x.shape[axis + 1 :]]
    return node.with_tensors("reshape2", [flat], ndim, shape=f.concat(parts))


def known_sizes(node: Node, x: Any, index: Any) -> Any:
    """Return known elements of a partly known list of sizes, else None."""
    if not is_traced(x) or is_traced(index) or x.name not in node.reader.partly:
        return None
    sizes = np.take(node.reader.partly[x.name], index)
    return None if (sizes == -1).any() else sizes.astype(x.dtype)


@reads("GatherElements")
def gather_elements(node: Node) -> Any:
    """Gather elements along an axis."""
    from teachgraph.ops.gather import take_along_axis

    x, index = node.x(), node.x(1)
    axis = node.attr("axis", 0) % len(x.shape)
    index = from_the_front(node, index, x, axis)
    return take_along_axis(narrowed(node, x, index, axis), index, Axis=axis)


def narrowed(node: Node, x: Any, index: Any, axis: int) -> Any:
    """Crop x to the sizes of the index, except along the axis, as our op demands."""
    pairs = enumerate(zip(x.shape, index.shape, strict=True))
    axes = [i for i, (old, new) in pairs if i != axis and (old != new or old == -1)]
    if not axes:
        return x
    starts, shape = [0] * len(axes), list(index.shape)
    shape[axis] = x.shape[axis]
    if all(index.shape[i] != -1 for i in axes):
        return f.slice(x, axes, starts, [index.shape[i] for i in axes])
    ends = f.gather(f.shape(index), np.array(axes))
    return node.with_tensors("slice", [x], shape, axes=axes, starts=starts, ends=ends)


@reads("GatherND")
def gather_nd(node: Node) -> Any:
    """Gather elements or slices by coordinates."""
    if node.attr("batch_dims", 0):
        node.refuse("batch_dims")
    return by_place.gather_nd(node.x(), node.x(1), from_end=True)


@reads("ScatterND")
def scatter_nd(node: Node) -> Any:
    """Write or add updates at coordinates."""
    kind = node.attr("reduction", "none")
    x, index, updates = node.x(), node.x(1), node.x(2)
    add = partial(by_place.scatter_nd_add, from_end=True)
    if kind == "add":
        return add(x, updates, index)
    if kind != "none":
        node.refuse(f"reduction={kind!r}")
    covered = add(f.zeros_like(x), f.ones_like(updates), index)
    put = add(f.zeros_like(x), updates, index)
    return f.where(f.greater_than(covered, np.array(0, x.dtype)), put, x)


@reads("ScatterElements", "Scatter")
def scatter_elements(node: Node) -> Any:
    """Write, add or multiply updates along an axis."""
    x, axis, kind = node.x(), node.attr("axis", 0), node.attr("reduction", "none")
    if kind not in ("none", "add", "mul"):
        node.refuse(f"reduction={kind!r}")
    names = {"none": "assign", "add": "add", "mul": "mul"}
    index = from_the_front(node, node.x(1), x, axis)
    return f.put_along_axis(x, index, node.x(2), axis, names[kind], broadcast=False)


@reads("OneHot")
def one_hot(node: Node) -> Any:
    """Build one-hot vectors of two values; an id outside of the depth has none."""
    ids, values = node.x(), node.x(2)
    known = node.known(1)
    count = node.x(1) if known is None else np.array(int(np.reshape(known, ())))
    depth: Any = f.reshape(f.cast(count, "int64"), [])
    axis = node.attr("axis", -1)
    ids = f.cast(ids, "int64")
    column = f.unsqueeze(f.mod(ids, depth), [axis])
    inside = f.logical_and(
        f.greater_equal(ids, f.multiply(depth, np.array(-1))), f.less_than(ids, depth)
    )
    ndim = len(ids.shape) + 1
    ends = np.array(0), depth, np.array(1)
    line = (
        range_(*map(as_variable, ends)) if is_traced(depth) else np.arange(int(depth))
    )
    places = f.reshape(line, [-1 if i == axis % ndim else 1 for i in range(ndim)])
    here = f.logical_and(f.equal(column, places), f.unsqueeze(inside, [axis]))
    off, on = f.slice(values, [0], [0], [1]), f.slice(values, [0], [1], [2])
    return f.where(here, on, off)


@reads("NonZero")
def nonzero(node: Node) -> Any:
    """Return the coordinates of nonzero elements, a column each."""
    x = node.x()
    held = x if x.dtype == np.bool_ else f.not_equal(x, np.array(0, x.dtype))
    return f.transpose(f.nonzero(held), [1, 0])


@reads("Compress")
def compress(node: Node) -> Any:
    """Select the slices for which a condition holds."""
    x, axis = node.x(), node.attr("axis")
    if axis is None:
        x, axis = f.reshape(x, [-1]), 0
    return f.gather(x, f.reshape(f.nonzero(node.x(1)), [-1]), axis)


@reads("NonMaxSuppression")
def non_max_suppression(node: Node) -> Any:
    """Select the best of the boxes that overlap each other."""
    defaults = np.array(0), np.float32(0), np.float32(-np.inf)
    limits = [node.x(i) if node.has(i) else defaults[i - 2] for i in range(2, 5)]
    values = [as_variable(x) for x in (node.x(), node.x(1), *limits)]
    return suppressed(*values, centred=bool(node.attr("center_point_box", 0)))
