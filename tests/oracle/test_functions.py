"""Functions and layers give what PyTorch gives: values, gradients and theirs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ops.contract import Case
from tests.ops.lives import Answers, eager, in_a_program, on_tensors
from tests.oracle import answers
from tests.oracle.functions import FUNCTIONS, Function

CASES = [(function, case) for function in FUNCTIONS.values() for case in function.cases]
IDS = [f"{function.op}: {case.label}" for function, case in CASES]
STATIC = [(function, case) for function, case in CASES if function.static]
STATIC_IDS = [f"{function.op}: {case.label}" for function, case in STATIC]


def told(function: Function, case: Case) -> dict[str, Any]:
    """What PyTorch said."""
    found: dict[str, Any] = answers.load(function.op, answers.FUNCTIONS)["cases"]
    return found[case.label]


def same(found: Any, wanted: Any, **tolerance: float) -> None:
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, **tolerance)


def ours(function: Function, case: Case) -> Answers:
    """What we give; without a derivative, only the outputs."""
    if function.gradient and case.variables():
        return eager(function, case)
    return Answers(on_tensors(function, case.inputs, case.attrs), [], [])


@pytest.mark.parametrize(("function", "case"), CASES, ids=IDS)
def test_tensors_give_what_pytorch_gives(function: Function, case: Case) -> None:
    found, wanted = ours(function, case), told(function, case)
    for kind, key in (("outputs", "outputs"), ("first", "first"), ("second", "second")):
        if key in wanted and not (kind != "outputs" and case.differs):
            values = [answers.read(value) for value in wanted[key]]
            same(getattr(found, kind), values, **answers.TOLERANCE)


@pytest.mark.parametrize(("function", "case"), STATIC, ids=STATIC_IDS)
def test_a_program_gives_the_same(function: Function, case: Case) -> None:
    wanted = ours(function, case)
    found = in_a_program(function, case, wanted)
    for kind in Answers._fields:
        same(getattr(found, kind), getattr(wanted, kind), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("function", "case"), CASES, ids=IDS)
def test_float32_stays_float32(function: Function, case: Case) -> None:
    inputs = [
        x.astype("float32") if x is not None and x.dtype.kind == "f" else x
        for x in case.inputs
    ]
    single = on_tensors(function, inputs, case.attrs)
    double = on_tensors(function, case.inputs, case.attrs)
    for one, other in zip(single, double, strict=True):
        assert one.dtype == ("float32" if other.dtype == "float64" else other.dtype)
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=list(FUNCTIONS))
def test_pytorch_was_asked_just_this(function: Function) -> None:
    found = answers.load(function.op, answers.FUNCTIONS)["cases"]
    assert {label: found[label]["question"] for label in found} == {
        case.label: answers.question(case) for case in function.cases
    }, "the table has changed: run make oracle"


def test_there_are_no_answers_without_a_question() -> None:
    assert {path.stem for path in answers.FUNCTIONS.glob("*.json")} == set(FUNCTIONS)


def test_answers_stay_small() -> None:
    paths = list(answers.FUNCTIONS.glob("*.json"))
    assert sum(path.stat().st_size for path in paths) < 1_000_000
