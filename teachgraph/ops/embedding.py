"""Embedding lookup: rows of a table by index, and the adjoint that adds rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import all_in_range as in_range
from teachgraph.errors import OutOfRangeError

__all__ = ["add_rows", "lookup_table_v2"]

NEEDS = "a table [V, D] and integers 0 <= id < V"


@op(key="embedding", needs=NEEDS)
def lookup_table_v2(w: Any, ids: Any, *, padding_idx: int = -1) -> Any:
    """Look up row `id` of the table for each id; zeros for `padding_idx`."""
    check_table(w, ids)
    check_ids(ids, len(w))
    out = np.take(w, ids, axis=0)
    if padding_idx != -1:
        out[ids == padding_idx] = 0
    return out


def check_table(w: Any, ids: Any) -> None:
    """Require a 2-D table and integer ids.

    Raises:
        ShapeError: The table is not 2-D.
        DTypeError: The ids are no integers.
    """
    if len(w.shape) != 2:
        raise ShapeError(f"a table has two dimensions, not {len(w.shape)}")
    if ids.dtype.kind not in "iu":
        raise DTypeError(f"ids are integers, not {ids.dtype}")


def check_ids(ids: Any, rows: int) -> None:
    """Require ids in the range of the rows.

    Raises:
        OutOfRangeError: An id is out of range.
    """
    if not in_range(ids, rows):
        wrong = ids.max() if ids.max() >= rows else ids.min()
        raise OutOfRangeError(f"ids are expected >= 0 and < {rows}, but got {wrong}")


@lookup_table_v2.infers
def infer_lookup(w: Like, ids: Like, *, padding_idx: int) -> Any:
    """A row for each id."""
    check_table(w, ids)
    return [((*ids.shape, w.shape[1]), w.dtype)]


@lookup_table_v2.grad(of=("w",))
def lookup_table_v2_grad(dout: Any, w: Like, ids: Any, *, padding_idx: int) -> Any:
    """dw = zeros with each row of dout added at its id."""
    return add_rows(dout, w, ids, padding_idx=padding_idx)


@op(needs=NEEDS + ", and a row for each id")
def add_rows(x: Any, y: Any, ids: Any, *, padding_idx: int = -1) -> Any:
    """Zeros shaped like the table `y` with each row of `x` added at its id.

    Rows of equal ids are made adjacent by sorting, and summed in one pass. Row
    `padding_idx` stays 0.
    """
    check_table(y, ids)
    check_ids(ids, y.shape[0])
    keys = ids.ravel().astype(np.int64)
    order = np.argsort(keys, kind="stable")
    keys, rows = keys[order], x.reshape(len(keys), y.shape[1])[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    out = np.zeros(y.shape, x.dtype)
    out[keys[first]] = np.add.reduceat(rows, first) if len(first) else 0
    if 0 <= padding_idx < len(out):
        out[padding_idx] = 0
    return out


@add_rows.infers
def infer_add_rows(x: Like, y: Like, ids: Like, *, padding_idx: int) -> Any:
    """Shaped like the table."""
    check_table(y, ids)
    if x.shape != (*ids.shape, y.shape[1]):
        raise ShapeError(f"{list(x.shape)} are no rows for ids {list(ids.shape)}")
    return [(y.shape, x.dtype)]


@add_rows.grad(of=("x",))
def add_rows_grad(dout: Any, ids: Any, *, padding_idx: int) -> Any:
    """dx = the row of dout for each id."""
    return lookup_table_v2(dout, ids, padding_idx=padding_idx)
