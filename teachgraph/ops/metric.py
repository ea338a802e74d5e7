"""What is counted but not differentiated: how often a guess is right."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.errors import ShapeError
from teachgraph.ops.op import op

__all__ = ["accuracy"]


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
