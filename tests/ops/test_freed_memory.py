"""Freed memory stays: arrays of a training step are not paged in again each time."""

from __future__ import annotations

import platform

import numpy as np
import pytest

from teachgraph.ops.freed_memory import keep_freed_memory


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a limit of glibc's")
def test_large_arrays_cost_no_page_faults_the_second_time() -> None:
    resource = pytest.importorskip("resource")

    def step() -> int:
        """Faults of writing 24 MB, all of which is freed at the end."""
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        arrays = [np.full(1 << 19, 1, np.float32) for _ in range(12)]
        del arrays
        faults: int = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
        return faults

    keep_freed_memory()
    step()
    assert min(step() for _ in range(3)) < 100
