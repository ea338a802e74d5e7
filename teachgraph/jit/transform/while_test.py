"""`while (n := f(x)) > 0:` assigns in its test, so the test moves into the body."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh

__all__ = ["while_test"]


def while_test(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Make `while True: if not test: break` of loops whose test assigns."""
    made = WhileTest().visit(function)
    assert isinstance(made, ast.FunctionDef)
    return made


class WhileTest(ast.NodeTransformer):
    """Moves a test that assigns."""

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        if any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test)):
            test = ast.UnaryOp(ast.Not(), node.test)
            leave: ast.stmt = ast.If(test, [ast.Break()], [])
            ever = ast.Constant(value=True)
            for made in (leave, ever, test, leave.body[0]):  # type: ignore[attr-defined]
                ast.copy_location(made, node)
            node.test, node.body = ever, [leave, *node.body]
        return node
