"""Importers of ops on shapes: reshape, transpose, concat, split, slice, expand."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from teachgraph.deploy.onnx.reading.reader import Node, check_size, is_traced, reads
from teachgraph.ops import functions as f
from teachgraph.ops.shape import reshape2
from teachgraph.ops.slicing import strided_slice

END = 2**31 - 1


@reads("Reshape")
def reshape(node: Node) -> Any:
    """Reshape; 0 keeps a size, -1 is inferred."""
    x = node.x()
    shape = (
        node.ints(1, "shape")
        if node.known(1) is not None or "shape" in node.attrs
        else None
    )
    if shape is None and (shape := inferable(node, x)) is None:
        known = [n or -1 for n in node.partly(1)]
        return node.with_tensors("reshape2", [x], known, shape=node.x(1))
    check_size([n for n in shape if n > 0])
    if node.attr("allowzero", 0) and 0 in shape:
        if -1 in shape:
            node.refuse("-1 beside a size of 0")
        return f.full(shape, 0, x.dtype)
    if not is_traced(x):
        old = x.shape
        return x.reshape([old[i] if n == 0 else n for i, n in enumerate(shape)])
    return reshape2(x, shape=shape)


def inferable(node: Node, x: Any) -> list[int] | None:
    """Return a shape with one unknown size, which follows from the others."""
    known = node.partly(1)
    sure = known.count(-1) == 1 and 0 not in known and 0 not in x.shape
    return known if sure else None


@reads("Flatten")
def flatten(node: Node) -> Any:
    """Flatten to a matrix: the dimensions before an axis, and those from it on."""
    x, axis = node.x(), node.attr("axis", 1)
    axis = axis + len(x.shape) if axis < 0 else axis
    before, behind = x.shape[:axis], x.shape[axis:]
    if -1 not in before:
        return (
            reshape2(x, shape=[prod(before), -1])
            if 0 not in x.shape
            else f.reshape(x, [prod(before), prod(behind)])
        )
    if -1 not in behind:
        return reshape2(x, shape=[-1, prod(behind)])
    return f.flatten(f.flatten(x, axis, -1), 0, axis - 1)


@reads("Squeeze")
def squeeze(node: Node) -> Any:
    """Remove dimensions of size 1."""
    x = node.x()
    if node.has(1) and node.known(1) is None:
        shape = [-1] * (len(x.shape) - node.x(1).shape[0])
        return node.with_tensors("squeeze2", [x], shape, axes=node.x(1))
    axes = node.ints(1, "axes")
    if axes is None:
        axes = [i for i, n in enumerate(x.shape) if n == 1]
    from teachgraph.ops.shape import squeeze2

    return squeeze2(x, axes=axes) if axes else x


@reads("Unsqueeze")
def unsqueeze(node: Node) -> Any:
    """Insert dimensions of size 1."""
    if node.has(1) and node.known(1) is None:
        x, axes = node.x(), node.x(1)
        shape = [-1] * (len(x.shape) + axes.shape[0])
        return node.with_tensors("unsqueeze2", [x], shape, axes=axes)
    return f.unsqueeze(node.x(), node.ints(1, "axes") or [])


@reads("Transpose")
def transpose(node: Node) -> Any:
    """Permute the dimensions, by default in reverse order."""
    x = node.x()
    return f.transpose(x, node.attr("perm", list(range(len(x.shape)))[::-1]))


@reads("Concat")
def concat(node: Node) -> Any:
    """Concatenate along an axis."""
    out = f.concat(node.all(), node.attr("axis", 1))
    if computed_integers(out):
        parts = [node.partly(i) for i in range(len(node))]
        node.reader.partly[out.name] = [n for part in parts for n in part]
    return out


def computed_integers(value: Any) -> bool:
    """True for a computed list of integers of known length, as a shape is."""
    if not is_traced(value) or len(value.shape) != 1 or -1 in value.shape:
        return False
    return bool(value.dtype.kind == "i")


@reads("Split")
def split(node: Node) -> Any:
    """Split along an axis, into equal parts or given sizes."""
    x, axis = node.x(), node.attr("axis", 0)
    axis %= len(x.shape)
    if node.has(1) and node.known(1) is None:
        return split_by_tensor(node, x, axis)
    sizes = node.ints(1, "split") if node.has(1) or "split" in node.attrs else None
    if sizes is None:
        total, count = x.shape[axis], len(node.outputs)
        if total == -1:
            node.refuse("equal parts of a size that is not known")
        each = -(-total // count)
        sizes = [max(min(each, total - i * each), 0) for i in range(count)]
    ends = np.cumsum(sizes).tolist()
    return tuple(
        f.slice(x, [axis], [end - size], [end])
        for size, end in zip(sizes, ends, strict=True)
    )


def split_by_tensor(node: Node, x: Any, axis: int) -> Any:
    """Split into parts of computed sizes."""
    sizes = node.x(1)
    ends = f.cumsum(sizes)
    starts = f.subtract(ends, sizes)
    shape = [-1 if i == axis else n for i, n in enumerate(x.shape)]
    cuts = [
        (f.slice(starts, [0], [i], [i + 1]), f.slice(ends, [0], [i], [i + 1]))
        for i in range(len(node.outputs))
    ]
    return tuple(
        node.with_tensors("slice", [x], shape, axes=[axis], starts=start, ends=end)
        for start, end in cuts
    )


@reads("Slice")
def slice_(node: Node) -> Any:
    """Slice along axes; steps may be negative."""
    x = node.x()
    starts, ends = numbers(node, 1, "starts"), numbers(node, 2, "ends")
    if is_traced(starts) or is_traced(ends):
        return slice_by_tensor(node, x, starts, ends)
    axes = node.ints(3, "axes") or list(range(len(starts)))
    steps = node.ints(4) or [1] * len(starts)
    pairs = [bounds(n, m, step) for n, m, step in zip(starts, ends, steps, strict=True)]
    if not is_traced(x):
        index = [slice(None)] * x.ndim
        for axis, n, m, step in zip(axes, starts, ends, steps, strict=True):
            index[axis] = slice(n, m if m > -(2**31) else None, step)
        return x[tuple(index)]
    starts, ends = [n for n, _ in pairs], [m for _, m in pairs]
    if all(step == 1 for step in steps):
        part = f.slice(x, axes, starts, ends)
        if computed_integers(x):
            return as_known(node, part, node.partly(0)[starts[0] : ends[0]])
        return part
    return strided_slice(x, axes=axes, starts=starts, ends=ends, strides=steps)


def as_known(node: Node, sizes: Any, known: list[int]) -> Any:
    """Return sizes as an array if all are known; else note those that are."""
    if -1 not in known:
        return np.array(known, sizes.dtype)
    node.reader.partly[sizes.name] = known
    return sizes


def bounds(start: int, end: int, step: int) -> tuple[int, int]:
    """Clip ONNX's 64-bit bounds to Paddle's 32 bits, which count as open ends."""
    start, end = max(min(start, END), -END), max(min(end, END), -END)
    return start, end


def numbers(node: Node, i: int, name: str) -> Any:
    """Return numbers of an input if they are constant, else the Variable."""
    if name in node.attrs or node.known(i) is not None:
        return node.ints(i, name)
    return node.x(i)


def slice_by_tensor(node: Node, x: Any, starts: Any, ends: Any) -> Any:
    """Slice with computed bounds."""
    count = starts if is_traced(starts) else ends
    many = count.shape[0] if is_traced(count) else len(count)
    axes = numbers(node, 3, "axes") if node.has(3) else list(range(many))
    steps = numbers(node, 4, "steps") if node.has(4) else [1] * many
    if is_traced(axes):
        shape = [-1] * len(x.shape)
    else:
        places = [axis % len(x.shape) for axis in axes]
        shape = [-1 if i in places else n for i, n in enumerate(x.shape)]
    starts = starts if is_traced(starts) else [bounds(n, 0, 1)[0] for n in starts]
    ends = ends if is_traced(ends) else [bounds(0, n, 1)[1] for n in ends]
    parts = {"axes": axes, "starts": starts, "ends": ends}
    if not is_traced(steps) and all(step == 1 for step in steps):
        return node.with_tensors("slice", [x], shape, **parts)
    return node.with_tensors("strided_slice", [x], shape, **parts, strides=steps)


@reads("Expand")
def expand(node: Node) -> Any:
    """Broadcast to a shape; a size of 1 keeps the input's."""
    x, shape = node.x(), node.sizes(1)
    if shape is None:
        count = max(node.x(1).shape[0], len(x.shape))
        one, known = np.ones([1], x.dtype), node.partly(1)
        ones = node.with_tensors("expand_v2", [one], known, shape=node.x(1))
        return (
            f.multiply(x, ones)
            if x.dtype != np.bool_ and count
            else f.logical_and(x, f.cast(ones, "bool"))
        )
    known = list(x.shape)
    ndim = max(len(shape), len(known))
    old = [1] * (ndim - len(known)) + known
    new = [1] * (ndim - len(shape)) + shape
    full = [a if b == 1 else b for a, b in zip(old, new, strict=True)]
    if not is_traced(x):
        return np.array(np.broadcast_to(x, full))
    return f.expand(x, full)


