"""Diagonals, traces, and lower and upper triangles of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from teachgraph.core.dtypes import PADDLE_CODES as CODES
from teachgraph.core.errors import ShapeError
from teachgraph.core.op import Like, op
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.math import cast

__all__ = [
    "diag_embed",
    "diag_v2",
    "diagonal",
    "fill_diagonal",
    "fill_diagonal_tensor",
    "on_diagonal",
    "trace",
    "tril_triu",
    "undiagonal",
]


@op(needs="at least two dimensions")
def tril_triu(x: Any, *, diagonal: int = 0, lower: bool = True) -> Any:
    """Zero the elements above the diagonal of each matrix, or below if not `lower`."""
    if x.ndim < 2:
        raise ShapeError(f"{x.ndim} dimensions are no matrix")
    return np.tril(x, diagonal) if lower else np.triu(x, diagonal)


@tril_triu.grad
def tril_triu_grad(dout: Any, *, diagonal: int, lower: bool) -> Any:
    """dx = the same triangle of dout."""
    return tril_triu(dout, diagonal=diagonal, lower=lower)


@op(needs="a list or a matrix")
def diag_v2(x: Any, *, offset: int = 0, padding_value: float = 0.0) -> Any:
    """The diagonal of a matrix, or the diagonal matrix of a vector."""
    if x.ndim not in {1, 2}:
        raise ShapeError(f"it has {x.ndim} dimensions")
    if x.ndim == 2:
        # NumPy's diagonal is a read-only view.
        return np.array(np.diagonal(x, offset))
    size = len(x) + abs(offset)
    out = np.full((size, size), padding_value, x.dtype)
    out[places_of(out, offset)] = x
    return out


@diag_v2.grad
def diag_v2_grad(dout: Any, x: Like, *, offset: int) -> Any:
    """For a vector read the diagonal of dout; for a matrix write dout to it."""
    if len(x.shape) == 1:
        return diagonal(dout, offset=offset)
    return undiagonal(dout, x, offset=offset)


def places_of(matrices: Any, offset: int) -> tuple[Any, ...]:
    """The index of a diagonal of the last two dimensions."""
    rows, columns = matrices.shape[-2:]
    first, last = max(-offset, 0), min(rows, columns - offset)
    row = np.arange(first, max(first, last))
    return (..., row, row + offset)


def check_axes(axis1: int, axis2: int, ndim: int) -> tuple[int, ...]:
    """Require two different axes.

    Raises:
        ShapeError: The axes are equal.
    """
    axes: tuple[int, ...] = normalize_axis_tuple((axis1, axis2), ndim)
    return axes


@op(needs="two axes that differ, and values of the shape of the diagonals")
def fill_diagonal_tensor(
    x: Any, y: Any, *, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Any:
    """Replace the diagonals of the matrices that two axes span by those given."""
    out = np.array(x)
    # A view: assigning to it assigns to `out`.
    matrices = np.moveaxis(out, check_axes(dim1, dim2, x.ndim), (-2, -1))
    place = places_of(matrices, offset)
    if y.shape != matrices[place].shape:
        raise ShapeError(f"the diagonals are {list(matrices[place].shape)}")
    matrices[place] = y
    return out


@fill_diagonal_tensor.grad
def fill_diagonal_tensor_grad(
    dout: Any, y: Like, *, offset: int, dim1: int, dim2: int
) -> Any:
    """dx = dout with zeros on the diagonals, dy = the diagonals of dout."""
    attrs: Any = {"offset": offset, "dim1": dim1, "dim2": dim2}

    def dy() -> Any:
        taken = diagonal(dout, offset=offset, axis1=dim1, axis2=dim2)
        return cast(taken, out_dtype=CODES[y.dtype])

    return lambda: fill_diagonal_tensor(dout, fill_any_like(y, value=0.0), **attrs), dy


@op(needs="two axes that differ")
def diagonal(input: Any, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonals of the matrices that two axes span, in the last dimension."""
    check_axes(axis1, axis2, input.ndim)
    return np.diagonal(input, offset, axis1, axis2)


