"""A Ray for all tests of clusters: its start takes seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from teachgraph.distributed.ray_job import ray_started


@pytest.fixture(scope="session")
def ray() -> Iterator[Any]:
    with ray_started(object_store_memory=100 * 2**20) as started:
        yield started
