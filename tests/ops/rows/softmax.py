"""Rows for `teachgraph/ops/softmax.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ops.contract import EVERY, NUMBERS, UNARY_LACKS, Array, Case, Row, Wrong
from tests.ops.values import integers, numbers, positive, turned

NO_SCALAR = {"scalar": "it needs classes", "broadcast": "a label for each row"}
LABELS = {**NO_SCALAR, "1-D": "a row for each label"}


def both(dtype: str, attrs: Any) -> tuple[str, ...]:
    return dtype, dtype


def shares(x: Array, axis: int = -1) -> Array:
    """One vector at a time, with Python's exp and sum."""

    def one(row: Array) -> Array:
        powers = [math.exp(v - max(row)) for v in row]
        return np.array([p / math.fsum(powers) for p in powers])

    if not x.size:
        return x
    return np.apply_along_axis(one, axis, x) if x.ndim else np.array(1.0)


def log_shares(x: Array, axis: int = -1) -> Array:
    """One vector at a time, with Python's exp and log."""

    def one(row: Array) -> Array:
        total = math.log(math.fsum(math.exp(v - max(row)) for v in row))
        return row - max(row) - total

    if not x.size:
        return x
    return np.apply_along_axis(one, axis, x) if x.ndim else np.array(0.0)


def places(label: Array, axis: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """For each label, where it stands and where the entry it names stands."""
    found = []
    for at in np.ndindex(label.shape):
        named = list(at)
        named[axis] = int(label[at])
        found.append((at, tuple(named)))
    return found


def picked(x: Array, label: Array, axis: int = -1) -> Array:
    out = np.zeros(label.shape)
    for at, named in places(label, axis):
        out[at] = x[named]
    return out


def placed(
    x: Array, y: Array, label: Array, axis: int = -1, ignore_index: int = -100
) -> Array:
    kept = np.where(label == ignore_index, 0, label)
    out = np.zeros(y.shape)
    for at, named in places(kept, axis):
        out[named] = x[at]
    return out


def off(x: Array, label: Array, axis: int = -1, ignore_index: int = -100) -> Array:
    out = x.astype(float)
    for at, named in places(label, axis):
        if label[at] != ignore_index:
            out[named] -= 1.0
    ignored = np.broadcast_to(label == ignore_index, x.shape)
    return np.where(ignored, 0.0, out)


def off_in_torch(
    t: Any, x: Any, label: Any, axis: int = -1, ignore_index: int = -100
) -> Any:
    counted = label != ignore_index
    ones = t.ones_like(label, dtype=x.dtype)
    hot = t.zeros_like(x).scatter(axis, label.clamp(min=0), ones)
    return (x - hot) * counted


def losses(
    logits: Array,
    label: Array,
    soft_label: bool = False,
    ignore_index: int = -100,
    axis: int = -1,
) -> tuple[Array, Array]:
    probability = shares(logits, axis)
    if soft_label:
        loss = -(label * np.log(probability)).sum(axis=axis, keepdims=True)
        return probability, loss
    largest = np.expand_dims(logits.max(axis=axis), axis)
    powers = np.exp(logits - largest).sum(axis=axis, keepdims=True)
    loss = np.zeros(label.shape)
    for at, named in places(label, axis):
        if label[at] != ignore_index:
            loss[at] = math.log(powers[at]) + largest[at] - logits[named]
    return probability, loss


def losses_in_torch(
    t: Any,
    logits: Any,
    label: Any,
    soft_label: bool = False,
    ignore_index: int = -100,
    axis: int = -1,
) -> Any:
    first = logits.movedim(axis, 1)
    classes = label.movedim(axis, 1)
    target = classes if soft_label else classes.squeeze(1)
    loss = t.nn.functional.cross_entropy(
        first, target, reduction="none", ignore_index=ignore_index
    )
    return logits.softmax(axis), loss.unsqueeze(1).movedim(1, axis)


def likelihoods(
    x: Array, label: Array, ignore_index: int = -100
) -> tuple[Array, Array]:
    loss, match = np.zeros(label.shape), np.ones(label.shape)
    for at, named in places(label, -1):
        if label[at] != ignore_index:
            match[at] = x[named]
            loss[at] = -math.log(x[named])
    return loss, match


def likelihoods_in_torch(t: Any, x: Any, label: Any, ignore_index: int = -100) -> Any:
    counted = label != ignore_index
    match = t.where(counted, x.gather(-1, label.clamp(min=0)), t.ones_like(x[..., :1]))
    return -match.log(), match


def labelled(label: str, x: Array, classes: Array, **attrs: Any) -> Case:
    return Case(label, (x, classes), attrs)


def classes(*shape: int, below: int = 3) -> Array:
    return integers(*shape, below=below)


IGNORED = np.array([[2], [-100], [0], [1]])
SOFT = shares(numbers(4, 3, start=70))

LABELLED = (
    labelled("rows", numbers(4, 3), classes(4, 1)),
    labelled("int32 labels", numbers(4, 3), classes(4, 1).astype(np.int32)),
    labelled("uint8 labels", numbers(4, 3), classes(4, 1).astype(np.uint8)),
    labelled("the middle axis", numbers(4, 3, 5), classes(4, 1, 5), axis=1),
    labelled("the first axis", numbers(3, 4), classes(1, 4), axis=0),
    labelled("the last of three", numbers(2, 4, 3), classes(2, 4, 1)),
    labelled("empty", numbers(0, 3), classes(0, 1)),
    labelled("not contiguous", turned(numbers(4, 3)), turned(classes(4, 1))),
)

FAR_OUT = labelled(
    "far out", np.array([[1000.0, 0.0, -1000.0], [0.0, 1.0, 800.0]]), classes(2, 1)
)

IGNORING = (
    labelled("one ignored", numbers(4, 3), IGNORED),
    labelled("class 1 ignored", numbers(4, 3), classes(4, 1), ignore_index=1),
    labelled("class 0 ignored", numbers(4, 3), classes(4, 1), ignore_index=0),
    labelled("-1 ignored", numbers(2, 3), np.array([[-1], [2]]), ignore_index=-1),
    labelled("all ignored", numbers(2, 3), np.array([[-100], [-100]])),
)


def label_wrong(*before: Array, **attrs: Any) -> tuple[Wrong, ...]:
    """What a label next to numbers of shape [4, 3] cannot be."""
    return (
        Wrong(
            "too large",
            (*before, np.array([[0], [3], [1], [2]])),
            attrs,
            "InvalidValueError",
            "got 3",
            by_value=True,
        ),
        Wrong(
            "negative",
            (*before, np.array([[0], [-1], [1], [2]])),
            attrs,
            "InvalidValueError",
            "got -1",
            by_value=True,
        ),
        Wrong("floating", (*before, numbers(4, 1)), attrs, "DTypeError", "float64"),
        Wrong("bool", (*before, numbers(4, 1) > 0), attrs, "DTypeError", "bool"),
        Wrong("too few rows", (*before, classes(1, 1)), attrs),
        Wrong("two rows too few", (*before, classes(2, 1)), attrs),
        Wrong("too many rows", (*before, classes(5, 1)), attrs),
        Wrong("no dimension of 1", (*before, classes(4)), attrs),
        Wrong("two columns", (*before, classes(4, 2)), attrs),
        Wrong("a scalar", (*before, classes()), attrs),
    )


ROWS = (
    Row(
        "softmax",
        (
            Case("scalar", (numbers(),)),
            Case("1-D", (numbers(5),)),
            Case("rows", (numbers(4, 3),)),
            Case("columns", (numbers(4, 3),), {"axis": 0}),
            Case("the middle axis", (numbers(4, 3, 5),), {"axis": 1}),
            Case("far out", (np.array([1000.0, 0.0, -1000.0]),)),
            Case("empty", (numbers(0, 3),)),
            Case("not contiguous", (turned(numbers(4, 3)),)),
        ),
        shares,
        lambda t, x, axis=-1: x.softmax(axis),
        wrong=(Wrong("no such axis", (numbers(4),), {"axis": 1}, "OpError", "1"),),
        lacks=UNARY_LACKS,
    ),
    Row(
        "log_softmax",
        (
            Case("scalar", (numbers(),)),
            Case("1-D", (numbers(5),)),
            Case("rows", (numbers(4, 3),)),
            Case("columns", (numbers(4, 3),), {"axis": 0}),
            Case("the middle axis", (numbers(4, 3, 5),), {"axis": 1}),
            Case("far out", (np.array([1000.0, 0.0, -1000.0]),)),
            Case("empty", (numbers(0, 3),)),
            Case("not contiguous", (turned(numbers(4, 3)),)),
        ),
        log_shares,
        lambda t, x, axis=-1: x.log_softmax(axis),
        wrong=(Wrong("no such axis", (numbers(4),), {"axis": 1}, "OpError", "1"),),
        lacks=UNARY_LACKS,
    ),
    Row(
        "pick",
        LABELLED,
        picked,
        lambda t, x, label, axis=-1: x.gather(axis, label.long()),
        accepts=EVERY,
        wrong=label_wrong(numbers(4, 3)),
        inner=True,
        lacks=LABELS,
    ),
    Row(
        "place",
        tuple(
            Case(
                case.label,
                (numbers(*np.shape(case.inputs[1])), *case.inputs),
                case.attrs,
                constant=(1,),
            )
            for case in LABELLED
        ),
        placed,
        lambda t, x, y, label, axis=-1: t.zeros_like(y).scatter(axis, label.long(), x),
        accepts=EVERY,
        wrong=(
            Wrong(
                "too large",
                (numbers(2, 1), numbers(2, 3), np.array([[0], [3]])),
                {},
                "InvalidValueError",
                by_value=True,
            ),
            Wrong(
                "another number of values",
                (numbers(3, 1), numbers(2, 3), classes(2, 1)),
            ),
            Wrong(
                "floating",
                (numbers(2, 1), numbers(2, 3), numbers(2, 1)),
                {},
                "DTypeError",
            ),
        ),
        inner=True,
        lacks=LABELS,
    ),
    Row(
        "less_label",
        (*LABELLED, *IGNORING),
        off,
        lambda t, x, label, **attrs: off_in_torch(t, x, label.long(), **attrs),
        accepts=NUMBERS,
        wrong=(Wrong("floating", (numbers(4, 3), numbers(4, 1)), {}, "DTypeError"),),
        inner=True,
        lacks=LABELS,
    ),
    Row(
        "softmax_with_cross_entropy",
        (
            *LABELLED,
            FAR_OUT,
            *IGNORING,
            Case(
                "soft labels",
                (numbers(4, 3), SOFT),
                {"soft_label": True},
                constant=(1,),
            ),
            Case(
                "soft labels in columns",
                (numbers(4, 3).T, SOFT.T),
                {"soft_label": True, "axis": 0},
                constant=(1,),
            ),
        ),
        losses,
        lambda t, x, label, soft_label=False, **attrs: losses_in_torch(
            t, x, label if soft_label else label.long(), soft_label, **attrs
        ),
        gives=both,
        wrong=(
            *label_wrong(numbers(4, 3)),
            Wrong(
                "soft labels of another shape",
                (numbers(4, 3), numbers(4, 2)),
                {"soft_label": True},
            ),
            Wrong(
                "soft labels for one row",
                (numbers(4, 3), numbers(1, 3)),
                {"soft_label": True},
            ),
            Wrong(
                "no such axis", (numbers(4, 3), classes(4, 1)), {"axis": 2}, "OpError"
            ),
        ),
        lacks=LABELS,
    ),
    Row(
        "cross_entropy2",
        (
            *(
                Case(case.label, (positive(*np.shape(case.inputs[0])), case.inputs[1]))
                for case in LABELLED
                if "axis" not in case.attrs
            ),
            *(
                Case(
                    case.label,
                    (positive(*np.shape(case.inputs[0])), case.inputs[1]),
                    case.attrs,
                )
                for case in IGNORING
            ),
        ),
        likelihoods,
        lambda t, x, label, **attrs: likelihoods_in_torch(t, x, label.long(), **attrs),
        gives=both,
        wrong=label_wrong(positive(4, 3)),
        lacks=LABELS,
    ),
)
