"""`a if c else b`: a call with both parts as functions, computed only when needed."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh, call, lazily

__all__ = ["ternary"]


def ternary(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Decide each `a if c else b` at run time."""
    changed = Ternary().visit(function)
    assert isinstance(changed, ast.FunctionDef)
    return changed


class Ternary(ast.NodeTransformer):
    """Replace the expression by a call."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        # `:=` in a lambda would assign to a variable of the lambda.
        if any(
            isinstance(part, ast.NamedExpr)
            for side in (node.body, node.orelse)
            for part in ast.walk(side)
        ):
            return node
        decided = call(
            "convert_ternary", node.test, lazily(node.body), lazily(node.orelse)
        )
        return ast.copy_location(decided, node)
