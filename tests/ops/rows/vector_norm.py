"""Rows for `teachgraph/ops/vector_norm.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

LACKS = {"broadcast": "one input"}
TIED = np.array([3.0, 1.0, -3.0])
SOME_ZERO = np.array([[3.0, 0.0, -4.0], [0.0, 1.0, 2.0]])
AT_ZERO = "there PyTorch's second derivative is NaN"
EVENLY = "PyTorch's norm shares the gradient of a tie out"


def length(row: Sequence[float], p: float) -> float:
    sizes = [abs(v) for v in row]
    if p == 0:
        return sum(v != 0 for v in sizes)
    if math.isinf(p):
        return max(sizes) if p > 0 else min(sizes)
    if p < 0 and 0.0 in sizes:
        return 0.0
    return math.fsum(v**p for v in sizes) ** (1 / p) if any(sizes) else 0.0


def vectors(x: Array, axes: Sequence[int], keep: bool, p: float) -> Array:
    """The length of each vector that lies along these axes."""
    kept = [i for i in range(x.ndim) if i not in axes]
    out = np.empty([x.shape[i] for i in kept])
    for place in np.ndindex(out.shape):
        index: list[Any] = [slice(None)] * x.ndim
        for axis, at in zip(kept, place, strict=True):
            index[axis] = at
        out[place] = length(x[tuple(index)].ravel().tolist(), p)
    narrow = [1 if i in axes else n for i, n in enumerate(x.shape)]
    return out.reshape(narrow) if keep else out


def axes_of(ndim: int, axis: Any, whole: bool) -> list[int]:
    several = axis if isinstance(axis, list) else [axis]
    return list(range(ndim)) if whole or not several else [a % ndim for a in several]


def p_lengths(
    x: Array,
    porder: float = 2.0,
    axis: Any = -1,
    keepdim: bool = False,
    asvector: bool = False,
) -> Array:
    return vectors(x, axes_of(x.ndim, axis, asvector), keepdim, porder)


def p_lengths_in_torch(
    t: Any,
    x: Any,
    porder: float = 2.0,
    axis: Any = -1,
    keepdim: bool = False,
    asvector: bool = False,
) -> Any:
    dim = axes_of(x.ndim, axis, asvector)
    return t.linalg.vector_norm(x, porder, dim, keepdim)


def case(label: str, x: Array, smooth: bool = True, **attrs: Any) -> Case:
    return Case(label, (x,), attrs, smooth=smooth)


def at_zero(**attrs: Any) -> Case:
    """The vector 0, where the norm has no slope and its gradient is 0."""
    return Case(
        f"at 0, p = {attrs.get('porder', 2)}",
        (np.zeros(3),),
        attrs,
        smooth=False,
        differs=AT_ZERO,
        paddle=lambda dout: (np.zeros(3),),
    )


def frobenius(
    x: Array, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False
) -> Array:
    return vectors(x, axes_of(x.ndim, list(dim), reduce_all), keep_dim, 2.0)


def frobenius_in_torch(
    t: Any,
    x: Any,
    dim: Sequence[int] = (),
    keep_dim: bool = False,
    reduce_all: bool = False,
) -> Any:
    axes = axes_of(x.ndim, list(dim), reduce_all)
    return t.linalg.vector_norm(x, 2, axes, keep_dim)


ROWS = (
    Row(
        "frobenius_norm",
        (
            case("scalar", numbers(), dim=[0], reduce_all=True),
            case("1-D", numbers(5), dim=[0]),
            case("2-D", numbers(4, 3), dim=[0, 1]),
            case("rows, kept", numbers(4, 3), dim=[-1], keep_dim=True),
            case("all", numbers(4, 3), dim=[0], reduce_all=True, keep_dim=True),
            case("zeros", SOME_ZERO, dim=[1]),
            at_zero(dim=[0]),
            case("empty", numbers(0, 3), dim=[1]),
            case("not contiguous", turned(numbers(4, 5)), dim=[0]),
        ),
        frobenius,
        frobenius_in_torch,
        wrong=(
            Wrong("no such axis", (numbers(4, 3),), {"dim": [2]}, "OpError", "2"),
            Wrong("half an axis", (numbers(4, 3),), {"dim": [0.5]}, "DTypeError"),
            Wrong("one twice", (numbers(4, 3),), {"dim": [0, -2]}, "ShapeError"),
        ),
        lacks=LACKS,
    ),
    Row(
        "p_norm",
        (
            case("scalar", numbers(), porder=3.0, asvector=True),
            case("1-D", numbers(5)),
            case("rows", numbers(4, 3), axis=1, porder=1.0),
            case("columns, kept", numbers(4, 3), axis=0, keepdim=True, porder=3.0),
            case("all", numbers(4, 3), asvector=True, porder=1.5),
            case("both", numbers(4, 3, 2), axis=[0, 2], porder=4.0),
            case("the largest", numbers(4, 3), axis=1, porder=math.inf),
            case("the smallest", numbers(4, 3), axis=1, porder=-math.inf),
            case("how many", SOME_ZERO, smooth=False, porder=0.0),
            case("below 1", numbers(4, 3), porder=0.5),
            case("below 0", numbers(4, 3), porder=-1.0),
            case("zeros", SOME_ZERO, axis=1),
            case("zeros, p = 1", SOME_ZERO, smooth=False, axis=1, porder=1.0),
            case("zeros, p = 3", SOME_ZERO, axis=1, porder=3.0),
            Case(
                "zeros, p = 1.5",
                (np.array([4.0, 0.0, -4.0]),),
                {"porder": 1.5},
                smooth=False,
                differs="PyTorch's second derivative is NaN where one of them is 0",
                paddle=lambda dout: (dout * np.array([1.0, 0.0, -1.0]) / 2 ** (1 / 3),),
            ),
            at_zero(porder=2.0),
            at_zero(porder=3.0),
            at_zero(porder=1.5),
            case("at 0, p = 1", np.zeros(3), smooth=False, porder=1.0),
            case("empty", numbers(0, 3), axis=1),
            case("not contiguous", turned(numbers(4, 5)), axis=0),
            Case(
                "a tie",
                (TIED,),
                {"porder": math.inf},
                smooth=False,
                differs=EVENLY,
                paddle=lambda dout: (dout * np.array([1.0, 0.0, -1.0]),),
            ),
        ),
        p_lengths,
        p_lengths_in_torch,
        wrong=(
            Wrong("no such axis", (numbers(4, 3),), {"axis": 2}, "OpError", "2"),
            Wrong("half an axis", (numbers(4, 3),), {"axis": 0.5}, "DTypeError"),
            Wrong("a truth", (numbers(4, 3),), {"axis": True}, "DTypeError", "True"),
            Wrong("one twice", (numbers(4, 3),), {"axis": [0, -2]}, "ShapeError"),
        ),
        lacks=LACKS,
    ),
)
