"""Losses of pairs and triplets of embeddings, and cosine similarity."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core import ops
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.nn.functional.cross_entropy import softmax_with_cross_entropy
from teachgraph.nn.functional.reduction import check_reduction, reduced
from teachgraph.ops import elementwise, math
from teachgraph.ops.elementwise import elementwise_div
from teachgraph.ops.matmul import matmul_v2
from teachgraph.ops.shape import unsqueeze2

__all__ = [
    "cosine_embedding_loss",
    "cosine_similarity",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "npair_loss",
    "triplet_margin_loss",
]


def hinge_embedding_loss(
    input: Any,
    label: Any,
    margin: float = 1.0,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """Compute the mean of input (label 1) or max(0, margin - input) (label -1).

    In Paddle this is `paddle.nn.functional.hinge_embedding_loss`.
    """
    check_reduction(reduction)
    near, far = input * (label == 1.0), ops.relu(margin - input) * (label == -1.0)
    return reduced(near + far, reduction)


def margin_ranking_loss(
    input: Any,
    other: Any,
    label: Any,
    margin: float = 0.0,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """Compute the mean of max(0, margin - label (input - other)).

    The label is 1 where `input` should be larger than `other`, -1 where smaller.

    In Paddle this is `paddle.nn.functional.margin_ranking_loss`.

    >>> import numpy as np
    >>> x, y = np.array([1.0, 2.0]), np.array([3.0, 0.5])
    >>> margin_ranking_loss(x, y, np.array([1.0, 1.0]), reduction="none")
    array([2., 0.])
    """
    check_reduction(reduction)
    short = -label * elementwise.elementwise_sub(input, other)
    return reduced(ops.relu(short + margin), reduction)


def cosine_similarity(x1: Any, x2: Any, axis: int = 1, eps: float = 1e-8) -> Any:
    """Compute the cosine of the angle between x1 and x2 along `axis`.

    The product of their norms is at least `eps`.

    In Paddle this is `paddle.nn.functional.cosine_similarity`.

    >>> import numpy as np
    >>> cosine_similarity(np.array([[3.0, 4.0]]), np.array([[4.0, 3.0]]))
    array([0.96])
    """
    product = dot(x1, x2, axis)
    squares = dot(x1, x1, axis) * dot(x2, x2, axis)
    most = float(np.finfo(squares.dtype).max)
    return product / math.sqrt(math.clip(squares, min=eps * eps, max=most))


def dot(x: Any, y: Any, axis: int) -> Any:
    """Compute inner products along `axis`."""
    return ops.reduce_sum(ops.elementwise_mul(x, y), dim=[axis])


def cosine_embedding_loss(
    input1: Any,
    input2: Any,
    label: Any,
    margin: float = 0.0,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """Compute the mean of 1 - cos (label 1) or max(0, cos - margin) (label -1).

    Args:
        input1: Vectors [N, M], or one [M].
        input2: Vectors of the same shape.
        label: 1 for similar, -1 for dissimilar pairs, [N].
        margin: The largest cosine of a dissimilar pair without loss.
        reduction: "mean", "sum" or "none".
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: The labels are no vector.

    In Paddle this is `paddle.nn.functional.cosine_embedding_loss`.
    """
    if len(label.shape) > 1:
        message = f"a label for each pair, got labels of shape {list(label.shape)}"
        raise ShapeError.here(f"cosine_embedding_loss: {message}")
    check_reduction(reduction)
    least = 1e-11
    squares = (dot(input1, input1, -1) + least) * (dot(input2, input2, -1) + least)
    cosine = dot(input1, input2, -1) / math.sqrt(squares)
    near, far = 1.0 - cosine, ops.relu(cosine - margin)
    return reduced(near * (label == 1) + far * (label == -1), reduction)


def triplet_margin_loss(
    input: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    epsilon: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
    name: str | None = None,
) -> Any:
    """Compute the mean of max(0, |input - positive| - |input - negative| + margin).

    Args:
        input: Anchors [N, M].
        positive: Samples that should be near them, [N, M].
        negative: Samples that should be further away, by the margin, [N, M].
        margin: The margin.
        p: The order of the norm.
        epsilon: Added to each difference, so that a distance of 0 has a gradient.
        swap: Take |positive - negative| where that is the smaller distance.
        reduction: "mean", "sum" or "none".
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: The margin is negative.

    In Paddle this is `paddle.nn.functional.triplet_margin_loss`.
    """
    if margin < 0:
        message = f"triplet_margin_loss: a margin is at least 0, got {margin}"
        raise InvalidValueError.here(message)
    check_reduction(reduction)
    near = distance(input, positive, p, epsilon)
    far = distance(input, negative, p, epsilon)
    if swap:
        between = distance(positive, negative, p, epsilon)
        far = elementwise.elementwise_min(far, between)
    return reduced(ops.relu(near - far + margin), reduction)


def distance(x: Any, y: Any, p: float, epsilon: float) -> Any:
    """Compute (sum |x - y + epsilon|^p)^(1/p) along the last dimension."""
    difference = elementwise.elementwise_sub(x, y) + epsilon
    if p == 2:
        return math.sqrt(ops.reduce_sum(math.square(difference), dim=[-1]))
    return ops.reduce_sum(math.abs_(difference) ** float(p), dim=[-1]) ** (1.0 / p)


def npair_loss(anchor: Any, positive: Any, labels: Any, l2_reg: float = 0.002) -> Any:
    """Compute the cross entropy of anchor positive'; equal labels are the targets.

    Args:
        anchor: Embeddings [N, M].
        positive: Embeddings [N, M].
        labels: [N].
        l2_reg: The weight of a quarter of the embeddings' squared norms.

    In Paddle this is `paddle.nn.functional.npair_loss`.
    """
    column, row = (unsqueeze2(labels, axes=[axis]) for axis in (1, 0))
    same = (column == row).astype(anchor.dtype)
    count = ops.reduce_sum(same, dim=[1], keep_dim=True)
    wanted = elementwise_div(same, count)
    lengths = reduced(dot(anchor, anchor, 1), "mean") + reduced(
        dot(positive, positive, 1), "mean"
    )
    likeness = matmul_v2(anchor, positive, trans_y=True)
    entropy = softmax_with_cross_entropy(likeness, wanted, soft_label=True)
    share = ops.reduce_sum(wanted * entropy, dim=[0])
    return lengths * (0.25 * l2_reg) + reduced(share, "mean")
