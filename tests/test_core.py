"""The core is small, knows nobody, and is toured by a page that tells the truth."""

from __future__ import annotations

import ast
import doctest
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from teachgraph.core.op import _registry
from tests.core_size import CORE, README, total, with_sizes

MOST_LINES, MOST_CODE = 3_500, 2_085
"""The core may shrink, never grow."""


def test_the_core_does_not_grow() -> None:
    size = total()
    assert size.lines <= MOST_LINES
    assert size.code <= MOST_CODE


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("path", sorted(CORE.glob("*.py")), ids=lambda p: p.name)
def test_it_imports_numpy_and_itself(path: Path) -> None:
    for module in imported(path):
        top = module.partition(".")[0]
        own = module.startswith("teachgraph.core")
        assert own or top == "numpy" or top in sys.stdlib_module_names, module


def test_the_tour_gives_the_sizes_there_are() -> None:
    text = README.read_text("utf-8")
    assert text == with_sizes(text), "run `python -m tests.core_size`"


def test_the_tour_runs() -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    try:
        results = doctest.testfile(str(README), False, optionflags=flags)
    finally:
        for type in ("cubed", "cubed_grad"):
            _registry.pop(type, None)
    assert results.attempted > 20
    assert results.failed == 0
