"""What a check says, to the learner and in the notebook."""

from __future__ import annotations

import pytest

from teachgraph.course.checks import CheckFailed, checking, expect


def test_an_expectation_that_fails_names_the_task() -> None:
    with pytest.raises(CheckFailed) as verdict, checking("halve"):
        expect(False, "half of 4 is 2")
    assert str(verdict.value) == "halve: half of 4 is 2"


def test_a_verdict_draws_itself_as_one_line() -> None:
    assert CheckFailed("half of 4 is 2", "halve")._render_traceback_() == [
        "halve: half of 4 is 2"
    ]


def test_a_pass_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with checking("halve"):
        expect(True, "never said")
    assert capsys.readouterr().out == "halve: right.\n"


def test_an_unwritten_exercise_is_told_from_an_unfinished_helper() -> None:
    with (
        pytest.raises(CheckFailed, match=r"^halve: not written yet"),
        checking("halve"),
    ):
        raise NotImplementedError("halve")
    with (
        pytest.raises(CheckFailed, match=r"^halve: not written yet"),
        checking("halve"),
    ):
        raise NotImplementedError
    with pytest.raises(CheckFailed, match=r"raised NotImplementedError: later"):  # noqa: SIM117
        with checking("halve"):
            raise NotImplementedError("later")


def test_a_missing_exercise_is_no_mystery() -> None:
    with pytest.raises(CheckFailed, match="there is no `halve` yet"), checking("halve"):
        halve(2)  # noqa: F821


def test_an_interrupt_is_not_a_verdict() -> None:
    with pytest.raises(KeyboardInterrupt), checking("halve"):
        raise KeyboardInterrupt
