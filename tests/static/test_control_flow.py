"""What `cond`, `while_loop`, `case` and `switch_case` make, and what they refuse."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.control_flow.loop import While
from teachgraph.core import modes
from teachgraph.core.errors import ModeError, ProgramError, ShapeError
from teachgraph.planning.executor import Executor
from teachgraph.static import nn

X = np.array([[1.0, 2.0, 3.0]], "float32")


def data() -> Any:
    x = static.data("x", [1, 3])
    x.stop_gradient = False
    return x


def truth() -> Any:
    return static.data("p", [1], "bool")


def put(value: Any, variable: Any) -> None:
    tg.assign(value, variable)


def run(fetch: Any, *, answer: bool = True) -> list[Any]:
    feed = {"x": X, "p": np.array([answer])}
    used = {
        name: feed[name]
        for name in fetch[0].block.program.global_block().vars
        if name in feed
    }
    return [v.tolist() for v in Executor().run(feed=used, fetch_list=fetch)]


def test_a_nest_comes_back_as_it_was() -> None:
    x, p = data(), truth()
    found = nn.cond(
        p,
        lambda: {"b": (x[0, 0], [x[0, 1], 3]), "a": x[0, 2]},
        lambda: {"b": (x[0, 2], [x[0, 1] * 2.0, 4]), "a": x[0, 0]},
    )
    assert list(found) == ["b", "a"]
    first, (second, number) = found["b"]
    fetch = [first, second, number, found["a"]]
    assert run(fetch) == [1.0, 2.0, 3, 3.0]
    assert run(fetch, answer=False) == [3.0, 4.0, 4, 1.0]


def test_a_number_that_both_branches_return_stays_a_number() -> None:
    found = nn.cond(truth(), lambda: [7, tg.zeros([1])], lambda: [7, tg.ones([1])])
    assert found[0] == 7
    assert isinstance(found[1], static.Variable)


def test_sizes_that_differ_are_not_known() -> None:
    x = data()
    found = nn.cond(truth(), lambda: tg.concat([x, x]), lambda: x * 2.0)
    assert found.shape == (-1, 3)
    assert run([found]) == [[[1, 2, 3], [1, 2, 3]]]
    assert run([found], answer=False) == [[[2, 4, 6]]]


def test_a_result_that_has_no_gradient_in_either_branch_stops_it() -> None:
    x = data()
    stopped = nn.cond(truth(), lambda: tg.ones([1]), lambda: tg.zeros([1]))
    one_sided = nn.cond(truth(), lambda: tg.ones([1, 3]), lambda: x)
    assert [stopped.stop_gradient, one_sided.stop_gradient] == [True, False]
    dx = static.gradients(one_sided, x)
    assert run(dx) == [[[0, 0, 0]]]
    assert run(dx, answer=False) == [[[1, 1, 1]]]


def test_a_branch_may_write_a_variable_around_it() -> None:
    total = tg.full([1], 5.0)
    nn.cond(truth(), lambda: put(total * 2.0, total))
    assert run([total]) == [[10.0]]
    assert run([total], answer=False) == [[5.0]]


def test_the_variables_of_a_branch_are_not_seen_around_it() -> None:
    x, inside = data(), []
    nn.cond(truth(), lambda: inside.append(x * 3.0))
    with pytest.raises(ValueError, match="lives inside a branch or a loop"):
        tg.exp(inside[0])


def test_a_loop_leaves_its_first_values_alone() -> None:
    x = data()
    y = nn.while_loop(lambda y: tg.sum(y) < 20.0, lambda y: [y * 2.0], [x])
    assert run([*y, x]) == [[[4, 8, 12]], [[1, 2, 3]]]


def test_numbers_are_loop_variables_too() -> None:
    i, total = nn.while_loop(
        lambda i, total: i < 4, lambda i, total: (i + 1, total * 2.0), [0, 1.0]
    )
    assert run([i, total]) == [4, 16.0]
    assert [str(i.dtype), str(total.dtype)] == ["int64", "float32"]


def test_loop_variables_may_be_nested() -> None:
    x = data()
    found = nn.while_loop(
        lambda i, state: i < 2,
        lambda i, state: [i + 1, {"a": state["a"] + 1.0, "b": (state["b"][0] * 2.0,)}],
        [0, {"a": x, "b": (x,)}],
    )
    assert run([found[1]["a"], found[1]["b"][0]]) == [[[3, 4, 5]], [[4, 8, 12]]]


def test_a_size_that_a_loop_changes_is_not_known() -> None:
    x = data()
    grown = nn.while_loop(
        lambda y: tg.shape(y)[0] < 4, lambda y: tg.concat([y, x]), [x]
    )[0]
    assert grown.shape == (-1, 3)
    assert len(grown.block.program.blocks) == 2
    assert np.shape(run([grown])[0]) == (4, 3)


def test_layers_in_a_body_have_one_set_of_parameters() -> None:
    x = data()
    body = lambda i, y: [i + 1, tg.concat([static.nn.fc(y, 3), x])]  # noqa: E731
    nn.while_loop(lambda i, y: i < 3, body, [0, x])
    names = [p.name for p in x.block.program.all_parameters()]
    assert names == ["fc_0.w_0", "fc_0.b_0"]


def test_no_variable_is_a_python_condition() -> None:
    with pytest.raises(ModeError, match=r"use static.nn.cond or to_static"):
        bool(truth())


def test_the_program_shows_all_blocks() -> None:
    x = data()
    y = nn.cond(truth(), lambda: tg.tanh(x), lambda: x)
    static.gradients(y, x)
    text = str(x.block.program)
    heads = re.findall(r"block_idx:.*", text)
    assert heads == [
        "block_idx:0  parent_idx:-1  forward_idx:-1  backward_idx:-1",
        "block_idx:1  parent_idx:0  forward_idx:-1  backward_idx:4",
        "block_idx:2  parent_idx:0  forward_idx:-1  backward_idx:3",
        "block_idx:3  parent_idx:0  forward_idx:2  backward_idx:-1",
        "block_idx:4  parent_idx:0  forward_idx:1  backward_idx:-1",
    ]
    assert "sub_block = block[1]" in text
    assert "var _generated_var_1 : STEP_SCOPES" in text


def test_a_clone_runs_its_own_blocks() -> None:
    x = data()
    _, y = nn.while_loop(
        lambda i, y: i < 3,
        lambda i, y: [i + 1, nn.cond(i > 0, lambda: y * x, lambda: y + x)],
        [0, x],
    )
    dx = static.gradients(y, x)[0]
    main = x.block.program
    for copy in (main.clone(), main.clone(for_test=True)):
        assert copy.block(1).ops[0].block.program is copy
        found = Executor().run(copy, {"x": X}, [y])[0]
        assert found.tolist() == [[2, 16, 54]]
    found = Executor().run(main.clone(), {"x": X}, [dx])[0]
    assert found.tolist() == [[6, 24, 54]]


Call = Callable[[Any, Any], Any]


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda x, p: nn.cond(p, x), TypeError, "true_fn in cond must be callable"),
        (lambda x, p: nn.cond(x, int), TypeError, r"must be \['bool'\]"),
        (
            lambda x, p: nn.cond(tg.concat([p, p]), lambda: x, lambda: x),
            ShapeError,
            "must have one element, but is shaped",
        ),
        (
            lambda x, p: nn.cond(p, lambda: x),
            ProgramError,
            "true_fn returns non-None while false_fn returns None",
        ),
        (
            lambda x, p: nn.cond(p, lambda: x, lambda: [x, x]),
            ProgramError,
            "true fn returns 1 vars, but false fn returns 2 vars",
        ),
        (lambda x, p: nn.while_loop(1, int, [x]), TypeError, "cond .* callable"),
        (lambda x, p: nn.while_loop(int, 1, [x]), TypeError, "body .* callable"),
        (lambda x, p: nn.while_loop(int, int, []), ProgramError, "not be empty"),
        (lambda x, p: nn.while_loop(int, int, x), TypeError, "type of 'loop_vars'"),
        (
            lambda x, p: nn.while_loop(lambda x: True, lambda x: x, [x]),
            TypeError,
            "type of 'var of cond returned'",
        ),
        (
            lambda x, p: nn.while_loop(lambda x: x < 1.0, lambda x: x, [x]),
            ShapeError,
            "'var of cond returned' .* one element",
        ),
        (
            lambda x, p: nn.while_loop(lambda x: p, lambda x: [x, x], [x]),
            ProgramError,
            "should return the same arity",
        ),
        (
            lambda x, p: nn.switch_case(x, [int]),
            TypeError,
            "data type of 'branch_index'",
        ),
        (lambda x, p: nn.switch_case(1, {1: 2}), TypeError, "function for key 1"),
        (lambda x, p: nn.switch_case(1, 4), TypeError, "type of 'branch_fns'"),
        (
            lambda x, p: nn.switch_case(1, [(4, int), (4, int)]),
            ProgramError,
            "'4' appears more than once",
        ),
        (lambda x, p: nn.case(4), TypeError, "type of 'pred_fn_pairs'"),
        (lambda x, p: nn.case([]), ProgramError, "should not be empty"),
        (lambda x, p: nn.case([4]), TypeError, "must be a tuple of two"),
        (lambda x, p: nn.case([(p, 4)]), TypeError, "must be callable"),
        (lambda x, p: nn.case([(x, int)]), TypeError, r"must be \['bool'\]"),
        (lambda x, p: While(x), TypeError, "data type of 'cond' in While"),
    ],
)
def test_what_makes_no_sense_is_refused(
    call: Call, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        call(data(), truth())


def test_a_failed_branch_leaves_the_outer_block_current() -> None:
    x = data()
    with pytest.raises(ShapeError):
        nn.cond(truth(), lambda: x @ x, lambda: x)
    assert (x * 2.0).block.idx == 0


def test_a_while_that_never_changes_its_condition_is_refused() -> None:
    going = tg.full([1], 1, "bool")
    with (
        pytest.raises(ProgramError, match="so it would never end"),
        While(going).block(),
    ):
        tg.zeros([1])


def test_in_dynamic_mode_python_runs_them() -> None:
    with modes.using(static=False):
        x = tg.to_tensor([3.0], stop_gradient=False)
        y = nn.cond(x > 2.0, lambda: x * x, lambda: 1 / 0)
        (y,) = nn.while_loop(lambda y: y < 100.0, lambda y: y * x, [y])
        y.backward()
        assert [y.item(), x.grad.item()] == [243.0, 5 * 81.0]
        assert (
            nn.switch_case(tg.to_tensor(9), {1: lambda: "one", 2: lambda: "two"})
            == "two"
        )
        assert nn.case([(x > 5.0, lambda: 1)], lambda: 2) == 2
        with pytest.raises(ProgramError, match="same arity"):
            nn.while_loop(lambda y: y < 1e9, lambda y: [y, y], [y])
