"""Which of a notebook's names a definition needs, read from the code."""

from __future__ import annotations

import ast
from collections.abc import Iterable

__all__ = ["needed_by"]


def needed_by(name: str, codes: Iterable[str]) -> set[str]:
    """The names that a definition reads, and those that they read in turn.

    Attributes count as names: `loss.backward()` needs whatever defines `backward`.

    >>> cells = ["def a(): return 1", "def b(): return a()", "c = b() + 1"]
    >>> sorted(needed_by("c", cells))
    ['a', 'b']
    """
    reads = reads_of(codes)
    needed: set[str] = set()
    waiting = [name]
    while waiting:
        for read in reads.get(waiting.pop(), ()):
            if read in reads and read not in needed:
                needed.add(read)
                waiting.append(read)
    return needed - {name}


def reads_of(codes: Iterable[str]) -> dict[str, set[str]]:
    """For each name that the top level of some code defines, the names it reads."""
    reads: dict[str, set[str]] = {}
    for code in codes:
        try:
            tree = ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # a magic, or a mistake
        for statement in tree.body:
            defined, read = names_in(statement)
            for name in defined:
                reads.setdefault(name, set()).update(read)
    return reads


def names_in(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """The names that a statement defines, and those that it reads."""
    defined: set[str] = set()
    read: set[str] = set()
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        defined.add(statement.name)
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            at_top = isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign)
            (defined if at_top and isinstance(node.ctx, ast.Store) else read).add(
                node.id
            )
        elif isinstance(node, ast.Attribute):
            (defined if isinstance(node.ctx, ast.Store) else read).add(node.attr)
        elif isinstance(node, ast.FunctionDef) and isinstance(statement, ast.ClassDef):
            defined.add(node.name)  # a method
    return defined, read
