"""Converters of ops on shapes: reshape, transpose, concat, slice, expand, pad, roll."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from teachgraph.deploy.onnx.types import code_of
from teachgraph.deploy.onnx.writing.writer import Step, writes
from teachgraph.ops.slicing import OPEN_END


@writes("reshape2")
def reshape(step: Step) -> None:
    """Export a reshape; as in ONNX, 0 keeps a size and -1 is inferred."""
    step.give("Reshape", step.get(), step.ints(*step.attrs["shape"]))


@writes("reshape_as")
def reshape_as(step: Step) -> None:
    """Export a reshape to the shape of another tensor."""
    step.give("Reshape", step.get(), step.put("Shape", step.get("y")))


@writes("flatten_contiguous_range")
def flatten(step: Step) -> None:
    """Export the flattening of a range of dimensions."""
    ndim = max(step.ndim, 1)
    start, stop = (step.attrs[n] % ndim for n in ("start_axis", "stop_axis"))
    behind = step.variable("x").shape[stop + 1 :]
    if -1 not in behind:
        shape = step.ints(*[0] * start, -1, *behind)
        return step.give("Reshape", step.get(), shape)
    rest = step.put("Shape", step.get(), start=stop + 1)
    shape = step.put("Concat", step.ints(*[0] * start, -1), rest, axis=0)
    return step.give("Reshape", step.get(), shape)


@writes("squeeze2")
def squeeze(step: Step) -> None:
    """Export the removal of dimensions of size 1."""
    axes = list(step.attrs["axes"])
    step.give("Squeeze", step.get(), *([step.ints(*axes)] if axes else []))


@writes("unsqueeze2")
def unsqueeze(step: Step) -> None:
    """Export the insertion of dimensions of size 1."""
    step.give("Unsqueeze", step.get(), step.ints(*step.attrs["axes"]))


@writes("transpose2")
def transpose(step: Step) -> None:
    """Export a permutation of dimensions."""
    order = [i % len(step.attrs["axis"]) for i in step.attrs["axis"]]
    step.give("Transpose", step.get(), perm=order or None)


@writes("concat")
def concat(step: Step) -> None:
    """Export a concatenation along an axis."""
    dtype = step.result().dtype
    pairs = zip(step.variables("x"), step.all("x"), strict=True)
    parts = [name if v.dtype == dtype else step.cast(name, dtype) for v, name in pairs]
    step.give("Concat", *parts, axis=step.attrs["axis"])


@writes("stack")
def stack(step: Step) -> None:
    """Export a stack along a new axis."""
    axis = step.attrs["axis"]
    parts = [step.put("Unsqueeze", x, step.ints(axis)) for x in step.all("x")]
    step.give("Concat", *parts, axis=axis, slot="y")


@writes("slice", "strided_slice")
def part(step: Step) -> None:
    """Export a slice; axes in `decrease_axis` are removed."""
    axes, starts = step.attrs["axes"], step.attrs["starts"]
    if not axes:
        return step.give("Identity", step.get("input"))
    strides = step.attrs.get("strides", [1] * len(axes))
    ends = [
        -OPEN_END if end == -1 and stride < 0 else end
        for end, stride in zip(step.attrs["ends"], strides, strict=True)
    ]
    where = [step.ints(*numbers) for numbers in (starts, ends, axes, strides)]
    dropped = step.attrs["decrease_axis"]
    if not dropped:
        return step.give("Slice", step.get("input"), *where)
    cut = step.put("Slice", step.get("input"), *where)
    return step.give("Squeeze", cut, step.ints(*dropped))


@writes("flip")
def flip(step: Step) -> None:
    """Export a flip, as a slice with steps of -1."""
    axes = step.attrs["axis"]
    if not step.ndim:
        return step.give("Identity", step.get())
    ends = [np.iinfo(np.int64).min] * len(axes)
    ones = [-1] * len(axes)
    where = [step.ints(*numbers) for numbers in (ones, ends, axes, ones)]
    return step.give("Slice", step.get(), *where)


@writes("expand_v2")
def expand(step: Step) -> None:
    """Export a broadcast to a shape; 1 keeps a size."""
    shape = [1 if n == -1 else n for n in step.attrs["shape"]]
    step.give("Expand", step.get(), step.ints(*shape))


@writes("expand_as_v2")
def expand_as(step: Step) -> None:
    """Export a broadcast to the shape of another tensor."""
    step.give("Expand", step.get(), step.put("Shape", step.get("y")))


@writes("broadcast_among")
def broadcast(step: Step) -> None:
    """Export a broadcast to the common shape of several tensors."""
    x = step.get()
    for other in step.all("y"):
        x = step.put("Expand", x, step.put("Shape", other))
    step.give("Identity", x)


@writes("tile")
def tile(step: Step) -> None:
    """Export repeats along each dimension."""
    times, ndim = list(step.attrs["repeat_times"]), step.ndim
    times = [1] * (ndim - len(times)) + times
    x = step.get()
    if len(times) > ndim:
        x = step.put("Unsqueeze", x, step.ints(*range(len(times) - ndim)))
    step.give("Tile", x, step.ints(*times))


@writes("pad")
def pad(step: Step) -> None:
    """Export a padding with one value."""
    numbers = step.attrs["paddings"]
    if not numbers:
        return step.give("Identity", step.get())
    pads = step.ints(*numbers[::2], *numbers[1::2])
    return step.give("Pad", step.get(), pads, step.like(step.attrs["pad_value"]))


MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}


@writes("pad3d")
def pad_image(step: Step) -> None:
    """Export the padding of an image; Paddle's widths begin with the last dimension."""
    mode, numbers = step.attrs["mode"], list(step.attrs["paddings"])
    if mode not in MODES:
        step.refuse(f"its mode is {', '.join(MODES)}, not {mode}")
    pairs = [(0, 0)] * step.ndim
    images = list(
        range(1, step.ndim - 1)
        if step.attrs["data_format"].endswith("C")
        else range(2, step.ndim)
    )
    widths = zip(numbers[::2], numbers[1::2], strict=True)
    for axis, pair in zip(reversed(images), widths, strict=False):
        pairs[axis] = pair
    pads = step.ints(*[before for before, _ in pairs], *[after for _, after in pairs])
    value = [step.like(step.attrs["value"])] if mode == "constant" else []
    step.give("Pad", step.get(), pads, *value, mode=MODES[mode])


