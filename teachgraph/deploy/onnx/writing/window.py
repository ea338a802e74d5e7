"""Converters of convolution and pooling."""

from __future__ import annotations

from typing import Any

from teachgraph.deploy.onnx.writing.writer import Step, writes
from teachgraph.ops.windows import Shares


def pads(step: Step, dims: int) -> dict[str, Any]:
    """Return the padding in ONNX's order: all before, then all after."""
    algorithm, numbers = step.attrs["padding_algorithm"], step.attrs["paddings"]
    if algorithm != "EXPLICIT":
        return {"auto_pad": {"SAME": "SAME_UPPER", "VALID": "VALID"}[algorithm]}
    if len(numbers) == dims:
        return {"pads": [*numbers, *numbers]}
    return {"pads": [*numbers[::2], *numbers[1::2]]}


def channels_first(step: Step, name: str, ndim: int) -> str:
    """Transpose an image to NCHW, unless it is."""
    if not is_channels_last(step):
        return name
    return step.put("Transpose", name, perm=[0, ndim - 1, *range(1, ndim - 1)])


def give_back(step: Step, out: str, ndim: int, to: str) -> None:
    """Export a result in NCHW in the layout of the program."""
    if not is_channels_last(step):
        return step.give("Identity", out, slot=to)
    return step.give("Transpose", out, slot=to, perm=[0, *range(2, ndim), 1])


def is_channels_last(step: Step) -> bool:
    """True if the channels come last."""
    layout = step.attrs.get("data_format") or step.attrs.get("data_layout") or ""
    return str(layout).endswith("C")


def in_layout(
    step: Step, type: str, to: str, *inputs: str, ndim: int, **attrs: Any
) -> None:
    """Export a node on an image, in the layout of the program."""
    if not is_channels_last(step):
        return step.give(type, *inputs, slot=to, **attrs)
    return give_back(step, step.put(type, *inputs, **attrs), ndim, to)


@writes("conv2d", "depthwise_conv2d", "conv3d")
def conv(step: Step) -> None:
    """Export a convolution."""
    ndim = len(step.variable("input").shape)
    x = channels_first(step, step.get("input"), ndim)
    same = step.attrs["padding_algorithm"] == "SAME"
    dilations = [1] * (ndim - 2) if same else list(step.attrs["dilations"])
    attrs = {"strides": list(step.attrs["strides"]), "dilations": dilations}
    attrs |= {"group": step.attrs["groups"], **pads(step, ndim - 2)}
    in_layout(step, "Conv", "output", x, step.get("filter"), ndim=ndim, **attrs)


@writes("conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose")
def conv_transpose(step: Step) -> None:
    """Export a transposed convolution."""
    ndim = len(step.variable("input").shape)
    x = channels_first(step, step.get("input"), ndim)
    if step.attrs["padding_algorithm"] == "SAME":
        step.refuse("give its padding in numbers instead of SAME")
    attrs: dict[str, Any] = {"strides": list(step.attrs["strides"])}
    attrs |= {"dilations": list(step.attrs["dilations"]), **pads(step, ndim - 2)}
    attrs["group"] = step.attrs["groups"]
    if more := list(step.attrs["output_padding"]):
        attrs["output_padding"] = more * (ndim - 2 if len(more) == 1 else 1)
    if len(step.attrs["output_size"]):
        step.refuse("give output_padding instead of output_size")
    in_layout(
        step, "ConvTranspose", "output", x, step.get("filter"), ndim=ndim, **attrs
    )


@writes("pool2d", "pool3d", "max_pool2d_with_index", "max_pool3d_with_index")
def pool(step: Step) -> None:
    """Export the maximum, or the mean, of each window."""
    ndim, average = step.ndim, step.attrs.get("pooling_type") == "avg"
    x = channels_first(step, step.get(), ndim)
    kind = "AveragePool" if average else "MaxPool"
    ones = all(n == 1 for n in step.attrs["ksize"])
    if step.attrs["global_pooling"] or (step.attrs["adaptive"] and ones):
        return in_layout(step, f"Global{kind}", "out", x, ndim=ndim)
    if step.attrs["adaptive"]:
        return give_back(step, shared_out(step, x, average=average), ndim, "out")
    attrs: dict[str, Any] = {"kernel_shape": list(step.attrs["ksize"])}
    attrs |= {"strides": list(step.attrs["strides"]), **pads(step, ndim - 2)}
    attrs["ceil_mode"] = int(step.attrs["ceil_mode"])
    if average:
        attrs["count_include_pad"] = int(not step.attrs["exclusive"])
    return in_layout(step, kind, "out", x, ndim=ndim, **attrs)


def shared_out(step: Step, x: str, *, average: bool) -> str:
    """Append adaptive pooling, one dimension after the other."""
    shape = step.variable("x").shape
    sizes = shape[1:-1] if is_channels_last(step) else shape[2:]
    for i, (size, count) in enumerate(zip(sizes, step.attrs["ksize"], strict=True)):
        if size == -1:
            step.refuse("adaptive pooling needs an image whose size is known")
        x = windows_along(step, x, i + 2, Shares(size, count), average=average)
    return x


def windows_along(
    step: Step, x: str, axis: int, shares: Shares, *, average: bool
) -> str:
    """Append the windows along one dimension, concatenated."""
    type = "ReduceMean" if average else "ReduceMax"
    parts = [
        step.reduced(type, part(step, x, axis, start, end), [axis], keep=True)
        for start, end in zip(shares.starts(), shares.ends(), strict=True)
    ]
    return step.put("Concat", *parts, axis=axis)


def part(step: Step, x: str, axis: int, start: int, end: int) -> str:
    """Append a slice along one dimension."""
    where = (step.ints(start), step.ints(end), step.ints(axis))
    return step.put("Slice", x, *where)
