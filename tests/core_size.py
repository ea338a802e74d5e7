"""The size of the core: lines, and lines of code, as `core/README.md` says them.

`python -m tests.core_size` writes them into that file.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path
from typing import NamedTuple

CORE = Path(__file__).parents[1] / "teachgraph" / "core"
README = CORE / "README.md"
ROW = re.compile(r"^(\| \d \| \[`(\w+\.py)`\].*\|) \d+ \| \d+ \|$", re.MULTILINE)
TOTAL = re.compile(r"<!-- total -->.*?<!-- /total -->", re.DOTALL)
NO_CODE = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


class Size(NamedTuple):
    """Lines, and those among them that are neither blank, comment nor docstring."""

    lines: int
    code: int


def size_of(path: Path) -> Size:
    text = path.read_text("utf-8")
    strings = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    code = {
        line
        for token in tokens
        if token.type not in NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return Size(len(text.splitlines()), len(code - strings))


def total() -> Size:
    sizes = [size_of(path) for path in sorted(CORE.glob("*.py"))]
    return Size(sum(s.lines for s in sizes), sum(s.code for s in sizes))


def with_sizes(text: str) -> str:
    """The guided tour with every size as it is now."""

    def row(match: re.Match[str]) -> str:
        size = size_of(CORE / match[2])
        return f"{match[1]} {size.lines} | {size.code} |"

    whole = total()
    said = f"{whole.lines} lines, {whole.code} of them code"
    text = ROW.sub(row, text)
    return TOTAL.sub(f"<!-- total -->{said}<!-- /total -->", text)


if __name__ == "__main__":
    README.write_text(with_sizes(README.read_text("utf-8")), "utf-8")
