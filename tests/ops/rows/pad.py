"""Rows for `teachgraph/ops/pad.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.contract import FLOATS, UNARY_LACKS, Array, Case, Row, Wrong
from tests.ops.rows.shape import at_once, like, moved
from tests.ops.values import numbers, turned

VOLUME = UNARY_LACKS | {"scalar": "a volume", "1-D": "a volume"}


def bordered(x: Array, paddings: Sequence[int], pad_value: float = 0.0) -> Array:
    before, after = paddings[::2], paddings[1::2]
    sizes = [b + n + a for b, n, a in zip(before, x.shape, after, strict=True)]
    out = np.full(sizes, pad_value)
    for place in np.ndindex(x.shape):
        out[tuple(p + b for p, b in zip(place, before, strict=True))] = x[place]
    return out


def reversed_pairs(paddings: Sequence[int]) -> list[int]:
    """Paddings from the last dimension on, as PyTorch takes them."""
    pairs = [paddings[i : i + 2] for i in range(0, len(paddings), 2)]
    return [n for pair in pairs[::-1] for n in pair]


def bordered_in_torch(
    t: Any, x: Any, paddings: Sequence[int], pad_value: float = 0.0
) -> Any:
    return t.nn.functional.pad(x, reversed_pairs(paddings), value=pad_value)


def source(place: int, size: int, mode: str) -> int | None:
    """Which element is seen at a place before, in or after a line of them."""
    if 0 <= place < size:
        return place
    if mode == "replicate":
        return min(max(place, 0), size - 1)
    if mode == "circular":
        return place % size
    return (
        (-place if place < 0 else 2 * (size - 1) - place) if mode == "reflect" else None
    )


def around(
    x: Array,
    paddings: Sequence[int],
    mode: str = "constant",
    value: float = 0.0,
    data_format: str = "NCDHW",
) -> Array:
    if data_format == "NDHWC":
        turned_in = np.moveaxis(x, -1, 1)
        return np.moveaxis(around(turned_in, paddings, mode, value), 1, -1)
    left, right, top, bottom, front, back = paddings
    first = (0, 0, front, top, left)
    last = (0, 0, back, bottom, right)
    sizes = [b + n + a for b, n, a in zip(first, x.shape, last, strict=True)]
    out = np.full(sizes, value)
    for place in np.ndindex(out.shape):
        seen = [
            source(p - b, n, mode)
            for p, b, n in zip(place, first, x.shape, strict=True)
        ]
        if None not in seen:
            out[place] = x[tuple(seen)]
    return out


def around_in_torch(
    t: Any,
    x: Any,
    paddings: Sequence[int],
    mode: str = "constant",
    value: float = 0.0,
    data_format: str = "NCDHW",
) -> Any:
    if data_format == "NDHWC":
        out = around_in_torch(t, x.movedim(-1, 1), paddings, mode, value)
        return out.movedim(1, -1)
    constant = {"value": value} if mode == "constant" else {}
    return t.nn.functional.pad(x, tuple(paddings), mode, **constant)


def taken_back(x: Array, y: Array, **how: Any) -> Array:
    """Each element gets what stands at its images."""
    numbered = np.arange(1, y.size + 1).reshape(y.shape)
    images = around(numbered, **how).astype(int)
    out = [x[images == number].sum() for number in range(1, y.size + 1)]
    return np.array(out, float).reshape(y.shape)


def taken_back_in_torch(t: Any, x: Any, y: Any, **how: Any) -> Any:
    leaf = t.zeros_like(y, requires_grad=True)
    out = around_in_torch(t, leaf, **how)
    return t.autograd.grad(out, leaf, x, create_graph=True)[0]


def volume(label: str, *shape: int, **attrs: Any) -> Case:
    return at_once(label, numbers(*shape), **attrs)


def back(label: str, *shape: int, **how: Any) -> Case:
    x = around(numbers(*shape), **how)
    return like(label, numbers(*x.shape), *shape, **how)


ROWS: tuple[Row, ...] = (
    moved(
        "pad",
        bordered,
        bordered_in_torch,
        at_once("scalar", numbers(), paddings=[]),
        at_once("1-D", numbers(3), paddings=[1, 2]),
        at_once("2-D", numbers(2, 3), paddings=[0, 1, 2, 0], pad_value=1.5),
        at_once("nothing to do", numbers(2, 3), paddings=[0, 0, 0, 0]),
        at_once("empty", numbers(0, 2), paddings=[1, 0, 0, 1]),
        at_once("not contiguous", turned(numbers(4, 3)), paddings=[1, 0, 0, 1]),
        wrong=(
            Wrong("a number too few", (numbers(3),), {"paddings": [1]}),
            Wrong(
                "less than nothing",
                (numbers(3),),
                {"paddings": [-2, -2]},
                "InvalidValueError",
            ),
        ),
        lacks=UNARY_LACKS,
        accepts=("float32", "float64", "int64"),
        refuses=(),
    ),
    moved(
        "pad3d",
        around,
        around_in_torch,
        volume("constant", 1, 1, 1, 2, 3, paddings=[1, 0, 0, 1, 0, 0], value=1.5),
        volume(
            "replicate", 1, 2, 1, 2, 2, paddings=[2, 0, 0, 1, 0, 0], mode="replicate"
        ),
        volume("reflect", 1, 1, 1, 2, 3, paddings=[2, 1, 1, 0, 0, 0], mode="reflect"),
        volume("circular", 1, 1, 1, 2, 3, paddings=[2, 1, 0, 2, 0, 0], mode="circular"),
        volume(
            "channels last",
            1,
            1,
            1,
            3,
            2,
            paddings=[2, 0, 0, 0, 0, 0],
            mode="reflect",
            data_format="NDHWC",
        ),
        volume("empty", 0, 1, 1, 2, 2, paddings=[1, 0, 0, 0, 0, 0]),
        at_once(
            "not contiguous",
            turned(numbers(1, 1, 1, 3, 2)),
            paddings=[0, 0, 1, 1, 0, 0],
            mode="replicate",
        ),
        wrong=(
            Wrong(
                "a mirror too wide",
                (numbers(1, 1, 1, 1, 2),),
                {"paddings": [2, 0, 0, 0, 0, 0], "mode": "reflect"},
                "InvalidValueError",
            ),
            Wrong(
                "another mode",
                (numbers(1, 1, 1, 1, 2),),
                {"paddings": [1, 0, 0, 0, 0, 0], "mode": "bounce"},
                "InvalidValueError",
            ),
            Wrong(
                "another format",
                (numbers(1, 1, 1, 1, 2),),
                {"paddings": [1, 0, 0, 0, 0, 0], "data_format": "NCHW"},
                "InvalidValueError",
            ),
            Wrong("a picture", (numbers(1, 1, 1, 2),), {"paddings": [0] * 6}),
            Wrong(
                "a padding too few", (numbers(1, 1, 1, 1, 2),), {"paddings": [0] * 5}
            ),
        ),
        lacks=VOLUME,
        accepts=("float32", "float64", "int64"),
        refuses=(),
    ),
    moved(
        "unpad3d",
        taken_back,
        taken_back_in_torch,
        *(
            back(mode, 1, 1, 1, 2, 3, paddings=[2, 1, 0, 1, 0, 0], **how)
            for mode in ("constant", "replicate", "reflect", "circular")
            for how in [{"mode": mode, "data_format": "NCDHW"}]
        ),
        back(
            "empty",
            0,
            1,
            1,
            2,
            2,
            paddings=[1, 0, 0, 0, 0, 0],
            mode="constant",
            data_format="NCDHW",
        ),
        like(
            "not contiguous",
            turned(numbers(1, 1, 1, 3, 3)),
            1,
            1,
            1,
            3,
            2,
            paddings=[1, 0, 0, 0, 0, 0],
            mode="circular",
            data_format="NCDHW",
        ),
        lacks={**VOLUME, "broadcast": "it repeats nothing"},
        accepts=FLOATS,
        refuses=(),
        inner=True,
    ),
)