@diagonal.grad
def diagonal_grad(
    dout: Any, input: Like, *, offset: int, axis1: int, axis2: int
) -> Any:
    """dx = dout on the diagonal, 0 elsewhere."""
    return undiagonal(dout, input, offset=offset, axis1=axis1, axis2=axis2)


@op
def undiagonal(
    x: Any, y: Any, *, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Any:
    """Zeros shaped like `y` with `x` on the diagonal: the adjoint of `diagonal`."""
    out = np.zeros(y.shape, x.dtype)
    matrices = np.moveaxis(out, (axis1, axis2), (-2, -1))
    matrices[places_of(matrices, offset)] = x
    return out


@undiagonal.grad(of=("x",))
def undiagonal_grad(dout: Any, *, offset: int, axis1: int, axis2: int) -> Any:
    """dx = the diagonal of dout."""
    return diagonal(dout, offset=offset, axis1=axis1, axis2=axis2)


@op(needs="at least one dimension, and two axes that differ")
def diag_embed(input: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices in the axes dim1 and dim2, the last dimension on their diagonals."""
    axes = check_axes(dim1, dim2, input.ndim + 1)
    size = input.shape[-1] + abs(offset)
    out = np.zeros((*input.shape[:-1], size, size), input.dtype)
    out[places_of(out, offset)] = input
    return np.array(np.moveaxis(out, (-2, -1), axes))


@diag_embed.grad
def diag_embed_grad(dout: Any, *, offset: int, dim1: int, dim2: int) -> Any:
    """dx = the diagonals of dout."""
    return diagonal(dout, offset=offset, axis1=dim1, axis2=dim2)


@op(key="trace", needs="two different dimensions that Input has")
def trace(input: Any, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum of the elements with i + offset = j, of dimensions i and j."""
    return np.trace(input, offset, axis1, axis2, dtype=total_type(input.dtype))


def total_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Dtype of a sum: int64 for integers and bool."""
    return dtype if dtype.kind == "f" else np.dtype("int64")


@trace.grad
def trace_grad(dout: Any, input: Like, *, offset: int, axis1: int, axis2: int) -> Any:
    """dout on the diagonal, 0 elsewhere."""
    return on_diagonal(dout, input, offset=offset, axis1=axis1, axis2=axis2)


@op
def on_diagonal(
    x: Any, y: Any, *, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Any:
    """Zeros shaped like `y` with `x` in every diagonal element: adjoint of `trace`."""
    out = np.zeros(y.shape, x.dtype)
    matrices = np.moveaxis(out, (axis1, axis2), (-2, -1))
    matrices[places_of(matrices, offset)] = x[..., np.newaxis]
    return out


@on_diagonal.grad(of=("x",))
def on_diagonal_grad(dout: Any, *, offset: int, axis1: int, axis2: int) -> Any:
    """The sum along the diagonal."""
    return trace(dout, offset=offset, axis1=axis1, axis2=axis2)


@op(needs="at least two dimensions")
def fill_diagonal(
    x: Any, *, value: float = 0.0, offset: int = 0, wrap: bool = False
) -> Any:
    """out = x with `value` where all indices are equal; of a matrix, j = i + offset.

    With `wrap` the diagonal of a tall matrix begins again one row after its end.
    """
    out = np.array(x)
    if x.ndim < 2:
        raise ShapeError(f"{x.ndim} dimensions have no diagonal")
    if x.ndim > 2:
        out[(np.arange(min(x.shape)),) * x.ndim] = value
    elif wrap:
        columns = x.shape[1]
        first = offset if offset >= 0 else -offset * columns
        out.reshape(-1)[first :: columns + 1] = value
    else:
        out[places_of(out, offset)] = value
    return out


@fill_diagonal.grad
def fill_diagonal_grad(dout: Any, *, offset: int, wrap: bool) -> Any:
    """dx = dout, 0 where x was replaced."""
    return fill_diagonal(dout, value=0.0, offset=offset, wrap=wrap)
