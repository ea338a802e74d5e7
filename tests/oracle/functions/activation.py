"""Activations that are no op of their own, and arguments that become attributes."""

from __future__ import annotations

from typing import Any

from tests.ops.contract import Case
from tests.ops.values import numbers
from tests.oracle.functions.function import Function, functional

X = numbers(4, 6, low=-5.0, high=5.0)
SLOPES = numbers(6, low=0.1, high=0.9, start=30)


def prelu(t: Any, x: Any, weight: Any, data_format: str = "NCHW") -> Any:
    last = data_format == "NHWC"
    out = t.nn.functional.prelu(x.movedim(-1, 1) if last else x, weight)
    return out.movedim(1, -1) if last else out


def renamed(ours: str, twin: str, label: str, attrs: Any, theirs: Any) -> Function:
    """A function whose arguments have other names in PyTorch."""

    def call(t: Any, x: Any, **_: Any) -> Any:
        return getattr(t.nn.functional, twin)(x, **theirs)

    return Function(ours, functional(ours), call, (Case(label, (X,), attrs),))


FAMILY = (
    Function(
        "glu",
        functional("glu"),
        lambda t, x, axis=-1: t.nn.functional.glu(x, axis),
        (Case("rows", (X,)), Case("columns", (X,), {"axis": 0})),
    ),
    Function(
        "prelu",
        functional("prelu"),
        prelu,
        (
            Case("one slope", (X, SLOPES[:1])),
            Case("a slope for each channel", (X, SLOPES)),
            Case("pictures", (numbers(2, 3, 2, 2), SLOPES[:3])),
            Case(
                "channels last", (numbers(2, 4, 3), SLOPES[:3]), {"data_format": "NHWC"}
            ),
        ),
    ),
    renamed(
        "hardsigmoid",
        "hardtanh",
        "slope 1",
        {"slope": 1.0, "offset": 0.0},
        {"min_val": 0.0},
    ),
    renamed(
        "hardtanh",
        "hardtanh",
        "bounds",
        {"min": -2.0, "max": 3.0},
        {"min_val": -2.0, "max_val": 3.0},
    ),
    renamed(
        "hardshrink", "hardshrink", "threshold", {"threshold": 1.5}, {"lambd": 1.5}
    ),
    renamed(
        "softshrink", "softshrink", "threshold", {"threshold": 1.5}, {"lambd": 1.5}
    ),
    renamed(
        "leaky_relu",
        "leaky_relu",
        "slope",
        {"negative_slope": 0.2},
        {"negative_slope": 0.2},
    ),
    renamed("elu", "elu", "alpha", {"alpha": 0.5}, {"alpha": 0.5}),
    renamed("celu", "celu", "alpha", {"alpha": 0.5}, {"alpha": 0.5}),
    renamed(
        "softplus",
        "softplus",
        "steeper",
        {"beta": 2, "threshold": 5},
        {"beta": 2, "threshold": 5},
    ),
    renamed(
        "thresholded_relu",
        "threshold",
        "threshold",
        {"threshold": 2},
        {"threshold": 2.0, "value": 0.0},
    ),
    renamed("log_softmax", "log_softmax", "columns", {"axis": 0}, {"dim": 0}),
    renamed("gelu", "gelu", "nearly", {"approximate": True}, {"approximate": "tanh"}),
    renamed("hardswish", "hardswish", "defaults", {}, {}),
    renamed("tanhshrink", "tanhshrink", "defaults", {}, {}),
    renamed("log_sigmoid", "logsigmoid", "defaults", {}, {}),
    renamed("selu", "selu", "defaults", {}, {}),
)
