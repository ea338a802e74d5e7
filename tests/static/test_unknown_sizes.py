"""Shapes of results where a size of an input is unknown."""

from __future__ import annotations

import pytest

import teachgraph as tg
from teachgraph import static
from tests.static.fresh import fresh


@pytest.mark.parametrize(
    ("matrices", "right", "expected"),
    [
        ([2, 2, 2], [2, -1], (2, 2, -1)),
        ([3, 3, 3], [3, -1], (3, 3, -1)),
        ([-1, 2, 2], [2, -1], (-1, 2, -1)),
        ([-1, -1, -1], [2, 1], (-1, 2, 1)),
    ],
)
def test_a_size_that_meets_another_in_a_trial_only_changes_no_rank(
    matrices: list[int], right: list[int], expected: tuple[int, ...]
) -> None:
    with fresh():
        x = static.data("x", matrices, "float64")
        y = static.data("y", right, "float64")
        assert tg.linalg.solve(x, y).shape == expected


def test_a_size_that_was_0_in_a_trial_only_is_not_0() -> None:
    with fresh():
        images = static.data("images", [-1, -1, -1, -1], "float64")
        boxes = static.data("boxes", [0, 4], "float64")
        counts = static.data("counts", [-1], "int32")
        pooled = tg.vision.ops.psroi_pool(images, boxes, counts, (2, 3))
        assert pooled.shape[2:] == (2, 3)
        assert pooled.shape[1] == -1
