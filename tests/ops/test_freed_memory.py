"""Freed memory stays: arrays of a training step are not paged in again each time."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import resource, sys
import teachgraph as tg

x = tg.ones([512, 1024])

def step():
    # 2 MB each: glibc maps them one by one unless told otherwise.
    products = [x * k for k in range(int(sys.argv[1]))]
    return tg.add_n(products).sum()

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

step(), step()
before = faults()
for _ in range(10):
    step()
print((faults() - before) / 10)
"""


GLIBC = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's heap")
HUGE = Path("/sys/kernel/mm/transparent_hugepage")


def printed_by(script: str, *arguments: str) -> str:
    # In a process of its own: here other tests have freed larger arrays before.
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@GLIBC
@pytest.mark.parametrize("arrays", ["12", "50"])
def test_large_arrays_cost_no_page_faults_the_second_time(arrays: str) -> None:
    assert float(printed_by(SCRIPT, arrays)) < 100  # of 6,144 pages or more


@GLIBC
@pytest.mark.skipif(not HUGE.exists(), reason="the kernel has no huge pages")
def test_the_heap_is_of_huge_pages() -> None:
    maps = "import teachgraph.ops; print(open('/proc/self/smaps').read())"
    of_heap = re.compile(r"\[heap\]\nSize: +(\d+) kB.*?VmFlags:([ \w]*)", re.DOTALL)
    areas = of_heap.findall(printed_by(maps))
    assert sum(int(size) for size, flags in areas if " hg" in flags) > 120 << 10


@GLIBC
def test_few_addresses_are_no_error() -> None:
    limited = (
        "import resource; import numpy; from psutil import Process\n"
        "most = Process().memory_info().vms + (140 << 20)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (most, most))\n"
        "import teachgraph as tg; print((tg.ones([2]) * 3).sum().item())"
    )
    assert printed_by(limited) == "6.0\n"
