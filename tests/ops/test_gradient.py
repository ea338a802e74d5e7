"""What the rules give, against finite differences, PyTorch and Paddle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.autograd import check_grads
from tests.ops.contract import FLOATS, Case, Row
from tests.ops.lives import as_tensors, eager, op_of, several
from tests.ops.table import TABLE, cases, name
from tests.oracle import answers

CASES = [(row, case) for row, case in cases() if row.gradient and case.variables()]
IDS = [name(row, case) for row, case in CASES]
SMOOTH = [(row, case) for row, case in CASES if case.smooth]
PADDLE = [(row, case) for row, case in CASES if case.paddle]
UNTOLD = [(row, case) for row, case in CASES if case.differs]


@pytest.mark.parametrize(
    ("row", "case"), SMOOTH, ids=[name(row, case) for row, case in SMOOTH]
)
def test_gradients_are_finite_differences_to_second_order(row: Row, case: Case) -> None:
    positions, op = case.variables(), op_of(row)
    updated = {op.outputs.index(name) for name in op.inplace}

    def function(*variables: Any) -> Any:
        inputs: list[Any] = list(case.inputs)
        for position, variable in zip(positions, variables, strict=True):
            inputs[position] = variable
        outputs = several(op_of(row)(*inputs, **case.attrs))
        return [out for i, out in enumerate(outputs) if i not in updated]

    check_grads(function, [case.inputs[i] for i in positions], order=2)


@pytest.mark.parametrize(("row", "case"), CASES, ids=IDS)
def test_pytorch_gives_the_same_gradients_twice(row: Row, case: Case) -> None:
    if case.differs:
        return
    told = answers.load(row.op)["cases"][case.label]
    found = eager(row, case)
    for kind in ("first", "second"):
        wanted = [answers.read(dx) for dx in told[kind]]
        for one, other in zip(getattr(found, kind), wanted, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, **answers.TOLERANCE, err_msg=kind)


@pytest.mark.parametrize(
    ("row", "case"), PADDLE, ids=[name(row, case) for row, case in PADDLE]
)
def test_where_pytorch_differs_paddle_is_followed(row: Row, case: Case) -> None:
    found = eager(row, case)
    (dout,) = answers.upstream(found.outputs)
    assert case.paddle is not None
    for one, other in zip(found.first, case.paddle(dout), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_wherever_pytorch_differs_paddle_was_asked() -> None:
    assert UNTOLD == PADDLE


@pytest.mark.parametrize(("row", "case"), CASES, ids=IDS)
def test_a_gradient_has_shape_and_dtype_of_its_input(row: Row, case: Case) -> None:
    for dtype in FLOATS:
        check_shapes_and_dtypes(row, case, dtype)


def check_shapes_and_dtypes(row: Row, case: Case, dtype: str) -> None:
    positions = case.variables()
    arrays = [
        x.astype(dtype) if x is not None and x.dtype.kind == "f" else x
        for x in case.inputs
    ]
    inputs = as_tensors(case, arrays)
    outputs = several(op_of(row)(*inputs, **case.attrs))
    roots = [out for out in outputs if not out.stop_gradient]
    found = tg.grad(roots, [inputs[i] for i in positions], allow_unused=True)
    for position, dx in zip(positions, found, strict=True):
        if dx is not None:
            assert (dx.shape, str(dx.dtype)) == (inputs[position].shape, dtype)


PAIRS = [
    row
    for row in TABLE.values()
    if row.gradient
    and not row.inner
    and any(len(case.variables()) == 2 for case in row.cases)
    and row.op not in {"concat", "fc", "stack", "sum"}  # take one dtype only
]


@pytest.mark.parametrize("row", PAIRS, ids=lambda row: row.op)
def test_each_of_two_dtypes_gets_its_own_gradient(row: Row) -> None:
    case = next(case for case in row.cases if len(case.variables()) == 2)
    x, *others = case.inputs
    assert x is not None
    inputs = as_tensors(case, [x.astype("float32"), *others])
    both = [inputs[position] for position in case.variables()]
    found = tg.grad(several(op_of(row)(*inputs, **case.attrs)), both)
    for dx, source in zip(found, both, strict=True):
        assert dx is not None
        assert (dx.shape, dx.dtype) == (source.shape, source.dtype)


ALONE = [(row, case, i) for row, case in CASES for i in case.variables() if case.smooth]


@pytest.mark.parametrize(
    ("row", "case", "position"),
    ALONE,
    ids=[f"{name(row, case)}, input {i} alone" for row, case, i in ALONE],
)
def test_what_nobody_wants_changes_nothing(row: Row, case: Case, position: int) -> None:
    """The gradient of one input is the same whether or not others have one."""
    together = eager(row, case)
    others = tuple(i for i in range(len(case.inputs)) if i != position)
    alone = eager(
        row,
        Case(case.label, case.inputs, case.attrs, constant=(*case.constant, *others)),
    )
    where = case.variables().index(position)
    np.testing.assert_array_equal(alone.first[0], together.first[where])


NO_RULE = [row for row in TABLE.values() if not row.gradient and row.accepts]


@pytest.mark.parametrize("row", NO_RULE, ids=lambda row: row.op)
def test_an_op_without_a_rule_lets_no_gradient_through(row: Row) -> None:
    case = row.cases[0]
    inputs = [tg.to_tensor(x, stop_gradient=x.dtype.kind != "f") for x in case.inputs]
    for position in op_of(row).replaces:
        inputs[position].stop_gradient = True
    outputs = several(op_of(row)(*inputs, **case.attrs))
    assert all(out.stop_gradient and out.is_leaf for out in outputs)
