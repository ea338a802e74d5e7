"""Rows of what an optimizer does to parameters and gradients.

An update over many steps is compared with PyTorch's and Paddle's optimizers in
tests/optimizer; here is one step, from any state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any

import numpy as np

from tests.ops.contract import UNARY_LACKS, Array, Case, Row, Wrong, unary
from tests.ops.values import numbers, positive, turned

RATE = np.array(0.5)
POWERS = (np.array([0.81]), np.array([0.998]))

LACKS = {"broadcast": "everything has the parameter's shape"}
OVER_STEPS = "PyTorch's optimizers keep their state: compared in tests/optimizer"


def state(kinds: str, *shape: int, odd: bool = False) -> tuple[Array, ...]:
    """A parameter, a gradient and what is remembered: any numbers `n`, or positive `p`.

    With `odd` they are not contiguous in memory.
    """
    make = {"n": numbers, "p": positive}
    found = [make[k](*shape, start=1 + 40 * i) for i, k in enumerate(kinds)]
    return tuple(map(turned, found)) if odd else tuple(found)


def joined(arrays: tuple[Array, ...], last: tuple[Array, ...]) -> tuple[Array, ...]:
    """The inputs of an update: one rate comes last, with powers it comes third."""
    if len(last) == 1:
        return (*arrays, *last)
    return (*arrays[:2], last[0], *arrays[2:], *last[1:])


def steps(kinds: str, last: tuple[Array, ...], **attrs: Any) -> tuple[Case, ...]:
    """An update in every shape; `last` are the rate and the powers of beta."""

    def case(label: str, *shape: int, odd: bool = False) -> Case:
        return Case(label, joined(state(kinds, *shape, odd=odd), last), attrs)

    return (
        case("scalar"),
        case("1-D", 5),
        case("2-D", 4, 3),
        case("empty", 0, 3),
        case("not contiguous", 4, 3, odd=True),
    )


def more(label: str, case: Case, **attrs: Any) -> Case:
    """The same call with other attributes."""
    return Case(label, case.inputs, {**case.attrs, **attrs})


def each(
    step: Callable[..., tuple[float, ...]], elements: tuple[int, ...]
) -> Callable[..., tuple[Array, ...]]:
    """An update from the formula for one element.

    Args:
        step: Takes one element of each of these inputs, then the other inputs as
            numbers, and gives one element of each output.
        elements: The positions of the inputs that have an element for each.
    """

    def value(*inputs: Array, **attrs: Any) -> tuple[Array, ...]:
        rest = [float(x.reshape(())) for i, x in enumerate(inputs) if i not in elements]
        columns = [inputs[i].ravel().tolist() for i in elements]
        results = [step(*row, *rest, **attrs) for row in zip(*columns, strict=True)]
        count = len(step(*[1.0] * len(elements), *rest, **attrs))
        table = np.array(results, float).reshape(-1, count)
        return tuple(table[:, k].reshape(inputs[0].shape) for k in range(count))

    return value


def momentum(
    w: float,
    dw: float,
    v: float,
    rate: float,
    *,
    mu: float,
    use_nesterov: bool = False,
    regularization_method: str = "",
    regularization_coeff: float = 0.0,
    rescale_grad: float = 1.0,
) -> tuple[float, ...]:
    dw *= rescale_grad
    dw += regularization_coeff * w if regularization_method == "l2_decay" else 0.0
    v = mu * v + dw
    return (w - rate * (dw + mu * v) if use_nesterov else w - rate * v), v


def adagrad(
    w: float, dw: float, m: float, rate: float, *, epsilon: float = 1e-6
) -> tuple[float, ...]:
    m += dw**2
    return w - rate * dw / (sqrt(m) + epsilon), m


def adadelta(
    w: float,
    dw: float,
    g: float,
    u: float,
    rate: float,
    *,
    rho: float = 0.95,
    epsilon: float = 1e-6,
) -> tuple[float, ...]:
    g = rho * g + (1 - rho) * dw**2
    step = dw * sqrt(u + epsilon) / sqrt(g + epsilon)
    return w - rate * step, g, rho * u + (1 - rho) * step**2


def rmsprop(
    w: float,
    dw: float,
    last: float,
    square: float,
    mean: float,
    rate: float,
    *,
    epsilon: float = 1e-6,
    decay: float = 0.95,
    momentum: float = 0.0,
    centered: bool = False,
) -> tuple[float, ...]:
    square = decay * square + (1 - decay) * dw**2
    if centered:
        mean = decay * mean + (1 - decay) * dw
    spread = square - mean**2 if centered else square
    last = momentum * last + rate * dw / sqrt(spread + epsilon)
    return w - last, last, square, mean


def adam_step(
    dw: float, m: float, v: float, p1: float, p2: float, options: Mapping[str, float]
) -> tuple[float, float, float]:
    """The direction of Adam, and both averages."""
    beta1, beta2 = options.get("beta1", 0.9), options.get("beta2", 0.999)
    m = beta1 * m + (1 - beta1) * dw
    v = beta2 * v + (1 - beta2) * dw**2
    return m / (1 - p1) / (sqrt(v / (1 - p2)) + options["epsilon"]), m, v


def adamw(
    w: float,
    dw: float,
    m: float,
    v: float,
    rate: float,
    p1: float,
    p2: float,
    *,
    coeff: float = 0.01,
    lr_ratio: float = 1.0,
    with_decay: bool = False,
    epsilon: float = 1e-8,
    **betas: float,
) -> tuple[float, ...]:
    rate *= lr_ratio
    step, m, v = adam_step(dw, m, v, p1, p2, {"epsilon": epsilon, **betas})
    return (w * (1 - rate * coeff) if with_decay else w) - rate * step, m, v


def adamax(
    w: float,
    dw: float,
    m: float,
    u: float,
    rate: float,
    p1: float,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> tuple[float, ...]:
    m = beta1 * m + (1 - beta1) * dw
    u = max(abs(dw), beta2 * u + epsilon)
    return w - rate / (1 - p1) * m / u, m, u


def with_powers(
    value: Callable[..., tuple[Array, ...]],
) -> Callable[..., tuple[Array, ...]]:
    """The same, and the next powers of beta."""

    def both(*inputs: Array, **attrs: Any) -> tuple[Array, ...]:
        powers = (
            inputs[5] * attrs.get("beta1", 0.9),
            inputs[6] * attrs.get("beta2", 0.999),
        )
        return (*value(*inputs, **attrs), *powers)

    return both


def lamb(
    w: Array,
    dw: Array,
    rate: Array,
    m: Array,
    v: Array,
    p1: Array,
    p2: Array,
    *,
    weight_decay: float,
    always_adapt: bool = False,
    epsilon: float = 1e-6,
    **betas: float,
) -> tuple[Array, ...]:
    options = {"epsilon": epsilon, **betas}
    rows = [
        adam_step(*row, p1.item(), p2.item(), options)
        for row in zip(*(x.ravel().tolist() for x in (dw, m, v)), strict=True)
    ]
    step, m, v = (np.array([r[k] for r in rows]).reshape(w.shape) for k in range(3))
    step = step + weight_decay * w
    own, length = np.linalg.norm(w), np.linalg.norm(step)
    adapted = (weight_decay or always_adapt) and own > 0 and length > 0
    return w - rate * (own / length if adapted else 1.0) * step, m, v


def wrong(kinds: str, last: tuple[Array, ...], **attrs: Any) -> tuple[Wrong, ...]:
    """A call for each array of another shape, for other dtypes and several rates."""
    right = state(kinds, 4, 3)
    w, dw, *kept = right

    def call(label: str, *arrays: Array, rates: Any = last, **more: str) -> Wrong:
        return Wrong(label, joined(arrays, rates), attrs, **more)

    return (
        *(
            call(
                f"input {i} of another shape",
                *right[:i],
                positive(4, 2),
                *right[i + 1 :],
            )
            for i in range(1, len(kinds))
        ),
        call("a gradient that would broadcast", w, positive(3), *kept),
        call("a larger gradient", positive(3), dw, *(positive(3) for _ in kept)),
        call("several rates", *right, rates=(numbers(3), *last[1:])),
        call(
            "a gradient of another dtype",
            w,
            dw.astype("float32"),
            *kept,
            error="DTypeError",
        ),
    )


def row(
    op: str,
    kinds: str,
    value: Callable[..., Any],
    last: tuple[Array, ...] = (RATE,),
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    outputs: int = 1,
    **attrs: Any,
) -> Row:
    """The row of an update op."""
    cases = steps(kinds, last, **attrs)
    others = [
        more(label, cases[2], **given) for label, given in (variants or {}).items()
    ]
    return Row(
        op,
        (*cases, *others),
        value,
        lonely=OVER_STEPS,
        gives=lambda dtype, attrs: (dtype,) * outputs,
        wrong=wrong(kinds, last, **attrs),
        lacks=LACKS,
        gradient=False,
        updates=0,
    )


ADAM = (0, 1, 3, 4)
"""Where the inputs of Adam stand that have an element for each."""

ROWS = (
    Row(
        "sgd",
        steps("nn", (RATE,)),
        lambda param, grad, learning_rate: param - float(learning_rate) * grad,
        lambda t, param, grad, learning_rate: param.sub(
            grad, alpha=learning_rate.item()
        ),
        wrong=wrong("nn", (RATE,)),
        lacks=LACKS,
        gradient=False,
        updates=0,
    ),
    row(
        "momentum",
        "nnn",
        each(momentum, (0, 1, 2)),
        variants={
            "nesterov": {"use_nesterov": True},
            "decay": {"regularization_method": "l2_decay", "regularization_coeff": 0.3},
            "rescaled": {"rescale_grad": 0.25, "use_nesterov": True},
        },
        outputs=2,
        mu=0.9,
    ),
    row("adagrad", "nnp", each(adagrad, (0, 1, 2)), outputs=2, epsilon=0.1),
    row(
        "adadelta",
        "nnpp",
        each(adadelta, (0, 1, 2, 3)),
        variants={"another average": {"rho": 0.5}},
        outputs=3,
        epsilon=0.1,
    ),
    row(
        "rmsprop",
        "nnnpn",
        each(rmsprop, (0, 1, 2, 3, 4)),
        variants={
            "momentum": {"momentum": 0.5},
            "centered": {"centered": True, "epsilon": 5.0},
        },
        outputs=4,
        epsilon=0.1,
        decay=0.9,
    ),
    row(
        "adam",
        "nnnp",
        with_powers(each(adamw, ADAM)),
        (RATE, *POWERS),
        variants={"other averages": {"beta1": 0.5, "beta2": 0.75}},
        outputs=5,
        epsilon=0.1,
    ),
    row(
        "adamw",
        "nnnp",
        with_powers(each(adamw, ADAM)),
        (RATE, *POWERS),
        variants={
            "decay": {"with_decay": True, "coeff": 0.5},
            "a ratio": {"with_decay": True, "coeff": 0.5, "lr_ratio": 0.25},
        },
        outputs=5,
        epsilon=0.1,
    ),
    row(
        "adamax",
        "nnnp",
        each(adamax, ADAM),
        (RATE, POWERS[0]),
        variants={"other averages": {"beta1": 0.5, "beta2": 0.75}},
        outputs=3,
        epsilon=0.1,
    ),
    row(
        "lamb",
        "nnnp",
        with_powers(lamb),
        (RATE, *POWERS),
        variants={
            "no decay": {"weight_decay": 0.0},
            "no decay, adapted": {"weight_decay": 0.0, "always_adapt": True},
        },
        outputs=5,
        weight_decay=0.5,
        epsilon=0.1,
    ),
    Row(
        "squared_l2_norm",
        unary(),
        lambda x: np.array([sum(v * v for v in x.ravel().tolist())]),
        lambda t, x: (x * x).sum().reshape(1),
        lacks=UNARY_LACKS,
    ),
    Row(
        "clip_by_norm",
        (
            *unary(max_norm=1.5),
            Case("short enough", (numbers(3),), {"max_norm": 50.0}),
            Case("zeros", (np.zeros(3),), {"max_norm": 1.0}),
        ),
        lambda x, max_norm: (
            x
            * min(
                1.0, max_norm / max(sqrt(sum(v * v for v in x.ravel().tolist())), 1e-30)
            )
        ),
        lambda t, x, max_norm: x * (max_norm / x.norm().clamp(min=max_norm)),
        wrong=(
            Wrong("no length", (numbers(3),), {"max_norm": 0.0}, "InvalidValueError"),
            Wrong(
                "NaN", (numbers(3),), {"max_norm": float("nan")}, "InvalidValueError"
            ),
        ),
        lacks=UNARY_LACKS,
        gradient=False,
    ),
)
