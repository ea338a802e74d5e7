"""Random ops: what they are distributed like, and what their seeds promise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.errors import OpError
from teachgraph.ops import initializer
from teachgraph.ops.creation import gaussian_random, uniform_random
from teachgraph.ops.op import Op

COUNT = 20_000
CODES = {"float32": 5, "float64": 6}
OPS = [uniform_random, gaussian_random]

Cumulative = Callable[[float], float]


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    tg.seed(1234)
    yield
    tg.seed(1234)


def draw(op: Op, **attrs: Any) -> np.ndarray[Any, Any]:
    return op(**{"shape": [COUNT], "dtype": CODES["float64"], **attrs}).numpy()


def distance(sample: np.ndarray[Any, Any], cumulative: Cumulative) -> float:
    """Kolmogorov and Smirnov's distance, times the root of the number of values."""
    wanted = np.array([cumulative(float(x)) for x in np.sort(sample)])
    steps = np.arange(len(sample) + 1) / len(sample)
    gap = max(np.abs(wanted - steps[1:]).max(), np.abs(wanted - steps[:-1]).max())
    return float(gap) * math.sqrt(len(sample))


def normal(mean: float, std: float) -> Cumulative:
    return lambda x: 0.5 * (1 + math.erf((x - mean) / (std * math.sqrt(2))))


def uniform(low: float, high: float) -> Cumulative:
    return lambda x: min(max((x - low) / (high - low), 0.0), 1.0)


FAR = 1.95
"""Kolmogorov's distance that one sample in a thousand exceeds."""


@pytest.mark.parametrize(
    ("sample", "cumulative"),
    [
        (lambda: draw(uniform_random), uniform(-1, 1)),
        (lambda: draw(uniform_random, min=2.0, max=5.0), uniform(2, 5)),
        (lambda: draw(gaussian_random), normal(0, 1)),
        (lambda: draw(gaussian_random, mean=3.0, std=0.5), normal(3, 0.5)),
        (lambda: tg.rand([COUNT]).numpy(), uniform(0, 1)),
        (lambda: tg.randn([COUNT]).numpy(), normal(0, 1)),
        (lambda: tg.uniform([COUNT], min=-3.0, max=1.0).numpy(), uniform(-3, 1)),
    ],
    ids=["uniform", "2 to 5", "gaussian", "about 3", "rand", "randn", "tg.uniform"],
)
def test_numbers_are_distributed_as_asked(
    sample: Callable[[], Any], cumulative: Cumulative
) -> None:
    assert distance(sample(), cumulative) < FAR


def test_the_distance_tells_one_distribution_from_another() -> None:
    assert distance(draw(gaussian_random), normal(0.1, 1)) > FAR
    assert distance(draw(gaussian_random), normal(0, 1.1)) > FAR
    assert distance(draw(uniform_random), uniform(-1, 1.1)) > FAR


def test_uniform_numbers_stay_inside() -> None:
    numbers = draw(uniform_random, min=0.25, max=0.75)
    assert numbers.min() >= 0.25
    assert numbers.max() < 0.75


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.type)
@pytest.mark.parametrize("dtype", CODES)
def test_shape_and_dtype_are_those_asked_for(op: Op, dtype: str) -> None:
    for shape in ([], [3], [2, 0], [2, 3]):
        numbers = op(shape=shape, dtype=CODES[dtype])
        assert (numbers.shape, str(numbers.dtype)) == (shape, dtype)
        assert numbers.stop_gradient


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.type)
def test_one_seed_for_everything_repeats_everything(op: Op) -> None:
    tg.seed(7)
    first, second = draw(op), draw(op)
    tg.seed(7)
    np.testing.assert_array_equal(draw(op), first)
    np.testing.assert_array_equal(draw(op), second)
    assert not np.array_equal(first, second)
    tg.seed(8)
    assert not np.array_equal(draw(op), first)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.type)
def test_a_seed_of_its_own_repeats_and_disturbs_nobody(op: Op) -> None:
    tg.seed(7)
    undisturbed = draw(op)
    tg.seed(7)
    own = draw(op, seed=5)
    np.testing.assert_array_equal(draw(op, seed=5), own)
    assert not np.array_equal(draw(op, seed=6), own)
    np.testing.assert_array_equal(draw(op), undisturbed)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.type)
def test_a_program_draws_anew_in_each_run(op: Op) -> None:
    program = static.Program()
    tg.enable_static()
    try:
        with static.program_guard(program, static.Program()):
            fixed, free = op(shape=[50], seed=3), op(shape=[50])
    finally:
        tg.disable_static()
    run = static.Executor().run
    (a, b), (c, d) = (run(program, fetch_list=[fixed, free]) for _ in range(2))
    np.testing.assert_array_equal(a, c)
    assert not np.array_equal(b, d)
    np.testing.assert_array_equal(a, op(shape=[50], seed=3).numpy())


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.type)
def test_what_cannot_be_drawn_is_refused(op: Op) -> None:
    for wrong in ({"shape": [-1]}, {"shape": [2], "dtype": 99}, {"shape": [0.5]}, {}):
        with pytest.raises(OpError, match=op.type):
            op(**wrong)


SHAPE = [200, 300]


@pytest.mark.parametrize(
    ("kind", "deviation"),
    [
        (initializer.XavierUniform(), math.sqrt(2 / 500)),
        (initializer.XavierNormal(), math.sqrt(2 / 500)),
        (initializer.XavierUniform(fan_in=10, fan_out=40), math.sqrt(2 / 50)),
        (initializer.Normal(std=0.3), 0.3),
        (initializer.Uniform(-0.6, 0.6), 0.6 / math.sqrt(3)),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, float) else "",
)
def test_initializers_have_the_deviation_their_formula_says(
    kind: initializer.Initializer, deviation: float
) -> None:
    op, attrs = kind.operation(SHAPE, np.dtype("float64"))
    weights = op(**attrs).numpy()
    assert weights.shape == tuple(SHAPE)
    assert weights.std() == pytest.approx(deviation, rel=0.02)
    assert weights.mean() == pytest.approx(0.0, abs=0.02 * deviation)
