"""What an op cannot take is refused in words, in every life."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import DTypeError, OpError
from tests.ops.contract import Row, Wrong
from tests.ops.lives import in_static_mode, op_of
from tests.ops.table import TABLE, mistakes, name

MISTAKES = mistakes()
IDS = [name(row, wrong) for row, wrong in MISTAKES]
WITH_INPUTS = [(row, wrong) for row, wrong in MISTAKES if wrong.inputs]
INPUT_IDS = [name(row, wrong) for row, wrong in WITH_INPUTS]


def check(error: OpError, row: Row, wrong: Wrong, line: int) -> None:
    """The message names the op, every input with shape and dtype, and this file."""
    message = str(error)
    assert isinstance(error, getattr(tg.errors, wrong.error)), repr(error)
    assert message.startswith(f"{row.op} cannot take these inputs: ")
    assert wrong.says in message
    for x in wrong.inputs:
        assert f"{x.dtype} {list(x.shape)}" in message
    for attr in wrong.attrs:
        assert f"{attr} = " in message
    assert error.op == row.op
    assert error.where is not None
    assert (error.where.file, error.where.line) == (__file__, line)
    assert f"{__file__}:{line}" in message


@pytest.mark.parametrize(("row", "wrong"), WITH_INPUTS, ids=INPUT_IDS)
def test_on_arrays(row: Row, wrong: Wrong) -> None:
    with pytest.raises(OpError) as caught:
        op_of(row)(*wrong.inputs, **wrong.attrs)
    check(caught.value, row, wrong, line_before(test_on_arrays))


@pytest.mark.parametrize(("row", "wrong"), MISTAKES, ids=IDS)
def test_on_tensors(row: Row, wrong: Wrong) -> None:
    inputs = [tg.Tensor(x) for x in wrong.inputs]
    with pytest.raises(OpError) as caught:
        op_of(row)(*inputs, **wrong.attrs)
    check(caught.value, row, wrong, line_before(test_on_tensors))


def line_before(function: Any) -> int:
    """The line of a test that calls the op."""
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if "op_of(row)(" in line)


STATIC_MISTAKES = [(row, wrong) for row, wrong in MISTAKES if not wrong.by_value]


@pytest.mark.parametrize(
    ("row", "wrong"),
    STATIC_MISTAKES,
    ids=[name(row, wrong) for row, wrong in STATIC_MISTAKES],
)
def test_while_a_program_is_built(row: Row, wrong: Wrong) -> None:
    program = static.Program()
    with static.program_guard(program, static.Program()), in_static_mode():
        inputs = [
            static.data(f"x{i}", list(x.shape), x.dtype)
            for i, x in enumerate(wrong.inputs)
        ]
        with pytest.raises(OpError) as caught:
            op_of(row)(*inputs, **wrong.attrs)
    check(caught.value, row, wrong, line_before(test_while_a_program_is_built))
    assert program.global_block().ops == []


VALUES = [(row, wrong) for row, wrong in MISTAKES if wrong.by_value]


@pytest.mark.parametrize(
    ("row", "wrong"), VALUES, ids=[name(row, wrong) for row, wrong in VALUES]
)
def test_when_a_program_runs(row: Row, wrong: Wrong) -> None:
    """Values are known only then; the error names the line that built the op."""
    program = static.Program()
    with static.program_guard(program, static.Program()):
        inputs = [
            static.data(f"x{i}", list(x.shape), x.dtype)
            for i, x in enumerate(wrong.inputs)
        ]
        out = op_of(row)(*inputs, **wrong.attrs)
    fetch = out[0] if isinstance(out, tuple) else out
    feed = {v.name: x for v, x in zip(inputs, wrong.inputs, strict=True)}
    with pytest.raises(OpError) as caught:
        static.Executor().run(program, feed, [fetch])
    check(caught.value, row, wrong, line_before(test_when_a_program_runs))


ROWS = [row for row in TABLE.values() if row.accepts]


SEVERAL = [row for row in ROWS if len(row.cases[0].inputs) > 1]


@pytest.mark.parametrize("row", SEVERAL, ids=lambda row: row.op)
@pytest.mark.parametrize("kind", [str, object, complex, "datetime64[s]"])
def test_beside_a_tensor_what_is_no_number_is_refused(row: Row, kind: Any) -> None:
    first, *others = row.cases[0].inputs
    odd = [np.zeros(np.shape(x), kind) for x in others]
    with pytest.raises(DTypeError, match=row.op):
        op_of(row)(tg.Tensor(first), *odd, **row.cases[0].attrs)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.op)
def test_an_attribute_it_does_not_have_is_refused(row: Row) -> None:
    case = row.cases[0]
    with pytest.raises(OpError, match=f"(?s){row.op} .*colour"):
        op_of(row)(*map(tg.Tensor, case.inputs), **case.attrs, colour="red")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.op)
def test_an_input_too_many_or_too_few_is_refused(row: Row) -> None:
    case = row.cases[0]
    inputs = list(map(tg.Tensor, case.inputs))
    if op_of(row).variadic:
        return
    with pytest.raises(OpError, match=row.op):
        op_of(row)(*inputs, *inputs, *inputs, **case.attrs)
    required = len(inputs) - len(op_of(row).optional)
    if required > 1:
        with pytest.raises(OpError, match=row.op):
            op_of(row)(*inputs[: required - 1], **case.attrs)
