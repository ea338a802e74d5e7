"""A student can follow one thing: what it enters has few lines, in few files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MOST = {
    "backward": (75, 3),
    "step": (213, 8),
    "four_lines": (1_098, 20),
    "branch": (932, 21),
    "hooked": (390, 13),
    "to_static": (1_926, 39),
}
"""The most lines, and files, that each may enter. They may shrink, never grow."""


@pytest.mark.parametrize("name", MOST)
def test_few_functions_are_entered(name: str) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.reading", name]
    root = Path(__file__).parents[1]
    said = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    lines, files = map(int, said.stdout.split()[1:])
    assert lines <= MOST[name][0]
    assert files <= MOST[name][1]
