"""Margin losses and the p-norm distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.core import ops
from teachgraph.core.errors import InvalidValueError
from teachgraph.nn.functional.reduction import check_reduction, reduced
from teachgraph.ops import elementwise
from teachgraph.ops.functions.indexing import index_select, one_hot, take_along_axis
from teachgraph.ops.shape import unsqueeze2
from teachgraph.ops.vector_norm import p_norm

__all__ = [
    "multi_margin_loss",
    "pairwise_distance",
    "triplet_margin_with_distance_loss",
]


def pairwise_distance(
    x: Any,
    y: Any,
    p: float = 2.0,
    epsilon: float = 1e-6,
    keepdim: bool = False,
    name: str | None = None,
) -> Any:
    """Compute the p-norm of x - y + epsilon along the last dimension.

    In Paddle this is `paddle.nn.functional.pairwise_distance`.

    >>> import numpy as np
    >>> pairwise_distance(np.array([[3.0, 4.0]]), np.zeros((1, 2)), epsilon=0.0)
    array([5.])
    """
    difference = elementwise.elementwise_sub(x, y) + float(epsilon)
    return p_norm(difference, porder=float(p), axis=-1, keepdim=keepdim)


def triplet_margin_with_distance_loss(
    input: Any,
    positive: Any,
    negative: Any,
    distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """Compute the mean of max(0, d(input, positive) - d(input, negative) + margin).

    Args:
        input: Anchors.
        positive: Samples that should be near them.
        negative: Samples that should be further away, by the margin.
        distance_function: The distance d; by default `pairwise_distance`.
        margin: The margin.
        swap: Take d(positive, negative) where that is smaller.
        reduction: "mean", "sum" or "none".
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: The margin is negative.

    In Paddle this is `paddle.nn.functional.triplet_margin_with_distance_loss`.
    """
    check_reduction(reduction)
    if margin < 0:
        message = (
            f"triplet_margin_with_distance_loss: margin is 0 or more, got {margin}"
        )
        raise InvalidValueError.here(message)
    distance = distance_function or pairwise_distance
    near, far = distance(input, positive), distance(input, negative)
    if swap:
        far = elementwise.elementwise_min(far, distance(positive, negative))
    return reduced(ops.relu(near - far + float(margin)), reduction)


def multi_margin_loss(
    input: Any,
    label: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """Compute the mean of sum_(c != label) max(0, margin - x_label + x_c)^p / C.

    Args:
        input: Scores x of each class, [N, C].
        label: The right classes, [N].
        p: The power.
        margin: The margin.
        weight: A factor of the loss for each class, [C].
        reduction: "mean", "sum" or "none".
        name: Accepted for Paddle's sake.

    In Paddle this is `paddle.nn.functional.multi_margin_loss`, which takes the weight
    to the power p as well, but only in part of the terms.

    >>> import numpy as np
    >>> multi_margin_loss(np.array([[0.5, 0.0, 2.0]]), np.array([0])).round(4)
    np.float64(1.0)
    """
    check_reduction(reduction)
    classes = input.shape[1]
    right = take_along_axis(input, unsqueeze2(label, axes=[1]), 1)
    short = ops.relu(elementwise.elementwise_sub(input, right) + float(margin))
    short = short if p == 1 else short ** float(p)
    wrong = 1.0 - one_hot(label, classes).astype(input.dtype)
    loss = ops.reduce_sum(short * wrong, dim=[1]) / float(classes)
    return reduced(
        loss if weight is None else loss * index_select(weight, label), reduction
    )