@writes("shape")
def shape(step: Step) -> None:
    """Export the shape, cast to int32 as in Paddle."""
    step.give("Cast", step.put("Shape", step.get("input")), to=code_of(np.int32))


@writes("size")
def size(step: Step) -> None:
    """Export the number of elements."""
    step.give("Size", step.get("input"))


@writes("cast")
def cast(step: Step) -> None:
    """Export a cast."""
    step.give("Cast", step.get(), to=code_of(step.result().dtype))


@writes("tril_triu")
def triangle(step: Step) -> None:
    """Export the elements below, or above, a diagonal."""
    diagonal = step.constant(step.attrs["diagonal"], np.int64)
    step.give("Trilu", step.get(), diagonal, upper=int(not step.attrs["lower"]))


@writes("roll")
def roll(step: Step) -> None:
    """Export a cyclic shift along axes, or of the flattened tensor."""
    shifts, axes = int_list(step.attrs["shifts"]), int_list(step.attrs["axis"])
    if axes:
        return step.give("Identity", rolled(step, step.get(), shifts, axes))
    row = rolled(step, step.put("Reshape", step.get(), step.ints(-1)), shifts, [0])
    return step.give("Reshape", row, step.put("Shape", step.get()))


def rolled(step: Step, x: str, shifts: Sequence[int], axes: Sequence[int]) -> str:
    """Append a cyclic shift, modulo the size: two slices in the other order."""
    end, none = step.ints(np.iinfo(np.int64).max), step.ints(0)
    for shift, axis in zip(shifts, axes, strict=True):
        size = step.put("Gather", step.put("Shape", x), step.ints(axis))
        at = step.put("Mod", step.ints(-shift), size)
        front = step.put("Slice", x, at, end, step.ints(axis))
        back = step.put("Slice", x, none, at, step.ints(axis))
        x = step.put("Concat", front, back, axis=axis)
    return x


def int_list(numbers: int | Sequence[int]) -> list[int]:
    """Return one number or more as a list."""
    return [numbers] if isinstance(numbers, int) else list(numbers)
