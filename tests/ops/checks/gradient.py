"""Checks of what the rules give, against finite differences, PyTorch and Paddle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.autograd import check_grads
from teachgraph.core.errors import DTypeError
from tests.ops.checks.trial import Check, Trial
from tests.ops.contract import FLOATS, Case, Row
from tests.ops.lives import as_tensors, eager, op_of, several
from tests.oracle import answers


def differentiable(row: Row, case: Case) -> bool:
    return row.gradient and bool(case.variables())


def smooth(row: Row, case: Case) -> bool:
    return differentiable(row, case) and case.smooth


def told_by_pytorch(row: Row, case: Case) -> bool:
    return differentiable(row, case) and not case.differs


def told_by_paddle(row: Row, case: Case) -> bool:
    return differentiable(row, case) and case.paddle is not None


def gradients_are_finite_differences_to_second_order(trial: Trial) -> None:
    row, case = trial.row, trial.case
    positions, op = case.variables(), op_of(row)
    updated = {op.outputs.index(name) for name in op.inplace}

    def function(*variables: Any) -> Any:
        inputs: list[Any] = list(case.inputs)
        for position, variable in zip(positions, variables, strict=True):
            inputs[position] = variable
        outputs = several(op_of(row)(*inputs, **case.attrs))
        return [out for i, out in enumerate(outputs) if i not in updated]

    check_grads(function, [case.inputs[i] for i in positions], order=2)


def pytorch_gives_the_same_gradients_twice(trial: Trial) -> None:
    told = answers.load(trial.row.op)["cases"][trial.case.label]
    for kind in ("first", "second"):
        wanted = [answers.read(dx) for dx in told[kind]]
        for one, other in zip(getattr(trial.tape, kind), wanted, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, **answers.TOLERANCE, err_msg=kind)


def where_pytorch_differs_paddle_is_followed(trial: Trial) -> None:
    (dout,) = answers.upstream(trial.tape.outputs)
    assert trial.case.paddle is not None
    for one, other in zip(trial.tape.first, trial.case.paddle(dout), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def gradients_have_shape_and_dtype_of_their_inputs(trial: Trial) -> None:
    for dtype in FLOATS:
        check_shapes_and_dtypes(trial.row, trial.case, dtype)


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


def what_nobody_wants_changes_nothing(trial: Trial) -> None:
    """The gradient of one input is the same whether or not others have one."""
    case = trial.case
    for where, position in enumerate(case.variables()):
        others = tuple(i for i in range(len(case.inputs)) if i != position)
        constant = (*case.constant, *others)
        lone = Case(case.label, case.inputs, case.attrs, constant=constant)
        alone = eager(trial.row, lone)
        np.testing.assert_array_equal(
            alone.first[0], trial.tape.first[where], err_msg=f"input {position} alone"
        )


CHECKS = (
    Check(gradients_are_finite_differences_to_second_order, smooth),
    Check(pytorch_gives_the_same_gradients_twice, told_by_pytorch),
    Check(where_pytorch_differs_paddle_is_followed, told_by_paddle),
    Check(gradients_have_shape_and_dtype_of_their_inputs, differentiable),
    Check(what_nobody_wants_changes_nothing, smooth),
)


PRODUCTS = {
    "mul",
    "matmul_v2",
    "bmm",
    "dot",
    "mv",
    "cross",
    "kron",
    "multi_dot",
    "einsum",
}
"""Ops that multiply numbers of one dtype only."""


def takes_two_dtypes(row: Row) -> bool:
    return (
        row.gradient
        and not row.inner
        and any(len(case.variables()) == 2 for case in row.cases)
        and row.op not in {"concat", "fc", "stack", "sum"}  # take one dtype only
        and row.op not in PRODUCTS
    )


def each_of_two_dtypes_gets_its_own_gradient(row: Row) -> None:
    case = next(case for case in row.cases if len(case.variables()) == 2)
    x, *others = case.inputs
    assert x is not None
    inputs = as_tensors(case, [x.astype("float32"), *others])
    both = [inputs[position] for position in case.variables()]
    found = tg.grad(several(op_of(row)(*inputs, **case.attrs)), both)
    for dx, source in zip(found, both, strict=True):
        assert dx is not None
        assert (dx.shape, dx.dtype) == (source.shape, source.dtype)


def a_product(row: Row) -> bool:
    return row.op in PRODUCTS


def a_product_promotes_nothing(row: Row) -> None:
    """Paddle and PyTorch refuse it too; NumPy would answer in float64."""
    case = next(case for case in row.cases if len(case.variables()) == 2)
    x, *others = case.inputs
    assert x is not None
    for dtype in ("int64", "float32"):
        with pytest.raises(DTypeError, match=f"{row.op}.*not {dtype} with float64"):
            op_of(row)(*as_tensors(case, [x.astype(dtype), *others]), **case.attrs)


def without_rule(row: Row) -> bool:
    return not row.gradient and bool(row.accepts)


def an_op_without_a_rule_lets_no_gradient_through(row: Row) -> None:
    case = row.cases[0]
    inputs = [tg.to_tensor(x, stop_gradient=x.dtype.kind != "f") for x in case.inputs]
    for _, position in op_of(row).replaces:
        inputs[position].stop_gradient = True
    outputs = several(op_of(row)(*inputs, **case.attrs))
    assert all(out.stop_gradient and out.is_leaf for out in outputs)


ROW_CHECKS = (
    Check(each_of_two_dtypes_gets_its_own_gradient, takes_two_dtypes),
    Check(a_product_promotes_nothing, a_product),
    Check(an_op_without_a_rule_lets_no_gradient_through, without_rule),
)
