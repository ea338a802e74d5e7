"""Random operators of seeded programs: new numbers each round, the same each run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.planning.executor import Executor
from teachgraph.static import nn

INTERPRET = pytest.mark.parametrize("interpret", [False, True])


def rounds(count: int, draw: Any) -> Any:
    """What `draw` gives in each round, one row a round."""
    first = [tg.zeros([1], "int64"), draw()[None, :]]
    return nn.while_loop(
        lambda k, rows: k < count,
        lambda k, rows: [k + 1, tg.concat([rows, draw()[None, :]])],
        first,
    )[1]


@INTERPRET
@pytest.mark.parametrize(
    "draw",
    [
        lambda: tg.uniform([4]),
        lambda: tg.normal(shape=[4]),
        lambda: tg.nn.functional.dropout(tg.ones([16]), 0.5),
    ],
)
def test_a_loop_draws_new_numbers_each_round_and_the_same_each_run(
    interpret: bool, draw: Any
) -> None:
    static.default_main_program().random_seed = 7
    rows = rounds(3, draw)
    executor = Executor(interpret=interpret)
    first, second = (executor.run(fetch_list=[rows])[0] for _ in range(2))
    assert len(np.unique(first, axis=0)) == 4
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(
        first, Executor(interpret=not interpret).run(fetch_list=[rows])[0]
    )


@INTERPRET
def test_an_inner_loop_goes_on_drawing_where_it_stopped(interpret: bool) -> None:
    static.default_main_program().random_seed = 7
    empty = tg.zeros([0, 4])

    def inner(rows: Any) -> Any:
        return nn.while_loop(
            lambda j, rows: j < 2,
            lambda j, rows: [j + 1, tg.concat([rows, tg.uniform([1, 4])])],
            [tg.zeros([1], "int64"), rows],
        )[1]

    rows = nn.while_loop(
        lambda k, rows: k < 3,
        lambda k, rows: [k + 1, inner(rows)],
        [tg.zeros([1], "int64"), empty],
    )[1]
    executor = Executor(interpret=interpret)
    first, second = (executor.run(fetch_list=[rows])[0] for _ in range(2))
    assert len(np.unique(first, axis=0)) == 6
    np.testing.assert_array_equal(first, second)


@INTERPRET
def test_both_branches_draw_numbers_of_their_own(interpret: bool) -> None:
    static.default_main_program().random_seed = 7
    p = static.data("p", [1], "bool")
    drawn = nn.cond(p, lambda: tg.uniform([4]), lambda: tg.uniform([4]))
    executor = Executor(interpret=interpret)
    yes, no = (
        executor.run(feed={"p": np.array([answer])}, fetch_list=[drawn])[0]
        for answer in (True, False)
    )
    assert not np.array_equal(yes, no)


@INTERPRET
def test_what_a_round_leaves_out_gets_no_gradient(interpret: bool) -> None:
    static.default_main_program().random_seed = 3
    x = static.data("x", [8])
    x.stop_gradient = False
    dropped = tg.nn.functional.dropout
    _, y = nn.while_loop(
        lambda k, y: k < 3,
        lambda k, y: [k + 1, y + dropped(x, 0.5, mode="downscale_in_infer")],
        [tg.zeros([1], "int64"), tg.zeros([8])],
    )
    dx = static.gradients(y, x)[0]
    feed = {"x": np.ones(8, "float32")}
    kept, slope = Executor(interpret=interpret).run(feed=feed, fetch_list=[y, dx])
    np.testing.assert_array_equal(kept, slope)
    assert {1.0, 2.0} & set(kept.tolist())  # some rounds keep what others leave out


@INTERPRET
def test_two_threads_draw_the_same(interpret: bool) -> None:
    from concurrent.futures import ThreadPoolExecutor

    static.default_main_program().random_seed = 7
    rows = rounds(40, lambda: tg.uniform([4]))
    program = rows.block.program
    executor = Executor(interpret=interpret)
    with ThreadPoolExecutor(4) as pool:
        runs = pool.map(
            lambda _: executor.run(program, fetch_list=[rows], scope=static.Scope())[0],
            range(8),
        )
    first, *others = runs
    for other in others:
        np.testing.assert_array_equal(other, first)
