"""Functions and layers give what PyTorch gives: values, gradients and theirs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.ops.checks.trial import Check, Trial, run_all
from tests.ops.contract import Case
from tests.ops.lives import Answers, differentiated, on_tensors
from tests.oracle import answers
from tests.oracle.functions import FUNCTIONS, Function

PAIRS = [(function, case) for function in FUNCTIONS.values() for case in function.cases]
IDS = [f"{function.op}: {case.label}" for function, case in PAIRS]


def told(function: Function, case: Case) -> dict[str, Any]:
    """What PyTorch said."""
    found: dict[str, Any] = answers.load(function.op, answers.FUNCTIONS)["cases"]
    return found[case.label]


def same(found: Any, wanted: Any, **tolerance: float) -> None:
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, **tolerance)


def ours(trial: Trial) -> Answers:
    """What we give; without a derivative, only the outputs."""
    function, case = trial.row, trial.case
    if function.gradient and case.variables():
        return trial.tape
    return Answers(on_tensors(function, case.inputs, case.attrs), [], [])


def tensors_give_what_pytorch_gives(trial: Trial) -> None:
    found, wanted = ours(trial), told(trial.row, trial.case)
    for kind, key in (("outputs", "outputs"), ("first", "first"), ("second", "second")):
        if key in wanted and not (kind != "outputs" and trial.case.differs):
            values = [answers.read(value) for value in wanted[key]]
            same(getattr(found, kind), values, **answers.TOLERANCE)


def in_programs(function: Function, case: Case) -> bool:
    return function.static


def a_program_gives_the_same(trial: Trial) -> None:
    wanted = ours(trial)
    found = differentiated(trial.row, trial.case, wanted).run()
    for kind in Answers._fields:
        same(getattr(found, kind), getattr(wanted, kind), rtol=1e-12, atol=1e-12)


def float32_stays_float32(trial: Trial) -> None:
    function, case = trial.row, trial.case
    inputs = [
        x.astype("float32") if x is not None and x.dtype.kind == "f" else x
        for x in case.inputs
    ]
    single = on_tensors(function, inputs, case.attrs)
    double = on_tensors(function, case.inputs, case.attrs)
    for one, other in zip(single, double, strict=True):
        assert one.dtype == ("float32" if other.dtype == "float64" else other.dtype)
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


CHECKS = (
    Check(tensors_give_what_pytorch_gives),
    Check(a_program_gives_the_same, in_programs),
    Check(float32_stays_float32),
)


@pytest.mark.parametrize(("function", "case"), PAIRS, ids=IDS)
def test_a_case_in_every_life(function: Function, case: Case) -> None:
    trial = Trial(function, case)
    checks = [check for check in CHECKS if check.of(function, case)]
    run_all((check.name, partial(check.holds, trial)) for check in checks)


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
