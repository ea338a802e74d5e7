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
    beside,
    unary,
)
from tests.ops.values import numbers, turned

TO_THE_END = 2**31 - 1


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


def joined(*parts: Array, axis: int = 0) -> Array:
    """Turns the axis to the front, where joining is what lists do."""
    rows = [row for part in parts for row in np.moveaxis(part, axis, 0)]
    return np.moveaxis(np.stack(rows), 0, axis)


def index(
    ndim: int,
    axes: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    decrease_axis: Sequence[int] = (),
) -> tuple[Any, ...]:
    """What would stand in brackets."""
    found: list[Any] = [slice(None)] * ndim
    for axis, start, end in zip(axes, starts, ends, strict=True):
        found[axis] = start if axis in decrease_axis else slice(start, end)
    return tuple(found)


def cut(x: Any, **where: Any) -> Any:
    """Works for arrays and PyTorch's tensors alike."""
    return x[index(x.ndim, **where)]


def cut_of(*shape: int, **where: Any) -> Array:
    """Numbers in the shape of such a part."""
    part = numbers(*shape)[index(len(shape), **where)]
    return numbers(*np.shape(part))


def put_back(x: Array, y: Array, **where: Any) -> Array:
    out = np.zeros(y.shape)
    out[index(y.ndim, **where)] = x
    return out


def put_back_in_torch(t: Any, x: Any, y: Any, **where: Any) -> Any:
    out = t.zeros_like(y)
    out[index(y.ndim, **where)] = x
    return out


def window(label: str, *shape: int, **where: Any) -> tuple[str, tuple[int, ...], Any]:
    return label, shape, where


WINDOWS = (
    window("1-D", 5, axes=[0], starts=[1], ends=[4]),
    window("rows", 5, 3, axes=[0], starts=[1], ends=[4]),
    window("from the right", 5, 4, axes=[0, 1], starts=[-3, 1], ends=[-1, -1]),
    window("to the end", 5, 4, axes=[1], starts=[2], ends=[TO_THE_END]),
    window("one row", 5, 4, axes=[0], starts=[2], ends=[3], decrease_axis=[0]),
    window(
        "the last element",
        5,
        4,
        axes=[0, 1],
        starts=[-1, -1],
        ends=[TO_THE_END, TO_THE_END],
        decrease_axis=[0, 1],
    ),
    window(
        "the middle axis", 4, 5, 3, axes=[1], starts=[3], ends=[4], decrease_axis=[1]
    ),
    window("all", 4, 3, axes=[], starts=[], ends=[]),
    window("scalar", axes=[], starts=[], ends=[]),
    window("nothing left", 5, 3, axes=[0], starts=[3], ends=[3]),
    window("empty", 0, 3, axes=[1], starts=[0], ends=[2]),
)


CUT_WRONG = (
    Wrong(
        "no such axis",
        (numbers(4),),
        {"axes": [1], "starts": [0], "ends": [1]},
        "OpError",
    ),
    Wrong(
        "a start too few",
        (numbers(4),),
        {"axes": [0], "starts": [], "ends": [1]},
        "OpError",
    ),
    Wrong(
        "half a start",
        (numbers(4),),
        {"axes": [0], "starts": [0.5], "ends": [1]},
        "DTypeError",
    ),
    Wrong(
        "an index out of range",
        (numbers(4),),
        {"axes": [0], "starts": [4], "ends": [5], "decrease_axis": [0]},
        "OpError",
    ),
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
        "concat",
        joined,
        lambda t, *parts, axis=0: t.cat(parts, dim=axis),
        at_once("1-D", numbers(4), numbers(3, start=20)),
        at_once("one alone", numbers(4, 3)),
        at_once("rows", numbers(4, 3), numbers(2, 3, start=20)),
        at_once("columns", numbers(4, 3), numbers(4, 5, start=20), axis=1),
        at_once("from the right", numbers(4, 3), numbers(4, 5, start=20), axis=-1),
        at_once(
            "three",
            numbers(4, 1, 3),
            numbers(4, 2, 3, start=20),
            numbers(4, 5, 3, start=50),
            axis=-2,
        ),
        at_once("empty", numbers(0, 3), numbers(2, 3)),
        at_once("not contiguous", turned(numbers(4, 3)), numbers(4, 3, start=20)),
        wrong=(
            Wrong("another size beside", (numbers(4, 3), numbers(4, 2))),
            Wrong("other ranks", (numbers(4, 3), numbers(4))),
            Wrong(
                "other dtypes",
                (numbers(4), numbers(4).astype("float32")),
                error="DTypeError",
            ),
            Wrong("scalars", (numbers(), numbers())),
            Wrong(
                "no such axis", (numbers(4), numbers(4)), {"axis": 1}, "OpError", "1"
            ),
        ),
        lacks={"scalar": "nothing to join along", "broadcast": "it repeats nothing"},
    ),
    moved(
        "slice",
        cut,
        lambda t, x, **where: cut(x, **where),
        *(at_once(label, numbers(*shape), **where) for label, shape, where in WINDOWS),
        at_once(
            "not contiguous", turned(numbers(5, 4)), axes=[1], starts=[1], ends=[3]
        ),
        wrong=CUT_WRONG,
        lacks=UNARY_LACKS,
    ),
    moved(
        "unslice",
        put_back,
        put_back_in_torch,
        *(
            like(label, cut_of(*shape, **where), *shape, **where)
            for label, shape, where in WINDOWS
        ),
        like(
            "not contiguous",
            turned(numbers(5, 2)),
            5,
            4,
            axes=[1],
            starts=[1],
            ends=[3],
        ),
        wrong=(
            Wrong(
                "another part",
                (numbers(4), numbers(5)),
                {"axes": [0], "starts": [0], "ends": [3]},
            ),
            Wrong(
                "no such axis",
                (numbers(4), numbers(4)),
                {"axes": [1], "starts": [0], "ends": [4]},
                "OpError",
            ),
        ),
        lacks={"broadcast": "it repeats nothing"},
        inner=True,
    ),
)
