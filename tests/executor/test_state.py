"""Scopes, seeds and threads: what outlives a run, and what one run sees of another."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import DTypeError, NotInitializedError
from teachgraph.errors import PyFuncError
from teachgraph.planning.executor import Executor
from teachgraph.static import Program, Variable
from teachgraph.static.scope import Scope, global_scope, scope_guard
from tests.static.fresh import Fresh

ONES = np.ones((4, 2), "float32")


def trained() -> Variable:
    """The loss of a layer on `x` that is trained."""
    loss: Variable = tg.mean(static.nn.fc(static.data("x", [None, 2]), 3))
    tg.optimizer.SGD(0.1).minimize(loss)
    return loss


def test_what_is_kept_is_in_the_scope_and_nothing_else(programs: Fresh) -> None:
    loss, executor = trained(), Executor()
    executor.run(programs.startup)
    executor.run(feed={"x": ONES}, fetch_list=[loss])
    kept = ["fc_0.b_0", "fc_0.w_0", "learning_rate_0"]
    assert sorted(programs.scope.local_var_names()) == kept
    assert programs.scope.find_var(loss.name) is None


def test_a_run_trains_in_its_own_scope_alone(programs: Fresh) -> None:
    trained()
    executor, one, other = Executor(), Scope(), Scope()
    for scope in (one, other):
        executor.run(programs.startup, scope=scope)
    before = np.array(other.find_var("fc_0.b_0").get_tensor())
    executor.run(feed={"x": ONES}, scope=one)
    after = [np.array(s.find_var("fc_0.b_0").get_tensor()) for s in (one, other)]
    np.testing.assert_allclose(after[0], before - 0.1 / 3, rtol=1e-6)
    np.testing.assert_array_equal(after[1], before)
    assert not programs.scope.local_var_names()


def test_a_scope_is_in_force_within_its_guard(programs: Fresh) -> None:
    outer, inner = global_scope(), Scope()
    with pytest.raises(ZeroDivisionError), scope_guard(inner):
        _ = 1 / (global_scope() is not inner)
    assert global_scope() is outer is programs.scope


def test_a_scopes_variable_is_made_set_and_read() -> None:
    scope = Scope()
    assert scope.find_var("w") is None
    tensor = scope.var("w").get_tensor()
    assert not tensor._is_initialized()
    given = np.ones((2, 3), "float32")
    tensor.set(given, tg.CPUPlace())
    given[...] = 7.0
    read = np.array(tensor)
    read[...] = 8.0
    np.testing.assert_array_equal(np.array(tensor), np.ones((2, 3)))
    assert (tensor.shape(), tensor._is_initialized()) == ([2, 3], True)
    assert scope.find_var("w").get_tensor().shape() == [2, 3]


def test_setting_a_parameter_keeps_its_dtype(programs: Fresh) -> None:
    loss, executor = trained(), Executor()
    executor.run(programs.startup)
    tensor = programs.scope.var("fc_0.w_0").get_tensor()
    tensor.set([[1, 2, 3], [4, 5, 6]])
    tensor.set(np.full((2, 3), 0.5))
    (found,) = executor.run(feed={"x": ONES}, fetch_list=[loss])
    assert (found.dtype, found) == (np.float32, np.float32(1.0))
    with pytest.raises(DTypeError, match="holds float32, got complex128"):
        tensor.set(np.full((2, 3), 1j))


def test_startup_again_begins_anew(programs: Fresh) -> None:
    bias = tg.ParamAttr(name="b", initializer=tg.nn.initializer.Constant(2.0))
    loss = tg.mean(static.nn.fc(static.data("x", [None, 2]), 1, bias_attr=bias))
    tg.optimizer.SGD(0.5).minimize(loss)
    executor, seen = Executor(), []
    for _ in range(2):
        executor.run(programs.startup)
        executor.run(feed={"x": ONES})
        seen.append(programs.scope.values["b"])
    np.testing.assert_array_equal(seen, [[1.5], [1.5]])


def drawn(programs: Fresh) -> Any:
    scope = Scope()
    Executor().run(programs.startup, scope=scope)
    return scope.values["fc_0.w_0"]


def test_a_programs_seed_makes_its_numbers_the_same_each_time(programs: Fresh) -> None:
    static.nn.fc(static.data("x", [None, 2]), 3)
    programs.startup.random_seed = 7
    seven = drawn(programs)
    np.testing.assert_array_equal(drawn(programs), seven)
    programs.startup.random_seed = 8
    assert not np.array_equal(drawn(programs), seven)
    programs.startup.random_seed = 7
    np.testing.assert_array_equal(drawn(programs), seven)


def test_a_seed_set_after_a_run_counts_from_the_next(programs: Fresh) -> None:
    static.nn.fc(static.data("x", [None, 2]), 3)
    executor = Executor()
    executor.run(programs.startup)
    programs.startup.random_seed = 7
    executor.run(programs.startup)
    np.testing.assert_array_equal(programs.scope.values["fc_0.w_0"], drawn(programs))


def test_two_layers_of_one_seed_begin_differently(programs: Fresh) -> None:
    for _ in range(2):
        static.nn.fc(static.data("x", [None, 2]), 3)
    programs.startup.random_seed = 7
    Executor().run(programs.startup)
    first, second = (programs.scope.values[f"fc_{i}.w_0"] for i in range(2))
    assert not np.array_equal(first, second)


def test_one_seed_starts_both_modes_alike(programs: Fresh) -> None:
    static.nn.fc(static.data("x", [None, 2]), 3)
    tg.seed(11)
    Executor().run(programs.startup)
    with tg.fluid.dygraph.guard():
        tg.seed(11)
        weight = tg.nn.Linear(2, 3).weight
    np.testing.assert_array_equal(programs.scope.values["fc_0.w_0"], weight.numpy())


@pytest.mark.parametrize("interpret", [False, True])
def test_a_run_that_fails_late_changes_nothing(
    interpret: bool, programs: Fresh
) -> None:
    """The failing operator comes after both updates."""
    loss = trained()

    def fail(x: Any) -> Any:
        raise ArithmeticError("late")

    out = loss.block.create_var("out", [-1, 2])
    static.py_func(fail, loss.block.var("x"), out)
    executor = Executor(interpret=interpret)
    executor.run(programs.startup)
    before = dict(programs.scope.values)
    with pytest.raises(PyFuncError, match="ArithmeticError: late"):
        executor.run(feed={"x": ONES}, fetch_list=[loss])
    assert programs.scope.values == before


def test_two_threads_train_one_program_in_two_scopes(programs: Fresh) -> None:
    """As if each had run alone: the steps interleave at will."""
    loss, executor = trained(), Executor()
    scopes, alone = [Scope(), Scope()], Scope()
    executor.run(programs.startup, scope=alone)
    for scope in scopes:
        scope.values.update(alone.values)
    ready, losses = threading.Barrier(2), [list[Any](), list[Any]()]

    def train(number: int) -> None:
        ready.wait()
        for _ in range(50):
            found = executor.run(
                feed={"x": ONES * (number + 1)}, fetch_list=[loss], scope=scopes[number]
            )
            losses[number].append(found[0].item())

    threads = [threading.Thread(target=train, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(2):
        scope = Scope()
        scope.values.update(alone.values)
        wanted = [
            executor.run(
                feed={"x": ONES * (number + 1)}, fetch_list=[loss], scope=scope
            )[0].item()
            for _ in range(50)
        ]
        assert losses[number] == wanted


def test_a_changed_program_is_planned_anew() -> None:
    x = static.data("x", [2])
    y = x * 2.0
    executor, feed = Executor(), {"x": np.ones(2, "float32")}
    assert executor.run(feed=feed, fetch_list=[y])[0][0] == 2.0
    assert y.op is not None
    y.op._set_attr("scale", 5.0)
    assert executor.run(feed=feed, fetch_list=[y])[0][0] == 5.0
    z = y + 1.0
    assert executor.run(feed=feed, fetch_list=[z])[0][0] == 6.0
    y.name = "renamed"
    assert executor.run(feed=feed, fetch_list=["renamed"])[0][0] == 5.0
    y.persistable = True
    executor.run(feed=feed)
    assert np.array(global_scope().find_var("renamed").get_tensor())[0] == 5.0


def test_an_unchanged_program_is_planned_once() -> None:
    x = static.data("x", [2])
    y = x * 2.0
    executor, main = Executor(), static.default_main_program()
    plan = executor.plan(main, {"x": None}, [y.name])
    executor.run(feed={"x": np.ones(2, "float32")}, fetch_list=[y])
    assert executor.plan(main, {"x": None}, [y.name]) is plan


def test_an_executor_keeps_no_program_alive() -> None:
    executor, program = Executor(), Program()
    with static.program_guard(program):
        y = static.data("x", [2]) * 2.0
        executor.run(feed={"x": np.ones(2, "float32")}, fetch_list=[y])
    gone = weakref.ref(program)
    del program, y
    gc.collect()
    assert gone() is None


def test_main_needs_startup_in_each_scope(programs: Fresh) -> None:
    loss, executor = trained(), Executor()
    executor.run(programs.startup)
    with scope_guard(Scope()), pytest.raises(NotInitializedError):
        executor.run(feed={"x": ONES}, fetch_list=[loss])