@reads("Tile")
def tile(node: Node) -> Any:
    """Repeat along each dimension."""
    x, times = node.x(), node.known(1)
    if times is None:
        return node.with_tensors(
            "tile", [x], [-1] * len(x.shape), repeat_times=node.x(1)
        )
    times = [int(n) for n in times]
    check_size([max(n, 1) * t for n, t in zip(x.shape, times, strict=True)])
    return f.tile(x, times)


@reads("Shape")
def shape(node: Node) -> Any:
    """Return the sizes from one dimension to another, as far as they are constant."""
    x = node.x()
    ndim = len(x.shape)
    start, end = node.attr("start", 0), node.attr("end", ndim)
    start, end, _ = slice(start, end).indices(ndim)
    if -1 not in x.shape[start:end]:
        return np.array(x.shape[start:end], np.int64)
    sizes = f.cast(f.shape(x), "int64")
    part = f.slice(sizes, [0], [start], [end])
    node.reader.partly[part.name] = list(x.shape[start:end])
    return part


@reads("Size")
def size(node: Node) -> Any:
    """Return the number of elements."""
    x = node.x()
    return f.numel(x) if -1 in x.shape else np.array(prod(x.shape), np.int64)


@reads("Trilu")
def trilu(node: Node) -> Any:
    """Keep the elements above, or below, a diagonal."""
    x, k, lower = node.x(), node.x(1) if node.has(1) else 0, not node.attr("upper", 1)
    if is_traced(k):
        k = f.reshape(k, [])
        return node.with_tensors("tril_triu", [x], x.shape, diagonal=k, lower=lower)
    function = f.tril if lower else f.triu
    return function(x, int(k))
