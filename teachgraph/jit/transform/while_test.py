"""`while (n := f(x)) > 0:`: a test that assigns moves into the body of the loop."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh

__all__ = ["while_test"]


def while_test(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Move a test that assigns into `while True: if not test: break`."""
    changed = WhileTest().visit(function)
    assert isinstance(changed, ast.FunctionDef)
    return changed


class WhileTest(ast.NodeTransformer):
    """Move a test that assigns into the body."""

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        if any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test)):
            test = ast.UnaryOp(ast.Not(), node.test)
            leave: ast.stmt = ast.If(test, [ast.Break()], [])
            true = ast.Constant(value=True)
            for new in (leave, true, test, leave.body[0]):  # type: ignore[attr-defined]
                ast.copy_location(new, node)
            node.test, node.body = true, [leave, *node.body]
        return node
