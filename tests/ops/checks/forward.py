"""Checks of what an op computes: against plain loops, PyTorch, and its other dtypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from tests.ops.checks.trial import Check, Trial
from tests.ops.contract import Array, Case, Row
from tests.ops.lives import on_arrays, on_tensors, several
from tests.oracle import answers

EXACT = {"rtol": 1e-12, "atol": 1e-12}
SINGLE = {"rtol": 1e-5, "atol": 1e-6}


def expected(row: Row, inputs: Any, attrs: Mapping[str, Any]) -> list[Array]:
    return [np.asarray(out) for out in several(row.value(*inputs, **attrs))]


def same(found: Sequence[Array], wanted: Sequence[Array], **tolerance: float) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, **tolerance)


def kernel_computes_what_plain_loops_compute(trial: Trial) -> None:
    case = trial.case
    same(trial.kernel, expected(trial.row, case.inputs, case.attrs), **EXACT)


def told_by_pytorch(row: Row, case: Case) -> bool:
    return row.twin is not None and (row.gradient or not case.differs)


def pytorch_computes_the_same(trial: Trial) -> None:
    told = answers.load(trial.row.op)["cases"][trial.case.label]
    wanted = [answers.read(out) for out in told["outputs"]]
    same(trial.kernel, wanted, **answers.TOLERANCE)


def tensors_give_the_same(trial: Trial) -> None:
    found = on_tensors(trial.row, trial.case.inputs, trial.case.attrs)
    same(found, trial.kernel, rtol=0)


def a_kernel_changes_none_of_its_inputs(trial: Trial) -> None:
    case = trial.case
    inputs = [None if x is None else x.copy() for x in case.inputs]
    for x in inputs:
        if x is not None:
            x.flags.writeable = False
    outputs = on_arrays(trial.row, inputs, case.attrs)
    for x, before in zip(inputs, case.inputs, strict=True):
        np.testing.assert_array_equal(x, before)
    assert all(isinstance(out, np.ndarray) for out in outputs)


def taken_as(dtype: str, x: Array | None) -> Array | None:
    """A floating input in another dtype; labels stay what they are."""
    return x if x is None or x.dtype.kind != "f" else x.astype(dtype)


def dtypes_in_and_out(trial: Trial) -> None:
    row, case = trial.row, trial.case
    for dtype in row.accepts:
        inputs = [taken_as(dtype, x) for x in case.inputs]
        found = on_tensors(row, inputs, case.attrs)
        wanted = row.gives(dtype, case.attrs)
        assert tuple(str(out.dtype) for out in found) == wanted, dtype
        values = expected(row, inputs, case.attrs)
        values = [v.astype(d) for v, d in zip(values, wanted, strict=True)]
        same(found, values, **SINGLE)


def made_from_nothing(row: Row, case: Case) -> bool:
    return not row.accepts


def what_is_made_from_nothing_has_the_dtype_asked_for(trial: Trial) -> None:
    row, case = trial.row, trial.case
    found = on_arrays(row, (), case.attrs)
    assert tuple(str(out.dtype) for out in found) == row.gives("", case.attrs)


CHECKS = (
    Check(kernel_computes_what_plain_loops_compute),
    Check(pytorch_computes_the_same, told_by_pytorch),
    Check(tensors_give_the_same),
    Check(a_kernel_changes_none_of_its_inputs),
    Check(dtypes_in_and_out),
    Check(what_is_made_from_nothing_has_the_dtype_asked_for, made_from_nothing),
)


def a_dtype_without_meaning_is_refused(row: Row, dtype: str) -> None:
    usual = (c for c in row.cases if c.label in {"1-D", "rows", "matrices"})
    case = next(usual, row.cases[0])
    inputs = [taken_as(dtype, x) for x in case.inputs]
    with pytest.raises(tg.errors.DTypeError, match=f"(?s){row.op} .* {dtype}"):
        on_tensors(row, inputs, case.attrs)
