"""What parameters start as: by formula, by measurement, and alike in both modes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.nn import initializer as given
from teachgraph.static.scope import Scope

SHAPE = [200, 300]
LEAKY = given.KaimingNormal(negative_slope=0.5, nonlinearity="leaky_relu")


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    tg.seed(1234)
    yield
    given.set_global_initializer(None)
    tg.seed(1234)


def values(kind: Any, shape: list[int], dtype: str = "float64") -> Any:
    op, attrs = kind.operation(shape, np.dtype(dtype))
    return op(**attrs).numpy()


@pytest.mark.parametrize(
    ("kind", "deviation"),
    [
        (given.XavierUniform(), math.sqrt(2 / 500)),
        (given.XavierNormal(), math.sqrt(2 / 500)),
        (given.XavierUniform(fan_in=10, fan_out=40), math.sqrt(2 / 50)),
        (given.KaimingUniform(), math.sqrt(2 / 200)),
        (given.KaimingNormal(), math.sqrt(2 / 200)),
        (given.KaimingNormal(fan_in=50), math.sqrt(2 / 50)),
        (given.KaimingNormal(nonlinearity="tanh"), 5 / 3 / math.sqrt(200)),
        (LEAKY, math.sqrt(2 / 1.25 / 200)),
        (given.Normal(std=0.3), 0.3),
        (given.TruncatedNormal(std=0.3), 0.3 * 0.8796),
        (given.Uniform(-0.6, 0.6), 0.6 / math.sqrt(3)),
        (given.Orthogonal(), 1 / math.sqrt(300)),
    ],
    ids=repr,
)
def test_the_deviation_is_what_the_formula_says(kind: Any, deviation: float) -> None:
    weights = values(kind, SHAPE)
    assert weights.shape == tuple(SHAPE)
    assert weights.std() == pytest.approx(deviation, rel=0.02)
    assert weights.mean() == pytest.approx(0.0, abs=0.02 * deviation)


def test_uniform_ones_stay_inside_their_limit() -> None:
    limit = math.sqrt(6 / 200)
    weights = values(given.KaimingUniform(), SHAPE)
    assert 0.99 * limit < np.abs(weights).max() <= limit
    weights = values(given.TruncatedNormal(1.0, 0.5), SHAPE)
    assert 0.99 < np.abs(weights - 1.0).max() <= 1.0


def test_a_filter_counts_its_window() -> None:
    kind = given.KaimingUniform(negative_slope=0.5, nonlinearity="leaky_relu")
    _, attrs = kind.operation([2, 3, 4, 5], np.dtype("float32"))
    assert attrs["max"] == pytest.approx(0.2828427)
    assert attrs["min"] == -attrs["max"]


@pytest.mark.parametrize("shape", [[4, 3], [3, 4], [3, 4, 2], [5, 2, 2, 3]], ids=str)
def test_an_orthogonal_matrix_has_orthogonal_rows_or_columns(shape: list[int]) -> None:
    matrix = values(given.Orthogonal(gain=2.0), shape).reshape(shape[0], -1)
    rows, columns = matrix.shape
    product = matrix @ matrix.T if rows <= columns else matrix.T @ matrix
    np.testing.assert_allclose(product, 4.0 * np.eye(len(product)), atol=1e-12)


def test_dirac_passes_its_input_on() -> None:
    """The places of the ones were measured with Paddle 2.6.2."""
    for groups, shape, places in (
        (1, [3, 2, 3], [1, 10]),
        (2, [4, 2, 3, 3], [4, 31, 40, 67]),
    ):
        filters = values(given.Dirac(groups), shape).ravel()
        np.testing.assert_array_equal(np.flatnonzero(filters), places)
        np.testing.assert_array_equal(filters[places], 1.0)


def test_bilinear_weighs_by_nearness() -> None:
    filters = values(given.Bilinear(), [2, 1, 4, 4])
    side = np.array([0.25, 0.75, 0.75, 0.25])
    np.testing.assert_array_equal(filters[1, 0], np.outer(side, side))
    np.testing.assert_array_equal(filters[0], filters[1])


def test_gains_are_those_of_paddle() -> None:
    gains = {"sigmoid": 1, "conv2d_transpose": 1, "tanh": 5 / 3, "selu": 0.75}
    assert {name: given.calculate_gain(name) for name in gains} == gains
    assert given.calculate_gain("relu") == math.sqrt(2)
    assert given.calculate_gain("leaky_relu") == pytest.approx(1.4141428569978354)
    assert given.calculate_gain("leaky_relu", 0.5) == pytest.approx(1.2649110640673518)


KINDS = [
    given.Constant(2.0),
    given.Normal(1.0, 2.0),
    given.TruncatedNormal(),
    given.Uniform(),
    given.XavierNormal(),
    given.KaimingUniform(),
    given.Orthogonal(),
    given.Assign(np.arange(12.0).reshape(4, 3)),
]


def trained_twice(kind: Any) -> list[Any]:
    """The weights of a layer, in dynamic mode and after a startup program."""
    attr = tg.ParamAttr(initializer=kind)
    tg.seed(7)
    now = tg.nn.Linear(4, 3, weight_attr=attr).weight.numpy()
    startup = static.Program()
    tg.enable_static()
    try:
        with static.program_guard(static.Program(), startup):
            weight = tg.nn.Linear(4, 3, weight_attr=attr).weight
    finally:
        tg.disable_static()
    tg.seed(7)
    (later,) = static.Executor().run(startup, {}, [weight.name], scope=Scope())
    return [now, later]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_both_modes_begin_alike_from_one_seed(kind: Any) -> None:
    now, later = trained_twice(kind)
    assert now.dtype == later.dtype == np.float32
    np.testing.assert_array_equal(now, later)


def test_a_seed_of_its_own_repeats() -> None:
    kind = given.KaimingNormal(seed=5)
    first = values(kind, [3, 4])
    np.testing.assert_array_equal(values(kind, [3, 4]), first)
    assert not np.array_equal(values(given.KaimingNormal(seed=6), [3, 4]), first)


def test_the_global_initializer_wins_over_a_layers_own_but_not_over_an_attr() -> None:
    given.set_global_initializer(given.Constant(3.0), given.Constant(4.0))
    layer = tg.nn.Linear(2, 2)
    np.testing.assert_array_equal(layer.weight.numpy(), 3.0)
    np.testing.assert_array_equal(layer.bias.numpy(), 4.0)
    attr = tg.ParamAttr(initializer=given.Constant(7.0))
    np.testing.assert_array_equal(
        tg.nn.Linear(2, 2, weight_attr=attr).weight.numpy(), 7.0
    )
    given.set_global_initializer(given.Constant(3.0))
    np.testing.assert_array_equal(tg.nn.Linear(2, 2).bias.numpy(), 0.0)
    given.set_global_initializer(None)
    assert tg.nn.Linear(2, 2).weight.numpy().std() > 0.0


def test_the_global_initializer_holds_in_a_program() -> None:
    given.set_global_initializer(given.Constant(3.0), given.Constant(4.0))
    startup = static.Program()
    tg.enable_static()
    try:
        with static.program_guard(static.Program(), startup):
            static.nn.fc(static.data("x", [None, 2]), 3)
    finally:
        tg.disable_static()
    filled = [op.attr("value") for op in startup.global_block().ops]
    assert filled == [3.0, 4.0]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: given.calculate_gain("swish"), InvalidValueError, "swish"),
        (lambda: values(given.Dirac(), [3, 4]), ShapeError, "filters"),
        (lambda: values(given.Dirac(2), [3, 4, 5]), ShapeError, "2 equal groups"),
        (lambda: values(given.Bilinear(), [1, 1, 2, 3]), ShapeError, "square"),
        (lambda: values(given.Orthogonal(), [3]), ShapeError, "no matrix"),
    ],
)
def test_what_cannot_begin_is_refused(
    call: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        call()
