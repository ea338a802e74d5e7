"""Updates joined: one operator, the same bits in every parameter and all remembered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import passes, static
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.ops.fused_update import fused_update
from teachgraph.planning.executor import Executor
from tests.passes.same import types, unchanged
from tests.static.fresh import Fresh

FEED = {"x": np.random.default_rng(2).normal(size=(5, 3))}

OPTIMIZERS = {
    "momentum": lambda: tg.optimizer.Momentum(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda: tg.optimizer.Adagrad(0.1),
    "adam": lambda: tg.optimizer.Adam(0.1),
    "adamw": lambda: tg.optimizer.AdamW(0.1, weight_decay=0.1),
    "adamax": lambda: tg.optimizer.Adamax(0.1),
}


def network(width: int = 4) -> Any:
    x = static.data("x", [None, 3], "float64")
    for _ in range(4):
        x = static.nn.fc(x, width, activation="tanh")
    return tg.mean(x * x)


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_updates_of_a_kind_become_one(kind: str, programs: Fresh) -> None:
    loss = network()
    OPTIMIZERS[kind]().minimize(loss)
    Executor().run(programs.startup)
    made = unchanged(
        programs.main, "optimizer_fuse", FEED, [loss], programs.scope, steps=4
    )
    assert kind not in types(made)
    (joined,) = (op for op in made.global_block().ops if op.type == "fused_update")
    assert joined.attr("update") == kind
    assert [origin.type for origin in joined.origins] == [kind] * 8


def test_updates_by_gradient_alone_stay_apart(programs: Fresh) -> None:
    loss = network()
    tg.optimizer.SGD(0.1).minimize(loss)
    made = passes.apply_pass(programs.main, "optimizer_fuse", fetches=[loss])
    assert types(made).count("sgd") == 8


def test_large_parameters_stay_apart(programs: Fresh) -> None:
    loss = network(80)
    tg.optimizer.Momentum(0.1).minimize(loss)
    Executor().run(programs.startup)
    made = unchanged(programs.main, "optimizer_fuse", FEED, [loss], programs.scope)
    assert types(made).count("momentum") == 3
    assert types(made).count("fused_update") == 1


def test_other_rates_and_other_numbers_stay_apart(programs: Fresh) -> None:
    loss = network()
    rate = tg.ParamAttr(learning_rate=0.5)
    more = static.nn.fc(static.data("y", [None, 3], "float64"), 2, weight_attr=rate)
    total = loss + tg.mean(more * more)
    tg.optimizer.Momentum(0.1, 0.9).minimize(total)
    Executor().run(programs.startup)
    feed = FEED | {"y": FEED["x"] * 2}
    made = unchanged(programs.main, "optimizer_fuse", feed, [total], programs.scope)
    assert types(made).count("fused_update") == 1
    assert types(made).count("momentum") == 1


def test_a_parameter_that_is_read_between_updates_is_updated_in_time(
    programs: Fresh,
) -> None:
    loss = network()
    updates, _ = tg.optimizer.Momentum(0.1).minimize(loss)
    first = programs.main.global_block().var(updates[0].input("Param")[0])
    at = updates[0].idx + 1
    seen = programs.main.global_block().create_var("seen", first.shape, first.dtype)
    programs.main.global_block()._insert_op(
        at, "tanh", inputs={"X": first}, outputs={"Out": seen}
    )
    Executor().run(programs.startup)
    made = unchanged(
        programs.main, "optimizer_fuse", FEED, [loss, seen], programs.scope
    )
    assert types(made).count("momentum") == 1


def test_one_parameter_updated_twice_is_updated_twice(programs: Fresh) -> None:
    loss = network()
    tg.optimizer.Momentum(0.1).minimize(loss)
    tg.optimizer.Momentum(0.1).minimize(tg.mean(loss * loss))
    Executor().run(programs.startup)
    unchanged(programs.main, "optimizer_fuse", FEED, [loss], programs.scope)


def test_numbers_that_differ_are_minded() -> None:
    rng = np.random.default_rng(0)
    w, dw = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    b, db = rng.normal(size=4), rng.normal(size=4)
    rates = np.array([0.1]), np.array([0.2])
    how = {"update": "sgd", "count": 2, "options": {}}
    new_w, new_b = fused_update.kernel(w, b, dw, db, *rates, **how)
    np.testing.assert_array_equal(new_w, w - 0.1 * dw)
    np.testing.assert_array_equal(new_b, b - 0.2 * db)


def test_what_is_no_update_is_refused() -> None:
    x = np.ones(2)
    with pytest.raises(InvalidValueError, match="'lamb' is none of"):
        fused_update.kernel(x, update="lamb", count=1, options={})
    with pytest.raises(ShapeError, match="2 updates by sgd take 6 inputs, not 4"):
        fused_update.kernel(x, x, x, x, update="sgd", count=2, options={})
