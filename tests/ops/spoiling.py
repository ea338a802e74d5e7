"""Arguments that are everything they should not be, and what a refusal must say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import teachgraph as tg
from teachgraph.core.errors import TeachgraphError

Call = tuple[list[Any], dict[str, Any]]
"""Arguments by position and by name."""


class Nothing:
    """No argument at all."""

    def __repr__(self) -> str:
        return "<object>"


WRONG: list[Any] = [
    None,
    True,
    0,
    -7,
    99,
    1.5,
    float("nan"),
    float("inf"),
    1 + 2j,
    "words",
    Nothing(),
    {},
    {"a": 1},
    [],
    [[]],
    [-7],
    [99, 99],
    [0, 0],
    [1.5],
    [float("nan")],
    ["words"],
    [None],
    [[1, 2], [3]],
    (),
    (-1, -1),
    (2, 0),
    slice(None),
    len,
    np.float32,
    np.array(["a", "b"]),
    np.array([None, 1], object),
    np.array([1 + 2j]),
    np.array(["2020-01-01"], "datetime64[D]"),
    tg.Tensor(np.array(2.0)),
    tg.Tensor(np.array(-7)),
    tg.Tensor(np.array([True, False])),
    tg.Tensor(np.array([99, -99])),
    tg.Tensor(np.array([np.nan, np.inf])),
    tg.Tensor(np.zeros((0,))),
    tg.Tensor(np.zeros((0, 3), np.int64)),
    tg.Tensor(np.zeros((3, 0, 2, 2))),
    tg.Tensor(np.ones((1, 2, 1, 2, 1, 2))),
    tg.Tensor(np.ones((5, 7), np.float32)),
    tg.Tensor(np.ones((2, 3), np.uint8)),
    [tg.Tensor(np.ones(2)), tg.Tensor(np.ones(3))],
    [tg.Tensor(np.ones(2)), None],
]


def spoilt(call: Call) -> Iterator[Call]:
    """The same with one argument wrong, each in every way."""
    positional, named = call
    for wrong in WRONG:
        for place in range(len(positional)):
            yield [*positional[:place], wrong, *positional[place + 1 :]], named
        for key in named:
            yield positional, named | {key: wrong}


def is_told(name: str, error: Exception) -> bool:
    """Whether it is one of ours that names an op or the function, or a call's own."""
    ours = isinstance(error, TeachgraphError | TypeError)
    return ours and bool(getattr(error, "op", "") or name in str(error))
