"""The `onnx` package's own tests of single nodes, run here.

A test is claimed if all of its model is covered: every op has an importer or a
definition in terms of others, in this variant and for these types of numbers. What is
claimed must pass; what is not says why.
"""

from __future__ import annotations

import warnings
from collections import Counter
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from teachgraph.deploy.onnx import Backend
from teachgraph.deploy.onnx.reading import IMPORTERS

ELSEWHERE = {"GRU"}
"""Their tests feed what must be constant here; see the files from PyTorch."""


class Told(NamedTuple):
    """What became of a test: passed, failed or not claimed, and why."""

    name: str
    op: str
    outcome: str
    reason: str


def array(value: Any) -> Any:
    return (
        numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value
    )


def compare(case: Any) -> None:
    """Run one test, all of its data."""
    prepared = Backend.prepare(case.model)
    names = [given.name for given in case.model.graph.input]
    for inputs, outputs in case.data_sets:
        feed = {n: array(v) for n, v in zip(names, inputs, strict=False)}
        got = prepared.run({n: v for n, v in feed.items() if n in prepared.feeds})
        for one, want in zip(got, map(array, outputs), strict=True):
            assert (one.dtype, one.shape) == (want.dtype, want.shape)
            np.testing.assert_allclose(one, want, rtol=case.rtol, atol=case.atol)


def told(case: Any) -> Told:
    """The outcome of one test."""
    op = case.model.graph.node[0].op_type
    op = f"{op} (expanded)" if case.name.endswith("_expanded") else op
    if (reason := Backend.reason(case.model)) is not None:
        return Told(case.name, op, "not claimed", reason)
    try:
        compare(case)
    except Exception as error:
        return Told(case.name, op, "failed", f"{type(error).__name__}: {error}")
    return Told(case.name, op, "passed", "")


@cache
def report() -> list[Told]:
    """All tests of single nodes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package warns of its own data
        from onnx.backend.test.case.node import collect_testcases

        return [told(case) for case in collect_testcases(None)]


def by_op() -> dict[str, Counter[str]]:
    """How many tests of each op came out how."""
    found: dict[str, Counter[str]] = {}
    for one in report():
        found.setdefault(one.op, Counter())[one.outcome] += 1
    return found


def test_no_test_of_what_is_claimed_fails() -> None:
    assert [one for one in report() if one.outcome == "failed"] == []


def test_at_least_two_tests_in_three_are_claimed() -> None:
    outcomes = Counter(one.outcome for one in report())
    print(outcomes)
    for op, counts in sorted(by_op().items()):
        print(f"{op:36} {dict(counts)}")
    assert outcomes["passed"] >= 2 / 3 * outcomes.total()


def test_every_importer_passes_a_test() -> None:
    passed = {one.op.split(" ")[0] for one in report() if one.outcome == "passed"}
    assert set(IMPORTERS) - passed <= ELSEWHERE


def test_what_is_not_claimed_says_why() -> None:
    silent = [
        one for one in report() if one.outcome == "not claimed" and not one.reason
    ]
    assert silent == []


@pytest.mark.parametrize(("device", "known"), [("CPU", True), ("CUDA:0", False)])
def test_there_is_only_the_cpu(device: str, known: bool) -> None:
    assert Backend.supports_device(device) is known
