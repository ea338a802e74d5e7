"""`assert` and `raise`: calls, which a tensor can decide when the program runs."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh, call, lazily

__all__ = ["assert_", "raise_"]


def assert_(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Decide assertions at run time."""
    changed = Asserts().visit(function)
    assert isinstance(changed, ast.FunctionDef)
    return changed


def raise_(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Raise errors in the branch that is taken, not while it is traced."""
    changed = Raises().visit(function)
    assert isinstance(changed, ast.FunctionDef)
    return changed


class Asserts(ast.NodeTransformer):
    """Replace the statement by a call."""

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        message = node.msg or ast.copy_location(ast.Constant(value=None), node)
        asserted = ast.Expr(call("convert_assert", node.test, lazily(message)))
        return ast.copy_location(asserted, node)


class Raises(ast.NodeTransformer):
    """Replace `raise error` by a call, unless an `except` here surely catches it.

    Attributes:
        caught: The number of `try` bodies around, with handlers.
        decided: The number of branches and loops around, within the innermost `try`.
    """

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        if node.exc is None:
            return node
        causes = [] if node.cause is None else [node.cause]
        if self.caught and not self.decided:
            return node
        name = "convert_raise_in_try" if self.caught else "convert_raise"
        raised = ast.Expr(call(name, node.exc, *causes))
        return ast.copy_location(raised, node)

    caught = decided = 0

    def visit_Try(self, node: ast.Try) -> ast.Try:
        """Visit its body as code whose errors may be caught, the rest as before."""
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
        """Visit a branch or loop that a tensor may decide on."""
        self.decided += 1
        self.generic_visit(node)
        self.decided -= 1
        return node

    visit_While = visit_For = visit_If  # noqa: N815  the names are those of nodes
