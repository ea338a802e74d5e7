"""Importers of ops that create tensors, and of `Dropout`."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.deploy.onnx.reading.files import array_of
from teachgraph.deploy.onnx.reading.reader import (
    Node,
    as_variable,
    check_size,
    is_traced,
    reads,
)
from teachgraph.deploy.onnx.types import dtype_of
from teachgraph.ops import functions as f
from teachgraph.ops.ranges import range_


@reads("Constant")
def constant_node(node: Node) -> Any:
    """Return the constant of a node."""
    kinds: dict[str, Any] = {"value_float": np.float32, "value_floats": np.float32}
    kinds |= {"value_int": np.int64, "value_ints": np.int64}
    name, value = next(iter(node.attrs.items()), ("nothing", None))
    if name == "value":
        return array_of(value, node.reader.folder)
    if name not in kinds:
        node.refuse(f"{name} is no tensor of numbers")
    return np.array(value, kinds[name])


@reads("ConstantOfShape")
def constant_of_shape(node: Node) -> Any:
    """Fill a shape with one value."""
    value = np.zeros(1, np.float32)
    if "value" in node.attrs:
        value = array_of(node.attrs["value"], node.reader.folder)
    dtypes.convert(value.dtype)
    shape = node.sizes(0)
    if shape is not None:
        return np.full(shape, value[0], value.dtype)
    ndim = node.x().shape[0]
    if ndim == 0:
        return value.reshape(())
    return node.with_tensors("expand_v2", [value], [-1] * ndim, shape=node.x())


@reads("Range")
def arange(node: Node) -> Any:
    """Count from start to limit by delta."""
    ends = [node.x(i) for i in range(3)]
    if not any(is_traced(end) for end in ends):
        start, limit, delta = (end.item() for end in ends)
        check_size([int(abs((limit - start) / delta)) if delta else 0])
        return np.arange(start, limit, delta, dtype=ends[0].dtype)
    start, limit, delta = (as_variable(end) for end in ends)
    # ONNX has an empty range where the limit lies behind; our op refuses it.
    ahead = f.maximum(start, limit), f.minimum(start, limit)
    return range_(start, f.where(f.greater_than(delta, delta * 0), *ahead), delta)


@reads("EyeLike")
def eye_like(node: Node) -> Any:
    """Build a matrix with ones on a diagonal."""
    x, k = node.x(), node.attr("k", 0)
    dtype = dtype_of(node.attr("dtype")) if "dtype" in node.attrs else x.dtype
    if -1 not in x.shape:
        rows, columns = x.shape
        return np.eye(rows, columns, k, dtype)
    sizes, zero, one = f.shape(x), np.array([0], np.int32), np.array([1], np.int32)
    row, column = (
        range_(as_variable(zero), f.slice(sizes, [0], [i], [i + 1]), as_variable(one))
        for i in (0, 1)
    )
    here = f.equal(f.unsqueeze(row + np.array(k, np.int32), [1]), column)
    return f.cast(here, dtype)


@reads("Dropout")
def dropout(node: Node) -> Any:
    """Return the input: dropout in evaluation mode."""
    training = node.known(2) if node.has(2) else np.array(False)
    if training is None or bool(training):
        if node.has(1) and node.known(1) is not None and float(node.known(1)) == 0:
            training = False
        else:
            node.refuse("it draws numbers")
    x = node.x()
    if len(node.outputs) < 2:
        return x
    return x, f.ones_like(x, "bool")
