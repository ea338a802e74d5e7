"""Rows for `teachgraph/ops/repeat.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.contract import UNARY_LACKS, Array, Case, Row, Wrong
from tests.ops.rows.shape import at_once, like, moved
from tests.ops.values import numbers, turned


def full(old: Sequence[int], shape: Sequence[int]) -> list[int]:
    """A target shape with -1 filled in."""
    padded = [1] * (len(shape) - len(old)) + list(old)
    return [n if m == -1 else m for m, n in zip(shape, padded, strict=True)]


def filled(x: Array, shape: Sequence[int]) -> Array:
    out = np.empty(full(x.shape, shape))
    out[...] = x
    return out


def tiled(x: Array, repeat_times: Sequence[int]) -> Array:
    """Reads round and round along each dimension."""
    ndim = max(x.ndim, len(repeat_times))
    x = x.reshape((1,) * (ndim - x.ndim) + x.shape)
    times = [1] * (ndim - len(repeat_times)) + list(repeat_times)
    out = np.empty([n * k for n, k in zip(x.shape, times, strict=True)])
    for place in np.ndindex(out.shape):
        out[place] = x[tuple(p % n for p, n in zip(place, x.shape, strict=True))]
    return out


def untiled(x: Array, y: Array, repeat_times: Sequence[int]) -> Array:
    shape = (1,) * (x.ndim - y.ndim) + y.shape
    out = np.zeros(shape)
    for place in np.ndindex(x.shape):
        out[tuple(p % n for p, n in zip(place, shape, strict=True))] += x[place]
    return out.reshape(y.shape)


def untiled_in_torch(t: Any, x: Any, y: Any, repeat_times: Sequence[int]) -> Any:
    (back,) = t.autograd.grad(
        t.tile((leaf := t.zeros_like(y, requires_grad=True)), tuple(repeat_times)),
        leaf,
        x,
        create_graph=True,
    )
    return back


def copied(x: Array, repeats: Array | None = None, dim: int = 0, **n: int) -> Array:
    counts = [n["Repeats"]] * x.shape[dim] if repeats is None else repeats.tolist()
    source = [i for i, count in enumerate(counts) for _ in range(count)]
    return np.take(x, source, dim)


def copied_in_torch(t: Any, x: Any, repeats: Any = None, dim: int = 0, **n: int) -> Any:
    return t.repeat_interleave(x, n["Repeats"] if repeats is None else repeats, dim)


def uncopied(
    x: Array, y: Array, repeats: Array | None = None, dim: int = 0, **n: int
) -> Array:
    out = np.zeros(y.shape)
    counts = [n["Repeats"]] * y.shape[dim] if repeats is None else repeats.tolist()
    rows, sums, at = np.moveaxis(x, dim, 0), np.moveaxis(out, dim, 0), 0
    for i, count in enumerate(counts):
        for _ in range(count):
            sums[i] += rows[at]
            at += 1
    return out


def uncopied_in_torch(
    t: Any, x: Any, y: Any, repeats: Any = None, dim: int = 0, **n: int
) -> Any:
    often = t.tensor(n["Repeats"]) if repeats is None else repeats
    source = t.arange(y.shape[dim]).repeat_interleave(
        often.broadcast_to((y.shape[dim],))
    )
    return t.zeros_like(y).index_add(dim, source, x)


COUNTS = np.array([2, 0, 1])


ROWS: tuple[Row, ...] = (
    moved(
        "expand_v2",
        filled,
        lambda t, x, shape: x.expand(shape),
        at_once("scalar", numbers(), shape=[2]),
        at_once("1-D", numbers(3), shape=[3]),
        at_once("broadcast", numbers(2, 1), shape=[2, 3]),
        at_once("broadcast up", numbers(3), shape=[2, 3]),
        at_once("sizes kept", numbers(2, 1, 3), shape=[2, -1, 2, -1]),
        at_once("empty", numbers(0, 1), shape=[-1, 3]),
        at_once("not contiguous", turned(numbers(4, 3)), shape=[2, 4, 3]),
        wrong=(
            Wrong("another size", (numbers(3),), {"shape": [4]}),
            Wrong("fewer dimensions", (numbers(4, 3),), {"shape": [3]}),
            Wrong("a new size unknown", (numbers(3),), {"shape": [-1, 3]}),
            Wrong("a size below -1", (numbers(1),), {"shape": [-2]}),
        ),
    ),
    moved(
        "broadcast_among",
        lambda x, *y: x + sum(np.zeros(part.shape) for part in y),
        lambda t, x, *y: t.broadcast_tensors(x, *y)[0].clone(),
        Case("scalar", (numbers(), numbers(3)), constant=(1,)),
        Case("1-D", (numbers(3), numbers(3)), constant=(1,)),
        Case("broadcast", (numbers(2, 1), numbers(3), numbers(1)), constant=(1, 2)),
        Case("empty", (numbers(1, 3), numbers(0, 1)), constant=(1,)),
        Case("not contiguous", (turned(numbers(4, 3)), numbers(3)), constant=(1,)),
        wrong=(Wrong("sizes that differ", (numbers(3), numbers(4))),),
    ),
    moved(
        "tile",
        tiled,
        lambda t, x, repeat_times: t.tile(x, tuple(repeat_times)),
        at_once("scalar", numbers(), repeat_times=[3]),
        at_once("1-D", numbers(3), repeat_times=[2]),
        at_once("2-D", numbers(2, 3), repeat_times=[2, 1]),
        at_once("the last alone", numbers(2, 2), repeat_times=[3]),
        at_once("more dimensions", numbers(3), repeat_times=[2, 1, 2]),
        at_once("not at all", numbers(3), repeat_times=[0]),
        at_once("empty", numbers(0, 3), repeat_times=[2, 1]),
        at_once("not contiguous", turned(numbers(3, 2)), repeat_times=[1, 2]),
        wrong=(
            Wrong(
                "less than not at all",
                (numbers(3),),
                {"repeat_times": [-1]},
                "InvalidValueError",
            ),
        ),
        lacks=UNARY_LACKS,
    ),
    moved(
        "untile",
        untiled,
        untiled_in_torch,
        like("scalar", numbers(3), repeat_times=[3]),
        like("1-D", numbers(6), 3, repeat_times=[2]),
        like("2-D", numbers(4, 3), 2, 3, repeat_times=[2, 1]),
        like("more dimensions", numbers(2, 1, 6), 3, repeat_times=[2, 1, 2]),
        like("empty", numbers(0, 3), 0, 3, repeat_times=[2, 1]),
        like("not contiguous", turned(numbers(3, 4)), 3, 2, repeat_times=[1, 2]),
        wrong=(Wrong("no tiles", (numbers(5), numbers(3)), {"repeat_times": [2]}),),
        lacks={"broadcast": "the shapes say all"},
        accepts=("float32", "float64"),
        refuses=(),
        inner=True,
    ),
    moved(
        "repeat_interleave",
        copied,
        copied_in_torch,
        at_once("1-D", numbers(3), COUNTS),
        Case("all alike", (numbers(3), None), {"Repeats": 2}),
        Case("columns", (numbers(2, 3), None), {"Repeats": 2, "dim": 1}),
        Case("rows by a tensor", (numbers(3, 2), COUNTS), {"dim": -2}),
        Case("not at all", (numbers(3), None), {"Repeats": 0}),
        Case("empty", (numbers(0, 3), None), {"Repeats": 2}),
        Case("not contiguous", (turned(numbers(3, 2)), COUNTS)),
        wrong=(
            Wrong("a count too few", (numbers(3), COUNTS[1:])),
            Wrong(
                "half a count", (numbers(3), numbers(3)), {}, "DTypeError", "integers"
            ),
            Wrong(
                "less than not at all",
                (numbers(3), -COUNTS),
                {},
                "InvalidValueError",
                by_value=True,
            ),
        ),
        lacks={"scalar": "nothing to repeat along", "broadcast": "it repeats anyway"},
        by_value=True,
    ),
    moved(
        "unrepeat",
        uncopied,
        uncopied_in_torch,
        Case("1-D", (numbers(3), numbers(3), COUNTS), constant=(1,)),
        Case(
            "all alike", (numbers(6), numbers(3), None), {"Repeats": 2}, constant=(1,)
        ),
        Case(
            "columns",
            (numbers(2, 6), numbers(2, 3), None),
            {"Repeats": 2, "dim": 1},
            constant=(1,),
        ),
        Case("empty", (numbers(0), numbers(3), None), {"Repeats": 0}, constant=(1,)),
        Case(
            "not contiguous",
            (turned(numbers(3, 2)), numbers(3, 2), COUNTS),
            constant=(1,),
        ),
        lacks={"scalar": "nothing to repeat along", "broadcast": "it sums"},
        accepts=("float32", "float64"),
        refuses=(),
        inner=True,
    ),
)
