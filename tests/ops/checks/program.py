"""Checks of a program of one op, which gives what the kernel and the tape give."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph import static
from teachgraph.core.build import infer
from teachgraph.core.program import Spec
from tests.ops.checks.gradient import differentiable
from tests.ops.checks.trial import Check, Trial
from tests.ops.contract import Case, Row
from tests.ops.lives import Answers, building, differentiated, op_of
from tests.oracle.answers import upstream


def same(found: Answers, wanted: Answers) -> None:
    for kind in Answers._fields:
        pairs = zip(getattr(found, kind), getattr(wanted, kind), strict=True)
        for one, other in pairs:
            assert (one.shape, one.dtype) == (other.shape, other.dtype), kind
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12, err_msg=kind)


def appended(row: Row, case: Case) -> bool:
    """Selects what no program updates in place."""
    return row.updates is None


def with_rule(row: Row, case: Case) -> bool:
    return appended(row, case) and differentiable(row, case)


def takes_unknown_sizes(row: Row, case: Case) -> bool:
    """Selects what is differentiated twice before the first size is known."""
    flattened = (row.op, case.label) == ("mul", "empty, flattened")  # -1 rows of 0
    return with_rule(row, case) and not flattened


def a_program_computes_what_the_kernel_computes(trial: Trial) -> None:
    with building(trial.row, trial.case, trial.case.inputs) as built:
        for interpret in (False, True):
            found = built.run(built.outputs, interpret=interpret)
            for one, other in zip(found, trial.kernel, strict=True):
                assert one.dtype == other.dtype
                np.testing.assert_array_equal(one, other)


def gradients_and_their_gradients_are_those_of_the_tape(trial: Trial) -> None:
    program = differentiated(trial.row, trial.case, trial.tape)
    for interpret in (False, True):
        same(program.run(interpret=interpret), trial.tape)


def sizes_known_only_when_it_runs_change_no_gradient(trial: Trial) -> None:
    program = differentiated(trial.row, trial.case, trial.tape, unknown=True)
    same(program.run(), trial.tape)


def append_backward_gives_the_gradients_of_the_tape(trial: Trial) -> None:
    case, wanted = trial.case, trial.tape
    with building(trial.row, case, case.inputs) as built:
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


def known_shapes_are_inferred_exactly(trial: Trial) -> None:
    row, case = trial.row, trial.case
    found = infer(op_of(row), specs(case), case.attrs)
    for spec, out in zip(found, trial.kernel, strict=True):
        assert spec.dtype == out.dtype
        assert spec.shape == out.shape or (row.by_value and fits(spec, out))


def fits(spec: Spec, out: Any) -> bool:
    """Whether an array has the sizes that are known."""
    return len(spec.shape) == out.ndim and all(
        n in (-1, size) for n, size in zip(spec.shape, out.shape, strict=True)
    )


def whatever_is_unknown_nothing_wrong_is_inferred(trial: Trial) -> None:
    """Each size alone, each input alone, the first sizes, all sizes of two or three."""
    row, case = trial.row, trial.case
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
        for spec, out in zip(found, trial.kernel, strict=True):
            assert spec.dtype == out.dtype
            assert fits(spec, out), (unknown, spec.shape, out.shape)


CHECKS = (
    Check(a_program_computes_what_the_kernel_computes, appended),
    Check(gradients_and_their_gradients_are_those_of_the_tape, with_rule),
    Check(sizes_known_only_when_it_runs_change_no_gradient, takes_unknown_sizes),
    Check(known_shapes_are_inferred_exactly, appended),
)

THOROUGH = (
    Check(append_backward_gives_the_gradients_of_the_tape, with_rule),
    Check(whatever_is_unknown_nothing_wrong_is_inferred, appended),
)
"""They take a third of the time, and differ little from case to case of one op."""
