"""Random ops: what they are distributed like, and what their seeds promise."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import DTypeError, InvalidValueError, OpError
from teachgraph.core.op import Op
from teachgraph.core.ops import uniform_random
from teachgraph.ops.sampling import (
    bernoulli,
    dirichlet,
    gaussian_like,
    gaussian_random,
    multinomial,
    orthogonal_random,
    poisson,
    randint,
    randint_like,
    randperm,
    truncated_gaussian_random,
    uniform_like,
)

COUNT = 20_000
CODES = {"float32": 5, "float64": 6}
OPS = [uniform_random, gaussian_random, truncated_gaussian_random]

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


def within(mean: float, std: float) -> Cumulative:
    """The normal distribution, of what is not further than 2 deviations away."""
    whole, tail = normal(mean, std), normal(0, 1)(-2)
    return lambda x: min(max((whole(x) - tail) / (1 - 2 * tail), 0.0), 1.0)


def test_truncated_numbers_are_normal_inside_two_deviations() -> None:
    numbers = draw(truncated_gaussian_random, mean=3.0, std=0.5)
    assert distance(numbers, within(3.0, 0.5)) < FAR
    assert distance(numbers, normal(3.0, 0.5)) > FAR
    assert np.abs(numbers - 3.0).max() <= 1.0


def test_whole_numbers_are_equally_likely() -> None:
    numbers = tg.randint(-2, 3, [COUNT]).numpy()
    assert numbers.dtype == np.int64
    found, counts = np.unique(numbers, return_counts=True)
    np.testing.assert_array_equal(found, [-2, -1, 0, 1, 2])
    np.testing.assert_allclose(counts / COUNT, 0.2, atol=0.015)
    assert set(tg.randint(3, shape=[99]).tolist()) == {0, 1, 2}
    like = tg.randint_like(tg.ones([7, 2]), 4)
    assert (like.shape, str(like.dtype)) == ([7, 2], "float32")
    assert set(like.numpy().ravel()) <= {0.0, 1.0, 2.0, 3.0}


def test_a_permutation_has_each_number_once_in_any_place() -> None:
    firsts = [tg.randperm(3).tolist() for _ in range(3000)]
    assert all(sorted(order) == [0, 1, 2] for order in firsts)
    shares = [firsts.count(list(order)) / 3000 for order in set(map(tuple, firsts))]
    assert len(shares) == 6
    np.testing.assert_allclose(shares, 1 / 6, atol=0.03)


def test_bernoulli_gives_ones_as_often_as_asked() -> None:
    chances = np.array([0.0, 0.25, 0.9, 1.0])
    drawn = tg.bernoulli(tg.to_tensor(np.tile(chances, (COUNT, 1)))).numpy()
    assert set(np.unique(drawn)) == {0.0, 1.0}
    np.testing.assert_allclose(drawn.mean(0), chances, atol=0.015)
    np.testing.assert_array_equal(drawn[:, [0, 3]].std(0), 0.0)


def test_poisson_has_mean_and_variance_of_what_was_asked() -> None:
    drawn = tg.poisson(tg.to_tensor(np.full(COUNT, 4.0))).numpy()
    assert drawn.mean() == pytest.approx(4.0, abs=0.07)
    assert drawn.var() == pytest.approx(4.0, abs=0.2)
    np.testing.assert_array_equal(drawn, np.round(drawn))


WEIGHTS = np.array([1.0, 0.0, 3.0, 4.0])


def test_multinomial_draws_by_weight_with_replacement() -> None:
    drawn = tg.multinomial(tg.to_tensor(WEIGHTS), COUNT, replacement=True).numpy()
    assert (drawn.shape, drawn.dtype) == ((COUNT,), np.int64)
    shares = np.bincount(drawn, minlength=4) / COUNT
    np.testing.assert_allclose(shares, WEIGHTS / 8, atol=0.015)
    assert shares[1] == 0.0


def test_multinomial_without_replacement_takes_none_twice() -> None:
    rows = tg.to_tensor(np.tile(WEIGHTS, (COUNT, 1)))
    drawn = tg.multinomial(rows, 2).numpy()
    assert drawn.shape == (COUNT, 2)
    assert (drawn[:, 0] != drawn[:, 1]).all()
    assert 1 not in drawn
    first = np.bincount(drawn[:, 0], minlength=4) / COUNT
    np.testing.assert_allclose(first, WEIGHTS / 8, atol=0.015)
    pair = ((drawn == [3, 2]).all(1)).mean()
    assert pair == pytest.approx(4 / 8 * 3 / 4, abs=0.015)


def test_normal_takes_a_mean_and_a_deviation_for_each() -> None:
    mean = np.tile([-5.0, 0.0, 10.0], (COUNT, 1))
    std = tg.to_tensor([1.0, 2.0, 0.5], dtype="float64")
    drawn = tg.normal(tg.to_tensor(mean), std).numpy()
    np.testing.assert_allclose(drawn.mean(0), [-5, 0, 10], atol=0.06)
    np.testing.assert_allclose(drawn.std(0), [1, 2, 0.5], rtol=0.03)
    assert tg.normal(2.0, 0.5).shape == [1]


def test_a_random_orthogonal_matrix_favours_no_direction() -> None:
    drawn = [orthogonal_random(shape=[2, 2], dtype=6).numpy() for _ in range(2000)]
    angles = [math.atan2(m[1, 0], m[0, 0]) for m in drawn]
    assert distance(np.array(angles), uniform(-math.pi, math.pi)) < FAR
    turns = sum(np.linalg.det(m) > 0 for m in drawn)
    assert turns / 2000 == pytest.approx(0.5, abs=0.05)


LIKE = np.linspace(0.1, 0.9, 24).reshape(4, 6)
CALLS: list[tuple[Op, tuple[Any, ...], dict[str, Any]]] = [
    (uniform_random, (), {"shape": [50]}),
    (gaussian_random, (), {"shape": [50]}),
    (truncated_gaussian_random, (), {"shape": [50]}),
    (orthogonal_random, (), {"shape": [5, 2, 3]}),
    (randint, (), {"shape": [50], "high": 1000}),
    (randperm, (), {"n": 50}),
    (randint_like, (LIKE,), {"high": 1000}),
    (gaussian_like, (LIKE,), {}),
    (uniform_like, (LIKE,), {"min": -1.0}),
    (dirichlet, (LIKE,), {}),
    (bernoulli, (LIKE,), {}),
    (poisson, (LIKE * 10,), {}),
    (multinomial, (LIKE,), {"num_samples": 4}),
]


def now(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    return op(*map(tg.Tensor, inputs), **attrs).numpy()


def later(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], seed: int) -> Any:
    """The same in a program that is built before the generator starts."""
    program = static.Program()
    tg.enable_static()
    try:
        with static.program_guard(program, static.Program()):
            names = [f"x{i}" for i in range(len(inputs))]
            variables = [
                static.data(name, list(x.shape), x.dtype)
                for name, x in zip(names, inputs, strict=True)
            ]
            out = op(*variables, **attrs)
    finally:
        tg.disable_static()
    tg.seed(seed)
    feed = dict(zip(names, inputs, strict=True))
    (found,) = static.Executor().run(program, feed, [out])
    assert (tuple(out.shape), out.dtype) == (found.shape, found.dtype)
    return found


@pytest.mark.parametrize(
    ("op", "inputs", "attrs"), CALLS, ids=[op.type for op, _, _ in CALLS]
)
def test_both_modes_draw_the_same_from_one_seed(
    op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]
) -> None:
    tg.seed(7)
    first, second = now(op, inputs, attrs), now(op, inputs, attrs)
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(later(op, inputs, attrs, 7), first)
    own = now(op, inputs, {**attrs, "seed": 3})
    np.testing.assert_array_equal(now(op, inputs, {**attrs, "seed": 3}), own)
    np.testing.assert_array_equal(later(op, inputs, {**attrs, "seed": 3}, 8), own)


def test_building_a_program_draws_nothing() -> None:
    tg.seed(7)
    before = tg.get_rng_state()
    tg.enable_static()
    try:
        with static.program_guard(static.Program(), static.Program()):
            tg.randn([3])
            tg.randint(0, 5, [3])
    finally:
        tg.disable_static()
    assert tg.get_rng_state() == before


def test_a_kept_state_goes_on_bit_for_bit_also_through_a_file() -> None:
    tg.seed(7)
    tg.randint(0, 9, [3], dtype="int32")
    kept = json.loads(json.dumps(tg.get_rng_state()))
    expected = [tg.randn([4]).tolist(), tg.randperm(9).tolist()]
    tg.seed(8)
    tg.set_rng_state(kept)
    assert [tg.randn([4]).tolist(), tg.randperm(9).tolist()] == expected


@pytest.mark.parametrize("wrong", [[], [{}], [{"state": 1}], 7, [1, 2]], ids=str)
def test_what_is_no_state_is_refused_and_changes_nothing(wrong: Any) -> None:
    tg.seed(7)
    before = tg.get_rng_state()
    with pytest.raises(InvalidValueError, match="set_rng_state"):
        tg.set_rng_state(wrong)
    assert tg.get_rng_state() == before


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: tg.randint(5, 5), "no number from 5"),
        (lambda: tg.randint_like(tg.ones([2]), 3, 1), "no number from 3"),
        (lambda: tg.randperm(-1), "0 or more"),
        (lambda: tg.bernoulli(tg.to_tensor([1.5])), "between 0 and 1"),
        (lambda: tg.bernoulli(tg.to_tensor([math.nan])), "between 0 and 1"),
        (lambda: tg.bernoulli(tg.to_tensor([1])), "no floating type"),
        (lambda: tg.poisson(tg.to_tensor([-1.0])), "0 or more"),
        (lambda: tg.multinomial(tg.to_tensor([-1.0, 2.0])), "0 or more"),
        (lambda: tg.multinomial(tg.to_tensor([0.0, 2.0]), 2), "enough"),
        (lambda: tg.multinomial(tg.to_tensor([0.0, 0.0]), 1, True), "enough"),
        (lambda: tg.multinomial(tg.to_tensor([1.0]), 0), "1 or more"),
        (lambda: tg.multinomial(tg.to_tensor(1.0)), "dimensions"),
        (lambda: orthogonal_random(shape=[3]), "no matrix"),
        (lambda: dirichlet(tg.to_tensor([0.0, 1.0])), "concentration is positive"),
        (lambda: dirichlet(tg.to_tensor(1.0)), "no vector"),
    ],
)
def test_what_has_no_distribution_is_refused(
    call: Callable[[], Any], says: str
) -> None:
    with pytest.raises(OpError, match=says):
        call()


@pytest.mark.parametrize("draw", [tg.rand, tg.randn, tg.uniform, tg.standard_normal])
def test_random_floats_are_of_a_floating_dtype(draw: Any) -> None:
    assert draw([2], "float64").dtype == np.dtype("float64")
    for dtype in ("int64", "int32", "uint8", "bool"):
        with pytest.raises(DTypeError, match=f"{dtype} cannot hold .* randint"):
            draw([2], dtype)
