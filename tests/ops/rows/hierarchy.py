"""Rows for `teachgraph/ops/hierarchy.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

LACKS = {
    "scalar": "a label has a row of features",
    "1-D": "a label has a row of features",
    "broadcast": "each label has a row of its own",
}
LABEL = np.array([[0], [5], [3], [2]])
TABLE = np.array([[0, 2, -1], [0, 1, 3], [4, -1, -1], [-1, 2, 3]])
CODE = np.array([[1, 0, -1], [0, 1, 1], [1, -1, -1], [-1, 1, 1]])


def steps(label: int, num_classes: int) -> list[tuple[int, int]]:
    """From the leaf to the root of a heap: parents, and which child one comes from."""
    found, place = [], label + num_classes
    while place > 1:
        found.append((place // 2 - 1, place % 2))
        place //= 2
    return found


def ways(
    label: Array, path_table: Any, path_code: Any, num_classes: int
) -> tuple[list[list[tuple[int, int]]], int]:
    """The path of each label, and how long the longest may be."""
    if path_table is None:
        longest = math.ceil(math.log2(num_classes))
        return [steps(int(k), num_classes) for k in label.ravel()], longest
    found = []
    for nodes, codes in zip(path_table.tolist(), path_code.tolist(), strict=True):
        end = next((k for k, node in enumerate(nodes) if node < 0), len(nodes))
        found.append(list(zip(nodes[:end], codes[:end], strict=True)))
    return found, path_table.shape[1]


def way(
    x: Array,
    label: Array,
    path_table: Any = None,
    path_code: Any = None,
    num_classes: int = 2,
) -> Any:
    found, longest = ways(label, path_table, path_code, num_classes)
    nodes = np.zeros((len(found), longest), np.int64)
    turns, inside = np.zeros(nodes.shape), np.zeros(nodes.shape)
    for i, path in enumerate(found):
        for k, (node, turn) in enumerate(path):
            nodes[i, k], turns[i, k], inside[i, k] = node, turn, 1.0
    return nodes, turns, inside


def loss(
    x: Array,
    w: Array,
    label: Array,
    path_table: Any = None,
    path_code: Any = None,
    bias: Any = None,
    num_classes: int = 2,
) -> Array:
    """Minus the log-probability of all turns, and ln 2 for each that is not made."""
    found, longest = ways(label, path_table, path_code, num_classes)
    out = np.zeros((len(x), 1))
    for i, path in enumerate(found):
        out[i] = (longest - len(path)) * math.log(2)
        for node, turn in path:
            score = math.fsum(x[i] * w[node]) + (0.0 if bias is None else bias[node, 0])
            right = 1 / (1 + math.exp(-score))
            out[i] -= math.log(right if turn else 1 - right)
    return out


def loss_in_torch(
    t: Any,
    x: Any,
    w: Any,
    label: Any,
    path_table: Any = None,
    path_code: Any = None,
    bias: Any = None,
    num_classes: int = 2,
) -> Any:
    given = [None if p is None else p.numpy() for p in (path_table, path_code)]
    nodes, turns, inside = map(
        t.from_numpy, way(x, label.numpy(), *given, num_classes=num_classes)
    )
    score = (w[nodes] * x[:, None]).sum(-1)
    score = score if bias is None else score + bias[nodes, 0]
    each = t.nn.functional.binary_cross_entropy_with_logits(
        score * inside, turns, reduction="none"
    )
    unused = 0.0 if bias is None else 0.0 * bias.sum()
    return each.sum(1, keepdim=True) + 0.0 * w.sum() + unused


def case(label: str, *rest: Any, classes: int = 6, rows: int = 4, **more: Any) -> Case:
    x, w = numbers(rows, 3), numbers(classes - 1, 3, start=70)
    return Case(label, (x, w, LABEL[:rows], *rest), {"num_classes": classes}, **more)


BIAS = numbers(5, 1, start=130)
SIX = {"num_classes": 6}
X, W = numbers(4, 3), numbers(5, 3, start=70)

ROWS = (
    Row(
        "tree_path",
        (
            Case("a heap", (X, LABEL), SIX),
            Case("flat labels", (X, LABEL[:, 0]), {"num_classes": 8}),
            Case("two classes", (X[:2], LABEL[2:] - 2), {"num_classes": 2}),
            Case("paths", (X, LABEL, TABLE, CODE), SIX),
            Case("empty", (numbers(0, 3), LABEL[:0]), SIX),
            Case("not contiguous", (turned(X), turned(LABEL)), SIX),
        ),
        way,
        lonely="PyTorch has no such trees",
        gives=lambda dtype, attrs: ("int64", dtype, dtype),
        gradient=False,
        inner=True,
        refuses=(),
        lacks=LACKS,
    ),
    Row(
        "hierarchical_sigmoid",
        (
            case("without a bias"),
            case("with a bias", None, None, BIAS),
            case("a full tree", classes=8),
            case("paths", TABLE, CODE, BIAS),
            Case("flat labels", (X, W, LABEL[:, 0]), SIX),
            case("empty", rows=0),
            Case("not contiguous", (turned(X), turned(W), turned(LABEL)), SIX),
        ),
        loss,
        loss_in_torch,
        wrong=(
            Wrong("other features", (X, numbers(5, 2), LABEL), SIX),
            Wrong("too few labels", (X, W, LABEL[:3]), SIX),
            Wrong("labels in rows", (X, W, LABEL.T), SIX),
            Wrong("a bias too long", (X, W, LABEL, TABLE, CODE, numbers(6, 1)), SIX),
            Wrong("half labels", (X, W, LABEL * 0.5), SIX, "DTypeError"),
            Wrong("one class", (X, W, LABEL), {"num_classes": 1}, "InvalidValueError"),
            Wrong("half a path", (X, W, LABEL, TABLE), SIX, "InvalidValueError"),
            Wrong("a short code", (X, W, LABEL, TABLE, CODE[:, :2]), SIX),
            Wrong(
                "no such class",
                (X, W, LABEL + 1),
                SIX,
                "OutOfRangeError",
                "< 6",
                by_value=True,
            ),
            Wrong(
                "no such node",
                (X, W, LABEL, TABLE + 1, CODE),
                SIX,
                "OutOfRangeError",
                "out of range: 5 rows of weights",
                by_value=True,
            ),
        ),
        lacks=LACKS,
        known=(1, 5),
    ),
)
