"""Rows for `teachgraph/ops/metric.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import EVERY, Array, Case, Row, Wrong
from tests.ops.values import integers, numbers, turned


def share(out: Array, indices: Array, label: Array) -> Any:
    right = sum(
        int(row_label[0]) in row.tolist()
        for row, row_label in zip(indices, label, strict=True)
    )
    return np.array(right / max(len(label), 1)), np.array(right), np.array(len(label))


def guesses(label: str, indices: Array, right: Array) -> Case:
    return Case(label, (numbers(*indices.shape), indices, right))


ROWS = (
    Row(
        "accuracy",
        (
            guesses("rows", integers(5, 1, below=3), integers(5, 1, below=3, start=9)),
            guesses("two guesses", np.array([[0, 2], [1, 0]]), np.array([[2], [2]])),
            guesses("one row", np.array([[1]]), np.array([[1]])),
            guesses("empty", integers(0, 2, below=3), integers(0, 1, below=3)),
            guesses(
                "not contiguous",
                turned(np.array([[0, 2], [1, 0]])),
                np.array([[2], [0]]),
            ),
        ),
        share,
        lonely="PyTorch has no accuracy op",
        gives=lambda dtype, attrs: ("float32", "int32", "int32"),
        accepts=EVERY,
        wrong=(
            Wrong(
                "rows differ",
                (numbers(4, 1), integers(4, 1, below=3), integers(3, 1, below=3)),
            ),
            Wrong(
                "labels in a row",
                (numbers(4, 1), integers(4, 1, below=3), integers(4, below=3)),
            ),
            Wrong(
                "two labels",
                (numbers(4, 1), integers(4, 1, below=3), integers(4, 2, below=3)),
            ),
        ),
        lacks={
            "scalar": "it counts rows",
            "1-D": "it counts rows",
            "broadcast": "a label for each row",
        },
        gradient=False,
    ),
)
