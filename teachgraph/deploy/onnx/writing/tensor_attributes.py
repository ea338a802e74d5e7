"""`late`: an attribute that is a tensor goes out as the input it is in ONNX."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph.deploy.onnx.types import code_of
from teachgraph.deploy.onnx.writing.image import back
from teachgraph.deploy.onnx.writing.writer import Step, writes


class Late:
    """The op that is meant, its inputs, and its attributes as ONNX's inputs.

    Attributes:
        x: What holds its first input.
        known: The attributes that are no tensors.
    """

    def __init__(self, step: Step) -> None:
        self.step, self.type = step, step.attrs["type"]
        self.known: dict[str, Any] = json.loads(step.attrs["given"])
        names, values = step.attrs["names"], step.all("x")
        first = len(values) - len(names)
        self.x = values[0]
        self.tensors: dict[str, str] = dict(zip(names, values[first:], strict=True))
        self.variables = dict(zip(names, step.variables("x")[first:], strict=True))

    def has(self, name: str) -> bool:
        """Whether an attribute is given, and not empty."""
        return name in self.tensors or bool(self.known.get(name))

    def number(self, name: str, dtype: Any = np.int64) -> str:
        """An attribute as a tensor of this type."""
        if name not in self.tensors:
            return self.step.constant(self.known[name], dtype)
        if self.variables[name].dtype == np.dtype(dtype):
            return self.tensors[name]
        return self.step.cast(self.tensors[name], dtype)

    def listed(self, name: str) -> str:
        """Whole numbers as a list, though there be but one."""
        shape = self.step.ints(-1)
        listed: str = self.step.put("Reshape", self.number(name), shape)
        return listed


Converter = Callable[[Late], None]


def simple(theirs: str, *names: str) -> Converter:
    """One node whose other inputs are these attributes."""
    return lambda late: late.step.give(theirs, late.x, *map(late.listed, names))


def cumsum(late: Late) -> None:
    """Sums so far, along an axis that is computed."""
    how: Any = {name: int(late.known[name]) for name in ("exclusive", "reverse")}
    late.step.give("CumSum", late.x, late.number("axis"), **how)


def triangle(late: Late) -> None:
    """A triangle whose diagonal is computed."""
    upper = int(not late.known["lower"])
    late.step.give("Trilu", late.x, late.number("diagonal"), upper=upper)


def pad(late: Late) -> None:
    """Ours go pair by pair, theirs have all that comes before first."""
    step = late.step
    pairs = step.put("Reshape", late.number("paddings"), step.ints(-1, 2))
    turned = step.put("Transpose", pairs, perm=[1, 0])
    value = late.number("pad_value", step.result().dtype)
    value = step.put("Reshape", value, step.ints())
    step.give("Pad", late.x, step.put("Reshape", turned, step.ints(-1)), value)


REDUCTIONS = {"logsumexp": "ReduceLogSumExp", "reduce_sum": "ReduceSum"}
REDUCTIONS |= {"reduce_max": "ReduceMax", "reduce_mean": "ReduceMean"}
REDUCTIONS |= {"reduce_min": "ReduceMin", "reduce_prod": "ReduceProd"}


def reduction(late: Late) -> None:
    """A reduction over axes that are computed."""
    step, theirs = late.step, REDUCTIONS[late.type]
    if theirs != "ReduceSum" and step.writer.opset < 18:
        step.refuse(f"{theirs} over axes that are computed needs opset_version=18")
    axes = "axis" if late.type == "logsumexp" else "dim"
    keep = int(late.known["keepdim" if axes == "axis" else "keep_dim"])
    found = step.put(theirs, late.x, late.listed(axes), keepdims=keep)
    step.give("Cast", found, to=code_of(step.result().dtype))


def resample(late: Late) -> None:
    """An image of a size that is computed."""
    sizes = late.number("sizes") if late.has("sizes") else ""
    scales = "" if sizes else late.number("scales", np.float32)
    back(late.step, late.x, late.known, scales, sizes)


LATE: dict[str, Converter] = {
    "cumsum": cumsum,
    "expand_v2": simple("Expand", "shape"),
    "pad": pad,
    "resample": resample,
    "reshape2": simple("Reshape", "shape"),
    "slice": simple("Slice", "starts", "ends", "axes"),
    "squeeze2": simple("Squeeze", "axes"),
    "strided_slice": simple("Slice", "starts", "ends", "axes", "strides"),
    "tile": simple("Tile", "repeat_times"),
    "tril_triu": triangle,
    "unsqueeze2": simple("Unsqueeze", "axes"),
    **dict.fromkeys(REDUCTIONS, reduction),
}
"""How each op is written some of whose attributes are tensors."""


@writes("late")
def late(step: Step) -> None:
    """The op that is meant."""
    meant = Late(step)
    if meant.type not in LATE:
        step.refuse(f"{meant.type} with {', '.join(meant.tensors)} computed")
    LATE[meant.type](meant)
