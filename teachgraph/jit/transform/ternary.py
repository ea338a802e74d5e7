"""`a if c else b`: both parts are computed only when they are wanted."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh, call, lazily

__all__ = ["ternary"]


def ternary(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Have each `a if c else b` decided at run time."""
    made = Ternary().visit(function)
    assert isinstance(made, ast.FunctionDef)
    return made


class Ternary(ast.NodeTransformer):
    """Replaces the expression by a call."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if any(
            isinstance(part, ast.NamedExpr)
            for side in (node.body, node.orelse)
            for part in ast.walk(side)
        ):
            return node
        made = call(
            "convert_ternary", node.test, lazily(node.body), lazily(node.orelse)
        )
        return ast.copy_location(made, node)
