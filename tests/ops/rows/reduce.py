"""Rows for `teachgraph/ops/reduce.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.ops.contract import EVERY, Array, Case, Row, Wrong, always, each, unary
from tests.ops.values import numbers, turned

LACKS = {"broadcast": "one input"}
EVENLY = "PyTorch's amax and amin share a tie's gradient out"
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
    Wrong("no number", (numbers(4, 3),), {"dim": [math.nan]}, "DTypeError", "nan"),
    Wrong("a truth", (numbers(4, 3),), {"dim": [True]}, "DTypeError", "True"),
    Wrong("a word", (numbers(4, 3),), {"dim": ["x"]}, "DTypeError", "'x'"),
    Wrong(
        "one twice of all",
        (numbers(4, 3),),
        {"dim": [1, 1], "reduce_all": True},
        "ShapeError",
    ),
)

AN_EMPTY_SUM = Case("the sum of nothing", (numbers(0, 3),), {"dim": [0]})
NOTHING = Wrong("the largest of nothing", (numbers(0, 3),), {"dim": [0]})


ZEROS = Case("zeros", (np.array([[0.0, 1.0], [0.0, 0.0], [2.0, 3.0]]),), {"dim": [1]})
LARGE = Case("large", (numbers(3, 4, low=990.0, high=1010.0),), {"dim": [1]})
MASKED = Case(
    "masked", (np.array([[1.0, -math.inf], [2.0, 3.0]]),), {"dim": [1]}, smooth=False
)
NAN = np.array([1.0, math.nan, 3.0])

PRODUCTS = (
    Case("the product of nothing", (numbers(0, 3),), {"dim": [0]}),
    Case("zeros in a row", (np.array([2.0, 0.0, 3.0, 4.0]),)),
    Case("two zeros", (np.array([[2.0, 0.0, 3.0], [0.0, 0.0, 5.0]]),), {"dim": [1]}),
    Case("zeros, all", (np.array([[2.0, 0.0, 3.0], [1.0, 4.0, 5.0]]),)),
)


def tied(which: list[list[int]] | None) -> Case:
    """A tie, in which Paddle's max and min give the gradient to `which`, whole."""
    if which is None:
        return Case("a tie", (TIED,), {"dim": [1]}, smooth=False)
    return Case(
        "a tie",
        (TIED,),
        {"dim": [1]},
        smooth=False,
        differs=EVENLY,
        paddle=lambda dout: (dout[:, None] * which,),
    )


def torch_truth(name: str) -> Callable[..., Any]:
    """PyTorch's `all` or `any`."""

    def twin(
        t: Any,
        x: Any,
        dim: Sequence[int] = (),
        keep_dim: bool = False,
        reduce_all: bool = False,
    ) -> Any:
        axes = along(x.ndim, dim, reduce_all)
        truth = x.bool()
        return getattr(t, name)(truth, dim=axes, keepdim=keep_dim) if axes else truth

    return twin


def product_in_torch(
    t: Any,
    x: Any,
    dim: Sequence[int] = (),
    keep_dim: bool = False,
    reduce_all: bool = False,
) -> Any:
    for axis in sorted(along(x.ndim, dim, reduce_all), reverse=True):
        x = t.prod(x, axis, keepdim=keep_dim)
    return x


def renamed(attrs: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a reduction as `logsumexp` calls them."""
    names = {"dim": "axis", "keep_dim": "keepdim"}
    return {names.get(name, name): value for name, value in attrs.items()}


def log_sum_exp(row: list[float]) -> float:
    top = max(row)
    return top + math.log(math.fsum(math.exp(v - top) for v in row))


def logsumexp_in_torch(
    t: Any,
    x: Any,
    axis: Sequence[int] = (),
    keepdim: bool = False,
    reduce_all: bool = False,
) -> Any:
    axes = along(x.ndim, axis, reduce_all)
    return t.logsumexp(x, axes or 0, keepdim=keepdim)


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
        wrong=WRONG,
        lacks=LACKS,
    ),
    *(
        Row(
            op,
            (*CASES, tied(which)),
            folded(fold),
            torch_reduction(twin),
            accepts=EVERY,
            wrong=(*WRONG, NOTHING),
            lacks=LACKS,
        )
        for op, fold, twin, which in (
            ("reduce_max", max, "amax", [[0, 1, 1], [1, 1, 0]]),
            ("reduce_min", min, "amin", [[1, 0, 0], [0, 0, 1]]),
            ("reduce_amax", max, "amax", None),
            ("reduce_amin", min, "amin", None),
        )
    ),
    *(
        Row(
            f"reduce_{name}",
            (*CASES, Case(f"{name} of nothing", (numbers(0, 3),), {"dim": [0]}), ZEROS),
            folded(lambda row, fold=fold: float(fold(row))),
            torch_truth(name),
            accepts=EVERY,
            gives=always("bool"),
            wrong=WRONG,
            lacks=LACKS,
            gradient=False,
        )
        for name, fold in (("all", all), ("any", any))
    ),
    Row(
        "reduce_prod",
        (*CASES, *PRODUCTS),
        folded(math.prod),
        product_in_torch,
        accepts=EVERY,
        gives=lambda dtype, attrs: ("int64" if dtype == "bool" else dtype,),
        wrong=WRONG,
        lacks=LACKS,
    ),
    Row(
        "logsumexp",
        tuple(
            Case(case.label, case.inputs, renamed(case.attrs), case.smooth)
            for case in (*CASES, LARGE, MASKED)
        ),
        lambda x, axis=(), keepdim=False, reduce_all=False: folded(log_sum_exp)(
            x, axis, keepdim, reduce_all
        ),
        logsumexp_in_torch,
        wrong=tuple(
            Wrong(w.label, w.inputs, renamed(w.attrs), w.error, w.says) for w in WRONG
        ),
        lacks=LACKS,
    ),
    Row(
        "zero_nan",
        (*unary(), Case("what is no number", (NAN,), smooth=False)),
        each(lambda v: 0.0 if math.isnan(v) else v),
        lambda t, x: t.nan_to_num(x),
        refuses=(),
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
