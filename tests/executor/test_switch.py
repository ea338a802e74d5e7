"""1.x's `Switch` and `IfElse`: the first case that holds, and rows that part ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core import modes
from teachgraph.core.errors import DTypeError, ModeError, ProgramError, ShapeError
from teachgraph.fluid import layers
from teachgraph.planning.executor import Executor
from tests.executor.test_control_flow import INTERPRET, agree, made_up


def put(value: Any, variable: Any) -> None:
    tg.assign(value, variable)


@INTERPRET
def test_the_first_case_that_holds_is_run_alone(interpret: bool) -> None:
    """1.x's piecewise learning rate."""
    step = static.data("step", [1])
    rate = static.create_global_var([1], 0.0, "float32", persistable=True, name="rate")
    with layers.Switch() as switch:
        with switch.case(step < 3.0):
            put(tg.full([1], 1.0), rate)
        with switch.case(step < 6.0):
            put(tg.full([1], 0.5), rate)
        with switch.default():
            put(tg.full([1], 0.1), rate)
    executor = Executor(interpret=interpret)
    executor.run(static.default_startup_program())
    for at, expected in ((1, 1.0), (4, 0.5), (9, 0.1), (2, 1.0)):
        feed = {"step": np.array([at], "float32")}
        assert executor.run(feed=feed, fetch_list=[rate])[0] == np.float32(expected)
        kept = static.global_scope().find_var("rate").get_tensor()
        assert np.array(kept) == np.float32(expected)


@INTERPRET
def test_without_a_default_nothing_may_be_run(interpret: bool) -> None:
    step, value = static.data("step", [1]), tg.full([1], 7.0)
    with layers.Switch() as switch, switch.case(step < 3.0):
        put(value * 2.0, value)
    executor = Executor(interpret=interpret)
    for at, expected in ((1, 14.0), (4, 7.0)):
        feed = {"step": np.array([at], "float32")}
        assert executor.run(feed=feed, fetch_list=[value])[0].tolist() == [expected]


@pytest.mark.parametrize("at", [-2.0, 0.5, 3.0])
def test_a_case_has_its_gradient(at: float) -> None:
    def function(x: Any, w: Any) -> Any:
        y = x * 1.0
        if modes.in_dynamic_mode():
            first = float(x.numpy()[0])
            return y * w if first < 0 else tg.sin(y) if first < 2 else y + w
        with layers.Switch() as switch:
            with switch.case(x[0] < 0.0):
                put(y * w, y)
            with switch.case(x[0] < 2.0):
                put(tg.sin(y), y)
            with switch.default():
                put(y + w, y)
        return y

    agree(function, at + np.array([0.0, 1.0]), made_up(2))


@pytest.mark.parametrize("shift", [-9.0, 0.0, 9.0])
def test_rows_part_ways_and_meet_again(shift: float) -> None:
    """Also where one side has no rows."""

    def function(x: Any, w: Any) -> Any:
        holds = tg.sum(x, axis=1, keepdim=True) > 0.0
        if modes.in_dynamic_mode():
            return tg.where(holds, tg.tanh(x * w), x + w * w), tg.where(holds, x, w + x)
        choice = layers.IfElse(holds)
        with choice.true_block():
            rows = choice.input(x)
            choice.output(tg.tanh(rows * w), rows * 1.0)
        with choice.false_block():
            rows = choice.input(x)
            choice.output(rows + w * w, w + rows)
        return choice()

    def both(x: Any, w: Any) -> Any:
        first, second = function(x, w)
        return first * second

    agree(both, made_up(6, 3) + shift, made_up(3, start=5))


def test_what_makes_no_sense_is_refused() -> None:
    x = static.data("x", [-1, 1])
    with pytest.raises(ProgramError, match="inside with"), layers.Switch().case(x > 0):
        pass
    with (
        pytest.raises(ProgramError, match="at least one condition"),
        layers.Switch() as switch,
        switch.default(),
    ):
        pass
    with pytest.raises(TypeError, match="column of booleans"):
        layers.IfElse(x)
    with pytest.raises(ShapeError, match=r"\[rows, 1\]"):
        layers.IfElse(x[0] > 0.0)
    choice = layers.IfElse(x > 0.0)
    with pytest.raises(ProgramError, match="must in true/false blocks"):
        choice.input(x)
    with choice.true_block():
        choice.output(choice.input(x))
    with pytest.raises(ProgramError, match="gives 1 outputs and the false block 0"):
        choice()
    with choice.false_block():
        choice.output(tg.cast(choice.input(x), "float64"))
    with pytest.raises(DTypeError, match="float32 in the true block"):
        choice()


def test_dynamic_mode_has_pythons_if() -> None:
    with modes.using(static=False):
        with pytest.raises(ModeError, match="if and elif"), layers.Switch():
            pass
        with pytest.raises(ModeError, match=r"tg\.where"):
            layers.IfElse(tg.to_tensor([[True]]))
