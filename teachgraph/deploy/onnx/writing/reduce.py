"""Converters of reductions."""

from __future__ import annotations

import numpy as np

from teachgraph.deploy.onnx.writing.writer import CONVERTERS, Converter, Step, writes

NUMBERS = {
    "logsumexp": "ReduceLogSumExp",
    "reduce_amax": "ReduceMax",
    "reduce_amin": "ReduceMin",
    "reduce_max": "ReduceMax",
    "reduce_min": "ReduceMin",
    "reduce_prod": "ReduceProd",
    "reduce_sum": "ReduceSum",
}


def reduce_axes(step: Step, type: str, x: str) -> str:
    """Append a reduction over the operator's axes."""
    axes = step.attrs["dim"] if "dim" in step.attrs else step.attrs["axis"]
    keep = bool(step.attrs.get("keep_dim", step.attrs.get("keepdim")))
    every = step.attrs["reduce_all"] or not len(axes)
    return step.reduced(type, x, None if every else list(axes), keep=keep)


def numbers(theirs: str) -> Converter:
    """Return the converter that reduces in the dtype of the result."""

    def converter(step: Step) -> None:
        x = step.get_as("x", step.result().dtype)
        step.give("Identity", reduce_axes(step, theirs, x))

    return converter


CONVERTERS.update({ours: numbers(theirs) for ours, theirs in NUMBERS.items()})


@writes("reduce_mean")
def mean(step: Step) -> None:
    """Export the mean; that of nothing, for ONNX Runtime 0, is not a number."""
    x = step.get_as("x", step.result().dtype)
    average = reduce_axes(step, "ReduceMean", x)
    if 0 in step.variable("x").shape and 0 not in step.result().shape:
        average = step.put("Div", average, step.constant(0, step.result().dtype))
    step.give("Identity", average)


@writes("reduce_all", "reduce_any")
def any_or_all(step: Step) -> None:
    """Export `any` as a count above 0, `all` as a count of 0 false elements."""
    every, holds = step.operator.type == "reduce_all", step.get_as("x", np.bool_)
    held = step.cast(step.put("Not", holds) if every else holds, np.int32)
    count, none = reduce_axes(step, "ReduceSum", held), step.constant(0, np.int32)
    step.give("Equal" if every else "Greater", count, none)


@writes("squared_l2_norm")
def squared_l2_norm(step: Step) -> None:
    """Export the sum of squares."""
    total = step.reduced("ReduceSumSquare", step.get(), None, keep=False)
    shape = step.ints(*step.result().shape)
    step.give("Reshape", total, shape)
