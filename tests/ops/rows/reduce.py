"""Rows for `teachgraph/ops/reduce.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.ops.contract import EVERY, Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

LACKS = {"broadcast": "one input"}
EVENLY = "PyTorch's amax shares a tie's gradient out"
TIED = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 1.0]])


def along(ndim: int, dim: Sequence[int], reduce_all: bool) -> list[int]:
    """The dimensions that are reduced, from 0."""
    return list(range(ndim)) if reduce_all or not dim else [d % ndim for d in dim]


def folded(fold: Callable[[list[float]], float]) -> Callable[..., Array]:
    """A reduction that folds a list of numbers at a time."""

    def value(
        x: Array,
        dim: Sequence[int] = (),
        keep_dim: bool = False,
        reduce_all: bool = False,
    ) -> Array:
        axes = along(x.ndim, dim, reduce_all)
        kept = [n for i, n in enumerate(x.shape) if i not in axes]
        rows = np.moveaxis(x, axes, range(-len(axes), 0)) if axes else x
        lists = rows.reshape(math.prod(kept), -1) if x.size else [[]] * math.prod(kept)
        results = np.array([fold([float(v) for v in row]) for row in lists])
        narrow = [1 if i in axes else n for i, n in enumerate(x.shape)]
        return results.reshape(narrow if keep_dim else kept)

    return value


def torch_reduction(name: str) -> Callable[..., Any]:
    """PyTorch's reduction of that name."""

    def twin(
        t: Any,
        x: Any,
        dim: Sequence[int] = (),
        keep_dim: bool = False,
        reduce_all: bool = False,
    ) -> Any:
        axes = along(x.ndim, dim, reduce_all)
        return getattr(t, name)(x, dim=axes, keepdim=keep_dim)

    return twin


def mean(row: list[float]) -> float:
    return math.fsum(row) / len(row)


CASES = (
    Case("scalar", (numbers(),)),
    Case("1-D", (numbers(5),)),
    Case("all by name", (numbers(4, 3),), {"reduce_all": True}),
    Case("all, dimensions kept", (numbers(4, 3),), {"keep_dim": True}),
    Case("the first", (numbers(4, 3),), {"dim": [0]}),
    Case("the last, kept", (numbers(4, 3),), {"dim": [-1], "keep_dim": True}),
    Case("two of three", (numbers(4, 3, 5),), {"dim": [0, 2]}),
    Case("two, from the right", (numbers(4, 3, 5),), {"dim": [-1, 0]}),
    Case("empty", (numbers(0, 3),), {"dim": [1]}),
    Case("not contiguous", (turned(numbers(4, 5)),), {"dim": [0]}),
)

WRONG = (
    Wrong("a dimension too many", (numbers(4, 3),), {"dim": [2]}, "OpError", "2"),
    Wrong("one too few", (numbers(4, 3),), {"dim": [-3]}, "OpError", "-3"),
    Wrong("one twice", (numbers(4, 3),), {"dim": [0, 0]}, "OpError"),
    Wrong("one twice, in two ways", (numbers(4, 3),), {"dim": [1, -1]}, "OpError"),
    Wrong("half a dimension", (numbers(4, 3),), {"dim": [0.5]}, "DTypeError"),
)

AN_EMPTY_SUM = Case("the sum of nothing", (numbers(0, 3),), {"dim": [0]})
NOTHING = Wrong("the largest of nothing", (numbers(0, 3),), {"dim": [0]})


def floating_mean(dtype: str, attrs: Mapping[str, Any]) -> tuple[str, ...]:
    return (dtype if dtype.startswith("float") else "float64",)


def repeated(
    x: Array,
    y: Array,
    dim: Sequence[int] = (),
    keep_dim: bool = False,
    reduce_all: bool = False,
    mean: bool = False,
) -> Array:
    """Looks up, for every place in y, the number of x it was reduced into."""
    axes = along(y.ndim, dim, reduce_all)
    count = math.prod(y.shape[i] for i in axes)
    out = np.empty(y.shape)
    for place in np.ndindex(y.shape):
        kept = [p for i, p in enumerate(place) if i not in axes]
        narrow = [0 if i in axes else p for i, p in enumerate(place)]
        number = x[tuple(narrow if keep_dim else kept)]
        out[place] = number / count if mean else number
    return out


def repeated_in_torch(
    t: Any,
    x: Any,
    y: Any,
    dim: Sequence[int] = (),
    keep_dim: bool = False,
    reduce_all: bool = False,
    mean: bool = False,
) -> Any:
    axes = along(y.ndim, dim, reduce_all)
    narrow = [1 if i in axes else n for i, n in enumerate(y.shape)]
    share = math.prod(y.shape[i] for i in axes) if mean else 1
    return x.reshape(narrow).expand(y.shape) / share


def spreading(label: str, result: Array, source: Array, **attrs: Any) -> Case:
    return Case(label, (result, source), attrs, constant=(1,))


ROWS = (
    Row(
        "reduce_sum",
        (*CASES, AN_EMPTY_SUM),
        folded(math.fsum),
        torch_reduction("sum"),
        accepts=EVERY,
        gives=lambda dtype, attrs: ("int64" if dtype == "bool" else dtype,),
        wrong=WRONG,
        lacks=LACKS,
    ),
    Row(
        "reduce_mean",
        CASES,
        folded(mean),
        torch_reduction("mean"),
        accepts=EVERY,
        gives=floating_mean,
        wrong=WRONG,
        lacks=LACKS,
    ),
    Row(
        "reduce_max",
        (
            *CASES,
            Case(
                "a tie",
                (TIED,),
                {"dim": [1]},
                smooth=False,
                differs=EVENLY,
                paddle=lambda dout: (dout[:, None] * [[0, 1, 1], [1, 1, 0]],),
            ),
        ),
        folded(max),
        torch_reduction("amax"),
        accepts=EVERY,
        wrong=(*WRONG, NOTHING),
        lacks=LACKS,
    ),
    Row(
        "spread",
        (
            spreading("scalar", numbers(), numbers()),
            spreading("1-D", numbers(), numbers(5)),
            spreading("all", numbers(), numbers(4, 3), reduce_all=True),
            spreading("broadcast", numbers(3), numbers(4, 3), dim=[0]),
            spreading("kept", numbers(4, 1), numbers(4, 3), dim=[-1], keep_dim=True),
            spreading("two of three", numbers(3), numbers(4, 3, 5), dim=[0, 2]),
            spreading("in shares", numbers(4), numbers(4, 3), dim=[1], mean=True),
            spreading("empty", numbers(0), numbers(0, 3), dim=[1]),
            spreading("not contiguous", turned(numbers(4)), numbers(4, 3), dim=[1]),
        ),
        repeated,
        repeated_in_torch,
        accepts=EVERY,
        gives=lambda dtype, attrs: (
            floating_mean(dtype, attrs) if attrs.get("mean") else (dtype,)
        ),
        wrong=(
            Wrong("a size that differs", (numbers(4), numbers(4, 3)), {"dim": [0]}),
            Wrong(
                "no such dimension", (numbers(4), numbers(4)), {"dim": [3]}, "OpError"
            ),
        ),
        inner=True,
    ),
)
