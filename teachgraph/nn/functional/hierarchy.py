"""The loss of classes that are leaves of a tree."""

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
    """Minus the log-probability of each label: that of all turns on the way to it.

    A step costs one product of `input` with a row of weights, and there are log2 of
    `num_classes` of them. Where a path has k steps less than the longest one, the loss
    has k ln 2 more, as Paddle's; its gradients do not depend on it.

    Args:
        input: Features [N, D].
        label: Classes [N, 1], whole numbers from 0 to num_classes - 1.
        num_classes: How many leaves the tree has, at least 2.
        weight: A row for each inner node, [num_classes - 1, D].
        bias: A number for each inner node, [num_classes - 1, 1], or None.
        path_table: For a tree of one's own the inner nodes on the way to each label,
            [N, L]; the first negative one ends the path.
        path_code: For such a tree the turn at each of them, 0 or 1, [N, L].
        is_sparse: Accepted for Paddle's sake; there are no sparse gradients.
        name: Accepted for Paddle's sake.

    Returns:
        The losses [N, 1].

    Raises:
        ShapeError: Sizes do not fit.
        DTypeError: Labels or paths are no integers, or the rest is not floating.
        OutOfRangeError: There is no such class, or no such node.
        InvalidValueError: There are less than two classes, or only half a path.

    >>> import numpy as np
    >>> hsigmoid_loss(np.ones((1, 2)), np.array([[0]]), 2, np.zeros((1, 2))).round(4)
    array([[0.6931]])

    In Paddle this is `paddle.nn.functional.hsigmoid_loss`.
    """
    paths = path_table, path_code
    return hierarchical_sigmoid(
        input, weight, label, *paths, bias, num_classes=num_classes
    )
