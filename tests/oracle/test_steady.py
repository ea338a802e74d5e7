"""What stays of a file of answers when they are asked for again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.steady import steady


@pytest.mark.parametrize(
    ("now", "before", "written"),
    [
        (0.09999999, 0.1, 0.1),
        (0.09999, 0.1, 0.09999),
        ([1.0, 2.0000001], [1.0, 2.0], [1.0, 2.0]),
        ([1.0, 2.0], [1.0], [1.0, 2.0]),
        ({"new": 3.0}, {"old": 3.0}, {"new": 3.0}),
        ("refused: ValueError", 1.0, "refused: ValueError"),
        (1, 1.0, 1),
        (float("inf"), 1.0, float("inf")),
        (1.0, float("inf"), 1.0),
        (float("nan"), 1.0, pytest.approx(float("nan"), nan_ok=True)),
    ],
)
def test_only_numbers_that_agree_stay(now: Any, before: Any, written: Any) -> None:
    kept = steady(now, before)
    assert kept == written
    assert type(kept) is type(now)
