"""Each test and each doctest begins in the mode that nobody has chosen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from teachgraph.core import modes


@pytest.fixture(autouse=True)
def unchosen_mode() -> Iterator[None]:
    with modes.using(None):
        yield
