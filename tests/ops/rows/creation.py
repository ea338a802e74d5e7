"""Rows for `teachgraph/ops/creation.py` and `optimize.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import EVERY, UNARY_LACKS, Array, Case, Row, Wrong, unary
from tests.ops.values import numbers

CODES = {"bool": 0, "int32": 2, "int64": 3, "float32": 5, "float64": 6, "uint8": 20}
NAMES = {code: name for name, code in CODES.items()}
NO_INPUT = {"broadcast": "no input", "not contiguous": "no input"}


def of_code(dtype: str, attrs: Any) -> tuple[str, ...]:
    code = attrs.get("dtype", CODES["float32"])
    return (dtype if code == -1 else NAMES[code],)


def made(label: str, **attrs: Any) -> Case:
    return Case(label, (), attrs)


def filled(shape: Any, value: float = 0.0, dtype: int = CODES["float32"]) -> Array:
    return np.array([value] * int(np.prod(shape))).reshape(shape)


ROWS = (
    Row(
        "fill_constant",
        (
            made("scalar", shape=[], value=2.5),
            made("1-D", shape=[5], value=2.5),
            made("zeros", shape=[2, 3]),
            made("float64", shape=[2], value=0.1, dtype=CODES["float64"]),
            made("int64", shape=[2], value=3.0, dtype=CODES["int64"]),
            made("bool", shape=[2], value=1.0, dtype=CODES["bool"]),
            made("empty", shape=[0, 3], value=2.5),
        ),
        filled,
        lambda t, shape, value=0.0, dtype=5: t.full(
            shape, value, dtype=getattr(t, NAMES[dtype])
        ),
        accepts=(),
        gives=of_code,
        wrong=(
            Wrong(
                "a negative size", (), {"shape": [-2], "value": 1.0}, "OpError", "shape"
            ),
            Wrong("no such type", (), {"shape": [2], "dtype": 99}, "DTypeError", "99"),
            Wrong("no shape", (), {"value": 1.0}, "DTypeError", "shape"),
            Wrong("no number", (), {"shape": [2], "value": "one"}, "OpError"),
        ),
        lacks=NO_INPUT,
        gradient=False,
    ),
    Row(
        "fill_any_like",
        (
            *unary(value=2.0),
            Case("int64", (numbers(4),), {"value": 3.0, "dtype": CODES["int64"]}),
        ),
        lambda x, value=0.0, dtype=-1: filled(x.shape, value),
        lambda t, x, value=0.0, dtype=-1: t.full_like(
            x, value, dtype=None if dtype == -1 else getattr(t, NAMES[dtype])
        ),
        accepts=EVERY,
        gives=lambda dtype, attrs: of_code(dtype, {"dtype": -1, **attrs}),
        lacks=UNARY_LACKS,
        gradient=False,
    ),
    Row(
        "assign_value",
        (
            made("scalar", values=[1.5], shape=[]),
            made("1-D", values=[1.5, 2.5], shape=[2]),
            made("rows", values=[1, 2, 3, 4, 5, 6], shape=[2, 3], dtype=CODES["int64"]),
            made("an array", values=numbers(4), shape=[2, 2], dtype=CODES["float64"]),
            made("empty", values=[], shape=[0, 2]),
        ),
        lambda values, shape, dtype=5: np.array(list(values)).reshape(shape),
        lambda t, values, shape, dtype=5: t.tensor(
            list(values), dtype=getattr(t, NAMES[dtype])
        ).reshape(shape),
        accepts=(),
        gives=of_code,
        wrong=(
            Wrong("too few values", (), {"values": [1.0], "shape": [2]}),
            Wrong("no numbers", (), {"values": ["a"], "shape": [1]}, "OpError"),
        ),
        lacks=NO_INPUT,
        gradient=False,
    ),
)
