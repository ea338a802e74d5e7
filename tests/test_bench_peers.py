"""`make bench-peers` measures in other processes and prints a table of ratios."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def peers(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    asked = [sys.executable, "-m", "tests.benchmarks.peers", "--only-ours", *arguments]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_table_is_of_our_two_ways(tmp_path: Path) -> None:
    found = peers("--rounds=1", "--json", tmp_path / "times.json", "transformer b1")
    assert not found.returncode, found.stderr
    header, line = found.stdout.splitlines()
    assert header.split("  ")[0] == "static against"
    times = json.loads((tmp_path / "times.json").read_text())["transformer b1"]
    ratio = times["ours, static"] / times["ours, eager"]
    verdict = "pass" if ratio <= 0.5 else "miss"
    assert re.search(rf"  {ratio:.2f} \(<= 0.5: {verdict}\)  ", line)


def test_a_family_that_nobody_knows_is_told() -> None:
    found = peers("--rounds=1", "transformr")
    assert found.returncode
    assert "'transformr'" in found.stderr.splitlines()[-1]
    assert "transformer b1" in found.stderr.splitlines()[-1]


@pytest.mark.slow
def test_make_bench_finds_its_cases_where_there_is_no_pytorch() -> None:
    options = ["--collect-only", "--quiet", "-p", "no:cacheprovider"]
    asked = [sys.executable, "-m", "pytest", "--benchmark-only", *options]
    # Nothing is timed in a worker of pytest-xdist, which the variables tell of.
    outside = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_XDIST")}
    found = subprocess.run(
        [*asked, "tests/benchmarks"],
        cwd=ROOT,
        env=outside,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not found.returncode, found.stdout
    assert "test_training_step[8-8-4 batch 8-eager]" in found.stdout
