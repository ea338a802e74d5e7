"""The order of tests that several workers share."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.workers import COSTLY, in_shares


def items_of(file: str, fixture: str, count: int) -> list[Any]:
    """Tests of a file, of which one in their midst uses a fixture."""
    path = Path(file)
    using = [[fixture] if number == 1 else [] for number in range(count)]
    return [SimpleNamespace(path=path, fixturenames=names) for names in using]


@pytest.mark.parametrize("workers", [2, 4])
def test_each_costly_fixture_is_used_from_the_beginning_of_one_share(
    workers: int,
) -> None:
    items = [
        item
        for number, name in enumerate(reversed(COSTLY))
        for item in (
            *items_of(f"test_{number}.py", "tmp_path", 20),
            *items_of(f"test_{number}_{name}.py", name, 5),
            *items_of(f"test_{number}_{name}_too.py", name, 5),
        )
    ]
    ordered = in_shares(items, workers)
    assert sorted(map(id, ordered)) == sorted(map(id, items))
    share = len(items) // workers
    used = [
        next((name for name in COSTLY if f"_{name}" in str(item.path)), "")
        for item in ordered
    ]
    runs = [name for name, _ in groupby(used) if name]
    assert sorted(runs) == sorted(COSTLY), "none is in two places"
    for number in range(workers):
        assert used[number * share] in COSTLY
