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


def area(
    predict: Array,
    label: Array,
    stat_pos: Array,
    stat_neg: Array,
    *,
    num_thresholds: int,
    slide_steps: int = 0,
) -> Any:
    """All pairs of a positive and a negative, one by one, ties for half."""
    size = num_thresholds + 1
    kept = []
    for stat, wanted in ((stat_pos, 1), (stat_neg, 0)):
        batch = [0] * size
        for row, right in zip(predict, label, strict=True):
            batch[int(row[-1] * num_thresholds)] += int(right[0]) == wanted
        kept.append(slid(stat.ravel().tolist(), batch, slide_steps))
    start = slide_steps * size
    pos, neg = (counts[start : start + size] for counts in kept)
    pairs = [
        (i > j) + 0.5 * (i == j)
        for i, p in enumerate(pos)
        for j, n in enumerate(neg)
        for _ in range(p * n)
    ]
    share = np.mean(pairs) if pairs else 0.0
    return np.array(share), *(
        np.reshape(counts, stat.shape)
        for counts, stat in zip(kept, (stat_pos, stat_neg), strict=True)
    )


def slid(counts: list[int], batch: list[int], steps: int) -> list[int]:
    """Counts with those of one batch more."""
    if not steps:
        return [a + b for a, b in zip(counts, batch, strict=True)]
    size, at = len(batch), counts[-1] % steps
    for i, count in enumerate(batch):
        counts[steps * size + i] += count - counts[at * size + i]
        counts[at * size + i] = count
    counts[-1] += 1
    return counts


def judged(label: str, scores: list[float], right: list[int], **attrs: Any) -> Case:
    """Probabilities of the second of two classes, and counts so far."""
    steps = attrs.get("slide_steps", 0)
    count = (steps + 1) * (attrs["num_thresholds"] + 1) + bool(steps)
    predict = np.array([[1 - s, s] for s in scores]).reshape(-1, 2)
    stat = np.zeros((1, count), np.int64)
    return Case(
        label,
        (predict, np.array(right, np.int64).reshape(-1, 1), stat, stat.copy()),
        attrs,
    )


def amiss(
    label: str,
    score: float,
    right: int,
    error: str,
    *,
    by_value: bool = False,
    **attrs: Any,
) -> Wrong:
    """One row that cannot be counted."""
    inputs = judged("", [score], [right], num_thresholds=3).inputs
    given = {"num_thresholds": 3, **attrs}
    return Wrong(label, inputs, given, error, by_value=by_value)


SCORES = [0.1, 0.4, 0.35, 0.8, 0.8, 1.0]
RIGHT = [0, 0, 1, 1, 0, 1]

AUC = Row(
    "auc",
    (
        judged("rows", SCORES, RIGHT, num_thresholds=9),
        judged("one class", SCORES, [1] * 6, num_thresholds=9),
        judged("the last batches", SCORES, RIGHT, num_thresholds=4, slide_steps=2),
        judged("empty", [], [], num_thresholds=3),
    ),
    area,
    lonely="PyTorch has no op for it",
    gives=lambda dtype, attrs: ("float64", "int64", "int64"),
    gradient=False,
    lacks={
        "scalar": "it counts rows",
        "1-D": "it counts rows",
        "broadcast": "a label for each row",
        "not contiguous": "one column is read",
    },
    wrong=(
        amiss("no probability", 1.5, 1, "InvalidValueError", by_value=True),
        amiss("no class", 0.5, 2, "InvalidValueError", by_value=True),
        amiss("other counts", 0.5, 1, "ShapeError", num_thresholds=4),
        amiss("no thresholds", 0.5, 1, "InvalidValueError", num_thresholds=0),
        amiss("another curve", 0.5, 1, "InvalidValueError", curve="PR"),
    ),
)
ROWS = (*ROWS, AUC)
