"""Export of `with_tensor_attributes`: its tensors are inputs of ONNX's op."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph.deploy.onnx.types import code_of
from teachgraph.deploy.onnx.writing.image import resize_node
from teachgraph.deploy.onnx.writing.writer import Step, writes


class InnerOp:
    """The op that is run, its first input, and its attributes as ONNX's inputs.

    Attributes:
        x: The name of its first input.
        constants: The attributes that are no tensors.
        tensors: The names of those that are, by attribute.
    """

    def __init__(self, step: Step) -> None:
        self.step, self.type = step, step.attrs["type"]
        self.constants: dict[str, Any] = json.loads(step.attrs["attributes"])
        names, values = step.attrs["names"], step.all("x")
        first = len(values) - len(names)
        self.x = values[0]
        self.tensors: dict[str, str] = dict(zip(names, values[first:], strict=True))
        self.variables = dict(zip(names, step.variables("x")[first:], strict=True))

    def has(self, name: str) -> bool:
        """True if an attribute is present and not empty."""
        return name in self.tensors or bool(self.constants.get(name))

    def number(self, name: str, dtype: Any = np.int64) -> str:
        """Return an attribute as a tensor of this dtype."""
        if name not in self.tensors:
            return self.step.constant(self.constants[name], dtype)
        if self.variables[name].dtype == np.dtype(dtype):
            return self.tensors[name]
        return self.step.cast(self.tensors[name], dtype)

    def vector(self, name: str) -> str:
        """Return integers as a 1-D tensor, also a single one."""
        shape = self.step.ints(-1)
        vector: str = self.step.put("Reshape", self.number(name), shape)
        return vector


Converter = Callable[[InnerOp], None]


def to_node(theirs: str, *names: str) -> Converter:
    """Return the converter to a node whose other inputs are these attributes."""
    return lambda inner: inner.step.give(theirs, inner.x, *map(inner.vector, names))


def cumsum(inner: InnerOp) -> None:
    """Export a cumulative sum along a computed axis."""
    attrs: Any = {name: int(inner.constants[name]) for name in ("exclusive", "reverse")}
    inner.step.give("CumSum", inner.x, inner.number("axis"), **attrs)


def triangle(inner: InnerOp) -> None:
    """Export a triangle with a computed diagonal."""
    upper = int(not inner.constants["lower"])
    inner.step.give("Trilu", inner.x, inner.number("diagonal"), upper=upper)


def pad(inner: InnerOp) -> None:
    """Export a padding of computed widths.

    Paddle's order is before and after of each axis, ONNX's all before, then all after.
    """
    step = inner.step
    pairs = step.put("Reshape", inner.number("paddings"), step.ints(-1, 2))
    transposed = step.put("Transpose", pairs, perm=[1, 0])
    value = inner.number("pad_value", step.result().dtype)
    value = step.put("Reshape", value, step.ints())
    step.give("Pad", inner.x, step.put("Reshape", transposed, step.ints(-1)), value)


REDUCTIONS = {"logsumexp": "ReduceLogSumExp", "reduce_sum": "ReduceSum"}
REDUCTIONS |= {"reduce_max": "ReduceMax", "reduce_mean": "ReduceMean"}
REDUCTIONS |= {"reduce_min": "ReduceMin", "reduce_prod": "ReduceProd"}


def reduction(inner: InnerOp) -> None:
    """Export a reduction over computed axes."""
    step, theirs = inner.step, REDUCTIONS[inner.type]
    if theirs != "ReduceSum" and step.writer.opset < 18:
        step.refuse(f"{theirs} over axes that are computed needs opset_version=18")
    axes = "axis" if inner.type == "logsumexp" else "dim"
    keep = int(inner.constants["keepdim" if axes == "axis" else "keep_dim"])
    out = step.put(theirs, inner.x, inner.vector(axes), keepdims=keep)
    step.give("Cast", out, to=code_of(step.result().dtype))


def resample(inner: InnerOp) -> None:
    """Export a resize to a computed size."""
    sizes = inner.number("sizes") if inner.has("sizes") else ""
    scales = "" if sizes else inner.number("scales", np.float32)
    resize_node(inner.step, inner.x, inner.constants, scales, sizes)


INNER_CONVERTERS: dict[str, Converter] = {
    "cumsum": cumsum,
    "expand_v2": to_node("Expand", "shape"),
    "pad": pad,
    "resample": resample,
    "reshape2": to_node("Reshape", "shape"),
    "slice": to_node("Slice", "starts", "ends", "axes"),
    "squeeze2": to_node("Squeeze", "axes"),
    "strided_slice": to_node("Slice", "starts", "ends", "axes", "strides"),
    "tile": to_node("Tile", "repeat_times"),
    "tril_triu": triangle,
    "unsqueeze2": to_node("Unsqueeze", "axes"),
    **dict.fromkeys(REDUCTIONS, reduction),
}
"""The converter of each op with tensor attributes."""


@writes("with_tensor_attributes")
def with_tensor_attributes(step: Step) -> None:
    """Export the inner op."""
    inner = InnerOp(step)
    if inner.type not in INNER_CONVERTERS:
        step.refuse(f"{inner.type} with {', '.join(inner.tensors)} computed")
    INNER_CONVERTERS[inner.type](inner)
