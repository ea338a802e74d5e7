"""Every row of the table: one test a case, a mistake or a row, with all its checks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pytest

from tests.ops.checks import forward, gradient, program, refusal
from tests.ops.checks.trial import Check, Trial, run_all
from tests.ops.contract import Case, Row, Wrong
from tests.ops.table import TABLE, cases, mistakes, name

ROWS = list(TABLE.values())
OF_A_CASE = (*forward.CHECKS, *gradient.CHECKS, *program.CHECKS)
OF_A_ROW = (*gradient.ROW_CHECKS, *refusal.ROW_CHECKS)


def params(pairs: list[tuple[Row, Case]] | list[tuple[Row, Wrong]]) -> list[object]:
    """Parameters of a test; all but the first of each row are left to `make test`."""
    seen: set[str] = set()
    found: list[object] = []
    for row, case in pairs:
        marks = [pytest.mark.further] if row.op in seen else []
        seen.add(row.op)
        found.append(pytest.param(row, case, id=name(row, case), marks=marks))
    return found


def hold(checks: Iterable[Check], row: Row, case: Case) -> None:
    trial = Trial(row, case)
    run_all((c.name, partial(c.holds, trial)) for c in checks if c.of(row, case))


@pytest.mark.parametrize(("row", "case"), params(cases()))
def test_a_case_in_every_life(row: Row, case: Case) -> None:
    first = case is row.cases[0]
    hold((*OF_A_CASE, *program.THOROUGH) if first else OF_A_CASE, row, case)


@pytest.mark.full
@pytest.mark.parametrize(("row", "case"), params(cases()))
def test_a_case_in_every_program(row: Row, case: Case) -> None:
    if case is not row.cases[0]:
        hold(program.THOROUGH, row, case)


@pytest.mark.parametrize(("row", "wrong"), params(mistakes()))
def test_a_mistake_is_refused_in_every_life(row: Row, wrong: Wrong) -> None:
    checks = [c for c in refusal.CHECKS if c.of(row, wrong)]
    run_all((c.name, partial(c.holds, row, wrong)) for c in checks)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.op)
def test_what_holds_of_a_whole_row(row: Row) -> None:
    checks = {c.name: partial(c.holds, row) for c in OF_A_ROW if c.of(row)}
    for dtype in row.refused():
        refused = partial(forward.a_dtype_without_meaning_is_refused, row, dtype)
        checks[f"{dtype} is refused"] = refused
    run_all(checks.items())
