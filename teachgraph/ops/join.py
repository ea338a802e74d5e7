"""Concatenation along an axis, and stacking along a new axis."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.slicing import slice_

__all__ = ["concat", "part_of", "stack"]


def check_dtypes(parts: Any) -> None:
    """Require at least one input, all of one dtype.

    Raises:
        ShapeError: There is no input.
        DTypeError: There are several dtypes.
    """
    if not parts:
        raise ShapeError("there is nothing to join")
    if any(part.dtype != parts[0].dtype for part in parts):
        raise DTypeError("the inputs have several dtypes")


@op(needs="inputs of one dtype and, but for the axis they are joined along, one shape")
def concat(*x: Any, axis: int = 0) -> Any:
    """Concatenate the inputs along `axis`."""
    check_dtypes(x)
    return np.concatenate(x, axis)


@concat.grad
def concat_grad(dout: Any, *x: Like, axis: int) -> Any:
    """Each input's gradient is its own part of dout."""
    lengths = [part.shape[axis] for part in x]
    # With an unknown size the bounds are known only at run time.
    if -1 in lengths:
        return tuple(part_of(dout, *x, axis=axis, which=i) for i in range(len(x)))
    ends = list(accumulate(lengths))
    along = axis % len(x[0].shape)
    return tuple(
        slice_(dout, axes=[along], starts=[end - length], ends=[end])
        for length, end in zip(lengths, ends, strict=True)
    )


@op
def part_of(x: Any, *y: Any, axis: int, which: int) -> Any:
    """Slice the part of `x` where `concat` would put input `which` of `y`.

    Its bounds are known only at run time.
    """
    lengths = [part.shape[axis] for part in y]
    return np.split(x, list(accumulate(lengths))[:-1], axis)[which]


@part_of.grad(of=("x",))
def part_of_grad(dout: Any, *y: Like, axis: int, which: int) -> Any:
    """dx = dout concatenated with zeros for the other parts."""
    zeros = [fill_any_like(part, value=0.0) for part in y]
    return (concat(*zeros[:which], dout, *zeros[which + 1 :], axis=axis),)


@part_of.infers
def infer_part_of(x: Like, *y: Like, axis: int, which: int) -> Any:
    """Shape of the part."""
    return [(y[which].shape, x.dtype)]


@op(outputs=("y",), needs="inputs of one dtype and one shape")
def stack(*x: Any, axis: int = 0) -> Any:
    """Stack the inputs along a new axis."""
    check_dtypes(x)
    return np.stack(x, axis)


@stack.grad
def stack_grad(dy: Any, *x: Like, axis: int) -> Any:
    """Each input's gradient is its own part of dout."""
    along = axis % len(dy.shape)
    return tuple(
        slice_(dy, axes=[along], starts=[i], ends=[i + 1], decrease_axis=[along])
        for i in range(len(x))
    )
