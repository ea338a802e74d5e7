"""A program cut down to what some targets need."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import ProgramError
from teachgraph.planning.executor import Executor
from tests.static.fresh import Fresh


def types(program: static.Program) -> list[str]:
    return [op.type for op in program.global_block().ops]


def two_ways() -> tuple[Any, Any, Any]:
    """x leads to a and b; b is trained."""
    x = static.data("x", [None, 2])
    a = tg.tanh(static.nn.fc(x, 2, name="a"))
    b = tg.mean(static.nn.fc(x, 1, name="b", bias_attr=False))
    tg.optimizer.SGD(0.5).minimize(b)
    return x, a, b


def test_only_what_a_target_needs_stays(programs: Fresh) -> None:
    _, a, b = two_ways()
    assert types(programs.main._prune(a)) == ["mul", "elementwise_add", "tanh"]
    assert types(programs.main._prune([b.name])) == ["mul", "reduce_mean"]
    whole = programs.main._prune([a, b])
    assert types(whole) == types(programs.main)[:5]


def test_variables_that_nobody_uses_go_and_the_original_stays(programs: Fresh) -> None:
    _, a, _ = two_ways()
    before = str(programs.main)
    left = programs.main._prune(a)
    assert list(left.global_block().vars) == [
        "x",
        "a.w_0",
        "a.tmp_0",
        "a.b_0",
        "a.tmp_1",
        a.name,
    ]
    assert str(programs.main) == before


def test_an_update_is_needed_only_when_it_is_asked_for(programs: Fresh) -> None:
    _, _, b = two_ways()
    update = programs.main.global_block().ops[-1]
    left = programs.main._prune([b, update])
    assert types(left)[-1] == "sgd"
    assert "tanh" not in types(left)


def test_what_is_given_needs_no_operators(programs: Fresh) -> None:
    _, a, _ = two_ways()
    hidden = programs.main.global_block().var("a.tmp_0")
    left = programs.main._prune_with_input([hidden.name], [a])
    assert types(left) == ["elementwise_add", "tanh"]
    assert not left.global_block().has_var("x")


def test_a_pruned_program_computes_the_same(programs: Fresh) -> None:
    _, a, _ = two_ways()
    executor = Executor()
    executor.run(programs.startup)
    feed = {"x": np.ones((1, 2), "float32")}
    (after,) = executor.run(programs.main._prune(a), feed, [a.name])
    (before,) = executor.run(programs.main, feed, [a])
    np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize(
    ("feeds", "targets", "error", "message"),
    [
        ([3], ["x"], TypeError, "can only be str, but received <class 'int'>"),
        ([], [3], TypeError, "can only be Variable or Operator, but received"),
        ([], ["nowhere"], ProgramError, "no targets of this program: .'nowhere'"),
    ],
)
def test_other_feeds_and_targets_are_refused(
    feeds: Any, targets: Any, error: type[Exception], message: str, programs: Fresh
) -> None:
    two_ways()
    with pytest.raises(error, match=message):
        programs.main._prune_with_input(feeds, targets)


def test_an_operator_of_another_program_is_no_target(programs: Fresh) -> None:
    two_ways()
    stranger = programs.main.clone().global_block().ops[0]
    with pytest.raises(ProgramError, match="no targets of this program"):
        programs.main._prune([stranger])


def test_a_program_for_inference_has_all_operators_as_in_a_test(
    programs: Fresh,
) -> None:
    """Paddle 2.6 keeps the gradient's operators there; `clone(for_test=True)` drops."""
    x = static.data("x", [None, 2])
    h = static.nn.batch_norm(tg.nn.functional.dropout(static.nn.fc(x, 3), 0.5))
    tg.optimizer.SGD(0.5).minimize(tg.mean(h))
    left = programs.main._inference_optimize()
    assert types(left) == types(programs.main)
    assert {op.type: op.attr("is_test") for op in left.global_block().ops} == {
        "mul": None,
        "elementwise_add": None,
        "dropout": True,
        "batch_norm": True,
        "reduce_mean": None,
        "fill_constant": None,
        "reduce_mean_grad": None,
        "batch_norm_grad": True,
        "dropout_grad": True,
        "elementwise_add_grad": None,
        "mul_grad": None,
        "sgd": None,
    }
    assert [p.name for p in left.all_parameters()] == [
        p.name for p in programs.main.all_parameters()
    ]
    assert types(programs.main.clone(for_test=True)) == types(left)[:5]
    assert programs.main.global_block().ops[2].attr("is_test") is False


def test_a_branch_is_made_ready_for_inference_too(programs: Fresh) -> None:
    x = static.data("x", [1])
    static.nn.cond(
        tg.mean(x) > 0.0,
        lambda: tg.nn.functional.dropout(x, 0.5),
        lambda: x,
    )
    left = programs.main._inference_optimize()
    found = [op.attr("is_test") for b in left.blocks for op in b.ops]
    assert found.count(True) == 1
    assert False not in found
