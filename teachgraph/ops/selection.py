"""Ops that select: the result of one of two branches, and the rows that go to each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import ShapeError
from teachgraph.core.op import Like, op
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.inline_rules import inline_grad
from teachgraph.ops.tensor_array import zeros_like

__all__ = [
    "choice",
    "merge_lod_tensor",
    "merged",
    "select_input",
    "select_output",
    "split_lod_tensor",
]

ONE_COLUMN = "Mask: a boolean for each row"


@op(needs="X: one value for each value of Mask, a whole number")
def select_input(mask: Any, *x: Any, kept: bool = False) -> Any:
    """Return x[mask], the result of the branch that was taken.

    The others have no value; but with `kept` the first one is the value from before
    the branch.
    """
    return x[int(mask.reshape(()))]


@select_input.infers
def select_input_spec(mask: Like, *x: Like, kept: bool) -> Any:
    """Infer the shape and dtype that `choice` states, the last value first."""
    return [choice(*(x if kept else reversed(x)))]


@op(needs="Mask: 0 or 1")
def select_output(mask: Any, x: Any, kept: Any = None) -> Any:
    """Route a gradient to the branch that was taken; the other one gets zeros.

    The zeros' shape matters only if the first is the gradient of a `kept` value.
    """
    if not int(mask.reshape(())):
        return x, zeros_like(x)
    return zeros_like(x if kept is None else kept), x


@op(outputs=("out_true", "out_false"), needs=ONE_COLUMN)
def split_lod_tensor(x: Any, mask: Any, *, level: int = 0) -> Any:
    """Split the rows of x into those where the mask is true, and the others."""
    held = column(mask, len(x))
    return x[held], x[~held]


@split_lod_tensor.infers
def split_lod_tensor_spec(x: Like, mask: Like, *, level: int) -> Any:
    """The numbers of rows are unknown (-1)."""
    part = ((-1, *x.shape[1:]), x.dtype)
    return [part, part]


@inline_grad(split_lod_tensor)
def split_lod_tensor_grad(dout_true: Any, dout_false: Any, x: Like, mask: Any) -> Any:
    """Merge the gradients of both sides in the order of the mask."""
    return lambda: merge_lod_tensor(mask, dout_true, dout_false, x), None


@op(needs=ONE_COLUMN)
def merge_lod_tensor(
    mask: Any,
    in_true: Any = None,
    in_false: Any = None,
    x: Any = None,
    *,
    level: int = 0,
) -> Any:
    """Merge the rows of both sides in the order of the mask; zeros for a missing side.

    A side is missing if its block had no rows and did not run, or, in a gradient, if
    it was unused. `x` gives the shape and dtype of rows if both are missing.
    """
    held = mask.reshape(-1)
    like = next(part for part in (in_true, in_false, x) if part is not None)
    out = np.zeros((len(held), *like.shape[1:]), like.dtype)
    for part, where in ((in_true, held), (in_false, ~held)):
        if part is not None:
            out[where] = part
    return out


@merge_lod_tensor.infers
def merge_lod_tensor_spec(
    mask: Like,
    in_true: Like | None = None,
    in_false: Like | None = None,
    x: Like | None = None,
    *,
    level: int,
) -> Any:
    """The mask's number of rows."""
    sides = [side for side in (in_true, in_false, x) if side is not None]
    shape = merged([side.shape[1:] for side in sides])
    return [((mask.shape[0], *shape), sides[0].dtype)]


@merge_lod_tensor.grad
def merge_lod_tensor_grad(dout: Any, mask: Any, x: Like) -> Any:
    """Split dout's rows back to the two sides."""
    parts = split_lod_tensor(dout, mask)
    return None, parts[0], parts[1], None if x is None else fill_any_like(x)


def column(mask: Any, count: int) -> Any:
    """Flatten a column of booleans, one per row, to a vector.

    Raises:
        ShapeError: The count is not the number of rows.
    """
    if mask.size != count:
        raise ShapeError(f"{mask.size} booleans for {count} rows")
    return mask.reshape(-1)


def choice(first: Any, *others: Any) -> tuple[tuple[int, ...], Any]:
    """Return the shape and dtype stated for one of several values, known at run time.

    They are the first value's, with -1 for a size that differs. If another value has
    another rank or dtype, none could be stated that is true of both.
    """
    alike = [x.shape for x in others if len(x.shape) == len(first.shape)]
    return merged([first.shape, *alike]), first.dtype


def merged(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Merge several shapes to one, with -1 where they differ.

    Raises:
        ShapeError: The ranks differ.

    >>> merged([(2, 3), (4, 3)])
    (-1, 3)
    """
    if len({len(shape) for shape in shapes}) > 1:
        raise ShapeError(
            f"one value cannot be shaped {' or '.join(str(list(s)) for s in shapes)}"
        )
    return tuple(
        sizes[0] if len(set(sizes)) == 1 else -1 for sizes in zip(*shapes, strict=True)
    )
