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
    """Replaces `raise error` by a call, but where an `except` surely sees it."""

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        if node.exc is None:
            return node
        causes = [] if node.cause is None else [node.cause]
        if self.caught and not self.decided:
            return node
        name = "convert_raise_in_try" if self.caught else "convert_raise"
        made = ast.Expr(call(name, node.exc, *causes))
        return ast.copy_location(made, node)

    caught = decided = 0

    def visit_Try(self, node: ast.Try) -> ast.Try:
        """Errors in its body may be caught."""
        before, self.decided = self.decided, 0
        self.caught += bool(node.handlers)
        node.body = [self.visit(part) for part in node.body]
        self.caught -= bool(node.handlers)
        self.decided = before
        handled = (handler.body for handler in node.handlers)
        for rest in (*handled, node.orelse, node.finalbody):
            rest[:] = [self.visit(part) for part in rest]
        return node

    def visit_If(self, node: ast.stmt) -> ast.stmt:
        """What a tensor may decide on."""
        self.decided += 1
        self.generic_visit(node)
        self.decided -= 1
        return node

    visit_While = visit_For = visit_If  # noqa: N815  the names are those of nodes
