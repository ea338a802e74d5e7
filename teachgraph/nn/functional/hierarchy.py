"""Hierarchical sigmoid loss: classes are leaves of a binary tree."""

from __future__ import annotations

from typing import Any

from teachgraph.ops.hierarchy import hierarchical_sigmoid

__all__ = ["hsigmoid_loss"]


def hsigmoid_loss(
    input: Any,
    label: Any,
    num_classes: int,
    weight: Any,
    bias: Any = None,
    path_table: Any = None,
    path_code: Any = None,
    is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Compute -log p(label), a product of binary decisions on the path to the leaf.

    A decision costs one product of `input` with a row of weights, and a path has about
    log2(num_classes) of them. If a path has k decisions fewer than the longest one, the
    loss is k ln 2 larger, as in Paddle; the gradients do not depend on that.

    Args:
        input: Features [N, D].
        label: Classes [N, 1], integers from 0 to num_classes - 1.
        num_classes: The number of leaves, at least 2.
        weight: A row for each inner node, [num_classes - 1, D].
        bias: A number for each inner node, [num_classes - 1, 1], or None.
        path_table: For a custom tree the inner nodes on the path to each label, [N, L];
            the first negative one ends the path.
        path_code: For such a tree the decision at each of them, 0 or 1, [N, L].
        is_sparse: Accepted for Paddle's sake; there are no sparse gradients.
        name: Accepted for Paddle's sake.

    Returns:
        The losses [N, 1].

    Raises:
        ShapeError: Sizes do not fit.
        DTypeError: Labels or paths are no integers, or the rest is not floating.
        OutOfRangeError: A class or a node is out of range.
        InvalidValueError: Fewer than two classes, or one of `path_table` and
            `path_code` without the other.

    >>> import numpy as np
    >>> hsigmoid_loss(np.ones((1, 2)), np.array([[0]]), 2, np.zeros((1, 2))).round(4)
    array([[0.6931]])

    In Paddle this is `paddle.nn.functional.hsigmoid_loss`.
    """
    paths = path_table, path_code
    return hierarchical_sigmoid(
        input, weight, label, *paths, bias, num_classes=num_classes
    )
