"""CPU time of `import teachgraph`, in times that of `import numpy`; the bar is 2.

Each import is measured in a process of its own, the two in turn, and the least of each
counts: what else the machine does can only add to it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from teachgraph.cli.bench import LIMITS
from tests.bars import ROOT, note

BAR = 2.0
ROUNDS = 7
SCRIPT = """
from time import process_time
start = process_time()
import {}
print(process_time() - start)
"""


def seconds(package: str) -> float:
    """CPU time of the import of a package in a new Python."""
    command = [sys.executable, "-c", SCRIPT.format(package)]
    one_thread = os.environ | dict.fromkeys(LIMITS, "1")
    done = subprocess.run(
        command, check=True, cwd=ROOT, env=one_thread, stdout=subprocess.PIPE, text=True
    )
    return float(done.stdout)


def least() -> tuple[float, float]:
    """CPU times of `import teachgraph` and of `import numpy`, least of some rounds."""
    rounds = [(seconds("teachgraph"), seconds("numpy")) for _ in range(ROUNDS)]
    ours, numpy = zip(*rounds, strict=True)
    return min(ours), min(numpy)


def test_the_import(benchmark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    benchmark.group = "import"
    ours, numpy = benchmark.pedantic(least, rounds=1)
    benchmark.extra_info.update(teachgraph=ours, numpy=numpy)
    with capsys.disabled():
        print(f"\n  import teachgraph: {ours:.3f} s, import numpy: {numpy:.3f} s")
        figure = note("import", ours / numpy, BAR, "x NumPy's")
    assert figure.met
