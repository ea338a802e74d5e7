"""What ops compute, against plain loops and against PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from tests.ops.contract import Array, Case, Row
from tests.ops.lives import on_arrays, on_tensors, several
from tests.ops.table import TABLE, cases, name
from tests.oracle import answers

CASES = cases()
IDS = [name(row, case) for row, case in CASES]

EXACT = {"rtol": 1e-12, "atol": 1e-12}
SINGLE = {"rtol": 1e-5, "atol": 1e-6}


def expected(row: Row, inputs: Any, attrs: Mapping[str, Any]) -> list[Array]:
    return [np.asarray(out) for out in several(row.value(*inputs, **attrs))]


def same(found: list[Array], wanted: list[Array], **tolerance: float) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, **tolerance)


@pytest.mark.parametrize(("row", "case"), CASES, ids=IDS)
def test_the_kernel_computes_what_plain_loops_compute(row: Row, case: Case) -> None:
    found = on_arrays(row, case.inputs, case.attrs)
    same(found, expected(row, case.inputs, case.attrs), **EXACT)


@pytest.mark.parametrize(("row", "case"), CASES, ids=IDS)
def test_pytorch_computes_the_same(row: Row, case: Case) -> None:
    if row.twin is None or (case.differs and not row.gradient):
        return
    told = answers.load(row.op)["cases"][case.label]
    wanted = [answers.read(out) for out in told["outputs"]]
    found = on_arrays(row, case.inputs, case.attrs)
    same(found, wanted, **answers.TOLERANCE)


@pytest.mark.parametrize(("row", "case"), CASES, ids=IDS)
def test_tensors_give_the_same(row: Row, case: Case) -> None:
    found = on_tensors(row, case.inputs, case.attrs)
    same(found, on_arrays(row, case.inputs, case.attrs), rtol=0)


@pytest.mark.parametrize(("row", "case"), CASES, ids=IDS)
def test_a_kernel_changes_none_of_its_inputs(row: Row, case: Case) -> None:
    inputs = [None if x is None else x.copy() for x in case.inputs]
    for x in inputs:
        if x is not None:
            x.flags.writeable = False
    outputs = on_arrays(row, inputs, case.attrs)
    for x, before in zip(inputs, case.inputs, strict=True):
        np.testing.assert_array_equal(x, before)
    assert all(isinstance(out, np.ndarray) for out in outputs)


def taken_as(dtype: str, x: Array | None) -> Array | None:
    """A floating input in another dtype; labels stay what they are."""
    return x if x is None or x.dtype.kind != "f" else x.astype(dtype)


@pytest.mark.parametrize(("row", "case"), CASES, ids=IDS)
def test_dtypes_in_and_out(row: Row, case: Case) -> None:
    for dtype in row.accepts:
        inputs = [taken_as(dtype, x) for x in case.inputs]
        found = on_tensors(row, inputs, case.attrs)
        wanted = row.gives(dtype, case.attrs)
        assert tuple(str(out.dtype) for out in found) == wanted, dtype
        values = expected(row, inputs, case.attrs)
        values = [v.astype(d) for v, d in zip(values, wanted, strict=True)]
        same(found, values, **SINGLE)


def test_a_bare_number_beside_an_array_does_not_change_its_dtype() -> None:
    x = np.array([1.0, 2.0], "float32")
    for number in (2, 2.0, np.float32(2)):
        for found, wanted in (
            (tg.add(x, number), [3.0, 4.0]),
            (tg.subtract(number, x), [1.0, 0.0]),
            (tg.divide(x, number), [0.5, 1.0]),
        ):
            assert (found.tolist(), str(found.dtype)) == (wanted, "float32")


MADE = [(row, case) for row, case in CASES if not row.accepts]


@pytest.mark.parametrize(("row", "case"), MADE, ids=[name(r, c) for r, c in MADE])
def test_what_is_made_from_nothing_has_the_dtype_asked_for(
    row: Row, case: Case
) -> None:
    found = on_arrays(row, (), case.attrs)
    assert tuple(str(out.dtype) for out in found) == row.gives("", case.attrs)


REFUSED = [(row, dtype) for row in TABLE.values() for dtype in row.refused()]


@pytest.mark.parametrize(
    ("row", "dtype"), REFUSED, ids=[f"{row.op}, {dtype}" for row, dtype in REFUSED]
)
def test_a_dtype_without_meaning_is_refused(row: Row, dtype: str) -> None:
    usual = (c for c in row.cases if c.label in {"1-D", "rows", "matrices"})
    case = next(usual, row.cases[0])
    inputs = [taken_as(dtype, x) for x in case.inputs]
    with pytest.raises(tg.errors.DTypeError, match=f"(?s){row.op} .* {dtype}"):
        on_tensors(row, inputs, case.attrs)
