"""Guards of `match` and conditions in comprehensions: Python decides them."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh, call

__all__ = ["guards"]


def guards(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Refuse tensors as conditions that only Python can decide."""
    for node in ast.walk(function):
        if isinstance(node, ast.match_case) and node.guard is not None:
            node.guard = decided(node.guard, "guard of a case")
        elif isinstance(node, ast.comprehension):
            node.ifs = [
                decided(test, "condition in a comprehension") for test in node.ifs
            ]
    return function


def decided(test: ast.expr, what: str) -> ast.expr:
    """Check that a condition is no tensor, when it is reached."""
    checked = call("convert_guard", test, ast.Constant(what))
    return ast.copy_location(checked, test)
