"""Freed memory stays: arrays of a training step are not paged in again each time."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

SCRIPT = """
import resource
import teachgraph as tg

x = tg.ones([512, 1024])

def step():
    # 2 MB each: glibc maps them one by one unless told otherwise.
    products = [x * k for k in range(1, 13)]
    return tg.add_n(products).sum()

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

step(), step()
before = faults()
for _ in range(10):
    step()
print((faults() - before) / 10)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a limit of glibc's")
def test_large_arrays_cost_no_page_faults_the_second_time() -> None:
    # In a process of its own: here other tests have freed larger arrays before.
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert float(done.stdout) < 100  # of 6,144 pages
