"""Rows for `teachgraph/ops/creation.py`, `metric.py` and `optimize.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import EVERY, UNARY_LACKS, Array, Case, Row, Wrong, unary
from tests.ops.values import integers, numbers, turned

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


def best(x: Array, k: int = 1, axis: int = -1, largest: bool = True) -> Any:
    """Sorts each vector by value, then by place."""
    sign = -1 if largest else 1
    rows = np.moveaxis(x, axis, -1)
    order = [
        sorted(range(len(row)), key=lambda i, row=row: (sign * row[i], i))[:k]
        for row in rows.reshape(-1, rows.shape[-1])
    ]
    indices = np.array(order, dtype=int).reshape(*rows.shape[:-1], k)
    return (
        np.moveaxis(np.take_along_axis(rows, indices, -1), -1, axis),
        np.moveaxis(indices, -1, axis),
    )


def best_in_torch(
    t: Any, x: Any, k: int = 1, axis: int = -1, largest: bool = True
) -> Any:
    return tuple(t.topk(x, k, dim=axis, largest=largest))


def where_largest(
    x: Array, axis: int = -1, keepdims: bool = False, flatten: bool = False
) -> Array:
    if flatten:
        values = x.ravel().tolist()
        return np.array(values.index(max(values))).reshape(
            [1] * x.ndim if keepdims else []
        )
    rows = np.moveaxis(x, axis, -1)
    places = [row.tolist().index(max(row)) for row in rows.reshape(-1, x.shape[axis])]
    found = np.array(places, dtype=int).reshape(rows.shape[:-1])
    return np.expand_dims(found, axis) if keepdims else found


def where_largest_in_torch(
    t: Any, x: Any, axis: int = -1, keepdims: bool = False, flatten: bool = False
) -> Any:
    return t.argmax(x, dim=None if flatten else axis, keepdim=keepdims)


def share(out: Array, indices: Array, label: Array) -> Any:
    right = sum(
        int(row_label[0]) in row.tolist()
        for row, row_label in zip(indices, label, strict=True)
    )
    return np.array(right / max(len(label), 1)), np.array(right), np.array(len(label))


def guesses(label: str, indices: Array, right: Array) -> Case:
    return Case(label, (numbers(*indices.shape), indices, right))


TIED = np.array([3.0, 1.0, 3.0, 2.0, 3.0])

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
    Row(
        "top_k_v2",
        (
            Case("1-D", (numbers(5),), {"k": 2}),
            Case("rows", (numbers(4, 5),), {"k": 3}),
            Case("columns", (numbers(4, 5),), {"k": 2, "axis": 0}),
            Case("the smallest", (numbers(4, 5),), {"k": 2, "largest": False}),
            Case("all", (numbers(3),), {"k": 3}),
            Case(
                "a tie", (TIED,), {"k": 4}, differs="PyTorch's order in a tie is open"
            ),
            Case("empty", (numbers(0, 3),), {"k": 2}),
            Case("not contiguous", (turned(numbers(4, 5)),), {"k": 2}),
        ),
        best,
        best_in_torch,
        accepts=("float32", "float64", "int64"),
        gives=lambda dtype, attrs: (dtype, "int64"),
        wrong=(
            Wrong("k too large", (numbers(4),), {"k": 5}, "InvalidValueError", "k = 5"),
            Wrong("k = 0", (numbers(4),), {"k": 0}, "InvalidValueError", "k = 0"),
            Wrong("no such axis", (numbers(4),), {"axis": 1}, "OpError"),
        ),
        lacks={**UNARY_LACKS, "scalar": "nothing to choose from"},
        gradient=False,
    ),
    Row(
        "arg_max",
        (
            Case("scalar", (numbers(),), {"flatten": True}),
            Case("1-D", (numbers(5),)),
            Case("rows", (numbers(4, 5),)),
            Case("columns, kept", (numbers(4, 5),), {"axis": 0, "keepdims": True}),
            Case("flattened", (numbers(4, 5),), {"flatten": True}),
            Case("a tie", (TIED,), differs="PyTorch's choice in a tie is open"),
            Case("empty", (numbers(0, 3),)),
            Case("not contiguous", (turned(numbers(4, 5)),)),
        ),
        where_largest,
        where_largest_in_torch,
        accepts=EVERY,
        gives=lambda dtype, attrs: ("int64",),
        wrong=(
            Wrong("no such axis", (numbers(4),), {"axis": 1}, "OpError", "1"),
            Wrong("of nothing", (numbers(0),), {}, "OpError"),
        ),
        lacks=UNARY_LACKS,
        gradient=False,
    ),
    Row(
        "accuracy",
        (
            guesses("rows", integers(5, 1, below=3), integers(5, 1, below=3, start=9)),
            guesses("two guesses", np.array([[0, 2], [1, 0]]), np.array([[2], [2]])),
            guesses("one row", np.array([[1]]), np.array([[1]])),
            guesses("empty", integers(0, 2, below=3), integers(0, 1, below=3)),
            guesses(
                "not contiguous",
                turned(np.array([[0, 2], [1, 0]])),
                np.array([[2], [0]]),
            ),
        ),
        share,
        lonely="PyTorch has no accuracy op",
        gives=lambda dtype, attrs: ("float32", "int32", "int32"),
        accepts=EVERY,
        wrong=(
            Wrong(
                "rows differ",
                (numbers(4, 1), integers(4, 1, below=3), integers(3, 1, below=3)),
            ),
            Wrong(
                "labels in a row",
                (numbers(4, 1), integers(4, 1, below=3), integers(4, below=3)),
            ),
            Wrong(
                "two labels",
                (numbers(4, 1), integers(4, 1, below=3), integers(4, 2, below=3)),
            ),
        ),
        lacks={
            "scalar": "it counts rows",
            "1-D": "it counts rows",
            "broadcast": "a label for each row",
        },
        gradient=False,
    ),
    Row(
        "sgd",
        (
            Case("scalar", (numbers(), numbers(start=9), np.array(0.5))),
            Case("1-D", (numbers(5), numbers(5, start=9), np.array(0.5))),
            Case("2-D", (numbers(4, 3), numbers(4, 3, start=9), np.array(0.5))),
            Case("empty", (numbers(0, 3), numbers(0, 3), np.array(0.5))),
            Case(
                "not contiguous",
                (turned(numbers(4, 3)), numbers(4, 3, start=9), np.array(0.5)),
            ),
        ),
        lambda param, grad, learning_rate: param - float(learning_rate) * grad,
        lambda t, param, grad, learning_rate: param.sub(
            grad, alpha=learning_rate.item()
        ),
        wrong=(
            Wrong(
                "a gradient of another shape",
                (numbers(4, 3), numbers(4, 2), np.array(0.5)),
            ),
            Wrong(
                "a gradient that would broadcast",
                (numbers(4, 3), numbers(3), np.array(0.5)),
            ),
            Wrong("a larger gradient", (numbers(3), numbers(4, 3), np.array(0.5))),
            Wrong("several rates", (numbers(3), numbers(3), numbers(3))),
        ),
        lacks={"broadcast": "a gradient has the parameter's shape"},
        gradient=False,
        refuses=("bool",),
        updates=0,
    ),
)
