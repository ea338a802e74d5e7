"""Embedding: for each number the row of a table that it names."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, OutOfRangeError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.ops.softmax import in_range

__all__ = ["add_rows", "lookup_table_v2"]

NEEDS = "a table [V, D] and integers 0 <= id < V"


@op(key="embedding", needs=NEEDS)
def lookup_table_v2(w: Any, ids: Any, *, padding_idx: int = -1) -> Any:
    """Row `id` of the table for each id; zeros where it is `padding_idx`."""
    check_table(w, ids)
    check_ids(ids, len(w))
    out = np.take(w, ids, axis=0)
    if padding_idx != -1:
        out[ids == padding_idx] = 0
    return out


def check_table(w: Any, ids: Any) -> None:
    """The table has rows, the ids are whole numbers.

    Raises:
        ShapeError: The table has not two dimensions.
        DTypeError: The ids are no integers.
    """
    if len(w.shape) != 2:
        raise ShapeError(f"a table has two dimensions, not {len(w.shape)}")
    if ids.dtype.kind not in "iu":
        raise DTypeError(f"ids are integers, not {ids.dtype}")


def check_ids(ids: Any, rows: int) -> None:
    """Every id must name a row.

    Raises:
        OutOfRangeError: One does not.
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
    """Each row of dout is added to the row of the table it was a copy of."""
    return add_rows(dout, w, ids, padding_idx=padding_idx)


@op(needs=NEEDS + ", and a row for each id")
def add_rows(x: Any, y: Any, ids: Any, *, padding_idx: int = -1) -> Any:
    """Zeros shaped like the table `y`, each row of `x` added where its id says.

    Rows with one id are brought together by sorting and summed, which takes one pass
    where adding them one by one would take many. Row `padding_idx` gets nothing.
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
    """Each row was added to one row of the table."""
    return lookup_table_v2(dout, ids, padding_idx=padding_idx)
