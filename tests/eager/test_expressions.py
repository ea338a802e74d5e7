"""Random expressions: the tape, the program and hyper-dual numbers agree.

An expression is a list of steps; each reads values made before, so values are used
once, often or never, and shapes broadcast. First and second derivatives are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teachgraph as tg
from teachgraph import static
from tests.eager import hyperdual
from tests.eager.hyperdual import Hyper
from tests.effort import examples
from tests.ops.values import numbers

Array = np.ndarray[Any, Any]
Step = tuple[str, int, int]


class Functions(NamedTuple):
    """What has no operator, for one kind of value."""

    exp: Callable[..., Any]
    log: Callable[..., Any]
    sqrt: Callable[..., Any]
    tanh: Callable[..., Any]
    square: Callable[..., Any]
    maximum: Callable[..., Any]
    concat: Callable[..., Any]
    sigmoid: Callable[..., Any]
    relu: Callable[..., Any]
    softmax: Callable[..., Any]


F = tg.nn.functional
OURS = Functions(
    tg.exp, tg.log, tg.sqrt, tg.tanh, tg.square, tg.maximum, tg.concat, F.sigmoid,
    F.relu, F.softmax,
)  # fmt: skip
THEIRS = Functions(*(getattr(hyperdual, name) for name in Functions._fields))

STEPS: dict[str, Callable[..., Any]] = {
    "add": lambda f, x, y: x + y,
    "subtract": lambda f, x, y: x - y,
    "multiply": lambda f, x, y: x * y,
    "divide": lambda f, x, y: x / (1.0 + y * y),
    "power": lambda f, x, y: (1.0 + x * x) ** f.tanh(y),
    "maximum": lambda f, x, y: f.maximum(x, y + 0.01),
    "matmul": lambda f, x, y: x.reshape([1, -1]).T @ y.reshape([1, -1]),
    "concat": lambda f, x, y: f.concat([x.reshape([-1]), y.reshape([-1])], 0),
    "scale": lambda f, x, y: 0.5 - 2.0 * x,
    "exp": lambda f, x, y: f.exp(f.tanh(x)),
    "log": lambda f, x, y: f.log(2.0 + f.sigmoid(x)),
    "sqrt": lambda f, x, y: f.sqrt(1.0 + f.square(x)),
    "relu": lambda f, x, y: f.relu(x),
    "softmax": lambda f, x, y: f.softmax(x.reshape([1, -1])),
    "mean": lambda f, x, y: x.mean(),
    "sum last": lambda f, x, y: x.reshape([-1, 1]).sum(1),
    "mean first, kept": lambda f, x, y: x.reshape([1, -1]).mean(0, True),
    "transpose": lambda f, x, y: x.T,
    "first": lambda f, x, y: x.reshape([-1])[0],
    "from the second on": lambda f, x, y: x.reshape([-1])[1:],
}

SHAPES: tuple[tuple[int, ...], ...] = ((2, 3), (3,), ())
INPUTS = [
    numbers(*shape, low=-1, high=1, start=7 * i) for i, shape in enumerate(SHAPES)
]
ALONG = [numbers(*shape, start=100 + 7 * i) for i, shape in enumerate(SHAPES)]
ACROSS = [numbers(*shape, start=200 + 7 * i) for i, shape in enumerate(SHAPES)]


def run(functions: Functions, steps: list[Step], inputs: list[Any]) -> Any:
    """The weighted sum of the last values, an expression in all of them."""
    values = list(inputs)
    for name, first, second in steps:
        x, y = values[first % len(values)], values[second % len(values)]
        if not fits(name, x, y):
            continue
        values.append(STEPS[name](functions, x, y))
    total = values[-1].mean()
    for weight, value in enumerate(values[-4:-1], start=2):
        total = total + value.mean() * (1.0 / weight)
    return total


def fits(name: str, x: Any, y: Any) -> bool:
    """Whether a step has a meaning for these shapes."""
    if name in {"add", "subtract", "multiply", "divide", "power", "maximum"}:
        try:
            np.broadcast_shapes(tuple(x.shape), tuple(y.shape))
        except ValueError:
            return False
    size = int(np.prod(x.shape))
    return size > 1 if name == "from the second on" else size < 200


expressions = st.lists(
    st.tuples(st.sampled_from(list(STEPS)), st.integers(0, 20), st.integers(0, 20)),
    min_size=1,
    max_size=9,
)


class Derivatives(NamedTuple):
    """The value, its derivative along ALONG, and ACROSS' H ALONG."""

    value: float
    first: float
    second: float


