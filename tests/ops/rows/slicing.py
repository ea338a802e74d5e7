"""Rows for `teachgraph/ops/slicing.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.contract import UNARY_LACKS, Array, Case, Row, Wrong
from tests.ops.rows.shape import at_once, like, moved
from tests.ops.values import numbers, turned

TO_THE_END = 2**31 - 1


def index(
    ndim: int,
    axes: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    strides: Sequence[int] = (),
    decrease_axis: Sequence[int] = (),
) -> tuple[Any, ...]:
    """What would stand in brackets; -1 backwards is Paddle's end at the first."""
    found: list[Any] = [slice(None)] * ndim
    steps = strides or [1] * len(axes)
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        stop = None if end == -1 and step < 0 else end
        found[axis] = start if axis in decrease_axis else slice(start, stop, step)
    return tuple(found)


def every(x: Array, **where: Any) -> Array:
    """Reads one place after the other."""
    ranges = [range(n)[i] for n, i in zip(x.shape, index(x.ndim, **where), strict=True)]
    kept = [r for r in ranges if isinstance(r, range)]
    out = np.empty([len(r) for r in kept])
    for place in np.ndindex(out.shape):
        at = iter(place)
        out[place] = x[
            tuple(r[next(at)] if isinstance(r, range) else r for r in ranges)
        ]
    return out


def in_torch(t: Any, x: Any, **where: Any) -> Any:
    """PyTorch has no negative strides: its `take` reads the same places."""
    places = np.arange(x.numel()).reshape(tuple(x.shape))
    return x.take(t.tensor(places[index(x.ndim, **where)].copy()))


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
    places = np.arange(y.numel()).reshape(tuple(y.shape))[index(y.ndim, **where)]
    flat = t.zeros_like(y).reshape(-1)
    return flat.index_put((t.tensor(places.flatten()),), x.reshape(-1)).reshape(y.shape)


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


