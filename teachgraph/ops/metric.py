"""What is counted but not differentiated: the largest entries, and how often right."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.errors import InvalidValueError, ShapeError
from teachgraph.ops.op import op

__all__ = ["accuracy", "arg_max", "top_k_v2"]


@op(outputs=("out", "indices"), needs="1 <= k <= the size along the axis")
def top_k_v2(x: Any, *, k: int = 1, axis: int = -1, largest: bool = True) -> Any:
    """The k largest (or smallest) entries along `axis`, and where they stand."""
    if not 1 <= k <= x.shape[axis]:
        raise InvalidValueError(f"k = {k}, but axis {axis} has size {x.shape[axis]}")
    order = np.argsort(-x if largest else x, axis=axis, kind="stable")
    indices = np.take(order, np.arange(k), axis=axis)
    return np.take_along_axis(x, indices, axis), indices


@op(key="argmax")
def arg_max(
    x: Any, *, axis: int = -1, keepdims: bool = False, flatten: bool = False
) -> Any:
    """Where the largest entry stands."""
    return np.argmax(x, axis=None if flatten else axis, keepdims=keepdims)


@op(
    outputs=("accuracy", "correct", "total"),
    needs="the indices [N, k] of top_k and integer labels [N, 1]",
)
def accuracy(out: Any, indices: Any, label: Any) -> Any:
    """The share of rows whose label is among the row's k best, with both counts."""
    if label.shape != (len(indices), 1):
        raise ShapeError(
            f"{indices.shape[0]} rows, labels of shape {list(label.shape)}"
        )
    correct = np.count_nonzero((indices == label).any(axis=1))
    total = max(len(label), 1)
    counts = np.array(correct, np.int32), np.array(len(label), np.int32)
    return np.array(correct / total, np.float32), *counts
