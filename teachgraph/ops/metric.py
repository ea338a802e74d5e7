"""Metrics without gradient: accuracy and area under the ROC curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op

__all__ = ["accuracy", "auc"]


@op(
    outputs=("accuracy", "correct", "total"),
    needs="the indices [N, k] of top_k and integer labels [N, 1]",
)
def accuracy(out: Any, indices: Any, label: Any) -> Any:
    """Share of rows whose label is among the row's k best, with both counts."""
    if label.shape != (len(indices), 1):
        raise ShapeError(
            f"{indices.shape[0]} rows, labels of shape {list(label.shape)}"
        )
    correct = np.count_nonzero((indices == label).any(axis=1))
    total = max(len(label), 1)
    counts = np.array(correct, np.int32), np.array(len(label), np.int32)
    return np.array(correct / total, np.float32), *counts


@op(
    outputs=("auc", "stat_pos_out", "stat_neg_out"),
    inplace={"stat_pos_out": "stat_pos", "stat_neg_out": "stat_neg"},
    needs="probabilities [N, 2] or [N, 1], labels [N, 1] of 0 and 1, and counts of "
    "num_thresholds + 1 integers (or of (slide_steps + 1) times as many, and one)",
)
def auc(
    predict: Any,
    label: Any,
    stat_pos: Any,
    stat_neg: Any,
    *,
    curve: str = "ROC",
    num_thresholds: int = 4095,
    slide_steps: int = 0,
) -> Any:
    """Area under the ROC curve (true over false positive rate, over all thresholds).

    It is the probability that a positive scores higher than a negative. Earlier counts
    are included: all of them, or those of the last `slide_steps` batches.
    """
    check_auc(predict, label, stat_pos, stat_neg, curve, num_thresholds, slide_steps)
    buckets = (predict[:, -1] * num_thresholds).astype(np.int64)
    right = label.ravel() != 0
    counted = []
    for old, chosen in ((stat_pos, buckets[right]), (stat_neg, buckets[~right])):
        new = np.bincount(chosen, minlength=num_thresholds + 1)
        counted.append(accumulated_counts(old, new.astype(old.dtype), slide_steps))
    start = slide_steps * (num_thresholds + 1)
    pos, neg = (c[..., start : start + num_thresholds + 1].ravel() for c in counted)
    return np.array(area(pos, neg)), *counted


def accumulated_counts(old: Any, new: Any, slide_steps: int) -> Any:
    """Add a batch's counts, or replace those of the oldest batch.

    With `slide_steps` the buffer holds the counts of so many batches, then their sum,
    then the number of batches.
    """
    if not slide_steps:
        return old + new.reshape(old.shape)
    counts, size = old.copy().ravel(), len(new)
    # A view: writing to its rows writes to `counts`.
    batches = counts[:-1].reshape(slide_steps + 1, size)
    oldest = counts[-1] % slide_steps
    batches[-1] += new - batches[oldest]
    batches[oldest] = new
    counts[-1] += 1
    return counts.reshape(old.shape)


def area(pos: Any, neg: Any) -> float:
    """Integrate by trapezoids over the buckets; 0 unless both classes occur.

    >>> area(np.array([0, 1]), np.array([1, 0]))
    1.0
    """
    total = int(pos.sum()) * int(neg.sum())
    above = pos.sum() - np.cumsum(pos)
    return float((neg * (above + pos / 2)).sum() / total) if total else 0.0


@auc.infers
def infer_auc(
    predict: Like,
    label: Like,
    stat_pos: Like,
    stat_neg: Like,
    *,
    curve: str,
    num_thresholds: int,
    slide_steps: int,
) -> Any:
    """A number, and the counts."""
    check_shapes(predict, label, stat_pos, stat_neg, curve, num_thresholds, slide_steps)
    counts = [(s.shape, s.dtype) for s in (stat_pos, stat_neg)]
    return [((), np.dtype(np.float64)), *counts]


def check_shapes(
    predict: Any,
    label: Any,
    stat_pos: Any,
    stat_neg: Any,
    curve: str,
    num_thresholds: int,
    slide_steps: int,
) -> None:
    """Check attributes, dtypes and shapes.

    Raises:
        InvalidValueError: An attribute is invalid.
        DTypeError: An input has another dtype.
        ShapeError: An input has another shape.
    """
    if curve != "ROC" or num_thresholds < 1 or slide_steps < 0:
        raise InvalidValueError(
            f"curve is ROC, thresholds at least 1 and steps at least 0, got {curve!r}, "
            f"{num_thresholds} and {slide_steps}"
        )
    if predict.dtype.kind != "f" or label.dtype.kind not in "iub":
        raise DTypeError(f"{predict.dtype} probabilities, {label.dtype} labels")
    if stat_pos.dtype.kind not in "iu" or stat_neg.dtype.kind not in "iu":
        raise DTypeError(f"{stat_pos.dtype} and {stat_neg.dtype} counts")
    rows, wide = tuple(predict.shape[:1]), tuple(predict.shape[1:])
    if wide not in ((1,), (2,)) or tuple(label.shape) not in (rows, (*rows, 1)):
        raise ShapeError(f"{list(predict.shape)} and labels {list(label.shape)}")
    count = (slide_steps + 1) * (num_thresholds + 1) + bool(slide_steps)
    for stat in (stat_pos, stat_neg):
        if int(np.prod(stat.shape)) != count:
            raise ShapeError(f"{count} counts are needed, got {list(stat.shape)}")


def check_auc(predict: Any, label: Any, *more: Any) -> None:
    """Check the shapes, and that predictions are probabilities and labels 0 or 1.

    Raises:
        InvalidValueError: A value is not.
    """
    check_shapes(predict, label, *more)
    if not ((predict[:, -1:] >= 0) & (predict[:, -1:] <= 1)).all():
        raise InvalidValueError("a probability is not within 0 and 1")
    if not ((label == 0) | (label == 1)).all():
        raise InvalidValueError("a label is neither 0 nor 1")
