"""Rows for `teachgraph/ops/activation.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ops.contract import (
    EVERY,
    UNARY_LACKS,
    Array,
    Case,
    Row,
    Wrong,
    each,
    unary,
)
from tests.ops.values import numbers, turned

FAR = np.array([-1000.0, -30.0, 30.0, 1000.0])


def wide(*shape: int) -> Array:
    """Numbers on both sides of every kink there is."""
    return numbers(*shape, low=-8.0, high=8.0)


def activation(op: str, value: Any, twin: Any, *more: Case, **facts: Any) -> Row:
    """A row for a function of one number."""
    attrs = facts.pop("attrs", {})
    far = facts.pop("far", FAR)
    cases = (*unary(wide, **attrs), Case("far out", (far,), attrs))
    return Row(op, (*cases, *more), value, twin, lacks=UNARY_LACKS, **facts)


def kink(*at: float, **attrs: Any) -> Case:
    """Where there is no derivative, and PyTorch and Paddle take the same."""
    return Case("kinks", (np.array(at),), attrs, smooth=False)


def own_kink(at: list[float], slopes: list[float], **attrs: Any) -> Case:
    """Where there is no derivative, with the slopes that Paddle takes."""
    return Case(
        "kinks",
        (np.array(at),),
        attrs,
        smooth=False,
        differs="PyTorch takes another slope, or curvature, at a kink",
        paddle=lambda dout: (dout * np.array(slopes),),
    )


def of_number(function: Any) -> Any:
    """A function of a number and attributes, of every element."""

    def value(x: Array, **attrs: Any) -> Array:
        return each(lambda number: function(number, **attrs))(x)

    return value


def logistic(x: float) -> float:
    return 0.5 * (1.0 + math.tanh(x / 2.0))


def log_one_plus_exp(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def softplus(x: float, beta: float = 1.0, threshold: float = 20.0) -> float:
    return x if beta * x > threshold else log_one_plus_exp(beta * x) / beta


def elu(x: float, alpha: float = 1.0) -> float:
    return x if x > 0 else alpha * math.expm1(x)


def celu(x: float, alpha: float = 1.0) -> float:
    return max(x, 0.0) + alpha * math.expm1(min(x, 0.0) / alpha)


def selu(
    x: float, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772
) -> float:
    return scale * elu(x, alpha)


def gelu(x: float, approximate: bool = False) -> float:
    if approximate:
        inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)
        return 0.5 * x * (1.0 + math.tanh(inner))
    return 0.5 * x * math.erfc(-x / math.sqrt(2.0))


def clamp(x: float, t_min: float, t_max: float) -> float:
    return min(max(x, t_min), t_max)


def shrink(x: float, lambda_: float = 0.5) -> float:
    return math.copysign(max(abs(x) - lambda_, 0.0), x)


def leaning(
    x: Array, alpha: Array, mode: str = "all", data_format: str = "NCHW"
) -> Array:
    """prelu, one element at a time."""
    out = np.array(x)
    for at in np.ndindex(x.shape):
        if mode == "all":
            slope = alpha.ravel()[0]
        elif mode == "element":
            slope = alpha[at[x.ndim - alpha.ndim :]]
        else:
            slope = alpha[at[1] if data_format == "NCHW" and x.ndim > 1 else at[-1]]
        out[at] = x[at] if x[at] > 0 else slope * x[at]
    return out


def leaning_in_torch(
    t: Any, x: Any, alpha: Any, mode: str = "all", data_format: str = "NCHW"
) -> Any:
    if mode == "channel" and data_format == "NCHW" and x.ndim > 1:
        alpha = alpha.reshape(-1, *(1,) * (x.ndim - 2))
    return t.where(x > 0, x, (x * alpha).reshape(x.shape))


def slopes(*shape: int) -> Array:
    return numbers(*shape, low=0.1, high=0.9, start=300)


def picture(*shape: int) -> Array:
    """Numbers that are none of them equal."""
    return numbers(*shape, start=7)


def cells(x: Array, groups: int, axis: int) -> list[tuple[Any, list[Any]]]:
    """For each result of maxout, where it stands and where its group stands."""
    axis %= x.ndim
    sizes = [n // groups if i == axis else n for i, n in enumerate(x.shape)]
    found = []
    for at in np.ndindex(*sizes):
        start = at[axis] * groups
        rest = range(start, start + groups)
        found.append((at, [(*at[:axis], n, *at[axis + 1 :]) for n in rest]))
    return found


def largest(x: Array, groups: int, axis: int = 1) -> Array:
    shape = list(x.shape)
    shape[axis] //= groups
    out = np.zeros(shape)
    for at, group in cells(x, groups, axis):
        out[at] = max(x[place] for place in group)
    return out


def largest_placed(x: Array, y: Array, groups: int, axis: int = 1) -> Array:
    out = np.zeros(y.shape)
    for at, group in cells(y, groups, axis):
        out[max(group, key=lambda place: y[place])] = x[at]
    return out


def largest_picked(x: Array, y: Array, groups: int, axis: int = 1) -> Array:
    out = largest(y, groups, axis)
    for at, group in cells(y, groups, axis):
        out[at] = x[max(group, key=lambda place: y[place])]
    return out


def placed_in_torch(t: Any, x: Any, y: Any, groups: int, axis: int = 1) -> Any:
    parts, at = y.unflatten(axis, (-1, groups)), axis % y.ndim + 1
    where = parts.argmax(at, keepdim=True)
    return t.zeros_like(parts).scatter(at, where, x.unsqueeze(at)).reshape(y.shape)


def picked_in_torch(t: Any, x: Any, y: Any, groups: int, axis: int = 1) -> Any:
    parts, at = y.unflatten(axis, (-1, groups)), axis % y.ndim + 1
    where = parts.argmax(at, keepdim=True)
    return x.unflatten(axis, (-1, groups)).gather(at, where).squeeze(at)


IN_GROUPS = (
    ("1-D", (6,), {"groups": 3, "axis": -1}),
    ("pictures", (2, 4, 2, 2), {"groups": 2}),
    ("channels last", (2, 2, 6), {"groups": 3, "axis": -1}),
    ("empty", (0, 4, 3), {"groups": 2}),
)
NOT_SO_MANY = {"scalar": "it has no axis", "broadcast": "one input"}


def group_wrong(*before: Array) -> tuple[Wrong, ...]:
    return tuple(
        Wrong(f"groups {groups}, axis {axis}", before, attrs, "InvalidValueError")
        for groups, axis in ((3, 1), (0, 1), (-2, 1), (2, 4))
        for attrs in ({"groups": groups, "axis": axis},)
    )


ROWS = (
    Row(
        "gelu",
        (
            *unary(wide),
            *(
                Case(f"nearly: {case.label}", case.inputs, {"approximate": True})
                for case in unary(wide)
            ),
            Case("far out", (FAR,)),
            Case("nearly, far out", (FAR,), {"approximate": True}),
        ),
        of_number(gelu),
        lambda t, x, approximate=False: t.nn.functional.gelu(
            x, approximate="tanh" if approximate else "none"
        ),
        lacks=UNARY_LACKS,
    ),
    Row(
        "maxout",
        (
            *(Case(label, (picture(*n),), attrs) for label, n, attrs in IN_GROUPS),
            Case("not contiguous", (turned(picture(2, 4)),), {"groups": 2}),
            Case(
                "ties",
                (np.array([[1.0, 1.0, 2.0, 2.0]]),),
                {"groups": 2},
                smooth=False,
                differs="PyTorch is free to take any of the largest",
                paddle=lambda dout: (
                    np.array([[1.0, 0.0, 1.0, 0.0]]) * np.repeat(dout, 2, axis=1),
                ),
            ),
        ),
        largest,
        lambda t, x, groups, axis=1: x.unflatten(axis, (-1, groups)).amax(
            axis % x.ndim + 1
        ),
        wrong=group_wrong(picture(2, 4)),
        lacks=NOT_SO_MANY,
    ),
    Row(
        "maxout_place",
        tuple(
            Case(
                label,
                (numbers(*largest(picture(*n), **attrs).shape), picture(*n)),
                attrs,
                constant=(1,),
            )
            for label, n, attrs in (
                *IN_GROUPS,
                ("not contiguous", (2, 4), {"groups": 2}),
            )
        ),
        largest_placed,
        placed_in_torch,
        accepts=EVERY,
        inner=True,
        lacks=NOT_SO_MANY,
    ),
    Row(
        "maxout_pick",
        tuple(
            Case(label, (numbers(*n), picture(*n)), attrs, constant=(1,))
            for label, n, attrs in (
                *IN_GROUPS,
                ("not contiguous", (2, 4), {"groups": 2}),
            )
        ),
        largest_picked,
        picked_in_torch,
        accepts=EVERY,
        inner=True,
        lacks=NOT_SO_MANY,
    ),
    activation(
        "relu6",
        of_number(lambda x: clamp(x, 0.0, 6.0)),
        lambda t, x: t.nn.functional.relu6(x),
        kink(0.0, 6.0),
    ),
    activation(
        "leaky_relu",
        of_number(lambda x, alpha: x if x > 0 else alpha * x),
        lambda t, x, alpha: t.nn.functional.leaky_relu(x, alpha),
        own_kink([0.0, -1.0], [1.0, 0.25], alpha=0.25),
        attrs={"alpha": 0.1},
    ),
    Row(
        "prelu",
        (
            Case("scalar", (wide(), slopes(1))),
            Case("1-D", (wide(5), slopes(1))),
            Case("1-D, a slope each", (wide(5), slopes(5)), {"mode": "channel"}),
            Case("rows", (wide(4, 3), slopes(3)), {"mode": "channel"}),
            Case("pictures", (wide(2, 3, 2, 2), slopes(3)), {"mode": "channel"}),
            Case(
                "channels last",
                (wide(2, 2, 3), slopes(3)),
                {"mode": "channel", "data_format": "NHWC"},
            ),
            Case(
                "a slope for each element",
                (wide(2, 3, 2), slopes(3, 2)),
                {"mode": "element"},
            ),
            Case("empty", (wide(0, 3), slopes(3)), {"mode": "channel"}),
            Case("not contiguous", (turned(wide(4, 3)), slopes(1))),
            Case("at 0", (np.array([0.0, -1.0, 1.0]), slopes(1)), smooth=False),
        ),
        leaning,
        leaning_in_torch,
        wrong=(
            Wrong("too many slopes", (wide(4, 3), slopes(4)), {"mode": "channel"}),
            Wrong("slopes for several", (wide(1, 1), slopes(3))),
            Wrong(
                "no such mode",
                (wide(4, 3), slopes(3)),
                {"mode": "row"},
                "InvalidValueError",
                "row",
            ),
            Wrong(
                "whole slopes", (wide(4, 3), np.ones(3, int)), {}, "DTypeError", "int64"
            ),
        ),
        lacks={"broadcast": "see its modes"},
    ),
    activation(
        "elu",
        of_number(elu),
        lambda t, x, alpha: t.nn.functional.elu(x, alpha),
        own_kink([0.0, -1.0], [2.0, 2.0 / math.e], alpha=2.0),
        Case("alpha below 0", (wide(4),), {"alpha": -0.5}),
        attrs={"alpha": 0.5},
    ),
    activation(
        "selu",
        of_number(selu),
        lambda t, x: t.nn.functional.selu(x),
        own_kink([0.0], [1.0507009873554805 * 1.6732632423543772]),
    ),
    activation(
        "celu",
        of_number(celu),
        lambda t, x, alpha: t.nn.functional.celu(x, alpha),
        own_kink([0.0, -1.0], [1.0, math.exp(-0.5)], alpha=2.0),
        Case("alpha below 0", (numbers(4),), {"alpha": -0.5}),
        attrs={"alpha": 0.5},
        wrong=(
            Wrong(
                "alpha 0", (wide(3),), {"alpha": 0.0}, "InvalidValueError", "alpha is 0"
            ),
        ),
    ),
    activation(
        "silu",
        of_number(lambda x: x * logistic(x)),
        lambda t, x: t.nn.functional.silu(x),
    ),
    activation(
        "swish",
        of_number(lambda x: x * logistic(x)),
        lambda t, x: t.nn.functional.silu(x),
    ),
    activation(
        "mish",
        of_number(lambda x, **_: x * math.tanh(softplus(x))),
        lambda t, x: t.nn.functional.mish(x),
        far=FAR[1:3],  # further out PyTorch's second derivative is NaN
    ),
    activation(
        "softplus",
        of_number(softplus),
        lambda t, x, beta=1.0, threshold=20.0: t.nn.functional.softplus(
            x, beta, threshold
        ),
        own_kink(
            [1.5, 1.4999, 1.6],
            [0.9525741268224334, 0.9525650906726116, 1.0],
            beta=2.0,
            threshold=3.0,
        ),
        Case("steeper", (wide(4),), {"beta": 2.0, "threshold": 3.0}),
    ),
    activation(
        "logsigmoid",
        of_number(lambda x: -log_one_plus_exp(-x)),
        lambda t, x: t.nn.functional.logsigmoid(x),
    ),
    activation(
        "hard_sigmoid",
        of_number(lambda x, slope, offset=0.5: clamp(slope * x + offset, 0.0, 1.0)),
        lambda t, x, slope, offset=0.5: (x * slope + offset).clamp(0.0, 1.0),
        own_kink([-2.0, 0.0, 2.0], [0.0, 0.25, 0.0], slope=0.25),
        attrs={"slope": 0.125},
    ),
    activation(
        "hard_swish",
        of_number(lambda x: x * clamp(x + 3.0, 0.0, 6.0) / 6.0),
        lambda t, x: t.nn.functional.hardswish(x),
        own_kink([-3.0, 0.0, 3.0], [0.0, 0.5, 1.0]),
    ),
    activation(
        "brelu",
        of_number(clamp),
        lambda t, x, t_min, t_max: t.nn.functional.hardtanh(x, t_min, t_max),
        kink(-1.0, 0.0, 1.0, t_min=-1.0, t_max=1.0),
        attrs={"t_min": -1.0, "t_max": 2.0},
    ),
    activation(
        "hard_shrink",
        of_number(lambda x, threshold=0.5: x if abs(x) > threshold else 0.0),
        lambda t, x, threshold=0.5: t.nn.functional.hardshrink(x, threshold),
        kink(-0.5, 0.0, 0.5),
    ),
    activation(
        "softshrink",
        of_number(shrink),
        lambda t, x, lambda_=0.5: t.nn.functional.softshrink(x, lambda_),
        kink(-0.5, 0.0, 0.5),
        attrs={"lambda_": 1.5},
        wrong=(
            Wrong("further from 0", (wide(3),), {"lambda_": -1.0}, "InvalidValueError"),
        ),
    ),
    activation(
        "tanh_shrink",
        of_number(lambda x: x - math.tanh(x)),
        lambda t, x: t.nn.functional.tanhshrink(x),
    ),
    activation(
        "thresholded_relu",
        of_number(lambda x, threshold=1.0: x if x > threshold else 0.0),
        lambda t, x, threshold=1.0: t.nn.functional.threshold(x, threshold, 0.0),
        kink(1.0, 1.5, 0.5),
    ),
    activation(
        "softsign",
        of_number(lambda x: x / (1.0 + abs(x))),
        lambda t, x: t.nn.functional.softsign(x),
        kink(0.0, 1.0),
    ),
)
