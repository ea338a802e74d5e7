"""All checks of a case are made, and the report names those that fail."""

from __future__ import annotations

from functools import partial

import pytest

import teachgraph as tg
from tests.ops.checks.trial import run_all


def fails() -> None:
    raise ValueError("a number")


def refuses_nothing() -> None:
    with pytest.raises(ValueError, match="never"):
        pass


def test_every_check_that_fails_is_named_and_the_others_are_made() -> None:
    made: list[str] = []
    passing = partial(made.append, "the last")
    checks = [("one", fails), ("two", refuses_nothing), ("three", passing)]
    with pytest.raises(ExceptionGroup, match="one; two") as caught:
        run_all(checks)
    assert made == ["the last"]
    first, second = caught.value.exceptions
    assert (str(first), first.__notes__) == ("a number", ["in the check: one"])
    assert "DID NOT RAISE" in str(second)


def test_a_check_leaves_no_mode_to_the_next() -> None:
    modes: list[bool] = []

    def look() -> None:
        modes.append(tg.in_dynamic_mode())

    run_all([("static", tg.enable_static), ("next", look)])
    assert modes == [True]
