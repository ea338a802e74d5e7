"""Scatter by index: overwriting, adding and multiplying; one-hot.

If an element is overwritten several times, the last value wins; only that one has a
gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import reduce_to
from teachgraph.errors import OutOfRangeError
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.elementwise import equal
from teachgraph.ops.gather import (
    along_axis,
    gather,
    gather_nd,
    index_shape,
    take_along_axis,
    zeros,
)
from teachgraph.ops.join import stack
from teachgraph.ops.math import cast
from teachgraph.ops.places import (
    check_index,
    checked,
    fitting,
    grid,
    integral,
    slice_coordinates,
    summed_at,
)
from teachgraph.ops.repeat import broadcast_among
from teachgraph.ops.shape import unsqueeze2

__all__ = [
    "flat_index",
    "index_put",
    "numbered",
    "one_hot_v2",
    "put_along_axis",
    "scatter",
]

CODES = dtypes.PADDLE_CODES
INT64 = CODES[dtypes.int64]


@op
def numbered(x: Any) -> Any:
    """0, 1, 2, ... in the shape of `x`."""
    return np.arange(x.size).reshape(x.shape)


def surviving(
    dout: Any, write: Callable[[Any, Any], Any], read: Callable[[Any], Any]
) -> Any:
    """Compute the gradients of written values: 0 for those overwritten later.

    Each value's number is written to its index; a value survived if its own number is
    read back there.
    """
    dvalue = read(dout)
    numbers = numbered(dvalue)
    start = fill_any_like(dout, value=-1.0, dtype=INT64)
    stayed = equal(read(write(start, numbers)), numbers)
    return dvalue * cast(
        stayed, in_dtype=CODES[dtypes.bool], out_dtype=CODES[dvalue.dtype]
    )


@op(needs="updates in the shape of the rows they replace")
def scatter(x: Any, updates: Any, ids: Any, *, overwrite: bool = True) -> Any:
    """A copy of `x` whose rows at `ids` are the updates.

    Of duplicate ids the last update wins, or they are summed if not `overwrite`.

    Raises:
        ShapeError: The updates do not fit.
    """
    if not x.ndim or updates.shape != (*index_shape(ids.shape), *x.shape[1:]):
        raise ShapeError(f"updates of shape {list(updates.shape)} do not fit")
    rows = check_index(ids.reshape(-1), x.shape[0])
    values = fitting(updates, x).reshape((rows.size, *x.shape[1:]))
    out = np.array(x)
    # Paddle's sum starts at 0: the old rows do not take part in it.
    out[rows] = values if overwrite else 0
    return (
        out
        if overwrite
        else summed_at(slice_coordinates(x.shape, 0, rows), values, out)
    )


@scatter.grad(of=("x", "updates"))
def scatter_grad(dout: Any, updates: Like, ids: Any, *, overwrite: bool) -> Any:
    """dx = dout with 0 at the replaced rows; dupdates = the surviving rows of dout."""

    def write(start: Any, rows: Any) -> Any:
        return scatter(start, rows, ids)

    def read(rows: Any) -> Any:
        return gather(rows, ids)

    def dx() -> Any:
        return write(dout, zeros(updates, dout))

    def dupdates() -> Any:
        rows = surviving(dout, write, read) if overwrite else read(dout)
        return reduce_to(rows, updates)

    return dx, dupdates


SHARED = {"mean", "amax", "amin"}
"""Reductions whose gradient is parted among several elements."""

REDUCE = {
    **{name: name for name in ("assign", "add", "mul", "mean", "amax", "amin")},
    "multiply": "mul",
}


def reduction(name: str) -> str:
    """Normalise the name of a reduction.

    Raises:
        InvalidValueError: The name is unknown.
    """
    if name not in REDUCE:
        raise InvalidValueError(f"reduce is one of {', '.join(REDUCE)}, got {name!r}")
    return REDUCE[name]


@op(
    outputs=("result",),
    needs="an index with the dimensions of Input, no larger beside the axis, and a "
    "value for each index",
)
def put_along_axis(
    input: Any,
    value: Any,
    index: Any,
    *,
    Axis: int,  # noqa: N803  Paddle's name
    Reduce: str = "assign",  # noqa: N803
    Include_self: bool = True,  # noqa: N803
) -> Any:
    """A copy of `input` with values put where `take_along_axis` would read.

    They are assigned, or their sum, product, mean, largest or smallest is; the old
    element takes part in it if `Include_self`.
    """
    how = reduction(Reduce)
    at = along_axis(index, input, Axis)
    values = same_shape(fitting(value, input), index)
    out = np.array(input)
    if how == "assign" or not Include_self:
        # Elements that take no part become neutral; in amax and amin any value is.
        out[tuple(at)] = {"add": 0, "mul": 1, "mean": 0}.get(how, values)
    if how in UFUNCS:
        # Not `out[at] *= values`: of a duplicate index that uses one value only.
        UFUNCS[how].at(out, tuple(at), values)
    if how in {"add", "mean"}:
        out = summed_at(at, values, out)
    if how == "mean":
        out = (out / term_counts(index, out, Axis, Include_self)).astype(out.dtype)
    return out


UFUNCS = {"mul": np.multiply, "amax": np.maximum, "amin": np.minimum}


def term_counts(index: Any, like: Any, axis: int, include_self: bool) -> Any:
    """Count the elements that each one is the mean of."""
    ones = fill_any_like(like, value=1.0, dtype=CODES[like.dtype])
    each = take_along_axis(ones, index, Axis=axis)
    how = {"Axis": axis, "Reduce": "add", "Include_self": include_self}
    return put_along_axis(ones, each, index, **how)


def same_shape(value: Any, index: Any) -> Any:
    """Require a value for each index.

    Raises:
        ShapeError: The shapes differ.
    """
    if value.shape != index.shape:
        raise ShapeError(
            f"values of shape {list(value.shape)}, an index of {list(index.shape)}"
        )
    return value


@put_along_axis.grad(of=("input", "value"))
def put_along_axis_grad(
    dresult: Any,
    input: Any,
    value: Any,
    index: Any,
    result: Any,
    *,
    Axis: int,  # noqa: N803  Paddle's name
    Reduce: str,  # noqa: N803
    Include_self: bool,  # noqa: N803
) -> Any:
    """dinput = dout, 0 where replaced; dvalue = dout there, times the other factors."""
    how = reduction(Reduce)
    if how in SHARED:
        about: Any = {"how": how, "axis": Axis, "include_self": Include_self}
        return put_shared_grad(dresult, input, value, index, result, **about)

    def write(start: Any, values: Any) -> Any:
        return put_along_axis(start, values, index, Axis=Axis)

    def read(x: Any) -> Any:
        return take_along_axis(x, index, Axis=Axis)

    def dinput() -> Any:
        if how == "assign" or not Include_self:
            return reduce_to(write(dresult, zeros(index, dresult)), input)
        if how == "add":
            return reduce_to(dresult, input)
        scaled = put_along_axis(dresult, value, index, Axis=Axis, Reduce="mul")
        return reduce_to(scaled, input)

    def dvalue() -> Any:
        if how == "mul":
            # The product of the other factors, which needs values other than 0.
            return reduce_to(read(dresult * result) / value, value)
        gained = read(dresult) if how == "add" else surviving(dresult, write, read)
        return reduce_to(gained, value)

    return dinput, dvalue


def put_shared_grad(
    dresult: Any,
    input: Any,
    value: Any,
    index: Any,
    result: Any,
    *,
    how: str,
    axis: int,
    include_self: bool,
) -> Any:
    """Part the gradient equally among the elements that each result was made of.

    A mean is made of all of its terms, a largest or smallest element of its equals.
    """
    code = CODES[dresult.dtype]
    if how == "mean":
        own = fill_any_like(input, value=1.0, dtype=code)
        put = fill_any_like(value, value=1.0, dtype=code)
    else:
        codes = {"in_dtype": CODES[dtypes.bool], "out_dtype": code}
        own = cast(equal(input, result), **codes)
        put = cast(equal(value, take_along_axis(result, index, Axis=axis)), **codes)
    if not include_self:
        own = put_along_axis(own, zeros(index, own), index, Axis=axis)
    each = dresult / put_along_axis(own, put, index, Axis=axis, Reduce="add")
    touched = put_along_axis(own * 0.0, put * 0.0 + 1.0, index, Axis=axis)
    kept = own * touched + (1.0 - touched)
    each = each * touched + dresult * (1.0 - touched)
    return (
        lambda: reduce_to(each * kept, input),
        lambda: reduce_to(take_along_axis(each, index, Axis=axis) * put, value),
    )


def flat_index(indices: Sequence[Any]) -> Any:
    """Combine indices of one dimension each to an index for `gather_nd`."""
    if len(indices) == 1:
        return unsqueeze2(indices[0], axes=[-1])
    each = [broadcast_among(index, *indices) for index in indices]
    return stack(*each, axis=-1)


def selection(x: Any, indices: Sequence[Any]) -> list[Any]:
    """Compute the coordinates of x[indices].

    Raises:
        ShapeError: There is no index, or more than dimensions.
    """
    if not 1 <= len(indices) <= x.ndim:
        raise ShapeError(f"{len(indices)} indices for {x.ndim} dimensions")
    rest = x.shape[len(indices) :]
    pairs = zip(np.broadcast_arrays(*indices), x.shape, strict=False)
    first = [checked(i, n).reshape(i.shape + (1,) * len(rest)) for i, n in pairs]
    return [*first, *grid(rest)]


@op(needs="integer indices that broadcast, and a value that broadcasts to that part")
def index_put(x: Any, value: Any, *indices: Any, accumulate: bool = False) -> Any:
    """A copy of `x` with x[indices] = value, or += if `accumulate`."""
    at = selection(x, indices)
    values = fitting(value, x)
    if accumulate:
        # `summed_at` takes a value for each index; an assignment broadcasts by itself.
        shape = np.broadcast_shapes(*(part.shape for part in at))
        return summed_at(at, np.broadcast_to(values, shape), x)
    out = np.array(x)
    out[tuple(at)] = values
    return out


@index_put.grad(of=("x", "value"))
def index_put_grad(
    dout: Any, x: Like, value: Like, *indices: Any, accumulate: bool
) -> Any:
    """dx = dout, 0 where replaced; dvalue = dout at the indices."""

    def write(start: Any, values: Any) -> Any:
        return index_put(start, values, *indices)

    def read(x: Any) -> Any:
        return gather_nd(x, flat_index(indices), from_end=True)

    def dx() -> Any:
        unchanged = dout if accumulate else write(dout, zeros(value, dout))
        return reduce_to(unchanged, x)

    def dvalue() -> Any:
        part = read(dout) if accumulate else surviving(dout, write, read)
        return reduce_to(part, value)

    return dx, dvalue


@op(needs="classes from 0 to depth - 1")
def one_hot_v2(
    x: Any,
    *,
    depth: int,
    dtype: int = CODES[dtypes.float32],
    allow_out_of_range: bool = False,
) -> Any:
    """out[..., k] = 1 where x[...] = k, else 0."""
    integral(x)
    if not allow_out_of_range and x.size and not 0 <= x.min() <= x.max() < depth:
        raise OutOfRangeError(f"classes are 0 to {depth - 1}; some is not")
    return (x[..., None] == np.arange(depth)).astype(dtypes.of_code(dtype))
