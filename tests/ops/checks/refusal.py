"""Checks that an op refuses in words what it cannot take, in every life."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import DTypeError, OpError
from tests.ops.checks.trial import Check
from tests.ops.contract import Row, Wrong
from tests.ops.lives import in_static_mode, op_of


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


def line_before(function: Any) -> int:
    """The line of a check that calls the op."""
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if "op_of(row)(" in line)


def refused_on_arrays(row: Row, wrong: Wrong) -> None:
    with pytest.raises(OpError) as caught:
        op_of(row)(*wrong.inputs, **wrong.attrs)
    check(caught.value, row, wrong, line_before(refused_on_arrays))


def refused_on_tensors(row: Row, wrong: Wrong) -> None:
    inputs = [tg.Tensor(x) for x in wrong.inputs]
    with pytest.raises(OpError) as caught:
        op_of(row)(*inputs, **wrong.attrs)
    check(caught.value, row, wrong, line_before(refused_on_tensors))


def refused_while_a_program_is_built(row: Row, wrong: Wrong) -> None:
    program = static.Program()
    with static.program_guard(program, static.Program()), in_static_mode():
        inputs = [
            static.data(f"x{i}", list(x.shape), x.dtype)
            for i, x in enumerate(wrong.inputs)
        ]
        with pytest.raises(OpError) as caught:
            op_of(row)(*inputs, **wrong.attrs)
    check(caught.value, row, wrong, line_before(refused_while_a_program_is_built))
    assert program.global_block().ops == []


def refused_when_a_program_runs(row: Row, wrong: Wrong) -> None:
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
    check(caught.value, row, wrong, line_before(refused_when_a_program_runs))


def with_inputs(row: Row, wrong: Wrong) -> bool:
    return bool(wrong.inputs)


def by_value(row: Row, wrong: Wrong) -> bool:
    return wrong.by_value


def by_shape(row: Row, wrong: Wrong) -> bool:
    return not wrong.by_value


CHECKS = (
    Check(refused_on_arrays, with_inputs),
    Check(refused_on_tensors),
    Check(refused_while_a_program_is_built, by_shape),
    Check(refused_when_a_program_runs, by_value),
)


def beside_a_tensor_what_is_no_number_is_refused(row: Row) -> None:
    first, *others = row.cases[0].inputs
    for kind in (str, object, complex, "datetime64[s]"):
        odd = [np.zeros(np.shape(x), kind) for x in others]
        with pytest.raises(DTypeError, match=row.op):
            op_of(row)(tg.Tensor(first), *odd, **row.cases[0].attrs)


def an_attribute_it_does_not_have_is_refused(row: Row) -> None:
    case = row.cases[0]
    with pytest.raises(OpError, match=f"(?s){row.op} .*colour"):
        op_of(row)(*map(tg.Tensor, case.inputs), **case.attrs, colour="red")


def an_input_too_many_or_too_few_is_refused(row: Row) -> None:
    case = row.cases[0]
    inputs = list(map(tg.Tensor, case.inputs))
    with pytest.raises(OpError, match=row.op):
        op_of(row)(*inputs, *inputs, *inputs, **case.attrs)
    required = len(inputs) - len(op_of(row).optional)
    if required > 1:
        with pytest.raises(OpError, match=row.op):
            op_of(row)(*inputs[: required - 1], **case.attrs)


def takes_inputs(row: Row) -> bool:
    return bool(row.accepts)


def takes_several(row: Row) -> bool:
    return takes_inputs(row) and len(row.cases[0].inputs) > 1


def takes_a_fixed_number(row: Row) -> bool:
    return takes_inputs(row) and not op_of(row).variadic


ROW_CHECKS = (
    Check(beside_a_tensor_what_is_no_number_is_refused, takes_several),
    Check(an_attribute_it_does_not_have_is_refused, takes_inputs),
    Check(an_input_too_many_or_too_few_is_refused, takes_a_fixed_number),
)