STEPS = (
    window("1-D", 5, axes=[0], starts=[0], ends=[5], strides=[2]),
    window("backwards", 5, axes=[0], starts=[TO_THE_END], ends=[-1], strides=[-1]),
    window("backwards by 2", 5, 3, axes=[0], starts=[3], ends=[0], strides=[-2]),
    window(
        "a column backwards",
        4,
        5,
        axes=[0, 1],
        starts=[TO_THE_END, -2],
        ends=[-1, -1],
        strides=[-3, 1],
        decrease_axis=[1],
    ),
    window("a scalar", 3, axes=[0], starts=[1], ends=[2], strides=[1]),
    window("scalar", axes=[], starts=[], ends=[], strides=[]),
    window("nothing left", 5, axes=[0], starts=[1], ends=[4], strides=[-1]),
    window("empty", 0, 3, axes=[1], starts=[2], ends=[-1], strides=[-1]),
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


def cropped(x: Array, shape: Sequence[int], offsets: Sequence[int]) -> Array:
    sizes = [
        size - offset if length == -1 else length
        for length, offset, size in zip(shape, offsets, x.shape, strict=True)
    ]
    out = np.empty(sizes)
    for place in np.ndindex(out.shape):
        out[place] = x[tuple(i + o for i, o in zip(place, offsets, strict=True))]
    return out


def cropped_in_torch(
    t: Any, x: Any, shape: Sequence[int], offsets: Sequence[int]
) -> Any:
    for axis, (length, offset) in enumerate(zip(shape, offsets, strict=True)):
        size = x.shape[axis] - offset if length == -1 else length
        x = x.narrow(axis, offset, size)
    return x.clone()


def put(
    label: str,
    x: Array,
    value: Array | None,
    window: tuple[int, int, int, int] | None = None,
    dropped: Sequence[int] = (),
    none_axes: Sequence[int] = (),
    **attrs: Any,
) -> Case:
    """A value for a window along one axis, or for all of x."""
    names = ("axes", "starts", "ends", "steps")
    numbers = [[n] for n in window] if window else [[]] * 4
    attrs |= dict(zip(names, numbers, strict=True))
    attrs |= {"decrease_axes": list(dropped), "none_axes": list(none_axes)}
    attrs |= {"shape": [1], "dtype": 6} if value is None else {}
    return Case(label, (x, value), attrs)


def places_of(x: Any, where: Any) -> Array:
    """Which elements, by number, a window covers."""
    dropped, added = where["decrease_axes"], where["none_axes"]
    parts = {name: where[name] for name in ("axes", "starts", "ends")}
    found = np.arange(int(np.prod(x.shape))).reshape(tuple(x.shape))
    found = found[index(found.ndim, **parts, strides=where["steps"])]
    kept = [n for i, n in enumerate(found.shape) if i not in dropped]
    for axis in added:
        kept.insert(axis, 1)
    return found.reshape(kept)


def replaced(x: Array, value: Array | None, values: Any = (), **where: Any) -> Array:
    places = places_of(x, where)
    given = np.array(values) if value is None else value
    out = x.ravel().tolist()
    flat = np.broadcast_to(given, places.shape).ravel()
    for place, number in zip(places.ravel().tolist(), flat.tolist(), strict=True):
        out[place] = number
    return np.array(out).reshape(x.shape)


def replaced_in_torch(
    t: Any, x: Any, value: Any, values: Any = (), **where: Any
) -> Any:
    places = places_of(x, where)
    given = t.tensor(values, dtype=x.dtype) if value is None else value
    flat = given.broadcast_to(places.shape).reshape(-1)
    at = t.tensor(places.flatten())
    return x.reshape(-1).index_put((at,), flat).reshape(x.shape)


ROWS: tuple[Row, ...] = (
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
        *(
            like(f"{label}, with strides", cut_of(*shape, **where), *shape, **where)
            for label, shape, where in STEPS
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
    moved(
        "strided_slice",
        every,
        in_torch,
        *(at_once(label, numbers(*shape), **where) for label, shape, where in STEPS),
        at_once(
            "not contiguous",
            turned(numbers(5, 4)),
            axes=[1],
            starts=[3],
            ends=[0],
            strides=[-2],
        ),
        wrong=(
            Wrong(
                "a stride of 0",
                (numbers(4),),
                {"axes": [0], "starts": [0], "ends": [4], "strides": [0]},
                "InvalidValueError",
            ),
            Wrong(
                "a stride too few",
                (numbers(4, 3),),
                {"axes": [0, 1], "starts": [0, 0], "ends": [4, 3], "strides": [1]},
                "OpError",
            ),
        ),
        lacks=UNARY_LACKS,
    ),
    moved(
        "crop_tensor",
        cropped,
        cropped_in_torch,
        at_once("scalar", numbers(), shape=[], offsets=[]),
        at_once("1-D", numbers(5), shape=[2], offsets=[1]),
        at_once("the middle", numbers(4, 5), shape=[2, 3], offsets=[1, 1]),
        at_once("to the end", numbers(4, 5), shape=[-1, 2], offsets=[3, 0]),
        at_once("empty", numbers(4, 0), shape=[2, 0], offsets=[1, 0]),
        at_once("nothing left", numbers(4), shape=[-1], offsets=[4]),
        at_once("not contiguous", turned(numbers(4, 3)), shape=[2, 2], offsets=[1, 0]),
        wrong=(
            Wrong("too far", (numbers(4),), {"shape": [3], "offsets": [2]}),
            Wrong("a negative offset", (numbers(4),), {"shape": [2], "offsets": [-1]}),
            Wrong("a size below -1", (numbers(4),), {"shape": [-2], "offsets": [0]}),
            Wrong("a size too few", (numbers(4, 3),), {"shape": [1], "offsets": [0]}),
        ),
        lacks=UNARY_LACKS,
    ),
    moved(
        "set_value",
        replaced,
        replaced_in_torch,
        put("scalar", numbers(), numbers(start=20)),
        put("1-D", numbers(5), numbers(3, start=20), window=(0, 1, 4, 1)),
        put("broadcast", numbers(4, 3), numbers(3, start=20), window=(0, 1, 3, 1)),
        put("one number", numbers(4, 3), None, window=(1, 1, 2, 1), values=[2.5]),
        put("a column", numbers(4, 3), numbers(4), window=(1, 1, 2, 1), dropped=[1]),
        put("backwards", numbers(5), numbers(3, start=20), window=(0, 4, -1, -2)),
        put(
            "with None",
            numbers(4, 3),
            numbers(1, 3, start=20),
            window=(0, 2, 3, 1),
            dropped=[0],
            none_axes=[0],
        ),
        put("empty", numbers(0, 3), numbers(3), window=(1, 0, 3, 1)),
        put("nothing to write to", numbers(4), numbers(start=20), window=(0, 2, 2, 1)),
        put(
            "not contiguous",
            turned(numbers(4, 3)),
            turned(numbers(4, 2, start=20)),
            window=(1, 0, 3, 2),
        ),
        accepts=("float32", "float64", "int64"),
        refuses=(),
        wrong=(
            Wrong(
                "what does not broadcast",
                (numbers(4), numbers(3)),
                {"axes": [0], "starts": [0], "ends": [2], "steps": [1]},
            ),
            Wrong(
                "fractions among integers",
                (np.arange(4), numbers(2)),
                {"axes": [0], "starts": [0], "ends": [2], "steps": [1]},
                "DTypeError",
            ),
            Wrong(
                "a stride of 0",
                (numbers(4), numbers(2)),
                {"axes": [0], "starts": [0], "ends": [2], "steps": [0]},
                "InvalidValueError",
            ),
        ),
    ),
)
