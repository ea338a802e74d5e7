"""A program of one op gives what the kernel and the tape give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from teachgraph import static
from teachgraph.core.build import infer
from teachgraph.core.program import Spec
from tests.ops.contract import Case, Row
from tests.ops.lives import Answers, building, eager, in_a_program, on_arrays, op_of
from tests.ops.table import cases, name
from tests.oracle.answers import upstream

CASES = [(row, case) for row, case in cases() if row.updates is None]
IDS = [name(row, case) for row, case in CASES]
WITH_RULE = [(row, case) for row, case in CASES if row.gradient and case.variables()]
RULE_IDS = [name(row, case) for row, case in WITH_RULE]


def same(found: Answers, wanted: Answers) -> None:
    for kind in Answers._fields:
        pairs = zip(getattr(found, kind), getattr(wanted, kind), strict=True)
        for one, other in pairs:
            assert (one.shape, one.dtype) == (other.shape, other.dtype), kind
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12, err_msg=kind)


@pytest.mark.parametrize(("row", "case"), CASES, ids=IDS)
def test_a_program_computes_what_the_kernel_computes(row: Row, case: Case) -> None:
    with building(row, case, case.inputs) as built:
        for interpret in (False, True):
            found = built.run(built.outputs, interpret=interpret)
            wanted = on_arrays(row, case.inputs, case.attrs)
            for one, other in zip(found, wanted, strict=True):
                assert one.dtype == other.dtype
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("row", "case"), WITH_RULE, ids=RULE_IDS)
def test_gradients_and_their_gradients_are_those_of_the_tape(
    row: Row, case: Case
) -> None:
    wanted = eager(row, case)
    for interpret in (False, True):
        same(in_a_program(row, case, wanted, interpret=interpret), wanted)


def takes_unknown_sizes(row: Row, case: Case) -> bool:
    """Whether a program can be differentiated twice before the first size is known."""
    return name(row, case) != "mul: empty, flattened"  # -1 rows of 0 elements


UNKNOWN = [(row, case) for row, case in WITH_RULE if takes_unknown_sizes(row, case)]


@pytest.mark.parametrize(("row", "case"), UNKNOWN, ids=[name(r, c) for r, c in UNKNOWN])
def test_sizes_known_only_when_it_runs_change_no_gradient(row: Row, case: Case) -> None:
    wanted = eager(row, case)
    same(in_a_program(row, case, wanted, unknown=True), wanted)


@pytest.mark.parametrize(("row", "case"), WITH_RULE, ids=RULE_IDS)
def test_append_backward_gives_the_gradients_of_the_tape(row: Row, case: Case) -> None:
    wanted = eager(row, case)
    with building(row, case, case.inputs) as built:
        given = upstream(wanted.outputs)
        floating = [out for out in built.outputs if out.dtype.kind == "f"]
        terms = [
            (out * built.data(f"u{i}", u)).sum()
            for i, (out, u) in enumerate(zip(floating, given, strict=True))
        ]
        loss = sum(terms[1:], terms[0])
        static.append_backward(loss)
        block = built.program.global_block()
        for position, gradient in zip(case.variables(), wanted.first, strict=True):
            variable = built.inputs[position]
            assert variable is not None
            if not block.has_var(variable.grad_name):
                np.testing.assert_array_equal(gradient, 0.0)
                continue
            (found,) = built.run([variable.grad_name])
            assert found.shape == gradient.shape
            np.testing.assert_allclose(found, gradient, rtol=1e-12, atol=1e-12)


def specs(case: Case, unknown: Any = ()) -> list[Spec | None]:
    """What is known of the inputs, with the sizes at some places unknown."""
    return [
        None
        if x is None
        else Spec(
            tuple(-1 if (i, axis) in unknown else n for axis, n in enumerate(x.shape)),
            x.dtype,
        )
        for i, x in enumerate(case.inputs)
    ]


@pytest.mark.parametrize(("row", "case"), CASES, ids=IDS)
def test_known_shapes_are_inferred_exactly(row: Row, case: Case) -> None:
    wanted = on_arrays(row, case.inputs, case.attrs)
    found = infer(op_of(row), specs(case), case.attrs)
    for spec, out in zip(found, wanted, strict=True):
        assert spec.dtype == out.dtype
        assert spec.shape == out.shape or (row.by_value and fits(spec, out))


def fits(spec: Spec, out: Any) -> bool:
    """Whether an array has the sizes that are known."""
    return len(spec.shape) == out.ndim and all(
        n in (-1, size) for n, size in zip(spec.shape, out.shape, strict=True)
    )


@pytest.mark.parametrize(("row", "case"), CASES, ids=IDS)
def test_whatever_is_unknown_nothing_wrong_is_inferred(row: Row, case: Case) -> None:
    """Each size alone, each input alone, the first sizes, all sizes of two or three."""
    wanted = on_arrays(row, case.inputs, case.attrs)
    places = [
        (i, axis)
        for i, x in enumerate(case.inputs)
        if x is not None and i not in row.known
        for axis in range(x.ndim)
    ]
    choices = [[place] for place in places]
    choices += [[p for p in places if p[0] == i] for i in range(len(case.inputs))]
    choices += [[p for p in places if p[1] == 0], places if len(places) < 5 else []]
    for unknown in filter(None, choices):
        found = infer(op_of(row), specs(case, unknown), case.attrs)
        for spec, out in zip(found, wanted, strict=True):
            assert spec.dtype == out.dtype
            assert fits(spec, out), (unknown, spec.shape, out.shape)


def test_a_target_named_twice_starts_with_the_sum_of_its_weights() -> None:
    program = static.Program()
    with static.program_guard(program, static.Program()):
        x, u, v = (static.data(name, [3], "float64") for name in "xuv")
        x.stop_gradient = False
        y = x * x
        (dx,) = static.gradients([y, y], [x], [u, v])
    feed = {"x": np.arange(3.0), "u": np.full(3, 10.0), "v": np.full(3, 1.0)}
    (found,) = static.Executor().run(program, feed, [dx])
    np.testing.assert_array_equal(found, [0.0, 22.0, 44.0])
