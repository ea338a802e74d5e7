"""Converters of normalisations and norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.deploy.onnx.writing.window import channels_first, in_layout
from teachgraph.deploy.onnx.writing.writer import Step, writes


@writes("batch_norm")
def batch_norm(step: Step) -> None:
    """Export a normalisation by running moments."""
    ours = step.attrs["is_test"] and not step.attrs["trainable_statistics"]
    if not (ours or step.attrs["use_global_stats"]):
        step.refuse("it takes the moments of a batch; export a model for use")
    ones, zeros = ones_and_zeros(step, step.variable("mean").shape[0])
    params = [step.get("scale") or ones, step.get("bias") or zeros]
    params += [step.get("mean"), step.get("variance")]
    x, ndim = step.get(), step.ndim
    if ndim > 2:
        x = channels_first(step, x, ndim)
        attrs = {"epsilon": step.attrs["epsilon"]}
        return in_layout(
            step, "BatchNormalization", "y", x, *params, ndim=ndim, **attrs
        )
    return step.give(
        "BatchNormalization", x, *params, slot="y", epsilon=step.attrs["epsilon"]
    )


@writes("layer_norm")
def layer_norm(step: Step) -> None:
    """Export a normalisation over the dimensions from one axis on."""
    axis, x = step.attrs["begin_norm_axis"], step.variable("x")
    sizes = x.shape[axis:]
    if -1 in sizes:
        step.refuse(f"the sizes that it normalises over must be known, not {sizes}")
    scale, bias = (shaped(step, name, sizes) for name in ("scale", "bias"))
    if not scale:
        scale = step.constant(np.ones(sizes), x.dtype)
    inputs = [step.get(), scale] + ([bias] if bias else [])
    epsilon = step.attrs["epsilon"]
    step.give("LayerNormalization", *inputs, slot="y", axis=axis, epsilon=epsilon)


def shaped(step: Step, parameter: str, sizes: tuple[int, ...]) -> str:
    """Reshape a scale or bias to the normalised dimensions."""
    name = step.get(parameter)
    if not name or len(sizes) == 1:
        return name
    return step.put("Reshape", name, step.ints(*sizes))


@writes("instance_norm")
def instance_norm(step: Step) -> None:
    """Export a normalisation of each channel of each sample."""
    scale, bias = ones_and_zeros(step, step.variable("x").shape[1])
    inputs = [step.get(), step.get("scale") or scale, step.get("bias") or bias]
    step.give("InstanceNormalization", *inputs, slot="y", epsilon=step.attrs["epsilon"])


def ones_and_zeros(step: Step, count: int) -> tuple[str, str]:
    """Return a scale and a bias that change nothing."""
    dtype = step.variable("x").dtype
    return step.constant(np.ones(count), dtype), step.constant(np.zeros(count), dtype)


@writes("group_norm")
def group_norm(step: Step) -> None:
    """Export a normalisation of groups, each reshaped to one channel."""
    if step.attrs["data_layout"] != "NCHW":
        step.refuse("only with the channels first")
    groups, column = step.attrs["groups"], step.ints(-1, *[1] * (step.ndim - 2))
    joined = step.put("Reshape", step.get(), step.ints(0, groups, -1))
    neutral = ones_and_zeros(step, groups)
    epsilon = step.attrs["epsilon"]
    flat = step.put("InstanceNormalization", joined, *neutral, epsilon=epsilon)
    out = step.put("Reshape", flat, step.put("Shape", step.get()))
    if scale := step.get("scale"):
        out = step.put("Mul", out, step.put("Reshape", scale, column))
    if bias := step.get("bias"):
        out = step.put("Add", out, step.put("Reshape", bias, column))
    step.give("Identity", out, slot="y")


@writes("p_norm", "frobenius_norm")
def norm(step: Step) -> None:
    """Export (sum |x|^p)^(1/p); p is 2 for Frobenius."""
    every = step.attrs.get("asvector") or step.attrs.get("reduce_all")
    dims: Any = step.attrs.get("dim", step.attrs.get("axis"))
    axes = np.ravel(dims).tolist()
    keep = bool(step.attrs.get("keepdim", step.attrs.get("keep_dim")))
    reduced = None if every or not len(axes) or not step.ndim else axes
    power = step.attrs.get("porder", 2.0)
    step.give("Identity", of_order(step, power, reduced, keep=keep))


SIMPLE = {1.0: "ReduceL1", 2.0: "ReduceL2"}
EXTREME = {np.inf: "ReduceMax", -np.inf: "ReduceMin"}


def of_order(step: Step, power: float, axes: list[int] | None, *, keep: bool) -> str:
    """Append the norm of an order: 0 counts nonzero elements, infinity is a max."""
    if power in SIMPLE:
        return step.reduced(SIMPLE[power], step.get(), axes, keep=keep)
    size = step.put("Abs", step.get())
    if power in EXTREME:
        return step.reduced(EXTREME[power], size, axes, keep=keep)
    if not power:
        held = step.cast(step.cast(size, np.bool_), step.variable("x").dtype)
        return step.reduced("ReduceSum", held, axes, keep=keep)
    raised = step.put("Pow", size, step.like(power))
    total = step.reduced("ReduceSum", raised, axes, keep=keep)
    return step.put("Pow", total, step.like(1 / power))
