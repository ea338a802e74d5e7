from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.static.fresh import Fresh, fresh


@pytest.fixture(autouse=True)
def programs() -> Iterator[Fresh]:
    with fresh() as found:
        yield found
