"""The table leaves nothing out, unless it says why."""

from __future__ import annotations

from functools import partial
from importlib import import_module

import pytest

from teachgraph.core.op import GradOp, _registry
from tests.ops.checks import gradient
from tests.ops.checks.trial import Check, run_all
from tests.ops.contract import SHAPES, Row
from tests.ops.table import ELSEWHERE, TABLE, cases
from tests.oracle import answers

ROWS = TABLE.values()
LOADED_LATE = ("resample", "suppression", "tensor_attributes")
"""Modules of ONNX's own ops, which are imported when a model is read."""


def test_every_op_has_a_row_or_stands_among_the_exceptions() -> None:
    for module in LOADED_LATE:
        import_module(f"teachgraph.deploy.onnx.{module}")
    ops = {
        type
        for type, op in _registry.items()
        if not isinstance(op, GradOp)
        and not op.kernel.__module__.startswith("teachgraph.distributed")  # loaded late
    }
    assert ops - set(TABLE) == set(ELSEWHERE)
    assert set(TABLE) <= ops


def every_kind_of_shape_is_tried_or_the_row_says_why_not(row: Row) -> None:
    tried = {kind for kind in SHAPES for c in row.cases if c.label.startswith(kind)}
    assert tried | set(row.lacks) == set(SHAPES)
    assert not tried & set(row.lacks)


def labels_are_unique(row: Row) -> None:
    for labels in ([c.label for c in row.cases], [w.label for w in row.wrong]):
        assert len(labels) == len(set(labels))


def a_row_says_whether_there_is_a_rule(row: Row) -> None:
    assert (_registry[row.op].rule is not None) == row.gradient


def pytorch_was_asked_just_this_or_the_row_says_why_not(row: Row) -> None:
    assert (row.twin is None) == bool(row.lonely)
    if row.twin is not None:
        told = answers.load(row.op)["cases"]
        assert {label: told[label]["question"] for label in told} == {
            case.label: answers.question(case) for case in row.cases
        }, "the table has changed: run make oracle"


CHECKS = (
    Check(every_kind_of_shape_is_tried_or_the_row_says_why_not),
    Check(labels_are_unique),
    Check(a_row_says_whether_there_is_a_rule),
    Check(pytorch_was_asked_just_this_or_the_row_says_why_not),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.op)
def test_a_row_is_complete(row: Row) -> None:
    run_all((check.name, partial(check.holds, row)) for check in CHECKS)


def test_wherever_pytorch_differs_paddle_was_asked() -> None:
    differentiated = [pair for pair in cases() if gradient.differentiable(*pair)]
    assert [(row, case) for row, case in differentiated if case.differs] == [
        (row, case) for row, case in differentiated if case.paddle
    ]


def test_there_are_no_answers_without_a_question() -> None:
    asked = {row.op for row in ROWS if row.twin is not None}
    assert {path.stem for path in answers.FOLDER.glob("*.json")} == asked


def test_answers_stay_small() -> None:
    size = sum(path.stat().st_size for path in answers.FOLDER.glob("*.json"))
    assert size < 2_000_000
