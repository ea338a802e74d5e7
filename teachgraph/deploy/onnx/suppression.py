"""Non-maximum suppression: the best of the boxes that overlap each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.op import Like, op
from teachgraph.ops.boxes import overlap

__all__ = ["suppressed"]


def corners(box: Any, centred: bool) -> Any:
    """Return the lower and the upper corner of each box."""
    first, second = box[:, :2], box[:, 2:]
    if centred:
        return np.hstack([first - second / 2, first + second / 2])
    return np.hstack([np.minimum(first, second), np.maximum(first, second)])


def selected_boxes(
    boxes: Any, scores: Any, most: int, share: float, least: float
) -> list[int]:
    """Select boxes from the best down, without those that overlap a selected one."""
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > least]
    selected: list[int] = []
    while len(order) and len(selected) < most:
        best, order = order[0], order[1:]
        selected.append(int(best))
        order = order[overlap(boxes[best], boxes[order]) <= share]
    return selected


@op(needs="boxes [N, M, 4], scores [N, classes, M], a count and two thresholds")
def suppressed(
    boxes: Any, scores: Any, most: Any, share: Any, least: Any, *, centred: bool = False
) -> Any:
    """Select the boxes of each image and class, in rows (image, class, box).

    >>> boxes = np.float32([[[0, 0, 2, 2], [0, 0, 2, 1.9], [3, 3, 4, 4]]])
    >>> scores = np.float32([[[0.5, 0.9, 0.7]]])
    >>> suppressed(boxes, scores, np.array(9), np.array(0.5), np.array(0.1)).tolist()
    [[0, 0, 1], [0, 0, 2]]
    """
    limits = int(most.item()), float(share.item()), float(least.item())
    rows = [
        (image, kind, box)
        for image, (own, by_class) in enumerate(zip(boxes, scores, strict=True))
        for kind, own_scores in enumerate(by_class)
        for box in selected_boxes(corners(own, centred), own_scores, *limits)
    ]
    return np.array(rows, np.int64).reshape(-1, 3)


@suppressed.infers
def suppressed_spec(
    boxes: Like, scores: Like, most: Like, share: Like, least: Like, *, centred: bool
) -> Any:
    """Infer an unknown number of rows."""
    return [((-1, 3), np.dtype(np.int64))]
