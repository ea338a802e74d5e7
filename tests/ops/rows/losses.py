"""Rows for `teachgraph/ops/losses.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import integers, numbers, turned

NO_BROADCAST = {"broadcast": "a label for each number"}


def share(*shape: int, start: int = 1) -> Array:
    """Numbers between 0 and 1, not too near."""
    return numbers(*shape, low=0.1, high=0.9, start=start)


def positive_weights(*shape: int) -> Array:
    return numbers(*shape, low=0.5, high=2.5, start=90)


def safe(p: float) -> float:
    """The logarithm, but never below -100."""
    return max(math.log(p), -100.0) if p > 0 else -100.0


def labels(*shape: int) -> Array:
    return share(*shape, start=50)


def beside(
    make: Callable[..., Array], *, constant: tuple[int, ...] = (1,), **attrs: Any
) -> tuple[Case, ...]:
    """Every kind of shape, for numbers with a label each."""
    return tuple(
        Case(label, inputs, attrs, constant=constant)
        for label, inputs in (
            ("scalar", (make(), labels())),
            ("1-D", (make(5), labels(5))),
            ("2-D", (make(4, 3), labels(4, 3))),
            ("empty", (make(0, 3), labels(0, 3))),
            ("not contiguous", (turned(make(4, 3)), turned(labels(4, 3)))),
        )
    )


def paired(function: Callable[..., float]) -> Callable[..., Array]:
    """Apply a function to every number and its label."""

    def value(x: Array, label: Array, **attrs: Any) -> Array:
        pairs = zip(x.ravel().tolist(), label.ravel().tolist(), strict=True)
        return np.array([function(a, b, **attrs) for a, b in pairs]).reshape(x.shape)

    return value


def beside_wrong(make: Callable[..., Array]) -> tuple[Wrong, ...]:
    return (
        Wrong("too few labels", (make(4, 3), labels(4))),
        Wrong("labels for one row", (make(4, 3), labels(1, 3))),
        Wrong("whole labels", (make(4, 3), integers(4, 3, below=2)), {}, "DTypeError"),
    )


def both(dtype: str, attrs: Any) -> tuple[str, ...]:
    return dtype, dtype


def huber(r: float, delta: float = 1.0) -> float:
    return r * r / 2 if abs(r) <= delta else delta * abs(r) - delta * delta / 2


def of_logits(
    x: Array, label: Array, weight: Array | None = None, ignore_index: int = -100
) -> Array:
    """One number and its label at a time."""
    weight = np.ones(x.shape) if weight is None else np.broadcast_to(weight, x.shape)
    out = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        if label[at] != ignore_index:
            y, w = label[at], weight[at]
            bent = max(-x[at], 0) + math.log1p(math.exp(-abs(x[at])))
            out[at] = w * bent + (1 - y) * x[at]
    return out


def of_logits_in_torch(
    t: Any, x: Any, label: Any, weight: Any = None, ignore_index: int = -100
) -> Any:
    bent = t.nn.functional.softplus(-x)
    bent = bent if weight is None else bent * weight
    return (bent + (1 - label) * x) * (label != ignore_index)


def divergence(x: float, target: float) -> float:
    return target * (math.log(target) - x) if target > 0 else 0.0


def loss_of_logs(p: float, y: float, epsilon: float = 1e-4) -> float:
    return -y * math.log(p + epsilon) - (1 - y) * math.log(1 - p + epsilon)


def weights_of(weight: Array, label: Array, ignore_index: int = -100) -> Array:
    found = [0.0 if n == ignore_index else weight[n] for n in label.ravel()]
    return np.array(found).reshape(label.shape)


def likelihoods(
    x: Array,
    label: Array,
    weight: Array | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> tuple[Array, Array]:
    """One label at a time."""
    weight = np.ones(x.shape[1]) if weight is None else weight
    loss, total = np.zeros(label.shape), 0.0
    for at in np.ndindex(label.shape):
        if (named := int(label[at])) != ignore_index:
            loss[at] = -weight[named] * x[(at[0], named, *at[1:])]
            total += weight[named]
    if reduction == "none":
        return loss, np.array(total)
    mean = reduction == "mean" and total
    return np.array(loss.sum() / (total if mean else 1.0)), np.array(total)


def likelihoods_in_torch(
    t: Any, x: Any, label: Any, weight: Any, ignore_index: int = -100, **attrs: Any
) -> Any:
    loss = t.nn.functional.nll_loss(
        x, label, weight, ignore_index=ignore_index, **attrs
    )
    counted = label[label != ignore_index]
    ones = t.ones(x.shape[1], dtype=x.dtype) if weight is None else weight
    return loss, ones[counted].sum()


def named(label: str, x: Array, classes: Array, weight: Any, **attrs: Any) -> Case:
    return Case(label, (x, classes, weight), attrs, constant=(2,))


def classes(*shape: int) -> Array:
    return integers(*shape, below=3)


WEIGHT = np.array([0.5, 2.0, 1.5])
X = numbers(4, 3)

ROWS = (
    Row(
        "huber_loss",
        (
            *beside(numbers, constant=()),
            *(
                Case(f"delta {delta}", (X, labels(4, 3)), {"delta": delta})
                for delta in (0.5, 2.0)
            ),
        ),
        lambda x, y, delta=1.0: (
            y - x,
            paired(lambda a, b: huber(b - a, delta))(x, y),
        ),
        lambda t, x, y, delta=1.0: (
            y - x,
            t.nn.functional.huber_loss(x, y, delta=delta, reduction="none"),
        ),
        gives=both,
        wrong=beside_wrong(numbers),
        lacks=NO_BROADCAST,
    ),
    Row(
        "bce_loss",
        (
            *beside(share),
            Case(
                "sure",
                (np.array([0.0, 1.0, 1.0, 0.0]), np.array([1.0, 0.0, 1.0, 0.0])),
                smooth=False,
                constant=(1,),
                differs="PyTorch's second derivative at 0 and 1 is another one",
                paddle=lambda dout: (dout * np.array([-1e12, 1e12, 0.0, 0.0]),),
            ),
        ),
        paired(lambda p, y: -y * safe(p) - (1 - y) * safe(1 - p)),
        lambda t, x, y: t.nn.functional.binary_cross_entropy(x, y, reduction="none"),
        wrong=(
            *beside_wrong(share),
            *(
                Wrong(
                    f"a probability of {p}",
                    (np.array([0.5, p]), labels(2)),
                    {},
                    "InvalidValueError",
                    by_value=True,
                )
                for p in (-0.1, 1.1)
            ),
        ),
        lacks=NO_BROADCAST,
    ),
    Row(
        "sigmoid_cross_entropy_with_logits",
        (
            Case(
                "weighted", (X, labels(4, 3), positive_weights(4, 3)), constant=(1, 2)
            ),
            *(
                Case(case.label, (*case.inputs, None), constant=(1,))
                for case in beside(numbers)
            ),
            Case(
                "broadcast weights",
                (X, labels(4, 3), positive_weights(3)),
                constant=(1, 2),
            ),
            Case(
                "some ignored",
                (X, integers(4, 3, below=3).astype(float), None),
                {"ignore_index": 2},
                constant=(1,),
            ),
            Case(
                "far out",
                (np.array([-1000.0, 1000.0]), np.array([0.25, 0.75]), None),
                constant=(1,),
            ),
        ),
        of_logits,
        of_logits_in_torch,
        wrong=(
            *beside_wrong(numbers),
            Wrong("too many weights", (X, labels(4, 3), positive_weights(2, 4, 3))),
        ),
    ),
    Row(
        "kldiv_loss",
        (
            *beside(numbers),
            Case(
                "no probability",
                (numbers(4), np.array([0.0, 0.5, -1.0, 0.25])),
                constant=(1,),
            ),
        ),
        paired(divergence),
        lambda t, x, y: t.nn.functional.kl_div(x, y.clamp(min=0), reduction="none"),
        wrong=beside_wrong(numbers),
        lacks=NO_BROADCAST,
    ),
    Row(
        "log_loss",
        (
            *beside(share),
            Case("epsilon", (share(4), labels(4)), {"epsilon": 0.5}, constant=(1,)),
        ),
        paired(loss_of_logs),
        lambda t, p, y, epsilon=1e-4: (
            -y * (p + epsilon).log() - (1 - y) * (1 - p + epsilon).log()
        ),
        wrong=beside_wrong(share),
        lacks=NO_BROADCAST,
    ),
    Row(
        "class_weight",
        (
            Case("scalar", (WEIGHT, np.array(2))),
            Case("1-D", (WEIGHT, classes(5))),
            Case("2-D", (WEIGHT, classes(4, 3))),
            Case("some ignored", (WEIGHT, classes(5)), {"ignore_index": 1}),
            Case("empty", (WEIGHT, classes(0, 3))),
            Case("not contiguous", (WEIGHT, turned(classes(4, 3)))),
        ),
        weights_of,
        lambda t, weight, label, ignore_index=-100: (
            weight[label] * (label != ignore_index)
        ),
        inner=True,
        wrong=(
            Wrong(
                "no such class",
                (WEIGHT, np.array([0, 3])),
                {},
                "OutOfRangeError",
                "< 3",
                by_value=True,
            ),
            Wrong("floating labels", (WEIGHT, numbers(3)), {}, "DTypeError"),
            Wrong("a matrix of weights", (numbers(3, 3), classes(3))),
        ),
        lacks={"broadcast": "a weight for each label"},
    ),
    Row(
        "nll_loss",
        (
            named("rows", X, classes(4), WEIGHT),
            named("rows, the sum", X, classes(4), WEIGHT, reduction="sum"),
            named("rows, each", X, classes(4), WEIGHT, reduction="none"),
            named("without weights", X, classes(4), None),
            named("without weights, each", X, classes(4), None, reduction="none"),
            named("some ignored", X, classes(4), WEIGHT, ignore_index=2),
            named("some ignored, no weights", X, np.array([0, -100, 2, 1]), None),
            named("pictures", numbers(2, 3, 2, 2), classes(2, 2, 2), WEIGHT),
            named(
                "pictures, each",
                numbers(2, 3, 2, 2),
                classes(2, 2, 2),
                None,
                reduction="none",
            ),
            named("empty", numbers(0, 3), classes(0), None, reduction="sum"),
            named("not contiguous", turned(X), turned(classes(4)), WEIGHT),
        ),
        likelihoods,
        likelihoods_in_torch,
        gives=both,
        wrong=(
            Wrong(
                "too large",
                (X, np.array([0, 1, 2, 3])),
                {},
                "InvalidValueError",
                "got 3",
                by_value=True,
            ),
            Wrong("floating labels", (X, numbers(4)), {}, "DTypeError", "float64"),
            Wrong("labels [N, 1]", (X, classes(4, 1))),
            Wrong("too few labels", (X, classes(3))),
            Wrong("one number", (numbers(), classes())),
            Wrong(
                "no such reduction",
                (X, classes(4)),
                {"reduction": "median"},
                "InvalidValueError",
                "median",
            ),
        ),
        lacks={
            "scalar": "it needs classes",
            "1-D": "a row for each label",
            "broadcast": "a row for each label",
        },
    ),
)
