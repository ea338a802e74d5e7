"""A real Ray whose object store is full, and whose disk has no room either."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.cluster, pytest.mark.full]

SCRIPT = Path(__file__).parent / "sample" / "full_store.py"


def test_a_full_object_store_ends_the_job_with_who_and_at_which_step() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    first, *_ = done.stdout.splitlines()
    assert first.startswith("PeerError trainer ")
    assert "failed at step 0: DistributedError: " in first
    assert "step 0: Ray's object store is full: start Ray with a larger" in first
