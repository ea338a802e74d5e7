"""What the tests of converted functions share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import teachgraph as tg


@pytest.fixture
def in_double_precision() -> Iterator[None]:
    before = tg.get_default_dtype()
    tg.set_default_dtype("float64")
    yield
    tg.set_default_dtype(before)
