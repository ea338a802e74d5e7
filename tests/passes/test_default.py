"""The passes every Executor makes: fewer operators, and the same to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import passes, static
from teachgraph.nn import functional as F
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable
from tests.passes.same import types, unchanged
from tests.static.fresh import Fresh

X = {"x": np.array([[1.5, -0.0, np.inf], [np.nan, -2.0, 3.0]], "float32")}


def x_data() -> Variable:
    return static.data("x", [None, 3])


IDENTITIES = {
    "scale": lambda x: x * 1.0,
    "bias": lambda x: tg.scale(x, 1.0, 0.0),
    "cast": lambda x: tg.cast(x, "float32"),
    "reshape": lambda x: tg.reshape(x, [-1, 3]),
    "kept sizes": lambda x: tg.reshape(x, [0, 3]),
    "transpose": lambda x: tg.transpose(x, [0, 1]),
    "two transposes": lambda x: tg.transpose(tg.transpose(x, [1, 0]), [-1, 0]),
    "dropout": lambda x: F.dropout(x, 0.5, training=False),
    "assign": tg.assign,
    "several": lambda x: tg.assign(tg.reshape(tg.assign(x) * 1.0, [-1, 3])),
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_an_operator_that_hands_on_what_it_gets_goes(
    name: str, programs: Fresh
) -> None:
    out = tg.tanh(IDENTITIES[name](x_data()))
    made = unchanged(programs.main, "identities", X, [out])
    assert types(made) == ["tanh"]
    assert made.global_block().ops[0].input("X") == ["x"]


@pytest.mark.parametrize("name", IDENTITIES)
def test_what_is_fetched_is_never_taken_away(name: str, programs: Fresh) -> None:
    out = IDENTITIES[name](x_data())
    made = unchanged(programs.main, ["identities", "dead_code"], X, [out])
    assert out.name in made.global_block().ops[-1].output_arg_names


NOT_IDENTITIES = {
    "twice": lambda x: x * 2.0,
    "and one": lambda x: x + 1.0,
    "zero beside -0": lambda x: x + tg.full([1], 0.0),
    "cast": lambda x: tg.cast(x, "float64"),
    "reshape": lambda x: tg.reshape(x, [3, -1]),
    "turned": lambda x: tg.transpose(x, [1, 0]),
    "less": lambda x: F.dropout(x, 0.5, training=False, mode="downscale_in_infer"),
    "grown": lambda x: x * tg.full([1, 1, 1], 1.0),
    "another dtype": lambda x: x * tg.full([1], 1.0, "float64"),
}


@pytest.mark.parametrize("name", NOT_IDENTITIES)
def test_what_changes_something_stays(name: str, programs: Fresh) -> None:
    out = tg.tanh(NOT_IDENTITIES[name](x_data()))
    made = unchanged(programs.main, ["identities", "algebra"], X, [out])
    assert types(made) == types(programs.main)


def test_joined_transposes_and_reshapes(programs: Fresh) -> None:
    x = static.data("x", [2, 3, 4])
    turned = tg.transpose(tg.transpose(x, [1, 2, 0]), [1, 2, 0])
    shaped = tg.reshape(tg.reshape(x, [6, 4]), [3, 8])
    feed = {"x": np.arange(24.0, dtype="float32").reshape(2, 3, 4)}
    made = unchanged(programs.main, "identities", feed, [turned, shaped])
    assert types(made) == ["transpose2", "reshape2"]
    assert made.global_block().ops[0].attr("axis") == [2, 0, 1]


def test_a_reshape_that_may_fail_stays(programs: Fresh) -> None:
    """Four elements make no rows of three, and the user is to be told so."""
    x = static.data("x", [None])
    out = tg.reshape(tg.reshape(x, [3, -1]), [-1])
    made = passes.apply_pass(programs.main, "identities", fetches=[out])
    assert types(made) == ["reshape2", "reshape2"]


ALGEBRA = {
    "times one": lambda x: x * tg.full([1], 1.0),
    "one times": lambda x: tg.full([1], 1.0) * x,
    "by one": lambda x: x / tg.full([1, 1], 1.0),
    "less zero": lambda x: x - tg.full([1], 0.0),
    "and minus zero": lambda x: x + tg.full([1], -0.0),
    "to the first": lambda x: tg.pow(x, 1.0),
    "to the first, a tensor": lambda x: tg.pow(x, tg.full([1], 1.0)),
    "negated twice": lambda x: -tg.scale(x, -1.0),
}


@pytest.mark.parametrize("name", ALGEBRA)
def test_arithmetic_that_does_nothing_goes(name: str, programs: Fresh) -> None:
    out = tg.tanh(ALGEBRA[name](x_data()))
    made = unchanged(programs.main, ["algebra", "dead_code"], X, [out])
    assert types(made) == ["tanh"]


def test_a_zero_goes_from_a_sum_of_integers(programs: Fresh) -> None:
    x = static.data("x", [3], "int64")
    out = tg.cast(x + tg.full([1], 0, "int64"), "float32")
    made = unchanged(
        programs.main, ["algebra", "dead_code"], {"x": np.arange(3)}, [out]
    )
    assert types(made) == ["cast"]


def test_what_is_computed_twice_is_computed_once(programs: Fresh) -> None:
    x = x_data()
    out = tg.tanh(x * 2.0) + tg.tanh(x * 2.0) * tg.tanh(x * 3.0)
    made = unchanged(programs.main, "common_subexpressions", X, [out])
    kinds = types(made)
    assert (kinds.count("scale"), kinds.count("tanh")) == (2, 2)


def test_draws_stay_two(programs: Fresh) -> None:
    one, two = tg.rand([4]), tg.rand([4])
    made = passes.apply_pass(programs.main, "common_subexpressions", fetches=[one, two])
    assert len(types(made)) == 2
    x, y = Executor().run(made, {}, [one.name, two.name])
    assert not np.array_equal(x, y)


def test_dead_code_keeps_the_draws_of_others(programs: Fresh) -> None:
    """Without the first draw, the second would be another."""
    tg.tanh(tg.rand([4]))
    out = tg.rand([4])
    made = passes.apply_pass(programs.main, "dead_code", fetches=[out])
    assert types(made) == ["uniform_random", "uniform_random"]
    found = []
    for program in (programs.main, made):
        tg.seed(3)
        found.append(Executor().run(program, {}, [out.name])[0])
    np.testing.assert_array_equal(*found)


def test_a_seeded_program_draws_the_same_after_it_has_shrunk(programs: Fresh) -> None:
    programs.main.random_seed = 7
    tg.tanh(tg.rand([4]))
    out = tg.rand([4])
    made = unchanged(programs.main, "dead_code", {}, [out])
    assert types(made) == ["uniform_random"]


def test_dead_code_follows_what_is_fetched(programs: Fresh) -> None:
    x = x_data()
    y = tg.tanh(x)
    tg.mean(tg.exp(y))
    made = unchanged(programs.main, "dead_code", X, [y])
    assert types(made) == ["tanh"]
    assert list(made.global_block().vars) == ["x", y.name]
    assert "origins" not in str(made)


def test_constants_are_computed_before_the_run(programs: Fresh) -> None:
    x = x_data()
    half = tg.full([3], 1.0) / tg.full([1], 2.0)
    ramp = tg.cumsum(half, axis=0)
    out = x + ramp * half
    made = unchanged(programs.main, "constant_folding", X, [out])
    assert types(made) == ["assign_value", "elementwise_add"]
    np.testing.assert_array_equal(
        made.global_block().ops[0].attr("values"), [0.25, 0.5, 0.75]
    )


@pytest.mark.parametrize("value", [-0.0, float("nan"), float("inf"), 0.1, 1e-45])
def test_a_folded_constant_is_the_one_that_would_be_computed(
    value: float, programs: Fresh
) -> None:
    out = tg.assign(tg.full([2], value))
    made = unchanged(programs.main, "constant_folding", {}, [out])
    (found,) = Executor().run(made, {}, [out.name])
    assert np.signbit(found).tolist() == [np.signbit(np.float32(value))] * 2
    assert types(made) == ["fill_constant"]


def test_large_integers_survive_folding(programs: Fresh) -> None:
    """A `fill_constant` holds a float, which has not room for them."""
    big = 2**53 + 1
    out = tg.assign(np.array([big, big])) + tg.full([1], 0, "int64")
    made = unchanged(programs.main, "constant_folding", {}, [out])
    assert types(made) == ["assign_value"]
    assert Executor().run(made, {}, [out.name])[0].tolist() == [big, big]


def test_what_is_too_large_or_cannot_be_computed_is_left_to_the_run(
    programs: Fresh,
) -> None:
    large = tg.tanh(tg.full([2000], 1.0))
    index = tg.gather(tg.full([2], 1.0), tg.full([1], 5, "int64"))
    made = passes.apply_pass(programs.main, "constant_folding", fetches=[large, index])
    assert types(made) == types(programs.main)
    with pytest.raises(IndexError, match="gather"):
        Executor().run(programs.main, {}, [index])


def test_positions_in_a_batch_of_settled_shape_are_constants(programs: Fresh) -> None:
    words = static.data("words", [2, 3], "int64")
    places = tg.cumsum(tg.ones_like(tg.reshape(words, [3, 2])), axis=1) - 1
    made = unchanged(
        programs.main, "constant_folding", {"words": np.ones((2, 3), "int64")}, [places]
    )
    assert types(made)[-1] == "assign_value"
    assert "cumsum" not in types(made)


def test_shapes_that_a_run_decides_are_left_to_it(programs: Fresh) -> None:
    """What a loop hands on may have grown, whatever was declared."""
    x, y = x_data(), static.data("y", [1, 2])
    _, grown = static.nn.while_loop(
        lambda i, rows: i < 3,
        lambda i, rows: [i + 1, tg.concat([rows, y], axis=0)],
        [tg.full([1], 0, "int64"), y * 1.0],
    )
    fetches = [tg.ones_like(x), tg.ones_like(grown), tg.ones_like(grown + y)]
    made = unchanged(
        programs.main,
        "constant_folding",
        {**X, "y": np.zeros((1, 2), "float32")},
        fetches,
    )
    assert types(made).count("fill_any_like") == 3


def test_a_value_from_before_an_update_is_not_read_after_it(programs: Fresh) -> None:
    """`before` is a copy of the parameter as it was; the parameter moves on."""
    x = x_data()
    y = static.nn.fc(x, 2)
    weight = programs.main.all_parameters()[0]
    before = tg.assign(weight)
    loss = tg.mean(y)
    tg.optimizer.SGD(0.1).minimize(loss)
    after = tg.tanh(before) - tg.tanh(weight)
    Executor().run(programs.startup)
    feed = {"x": np.ones((2, 3), "float32")}
    made = unchanged(programs.main, passes.DEFAULT, feed, [loss, after], programs.scope)
    kinds = types(made)
    assert (kinds.count("tanh"), kinds.count("assign")) == (2, 1)


def network() -> tuple[Variable, dict[str, Any]]:
    x, label = static.data("x", [None, 8]), static.data("label", [None, 1], "int64")
    hidden = static.nn.fc(x, 8, activation="relu")
    logits = static.nn.fc(F.dropout(hidden, 0.0), 4)
    loss = F.cross_entropy(logits, label)
    tg.optimizer.Adam(0.01).minimize(loss)
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, (5, 1))
    return loss, {"x": rng.normal(size=(5, 8)).astype("float32"), "label": labels}


def test_a_training_step_is_the_same_to_the_last_bit(programs: Fresh) -> None:
    loss, feed = network()
    Executor().run(programs.startup)
    unchanged(programs.main, passes.DEFAULT, feed, [loss], programs.scope, steps=4)


def test_an_executor_makes_them_and_its_interpreter_does_not(programs: Fresh) -> None:
    out = tg.tanh(x_data() * 1.0)
    assert "x * 1.0" not in Executor().compiled(fetch_list=[out]).source
    assert "x * 1.0" in Executor(interpret=True).compiled(fetch_list=[out]).source
    assert types(programs.main) == ["scale", "tanh"]