def dot(gradients: list[Any], along: list[Array]) -> Any:
    """How fast the value changes in a direction."""
    total: Any = 0.0
    for gradient, direction in zip(gradients, along, strict=True):
        if gradient is not None:
            total = total + (gradient * direction).sum()
    return total


def forwards(steps: list[Step]) -> Derivatives:
    inputs = [Hyper(*parts) for parts in zip(INPUTS, ALONG, ACROSS, strict=True)]
    loss = run(THEIRS, steps, list(inputs))
    return Derivatives(float(loss.a), float(loss.b), float(loss.d))


def on_the_tape(steps: list[Step]) -> Derivatives:
    inputs = [tg.to_tensor(x, stop_gradient=False) for x in INPUTS]
    loss = run(OURS, steps, inputs)
    slopes = tg.grad(loss, inputs, create_graph=True, allow_unused=True)
    first = dot(slopes, ALONG)
    if isinstance(first, float) or first.stop_gradient:
        return Derivatives(loss.item(), float(first), 0.0)
    curved = tg.grad(first, inputs, allow_unused=True)
    return Derivatives(loss.item(), first.item(), float(dot(curved, ACROSS)))


def in_a_program(steps: list[Step]) -> Derivatives:
    program = static.Program()
    with static.program_guard(program, static.Program()):
        inputs = [static.data(f"x{i}", x.shape, x.dtype) for i, x in enumerate(INPUTS)]
        for x in inputs:
            x.stop_gradient = False
        loss = run(OURS, steps, list(inputs))
        slopes = static.gradients(loss, inputs)
        first = dot(slopes, ALONG)
        curved = 0.0
        if not isinstance(first, float):
            curved = dot(static.gradients(first, inputs), ACROSS)
    fetch = [v for v in (loss, first, curved) if not isinstance(v, float)]
    feed = {f"x{i}": x for i, x in enumerate(INPUTS)}
    found = static.Executor().run(program, feed, fetch)
    return Derivatives(*map(float, found), *[0.0] * (3 - len(found)))


LARGEST = 1e12
"""Powers of powers may overflow; nothing is learnt from comparing infinities."""


def agree(found: Derivatives, wanted: Derivatives) -> None:
    largest = max(map(abs, wanted))
    if not largest < LARGEST:
        return
    for name in Derivatives._fields:
        one, other = getattr(found, name), getattr(wanted, name)
        assert one == pytest.approx(other, rel=1e-8, abs=1e-9 * (1 + largest)), name


pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@given(expressions)
@settings(max_examples=examples(150), deadline=None, derandomize=True)
def test_the_tape_agrees_with_hyperdual_numbers(steps: list[Step]) -> None:
    agree(on_the_tape(steps), forwards(steps))


@given(expressions)
@settings(max_examples=examples(60), deadline=None, derandomize=True)
def test_a_program_agrees_with_hyperdual_numbers(steps: list[Step]) -> None:
    agree(in_a_program(steps), forwards(steps))


@pytest.mark.parametrize("name", STEPS)
def test_every_step_alone(name: str) -> None:
    steps: list[Step] = [(name, 0, 1), (name, 3, 0)]
    wanted = forwards(steps)
    agree(on_the_tape(steps), wanted)
    agree(in_a_program(steps), wanted)


def test_hyperdual_numbers_agree_with_finite_differences() -> None:
    """The oracle's own check: x^3 y at (2, 3) along (1, 0) and (0, 1)."""
    x, y = Hyper(2.0, b=1.0), Hyper(3.0, c=1.0)
    cube = x * x * x * y
    assert (cube.a, cube.b, cube.c, cube.d) == (24.0, 36.0, 8.0, 12.0)
    step = 1e-5
    for function in ("exp", "log", "sqrt", "tanh", "sigmoid", "square"):
        at = [getattr(hyperdual, function)(Hyper(0.7 + k * step)).a for k in (-1, 0, 1)]
        both = getattr(hyperdual, function)(Hyper(0.7, b=1.0, c=1.0))
        assert both.b == pytest.approx((at[2] - at[0]) / (2 * step), rel=1e-8)
        assert both.d == pytest.approx((at[2] - 2 * at[1] + at[0]) / step**2, rel=1e-4)
