"""Programs that cannot run as they stand: each is refused where it was written.

A row builds a wrong program, marking the line to blame with `here()`, and runs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import currentframe
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import (
    ExecutorError,
    FetchError,
    NotInitializedError,
    ProgramError,
    TeachgraphError,
)
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable, default_main_program, default_startup_program

ONES = np.ones((2, 4), "float32")
HERE = Path(__file__).name

Build = Callable[[Executor], Any]
blamed: list[int] = []


def here(later: int = 1) -> None:
    """Blame a line after this one: the next, or one so many farther on."""
    frame = currentframe()
    assert frame is not None
    assert frame.f_back is not None
    blamed.append(frame.f_back.f_lineno + later)


def x() -> Variable:
    return static.data("x", [2, 4])


def block() -> Any:
    return default_main_program().current_block()


def variable(name: str) -> Variable:
    found: Variable = block().create_var(name, [2, 4], "float32")
    return found


def relu(source: Variable, target: Variable) -> Any:
    return {"type": "relu", "inputs": {"X": source}, "outputs": {"Out": target}}


def run(executor: Executor, *fetches: Any, **feed: Any) -> Any:
    return executor.run(feed={"x": ONES, **feed}, fetch_list=list(fetches))


def used_before_it_is_written(executor: Executor) -> Any:
    data, a, b = x(), variable("a"), variable("b")
    here()
    block().append_op(**relu(a, b))
    block().append_op(**relu(data, a))
    return run(executor, b)


def never_written(executor: Executor) -> Any:
    data, a = x(), variable("a")
    here()
    total = data + a
    return run(executor, total)


def never_written_but_read_in_a_branch(executor: Executor) -> Any:
    data, a = x(), variable("a")
    here()
    out = static.nn.cond(tg.mean(data) > 0, lambda: a * 2.0, lambda: data - 1.0)
    return run(executor, out)


def never_written_but_read_in_a_loop(executor: Executor) -> Any:
    data, a = x(), variable("a")
    end, start = tg.full([1], 3, "int64"), tg.full([1], 0, "int64")

    def body(i: Any, value: Any) -> Any:
        here()
        return [i + 1, value + a]

    return run(
        executor, static.nn.while_loop(lambda i, v: i < end, body, [start, data])[1]
    )


def written_only_after_the_loop_that_reads_it(executor: Executor) -> Any:
    data, a = x(), variable("a")

    def true() -> Any:
        here()
        return a * 2.0

    out = static.nn.cond(tg.mean(data) > 0, true, lambda: data - 1.0)
    block().append_op(**relu(data, a))
    return run(executor, out)


def a_gradient_of_what_was_removed(executor: Executor) -> Any:
    hidden = static.nn.fc(x(), 3)
    here()
    loss = tg.mean(tg.tanh(hidden))
    tg.optimizer.SGD(0.1).minimize(loss)
    block()._remove_op([op.type for op in block().ops].index("tanh"))
    executor.run(default_startup_program())
    return run(executor, loss)


def its_writer_was_removed(executor: Executor) -> Any:
    hidden = x() * 2.0
    here()
    out = hidden + 1.0
    block()._remove_op(0)
    return run(executor, out)


def its_variable_was_taken_away(executor: Executor) -> Any:
    hidden = x() * 2.0
    here()
    out = hidden + 1.0
    del block().vars[hidden.name]
    return run(executor, out)


def a_cycle_after_insert_op(executor: Executor) -> Any:
    data = x()
    hidden = data * 2.0
    out = hidden + 1.0
    here()
    block()._insert_op(0, **relu(out, hidden))
    return run(executor, out)


def a_cycle_of_three(executor: Executor) -> Any:
    a, b, c = variable("a"), variable("b"), variable("c")
    here()
    block().append_op(**relu(c, a))
    block().append_op(**relu(a, b))
    block().append_op(**relu(b, c))
    return run(executor, c)


def read_outside_of_its_branch(executor: Executor) -> Any:
    data, inner = x(), []
    static.nn.cond(
        tg.mean(data) > 0, lambda: inner.append(data * 2.0) or data, lambda: data
    )
    here()
    return run(executor, inner[0] + 1.0)


def written_outside_of_its_branch(executor: Executor) -> Any:
    data, inner = x(), []
    static.nn.cond(
        tg.mean(data) > 0, lambda: inner.append(data * 2.0) or data, lambda: data
    )
    here()
    block().append_op(**relu(data, inner[0]))
    return run(executor)


def fetched_from_a_branch(executor: Executor) -> Any:
    data, inner = x(), []
    static.nn.cond(
        tg.mean(data) > 0, lambda: inner.append(data * 2.0) or data, lambda: data
    )
    here()
    return executor.run(feed={"x": ONES}, fetch_list=inner)


def fetched_from_a_loop_by_name(executor: Executor) -> Any:
    end, start = tg.full([1], 3, "int64"), tg.full([1], 0, "int64")
    names: list[str] = []

    def body(i: Any) -> Any:
        inner = i * 2
        names.append(inner.name)
        return [inner + 1]

    static.nn.while_loop(lambda i: i < end, body, [start])
    here()
    return executor.run(feed={}, fetch_list=names)


def one_name_for_two_shapes(executor: Executor) -> Any:
    block().create_var("a", [2], "float32")
    here()
    return block().create_var("a", [3], "float32")


def one_name_for_two_dtypes(executor: Executor) -> Any:
    x()
    here()
    return static.data("x", [2, 4], "int64")


def one_name_for_a_variable_and_a_parameter(executor: Executor) -> Any:
    variable("a")
    here()
    return static.create_parameter([2, 4], "float32", name="a")


def renamed_to_a_name_that_is_taken(executor: Executor) -> Any:
    data, a = x(), variable("a")
    here()
    a.name = data.name
    return a


def a_py_func_that_is_to_be_saved(executor: Executor) -> Any:
    data, out = x(), variable("out")
    here()
    static.py_func(lambda value: value, data, out)
    return default_main_program().serialize_to_string()


def a_py_func_in_a_branch_that_is_to_be_saved(executor: Executor) -> Any:
    data = x()

    def true() -> Any:
        out = variable("out")
        here()
        static.py_func(lambda value: value, data, out)
        return out

    static.nn.cond(tg.mean(data) > 0, true, lambda: data)
    return default_main_program().serialize_to_string()


def a_startup_that_was_not_run(executor: Executor) -> Any:
    out = static.nn.fc(x(), 3)
    here()
    return executor.run(feed={"x": ONES}, fetch_list=[out])


def an_input_slot_that_is_empty(executor: Executor) -> Any:
    here()
    block().append_op("elementwise_add", {"X": x()}, {"Out": variable("a")})


def an_output_that_does_not_fit_its_parameter(executor: Executor) -> Any:
    weight = static.create_parameter([3], "float32", name="w")
    here()
    block().append_op(**relu(x(), weight))


def a_variable_of_another_program(executor: Executor) -> Any:
    with static.program_guard(static.Program()):
        other = static.data("other", [2, 4])
    here()
    return x() + other


def a_closed_executor(executor: Executor) -> Any:
    out = x() * 2.0
    executor.close()
    return run(executor, out)


ROWS: dict[Build, tuple[type[TeachgraphError], str]] = {
    used_before_it_is_written: (
        ProgramError,
        rf"relu reads 'a' before it has a value: relu of {HERE}:\d+ writes it only l",
    ),
    never_written: (ProgramError, "elementwise_add reads 'a' .* no operator writes it"),
    never_written_but_read_in_a_branch: (ProgramError, "scale reads 'a' before it has"),
    never_written_but_read_in_a_loop: (
        ProgramError,
        "elementwise_add reads 'a' before it has a value: no operator writes it",
    ),
    written_only_after_the_loop_that_reads_it: (
        ProgramError,
        "scale reads 'a' before it has a value: relu of .* writes it only later",
    ),
    a_gradient_of_what_was_removed: (ProgramError, r"reads 'tanh_0\.tmp_0' before"),
    its_writer_was_removed: (ProgramError, "scale reads 'tmp_0' .* no operator writes"),
    its_variable_was_taken_away: (ProgramError, "'tmp_0' .* no variable of that name"),
    a_cycle_after_insert_op: (
        ProgramError,
        "relu reads 'tmp_1' .* needs in turn what relu gives, so no order would do",
    ),
    a_cycle_of_three: (ProgramError, "relu reads 'c' .* so no order would do"),
    read_outside_of_its_branch: (ProgramError, "'tmp_2' lives inside a branch"),
    written_outside_of_its_branch: (ProgramError, "'tmp_2' lives inside a branch"),
    fetched_from_a_branch: (
        FetchError,
        rf"variable\(tmp_2\) .* in block 1, where scale of {HERE}:\d+ writes it; retu",
    ),
    fetched_from_a_loop_by_name: (FetchError, "lives only inside a branch or a loop"),
    one_name_for_two_shapes: (ProgramError, "'a' has been created before. .* shape"),
    one_name_for_two_dtypes: (ProgramError, "'x' has been created before. .* dtype"),
    one_name_for_a_variable_and_a_parameter: (ProgramError, "'a' is a variable alrea"),
    renamed_to_a_name_that_is_taken: (ProgramError, "the name 'x' is taken"),
    a_py_func_that_is_to_be_saved: (ProgramError, "a py_func calls a function"),
    a_py_func_in_a_branch_that_is_to_be_saved: (ProgramError, "a py_func calls a fun"),
    a_startup_that_was_not_run: (NotInitializedError, r"fc_0\.w_0, which the mul op"),
    an_input_slot_that_is_empty: (ProgramError, "elementwise_add: Input Y not found"),
    an_output_that_does_not_fit_its_parameter: (ProgramError, r"'w' is float32 \[3\]"),
    a_variable_of_another_program: (ProgramError, "'other' is a variable of another"),
    a_closed_executor: (ExecutorError, "Attempted to use a closed Executor"),
}


@pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("build", ROWS, ids=lambda build: build.__name__)
def test_a_bad_program_is_refused_where_it_was_written(
    build: Build, interpret: bool
) -> None:
    kind, message = ROWS[build]
    blamed.clear()
    with pytest.raises(kind, match=f"(?s){message}") as caught:
        build(Executor(interpret=interpret))
    if blamed:
        place = rf"\n  at \S*{HERE}:{blamed[-1]}\b"
        assert re.search(place, str(caught.value)), str(caught.value)


@pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_a_branch_writes_to_an_outer_variable_is_seen_outside(
    sign: float, interpret: bool
) -> None:
    """Paddle allows it, unlike reading from outside what lives inside."""
    data = x()
    outer = data * 1.0

    def true() -> Any:
        tg.assign(data * 5.0, outer)
        return outer + 1.0

    out = static.nn.cond(tg.mean(data) > 0, true, lambda: outer - 1.0)
    found = Executor(interpret=interpret).run(
        feed={"x": sign * ONES}, fetch_list=[out, outer]
    )
    wanted = (6.0, 5.0) if sign > 0 else (-2.0, -1.0)
    for value, expected in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(value, expected * ONES)
