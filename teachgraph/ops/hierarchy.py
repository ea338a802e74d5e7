"""Hierarchical sigmoid: classes are leaves of a binary tree; O(log C), not O(C).

Each inner node is a binary classifier, and the probability of a class is the product of
the decisions on its path (Morin and Bengio, Hierarchical Probabilistic Neural Network
Language Model, 2005).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import all_in_range as in_range
from teachgraph.core.ops import reduce_sum, reduce_to
from teachgraph.errors import OutOfRangeError
from teachgraph.ops.embedding import add_rows, lookup_table_v2
from teachgraph.ops.math import sigmoid
from teachgraph.ops.shape import unsqueeze2

__all__ = ["hierarchical_sigmoid", "tree_path"]

LARGEST = 40.0
"""Scores are clipped here, where a sigmoid is 1 in any precision."""


@op(
    outputs=("nodes", "codes", "inside"),
    needs="integer labels [N, 1], or paths [N, L] and their codes [N, L]",
)
def tree_path(
    x: Any,
    label: Any,
    path_table: Any = None,
    path_code: Any = None,
    *,
    num_classes: int = 2,
) -> Any:
    """The inner nodes on the path to each label, the decisions there, and a path mask.

    The default tree is a heap: c = label + C is a leaf, c // 2 its parent, c % 2 the
    decision there, and parent p is row p - 1 of the weights. Custom paths end with the
    first negative node.
    """
    check_path(x, label, path_table, path_code, num_classes)
    if path_table is None:
        leaf = check_label(label, num_classes).reshape(-1, 1) + num_classes
        step = np.arange((num_classes - 1).bit_length())
        nodes, codes = (leaf >> (step + 1)) - 1, (leaf >> step) & 1
    else:
        nodes, codes = path_table, path_code
    inside = np.logical_and.accumulate(nodes >= 0, axis=1)
    turns = (codes != 0) & inside
    valid = np.where(inside, nodes, 0).astype(np.int64)
    return valid, turns.astype(x.dtype), inside.astype(x.dtype)


def check_label(label: Any, num_classes: int) -> Any:
    """Require labels that are classes.

    Raises:
        OutOfRangeError: A label is out of range.
    """
    if not in_range(label, num_classes):
        raise OutOfRangeError(f"labels must be >= 0 and < {num_classes}")
    return label.astype(np.int64)


def check_path(
    x: Any, label: Any, path_table: Any, path_code: Any, num_classes: Any
) -> None:
    """Check labels and custom paths.

    Raises:
        ShapeError: Sizes do not fit.
        DTypeError: Labels or paths are no integers.
        InvalidValueError: Fewer than two classes, or only one of path and code.
    """
    if isinstance(num_classes, bool) or num_classes != int(num_classes):
        raise InvalidValueError(f"num_classes = {num_classes} is no whole number")
    if (path_table is None) != (path_code is None):
        raise InvalidValueError("path_table and path_code go together")
    if path_table is None and num_classes < 2:
        raise InvalidValueError(f"Expected num_classes >= 2 (got {num_classes})")
    paths = [] if path_table is None else [path_table, path_code]
    for value in (label, *paths):
        if value.dtype.kind not in "iu":
            raise DTypeError(f"labels and paths are integers, not {value.dtype}")
    if tuple(label.shape[1:]) not in ((), (1,)) or len(label.shape) == 0:
        raise ShapeError(f"labels {list(label.shape)} are not [N, 1]")
    if any(len(p.shape) != 2 or p.shape != paths[0].shape for p in paths):
        raise ShapeError("path_table and path_code have one shape [N, L]")
    rows = {value.shape[0] for value in (x, label, *paths)} - {-1}
    if len(rows) > 1:
        raise ShapeError(f"input, labels and paths have {sorted(rows)} rows")


@tree_path.infers
def infer_path(
    x: Like,
    label: Like,
    path_table: Any = None,
    path_code: Any = None,
    *,
    num_classes: int,
) -> Any:
    """[N, L], with L the length of the longest path."""
    check_path(x, label, path_table, path_code, num_classes)
    steps = (int(num_classes) - 1).bit_length()
    steps = steps if path_table is None else path_table.shape[1]
    shape = (x.shape[0], steps)
    return [(shape, np.dtype("int64")), (shape, x.dtype), (shape, x.dtype)]


@op(
    key="hsigmoid_loss",
    needs="X [N, D], W [C, D], integer labels [N, 1] and Bias [C, 1] (or none)",
)
def hierarchical_sigmoid(
    x: Any,
    w: Any,
    label: Any,
    path_table: Any = None,
    path_code: Any = None,
    bias: Any = None,
    *,
    num_classes: int = 2,
) -> Any:
    """The sum of ln(1 + exp(s)) - turn s over all steps, for s = w[node] x + b[node].

    As in Paddle each step that a path is shorter than the longest one adds ln 2, which
    has no gradient.
    """
    check_weights(x, w, bias)
    nodes, turns, inside = tree_path.kernel(
        x, label, path_table, path_code, num_classes=num_classes
    )
    check_nodes(nodes, w)
    score = (w[nodes] * x[:, None, :]).sum(-1)
    score = score if bias is None else score + bias[nodes, 0]
    score = np.clip(score, -LARGEST, LARGEST) * inside
    return (np.log1p(np.exp(score)) - turns * score).sum(1, keepdims=True)


def check_weights(x: Any, w: Any, bias: Any) -> None:
    """Check dtypes and shapes of input, weights and bias.

    Raises:
        DTypeError: An input is not floating.
        ShapeError: Sizes do not fit.
    """
    for value in (x, w, bias):
        if value is not None and value.dtype.kind != "f":
            raise DTypeError(f"floating numbers are multiplied here, not {value.dtype}")
    if len(x.shape) != 2 or len(w.shape) != 2 or x.shape[1] != w.shape[1]:
        raise ShapeError(f"{list(x.shape)} and weights {list(w.shape)} do not fit")
    if bias is not None and tuple(bias.shape) != (w.shape[0], 1):
        raise ShapeError(f"a bias {list(bias.shape)} for {w.shape[0]} nodes")


def check_nodes(nodes: Any, w: Any) -> None:
    """Require a row of weights for each node.

    Raises:
        OutOfRangeError: A node has none.
    """
    if not in_range(nodes, len(w)):
        raise OutOfRangeError(
            f"node {nodes.max()} is out of range: {len(w)} rows of weights"
        )


@hierarchical_sigmoid.infers
def infer_hierarchical(
    x: Like,
    w: Like,
    label: Like,
    path_table: Any = None,
    path_code: Any = None,
    bias: Any = None,
    *,
    num_classes: int,
) -> Any:
    """[N, 1]."""
    check_weights(x, w, bias)
    check_path(x, label, path_table, path_code, num_classes)
    floats = [value.dtype for value in (x, w, bias) if value is not None]
    return [((x.shape[0], 1), np.result_type(*floats))]


@hierarchical_sigmoid.grad
def hierarchical_sigmoid_grad(
    dout: Any,
    x: Any,
    w: Any,
    label: Any,
    path_table: Any,
    path_code: Any,
    bias: Any,
    *,
    num_classes: int,
) -> Any:
    """ds = dout (sigmoid(s) - turn) at each step; dx = sum of ds w, dw = ds x, db = ds.

    Clipped scores have a gradient nevertheless, as in Paddle.
    """
    way = x, label, path_table, path_code
    nodes, turns, inside = tree_path(*way, num_classes=num_classes)
    rows, across = lookup_table_v2(w, nodes), unsqueeze2(x, axes=[1])
    score = reduce_sum(rows * across, dim=[-1])
    if bias is not None:
        score = score + lookup_table_v2(bias, nodes)[..., 0]
    slope = unsqueeze2(dout * (sigmoid(score) - turns) * inside, axes=[-1])
    return (
        lambda: reduce_to(reduce_sum(slope * rows, dim=[1]), x),
        lambda: reduce_to(add_rows(slope * across, w, nodes), w),
        None,
        None,
        None,
        None if bias is None else lambda: reduce_to(add_rows(slope, bias, nodes), bias),
    )
