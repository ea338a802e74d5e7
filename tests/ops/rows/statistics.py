"""Rows for `teachgraph/ops/statistics.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import EVERY, Array, Case, Row, Wrong, always
from tests.ops.values import integers, numbers, positive, turned

FROM_MINUS_2 = {"bins": 4, "min": -2, "max": 2}


def counted(x: Array, bins: int = 100, min: float = 0, max: float = 0) -> Array:
    """Finds the interval of each number."""
    values = [float(v) for v in x.ravel()]
    low, high = (min, max) if min < max else extent(values)
    counts = [0] * bins
    for v in values:
        if low <= v <= high:
            counts[int((v - low) / (high - low) * bins) if v < high else -1] += 1
    return np.array(counts)


def extent(values: list[float]) -> tuple[float, float]:
    low, high = (min(values), max(values)) if values else (0.0, 0.0)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def counted_in_torch(
    t: Any, x: Any, bins: int = 100, min: float = 0, max: float = 0
) -> Any:
    return t.histc(x, bins, min, max)


def weighed(x: Array, weights: Array | None = None, minlength: int = 0) -> Array:
    out = [0.0] * max(minlength, max(x, default=-1) + 1)
    for i, n in enumerate(x):
        out[n] += 1 if weights is None else weights[i]
    return np.array(out)


WHOLE: Any = {"whole": True}


def weighed_wrongly(label: str, *weights: float, says: str, attrs: Any = None) -> Wrong:
    inputs = np.array(weights), numbers(3, len(weights))
    return Wrong(label, inputs, attrs or {}, "InvalidValueError", says, by_value=True)


ROWS = (
    Row(
        "histogram",
        (
            Case("scalar", (numbers(),), FROM_MINUS_2),
            Case("1-D", (numbers(9),), FROM_MINUS_2),
            Case("2-D", (numbers(4, 3),), {"bins": 3}),
            Case("some outside", (numbers(9),), {"bins": 5, "min": -1, "max": 1}),
            Case("one number", (np.array([1.5, 1.5]),), {"bins": 2}),
            Case("empty", (numbers(0, 3),), {"bins": 3}),
            Case("not contiguous", (turned(numbers(4, 5)),), FROM_MINUS_2),
        ),
        counted,
        lonely="PyTorch's histc counts in floats, and widens an empty range by 1",
        accepts=EVERY,
        gives=always("int64"),
        wrong=(
            Wrong("no bins", (numbers(4),), {"bins": 0}, "InvalidValueError", "0 bins"),
            Wrong(
                "an end before the start",
                (numbers(4),),
                {"min": 2, "max": 1},
                "InvalidValueError",
                "from 2 to 1",
            ),
            Wrong(
                "a NaN",
                (np.array([1.0, np.nan]),),
                {},
                "InvalidValueError",
                "finite range",
                by_value=True,
            ),
        ),
        lacks={"broadcast": "one input"},
        gradient=False,
    ),
    Row(
        "bincount",
        (
            Case("1-D", (integers(7, below=5),)),
            Case("at least", (integers(4, below=3),), {"minlength": 6}),
            Case("empty", (integers(0, below=3),)),
            Case("not contiguous", (turned(integers(5, below=4)),)),
        ),
        weighed,
        lambda t, x, weights=None, minlength=0: t.bincount(x, weights, minlength),
        gives=always("int64"),
        accepts=("int64",),
        refuses=(),
        wrong=(
            Wrong(
                "below 0",
                (np.array([1, -1]),),
                {},
                "InvalidValueError",
                "-1",
                by_value=True,
            ),
            Wrong("no integers", (numbers(3),), {}, "DTypeError", "integers"),
            Wrong("a matrix", (integers(2, 2, below=3),)),
            Wrong("too few weights", (integers(3, below=3), numbers(2))),
            Wrong(
                "fewer than none",
                (integers(3, below=3),),
                {"minlength": -1},
                "InvalidValueError",
                "-1",
            ),
        ),
        lacks={"scalar": "it counts numbers in a row", "broadcast": "nor does it here"},
        gradient=False,
        by_value=True,
    ),
    Row(
        "checked_weights",
        (
            Case("1-D", (positive(3), numbers(2, 3)), constant=(1,)),
            Case("not contiguous", (turned(positive(3)), numbers(2, 3)), constant=(1,)),
            Case(
                "frequencies",
                (np.array([2.0, 0.0, 1.0]), numbers(2, 3)),
                WHOLE,
                constant=(0, 1),
            ),
        ),
        lambda x, y, whole=False: x,
        lambda t, x, y, whole=False: x,
        refuses=(),
        wrong=(
            Wrong("too few", (positive(2), numbers(2, 3)), error="ShapeError"),
            Wrong("a matrix", (positive(1, 3), numbers(2, 3)), error="ShapeError"),
            weighed_wrongly("a negative one", -1.0, 2.0, says="got -1"),
            weighed_wrongly("none but 0", 0.0, 0.0, says="all weights are 0"),
            weighed_wrongly("half a time", 0.5, 1.0, attrs=WHOLE, says="an integer"),
        ),
        lacks={
            "scalar": "there is one for each column",
            "broadcast": "nor does it here",
            "empty": "some weight is not 0",
        },
    ),
)
