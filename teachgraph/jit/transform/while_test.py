"""`while (n := f(x)) > 0:` and `while q.pop() > 0:`: such tests move into the body.

There what they assign, or change in place, leaves a round as all else does.
"""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh, acts

__all__ = ["while_test"]


def while_test(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Move a test that acts into `while True: if not test: break`."""
    changed = WhileTest().visit(function)
    assert isinstance(changed, ast.FunctionDef)
    return changed


class WhileTest(ast.NodeTransformer):
    """Move a test that acts into the body."""

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        if acts(node):
            test = ast.UnaryOp(ast.Not(), node.test)
            leave: ast.stmt = ast.If(test, [ast.Break()], [])
            true = ast.Constant(value=True)
            for new in (leave, true, test, leave.body[0]):  # type: ignore[attr-defined]
                ast.copy_location(new, node)
            node.test, node.body = true, [leave, *node.body]
        return node
