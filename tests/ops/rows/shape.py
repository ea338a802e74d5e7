"""Rows for `teachgraph/ops/shape.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.ops.contract import (
    EVERY,
    FLOATS,
    UNARY_LACKS,
    Array,
    Case,
    Row,
    Wrong,
    always,
    beside,
    unary,
)
from tests.ops.values import numbers, turned


def like(label: str, x: Array, *y: int, **attrs: Any) -> Case:
    """A call whose second input counts by its shape alone."""
    return Case(label, (x, numbers(*y)), attrs, constant=(1,))


def at_once(label: str, *inputs: Array, **attrs: Any) -> Case:
    return Case(label, inputs, attrs)


def repeated(x: Array, y: Array, axis: int = -1) -> Array:
    return (
        np.broadcast_to(beside(x, y=x, axis=-1), y.shape)
        if axis == -1
        else (np.broadcast_to(beside(y, x, axis), y.shape))
    )


def repeated_in_torch(t: Any, x: Any, y: Any, axis: int = -1) -> Any:
    return (x if axis == -1 else beside(y, x, axis)).expand(y.shape)


def summed(x: Array, y: Array, axis: int = -1) -> Array:
    """Adds every element of x to the place it was broadcast from."""
    narrow = beside(x, y, axis).shape
    narrow = (1,) * (x.ndim - len(narrow)) + narrow
    out = np.zeros(narrow)
    for place in np.ndindex(x.shape):
        source = [0 if n == 1 else p for n, p in zip(narrow, place, strict=True)]
        out[tuple(source)] += x[place]
    return out.reshape(y.shape)


def summed_in_torch(t: Any, x: Any, y: Any, axis: int = -1) -> Any:
    return x.sum_to_size(beside(x, y, axis).shape).reshape(y.shape)


def sizes(shape: Sequence[int], old: Sequence[int], count: int) -> list[int]:
    """A target shape with 0 and -1 filled in, by Paddle's description."""
    kept = [old[i] if n == 0 and count else n for i, n in enumerate(shape)]
    known = math.prod(n for n in kept if n != -1)
    return [count // known if n == -1 else n for n in kept]


def in_order(x: Array, shape: Sequence[int]) -> Array:
    """Fills the new shape with the elements one after the other."""
    out = np.empty(sizes(shape, x.shape, x.size))
    for place, value in zip(np.ndindex(out.shape), x.flatten().tolist(), strict=True):
        out[place] = value
    return out


def with_ones(ndim: int, axes: Sequence[int]) -> list[int]:
    """Where dimensions of size 1 stand in the result."""
    return [axis % (ndim + len(axes)) for axis in axes]


def with_ones_in(x: Any, axes: Sequence[int]) -> Any:
    """An array or a PyTorch tensor with a dimension of 1 at each of the axes."""
    old = iter(x.shape)
    at = with_ones(x.ndim, axes)
    ndim = x.ndim + len(at)
    return x.reshape(tuple(1 if i in at else next(old) for i in range(ndim)))


def permuted(x: Array, axis: Sequence[int]) -> Array:
    out = np.empty([x.shape[i] for i in axis])
    for place in np.ndindex(out.shape):
        source = {axis[k] % x.ndim: p for k, p in enumerate(place)}
        out[place] = x[tuple(source[i] for i in range(x.ndim))]
    return out


def without_ones(x: Any, axes: Sequence[int]) -> Any:
    """An array or a PyTorch tensor without the named dimensions."""
    named = [axis % x.ndim for axis in axes]
    kept = [n for i, n in enumerate(x.shape) if i not in named]
    return x.reshape(tuple(kept))


def made_one(x: Array, start_axis: int = 1, stop_axis: int = 1) -> Array:
    """The elements in order, in a shape with a product in it."""
    sizes = list(x.shape) or [1]
    start, stop = start_axis % len(sizes), stop_axis % len(sizes)
    return in_order(
        x, [*sizes[:start], math.prod(sizes[start : stop + 1]), *sizes[stop + 1 :]]
    )


def moved(
    op: str, value: Callable[..., Any], twin: Any, *cases: Case, **facts: Any
) -> Row:
    """A row for an op that moves elements about, of whatever dtype."""
    return Row(op, cases, value, twin, **{"accepts": EVERY, **facts})


ROWS = (
    moved(
        "assign",
        np.copy,
        lambda t, x: t.clone(x),
        *unary(),
        lacks=UNARY_LACKS,
    ),
    moved(
        "expand_as_v2",
        repeated,
        repeated_in_torch,
        like("scalar", numbers()),
        like("1-D", numbers(), 5),
        like("broadcast", numbers(3), 4, 3),
        like("broadcast inside", numbers(4, 1, 3), 4, 5, 3),
        like("broadcast at an axis", numbers(4), 4, 5, axis=0),
        like("broadcast in the middle", numbers(5), 4, 5, 3, axis=1),
        like("nothing to do", numbers(4, 3), 4, 3),
        like("empty", numbers(3), 0, 3),
        like("not contiguous", turned(numbers(4, 3)), 2, 4, 3),
        wrong=(
            Wrong("sizes that differ", (numbers(4), numbers(4, 3))),
            Wrong("too many dimensions", (numbers(2, 4), numbers(4))),
        ),
        inner=True,
    ),
    moved(
        "unbroadcast",
        summed,
        summed_in_torch,
        like("scalar", numbers()),
        like("1-D", numbers(5)),
        like("broadcast", numbers(4, 3), 3),
        like("broadcast inside", numbers(4, 5, 3), 4, 1, 3),
        like("broadcast on both sides", numbers(2, 4, 5), 4, 1),
        like("broadcast at an axis", numbers(4, 5), 4, axis=0),
        like("broadcast in the middle", numbers(4, 5, 3), 5, axis=1),
        like("broadcast in the middle, of one", numbers(4, 5, 3), 1, axis=1),
        like("nothing to do", numbers(4, 3), 4, 3),
        like("empty", numbers(0, 3), 3),
        like("empty stays", numbers(4, 0), 1, 0),
        like("not contiguous", turned(numbers(4, 3)), 3),
        wrong=(
            Wrong("sizes that differ", (numbers(4, 3), numbers(4))),
            Wrong("sizes that differ inside", (numbers(4, 3), numbers(2, 3))),
            Wrong("too many dimensions", (numbers(4), numbers(2, 4))),
        ),
        accepts=FLOATS,
        refuses=(),
        inner=True,
    ),
    moved(
        "reshape2",
        in_order,
        lambda t, x, shape: x.reshape(sizes(shape, x.shape, x.numel())),
        at_once("scalar", numbers(), shape=[1, 1]),
        at_once("to a scalar", numbers(1, 1), shape=[]),
        at_once("1-D", numbers(6), shape=[2, 3]),
        at_once("one size unknown", numbers(4, 6), shape=[-1, 3]),
        at_once("one size kept", numbers(4, 6), shape=[0, 2, 3]),
        at_once("one kept, one unknown", numbers(4, 6), shape=[0, -1, 2]),
        at_once("empty", numbers(0, 3), shape=[3, 0]),
        at_once("not contiguous", turned(numbers(4, 3)), shape=[2, 6]),
        wrong=(
            Wrong("another number of elements", (numbers(4, 3),), {"shape": [5, 2]}),
            Wrong("no number fits", (numbers(4, 3),), {"shape": [-1, 5]}),
            Wrong("two sizes unknown", (numbers(4, 3),), {"shape": [-1, -1]}),
            Wrong("a size below -1", (numbers(4, 3),), {"shape": [-2, 6]}),
            Wrong(
                "keeps what is not there", (numbers(4),), {"shape": [4, 0]}, "OpError"
            ),
            Wrong("half a size", (numbers(4),), {"shape": [0.5, 8]}, "DTypeError"),
        ),
        lacks=UNARY_LACKS,
    ),
    moved(
        "reshape_as",
        lambda x, y: in_order(x, y.shape),
        lambda t, x, y: x.reshape(y.shape),
        like("scalar", numbers(), 1),
        like("1-D", numbers(6), 2, 3),
        like("3-D", numbers(4, 6), 3, 2, 4),
        like("empty", numbers(0, 3), 5, 0),
        like("not contiguous", turned(numbers(4, 3)), 6, 2),
        wrong=(Wrong("another number of elements", (numbers(4, 3), numbers(5, 2))),),
        lacks={"broadcast": "it neither adds nor drops elements"},
        inner=True,
    ),
    moved(
        "view_dtype",
        lambda input, dtype: np.frombuffer(input.tobytes(), np.int64).reshape(
            input.shape
        ),
        lambda t, x, dtype: x.view(t.int64),
        *unary(dtype=3),
        accepts=("float64",),
        refuses=(),
        gives=always("int64"),
        lacks=UNARY_LACKS,
        wrong=(
            Wrong("half an element", (np.zeros(3, np.int32),), {"dtype": 3}),
            Wrong("a scalar of other bytes", (np.zeros((), np.int32),), {"dtype": 3}),
        ),
        gradient=False,
    ),
    moved(
        "unsqueeze2",
        with_ones_in,
        lambda t, x, axes: with_ones_in(x, axes),
        at_once("scalar", numbers(), axes=[0]),
        at_once("1-D", numbers(5), axes=[0]),
        at_once("at the end", numbers(4, 3), axes=[-1]),
        at_once("two", numbers(4, 3), axes=[0, 2]),
        at_once("empty", numbers(0, 3), axes=[1]),
        at_once("not contiguous", turned(numbers(4, 3)), axes=[1]),
        wrong=(
            Wrong("too far right", (numbers(4),), {"axes": [2]}, "OpError", "2"),
            Wrong("one twice", (numbers(4),), {"axes": [0, 0]}, "OpError"),
        ),
        lacks=UNARY_LACKS,
    ),
    moved(
        "transpose2",
        permuted,
        lambda t, x, axis: x.permute(axis),
        at_once("scalar", numbers(), axis=[]),
        at_once("1-D", numbers(5), axis=[0]),
        at_once("2-D", numbers(4, 3), axis=[1, 0]),
        at_once("a cycle", numbers(4, 3, 5), axis=[2, 0, 1]),
        at_once("from the right", numbers(4, 3, 5), axis=[-1, 0, -2]),
        at_once("the other cycle", numbers(4, 3, 5), axis=[1, 2, 0]),
        at_once("empty", numbers(0, 3), axis=[1, 0]),
        at_once("not contiguous", turned(numbers(4, 3, 5)), axis=[0, 2, 1]),
        wrong=(
            Wrong("an axis left out", (numbers(4, 3),), {"axis": [0]}),
            Wrong("an axis twice", (numbers(4, 3),), {"axis": [0, 0]}),
            Wrong("no such axis", (numbers(4, 3),), {"axis": [0, 2]}, "OpError", "2"),
        ),
        lacks=UNARY_LACKS,
    ),
    moved(
        "squeeze2",
        without_ones,
        lambda t, x, axes: without_ones(x, axes),
        at_once("scalar", numbers(), axes=[]),
        at_once("1-D", numbers(1), axes=[0]),
        at_once("one of two", numbers(1, 3, 1), axes=[0]),
        at_once("from the right", numbers(1, 3, 1), axes=[-1]),
        at_once("both", numbers(1, 3, 1), axes=[2, 0]),
        at_once("nothing named, none there", numbers(2, 3), axes=[]),
        at_once("empty", numbers(0, 1), axes=[1]),
        at_once("not contiguous", turned(numbers(4, 1, 3)), axes=[1]),
        wrong=(
            Wrong("no such axis", (numbers(4),), {"axes": [1]}, "OpError", "1"),
            Wrong("one twice", (numbers(1, 4),), {"axes": [0, -2]}, "OpError"),
            Wrong("what is no 1", (numbers(1, 4),), {"axes": [0, 1]}),
        ),
        lacks=UNARY_LACKS,
    ),
    moved(
        "flatten_contiguous_range",
        made_one,
        lambda t, x, start_axis=1, stop_axis=1: x.flatten(start_axis, stop_axis),
        at_once("scalar", numbers(), start_axis=0, stop_axis=-1),
        at_once("1-D", numbers(5), start_axis=0, stop_axis=0),
        at_once("all", numbers(2, 3, 4), start_axis=0, stop_axis=-1),
        at_once("the last two", numbers(2, 3, 4), start_axis=1, stop_axis=2),
        at_once("the first two", numbers(2, 3, 4), start_axis=-3, stop_axis=-2),
        at_once("nothing to do", numbers(2, 3), start_axis=1, stop_axis=1),
        at_once("empty", numbers(0, 3, 2), start_axis=1, stop_axis=2),
        at_once("not contiguous", turned(numbers(4, 3)), start_axis=0, stop_axis=1),
        wrong=(
            Wrong(
                "the wrong way round",
                (numbers(2, 3),),
                {"start_axis": 1, "stop_axis": 0},
            ),
            Wrong(
                "no such axis",
                (numbers(2, 3),),
                {"start_axis": 0, "stop_axis": 2},
                "OpError",
            ),
        ),
        lacks=UNARY_LACKS,
    ),
    moved(
        "shape",
        lambda x: np.array(x.shape, int),
        lambda t, x: t.tensor(x.shape, dtype=t.int32),
        *unary(),
        gives=always("int32"),
        gradient=False,
        lacks=UNARY_LACKS,
    ),
    moved(
        "size",
        np.size,
        lambda t, x: t.tensor(x.numel()),
        *unary(),
        gives=always("int64"),
        gradient=False,
        lacks=UNARY_LACKS,
    ),
    moved(
        "is_empty",
        lambda x: 0 in x.shape,
        lambda t, x: t.tensor(x.numel() == 0),
        *unary(),
        gives=always("bool"),
        gradient=False,
        lacks=UNARY_LACKS,
    ),
)
