"""The opening words of docstrings: a verb or a noun phrase, not a question word."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PACKAGES = ["teachgraph", "widgets/teachgraph_widgets"]

RIDDLE = re.compile(r"(What|Who|Whose|Whether|Where|How|The same|It)\b")

DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of each docstring and of each string under an assignment."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if not isinstance(body, list):  # a lambda's body is an expression
                continue
            first = node if isinstance(node, DOCUMENTED) and field == "body" else None
            for before, statement in pairwise([first, *body]):
                documents = isinstance(before, DOCUMENTED | ast.Assign | ast.AnnAssign)
                match statement:
                    case ast.Expr(value=ast.Constant(value=str(text))) if documents:
                        yield statement.lineno, text


def riddles(source: str) -> list[tuple[int, str]]:
    """Return line and first line of the docstrings that open with such a word."""
    texts = [(line, text.strip()) for line, text in docstrings(ast.parse(source))]
    return [(line, text.split("\n")[0]) for line, text in texts if RIDDLE.match(text)]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_docstring_opens_with_a_verb_or_a_noun_phrase(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    assert [
        f"{file.relative_to(ROOT)}:{line}: {text}"
        for file in files
        for line, text in riddles(file.read_text("utf-8"))
    ] == []


def test_the_check_reads_all_kinds_of_docstrings() -> None:
    source = '''\
"""The same thing again."""
SIZE = 3
"""How many there are."""
WHOLE: int = 4
"""Whole numbers are allowed."""
class Layer:
    """Its own words are fine."""
    async def run(self) -> None:
        """It runs."""
        if self:
            limit = 1
            r"""
            Whether it stops."""
            print("x")
            "What is no docstring"
'''
    assert sorted(line for line, _ in riddles(source)) == [1, 3, 9, 12]
