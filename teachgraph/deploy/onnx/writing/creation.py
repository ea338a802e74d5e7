"""Converters of ops that create tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.deploy.onnx.writing.writer import Step, writes


def give_constant(step: Step, value: Any) -> None:
    """Export a constant, under the name of the variable."""
    variable = step.result()
    name = step.writer.written(variable)
    step.writer.node("Identity", [step.constant(value, variable.dtype)], [name])


@writes("fill_constant")
def fill_constant(step: Step) -> None:
    """Export a tensor of one value."""
    give_constant(step, np.full(step.attrs["shape"], step.attrs["value"]))


@writes("assign_value")
def assign_value(step: Step) -> None:
    """Export constant values."""
    give_constant(step, np.reshape(step.attrs["values"], step.attrs["shape"]))


@writes("eye")
def eye(step: Step) -> None:
    """Export an identity matrix."""
    rows, columns = step.attrs["num_rows"], step.attrs["num_columns"]
    give_constant(step, np.eye(rows, rows if columns == -1 else columns))


@writes("tril_indices", "triu_indices")
def triangle_indices(step: Step) -> None:
    """Export the indices of a triangle."""
    give_constant(step, step.operator.op.kernel(**step.attrs))


@writes("fill_any_like")
def fill_any_like(step: Step) -> None:
    """Export one value in the shape of another tensor."""
    value = step.constant(step.attrs["value"], step.result().dtype)
    step.give("Expand", value, step.put("Shape", step.get()))


@writes("fill_constant_batch_size_like")
def fill_batch_size_like(step: Step) -> None:
    """Export one value in a shape with one size of another tensor."""
    source, target = step.attrs["input_dim_idx"], step.attrs["output_dim_idx"]
    sizes = list(step.attrs["shape"])
    size = step.put("Shape", step.get("input"), start=source, end=source + 1)
    before, after = step.ints(*sizes[:target]), step.ints(*sizes[target + 1 :])
    shape = step.put("Concat", before, size, after, axis=0)
    value = step.constant(step.attrs["value"], dtypes.of_code(step.attrs["dtype"]))
    step.give("Expand", value, shape)


@writes("range")
def arange(step: Step) -> None:
    """Export a range from start to end by steps.

    The length of a floating one is counted in its dtype, as here; ONNX Runtime would
    count it in float64.
    """
    dtype, none = step.result().dtype, step.ints()
    start, end, gap = (
        step.put("Reshape", step.get_as(name, dtype), none)
        for name in ("start", "end", "step")
    )
    if dtype.kind != "f":
        return step.give("Range", start, end, gap)
    count = step.put("Abs", step.put("Div", step.put("Sub", end, start), gap))
    count = step.cast(step.put("Ceil", count), np.int64)
    zero, one = (step.constant(number, np.int64) for number in (0, 1))
    at = step.cast(step.put("Range", zero, count, one), dtype)
    step.give("Add", start, step.put("Mul", at, gap))
    return None
