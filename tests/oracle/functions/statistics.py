"""Reductions, orders and statistics that are made of several ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.contract import Case
from tests.ops.values import numbers
from tests.oracle.functions.function import Function

X, CUBE, ROW, EVEN = numbers(4, 3), numbers(2, 3, 4), numbers(5), numbers(6)
HOLES = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, np.nan], [0.5, 2.0, 7.0]])


def case(label: str, x: Any, **attrs: Any) -> Case:
    return Case(label, (x,), attrs)


def over(*more: Case, **attrs: Any) -> tuple[Case, ...]:
    """A reduction over all, one, several and of a scalar."""
    return (
        case("scalar", numbers(), **attrs),
        case("all", X, **attrs),
        case("all, kept", X, keepdim=True, **attrs),
        case("rows", X, axis=1, **attrs),
        case("columns, kept", X, axis=-2, keepdim=True, **attrs),
        case("two of three", CUBE, axis=[0, -1], **attrs),
        case("a tuple", CUBE, axis=(1,), **attrs),
        *more,
    )


def ours(name: str) -> Callable[..., Any]:
    def call(library: Any, *inputs: Any, **attrs: Any) -> Any:
        return getattr(library, name)(*inputs, **attrs)

    return call


def dims(x: Any, axis: Any) -> tuple[int, ...]:
    """Dimensions as PyTorch takes them."""
    several = axis if isinstance(axis, (list, tuple)) else (axis,)
    return tuple(range(x.ndim)) if axis is None else tuple(a % x.ndim for a in several)


def over_dims(name: str) -> Callable[..., Any]:
    """PyTorch's reduction of that name, where it takes several dimensions."""

    def twin(t: Any, x: Any, axis: Any = None, keepdim: bool = False) -> Any:
        return getattr(t, name)(x, dim=dims(x, axis), keepdim=keepdim)

    return twin


def spread(name: str) -> Callable[..., Any]:
    """PyTorch's `var` or `std`, in Paddle's words."""

    def twin(
        t: Any,
        x: Any,
        axis: Any = None,
        unbiased: bool = True,
        keepdim: bool = False,
    ) -> Any:
        correction = 1 if unbiased and x.ndim else 0
        where = {"dim": dims(x, axis), "keepdim": keepdim}
        return getattr(t, name)(x, correction=correction, **where)

    return twin


def in_order(t: Any, x: Any, axis: Any) -> Any:
    """The dimensions that are reduced as one, the last."""
    along = dims(x, axis)
    kept = [i for i in range(x.ndim) if i not in along]
    return x.permute((*kept, *along)).reshape([*(x.shape[i] for i in kept), -1])


def quantile_in_torch(
    t: Any, x: Any, q: Any = 0.5, axis: Any = None, keepdim: bool = False
) -> Any:
    shares = t.tensor(q, dtype=x.dtype)
    found = t.quantile(in_order(t, x, axis), shares, dim=-1)
    if keepdim:
        for at in sorted(dims(x, axis)):
            found = found.unsqueeze(at + shares.ndim)
    return found


def quantile(library: Any, x: Any, **attrs: Any) -> Any:
    """Ours gives float64, as Paddle's does."""
    return library.quantile(x, **attrs).astype(x.dtype)


def norm_in_torch(
    t: Any, x: Any, p: Any = "fro", axis: Any = None, keepdim: bool = False
) -> Any:
    order = 2.0 if p == "fro" else p
    return t.linalg.vector_norm(x, order, dims(x, axis), keepdim)


def top(t: Any, x: Any, k: int, axis: Any = -1, largest: bool = True) -> Any:
    return tuple(t.topk(x, k, -1 if axis is None else axis, largest))


FAMILY = (
    Function("sum", ours("sum"), over_dims("sum"), over()),
    Function("mean", ours("mean"), over_dims("mean"), over()),
    Function("amax", ours("amax"), over_dims("amax"), over()),
    Function("amin", ours("amin"), over_dims("amin"), over()),
    Function("logsumexp", ours("logsumexp"), over_dims("logsumexp"), over()),
    Function(
        "var",
        ours("var"),
        spread("var"),
        over(case("of the sample itself", X, axis=1, unbiased=False)),
    ),
    Function(
        "std",
        ours("std"),
        spread("std"),
        over(case("of the sample itself", X, axis=1, unbiased=False))[1:],
    ),
    Function(
        "median",
        ours("median"),
        quantile_in_torch,
        over(case("odd", ROW), case("even", EVEN)),
    ),
    Function(
        "quantile",
        quantile,
        quantile_in_torch,
        (
            *over(q=0.3),
            case("an end", ROW, q=1.0),
            case("several", CUBE, q=[0.25, 0.5, 0.9], axis=1),
            case("several, kept", CUBE, q=[0.25, 0.9], axis=[0, 2], keepdim=True),
        ),
    ),
    Function(
        "norm",
        ours("norm"),
        norm_in_torch,
        (
            *over(),
            case("Manhattan", X, p=1, axis=0),
            case("a cube", CUBE, p=3, axis=[0, 2], keepdim=True),
            case("Euclid", X, p=2, axis=[0, 1]),
            case("the largest", X, p=float("inf")),
            case("the smallest of two", CUBE, p=-float("inf"), axis=(0, 2)),
        ),
    ),
    Function(
        "nansum",
        ours("nansum"),
        over_dims("nansum"),
        (*over(), case("holes", HOLES, axis=1)),
    ),
    Function(
        "nanmean",
        ours("nanmean"),
        over_dims("nanmean"),
        (*over(), case("holes", HOLES, axis=1)),
    ),
    Function(
        "count_nonzero",
        ours("count_nonzero"),
        lambda t, x, axis=None, keepdim=False: (x != 0).sum(dims(x, axis), keepdim),
        over(),
        gradient=False,
        static=False,
    ),
    Function(
        "topk",
        ours("topk"),
        top,
        (
            case("the largest", X, k=2),
            case("the smallest of columns", X, k=3, axis=0, largest=False),
            case("Paddle's default", X, k=1, axis=None),
        ),
    ),
)
