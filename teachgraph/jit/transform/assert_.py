"""`assert` and `raise`: of a tensor they happen when the program runs."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh, call, lazily

__all__ = ["assert_", "raise_"]


def assert_(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Have assertions decided at run time."""
    made = Asserts().visit(function)
    assert isinstance(made, ast.FunctionDef)
    return made


def raise_(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Have errors raised by the branch that is taken, not by the one that is traced."""
    made = Raises().visit(function)
    assert isinstance(made, ast.FunctionDef)
    return made


class Asserts(ast.NodeTransformer):
    """Replaces the statement by a call."""

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        said = node.msg or ast.copy_location(ast.Constant(value=None), node)
        made = ast.Expr(call("convert_assert", node.test, lazily(said)))
        return ast.copy_location(made, node)


class Raises(ast.NodeTransformer):
    """Replaces `raise error` by a call, but for what handles another error."""

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        if node.exc is None:
            return node
        causes = [] if node.cause is None else [node.cause]
        name = "convert_raise_in_try" if self.caught else "convert_raise"
        made = ast.Expr(call(name, node.exc, *causes))
        return ast.copy_location(made, node)

    caught = 0

    def visit_Try(self, node: ast.Try) -> ast.Try:
        """Errors in its body may be caught."""
        self.caught += bool(node.handlers)
        node.body = [self.visit(part) for part in node.body]
        self.caught -= bool(node.handlers)
        for rest in (node.orelse, node.finalbody):
            rest[:] = [self.visit(part) for part in rest]
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        return node
