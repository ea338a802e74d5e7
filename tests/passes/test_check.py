"""The typechecker: what it accepts, and what it says of the rest, at which line."""

from __future__ import annotations

import pytest

import teachgraph as tg
from teachgraph import passes, static
from teachgraph.core.errors import DTypeError, ProgramError, ShapeError, UnknownOpError
from teachgraph.static import Program, Variable
from tests.static.fresh import Fresh


@pytest.fixture
def step(programs: Fresh) -> Program:
    """A training step."""
    x = static.data("x", [None, 3])
    hidden = static.nn.fc(x, 4, activation="tanh")
    loss = tg.mean(static.nn.fc(hidden, 2) * tg.mean(hidden))
    tg.optimizer.Adam(0.1).minimize(loss)
    return programs.main


def made_at(program: Program, type: str) -> str:
    """The line that made the first operator of a type."""
    where = next(op.callsite for op in program.global_block().ops if op.type == type)
    assert where is not None
    return f"test_check.py:{where.line}"


def test_a_training_step_fits_together(step: Program, programs: Fresh) -> None:
    before = str(step)
    passes.check(step)
    passes.check(programs.startup)
    assert str(step) == before


def test_what_is_read_must_have_a_value(step: Program) -> None:
    where = made_at(step, "elementwise_add")
    step.global_block()._remove_op(0)
    with pytest.raises(ProgramError, match=r"'fc_0.tmp_0', which has no") as found:
        passes.check(step)
    assert where in str(found.value)


def test_what_is_read_must_be_a_variable(step: Program) -> None:
    step.global_block().ops[2].inputs["X"] = ["nowhere"]
    with pytest.raises(ProgramError, match=r"#2 tanh reads 'nowhere', .* no variable"):
        passes.check(step)


def test_a_shape_must_be_the_one_that_is_made(step: Program) -> None:
    where = made_at(step, "tanh")
    step.global_block().var("fc_0.tmp_2").shape = (-1, 5)
    with pytest.raises(ShapeError, match=r"gives \[-1, 4\], but .* \[-1, 5\]") as found:
        passes.check(step)
    assert where in str(found.value)


def test_a_dtype_must_be_the_one_that_is_made(step: Program) -> None:
    step.global_block().var("fc_0.tmp_2").dtype = tg.float64
    with pytest.raises(DTypeError, match=r"float32, but 'fc_0.tmp_2' is float64"):
        passes.check(step)


def test_a_gradient_must_look_like_its_variable(step: Program) -> None:
    step.global_block().var("fc_0.w_0@GRAD").shape = (4, 3)
    with pytest.raises(ShapeError, match=r"mul_grad gives \[3, 4\]"):
        passes.check(step)


def test_inputs_must_fit(step: Program) -> None:
    step.global_block().ops[0].inputs["Y"] = ["fc_1.w_0"]
    with pytest.raises(ProgramError, match="#0 mul cannot take its inputs"):
        passes.check(step)


def test_slots_must_be_filled(step: Program) -> None:
    step.global_block().ops[0].inputs["Y"] = []
    with pytest.raises(ProgramError, match="Input Y not found"):
        passes.check(step)


def test_an_op_must_be_known(step: Program) -> None:
    step.global_block().ops[0].type = "nosuch"
    with pytest.raises(UnknownOpError, match="nosuch"):
        passes.check(step)


def test_what_is_fed_is_not_written(step: Program) -> None:
    step.global_block().ops[0].outputs["Out"] = ["x"]
    with pytest.raises(ProgramError, match="#0 mul writes 'x', which is fed"):
        passes.check(step)


def test_one_operator_does_not_write_a_variable_twice(programs: Fresh) -> None:
    x = static.data("x", [2, 2])
    dropped: Variable = tg.nn.functional.dropout(x)
    operator = dropped.op
    assert operator is not None
    operator.outputs["Mask"] = operator.outputs["Out"]
    with pytest.raises(ProgramError, match="writes a variable twice"):
        passes.check(programs.main)
