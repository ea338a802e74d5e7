"""`break` and `continue`: flags, which the loop and the rest of its body test."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.jumps import Jumps, Straight
from teachgraph.jit.transform.names import Fresh, statements

__all__ = ["break_continue", "stop_of"]


def break_continue(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Replace every `break` and `continue` by a flag."""
    changed = BreakContinue(fresh).visit(function)
    assert isinstance(changed, ast.FunctionDef)
    return changed


def stop_of(loop: ast.For) -> str | None:
    """Return the flag that ends a `for`, if it has one."""
    return getattr(loop, "stop", None)


class BreakContinue(ast.NodeTransformer):
    """Change each loop, the inner ones first."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        self.generic_visit(node)
        begin, broke = self.body(node)
        if broke:
            (test,) = statements(f"not {broke}", node)
            assert isinstance(test, ast.Expr)
            endless = isinstance(node.test, ast.Constant) and node.test.value
            # The flag first: after `break` Python does not evaluate the test again.
            both = ast.BoolOp(ast.And(), [test.value, node.test])
            node.test = ast.copy_location(test.value if endless else both, node)
        return [*begin, node]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        self.generic_visit(node)
        begin, broke = self.body(node)
        if broke:
            node.stop = broke  # type: ignore[attr-defined]
        return [*begin, node]

    def body(self, node: ast.For | ast.While) -> tuple[list[ast.stmt], str]:
        """Change the body; return the statements before the loop, and the stop flag."""
        jumps = BreaksAndContinues(self.fresh)
        straight = jumps.straight(node.body)
        if not straight.flags:
            return [], ""
        node.body = straight.body
        if jumps.skipped:
            node.body[:0] = statements(f"{jumps.skipped} = False", node.body[0])
        begin = f"{jumps.broke} = False" if jumps.broke else ""
        return statements(begin, node), jumps.broke


class BreaksAndContinues(Jumps):
    """`break` becomes `broke = True`, and `continue` `skipped = True`."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh
        self.broke = self.skipped = ""

    def jump(self, node: ast.stmt) -> Straight | None:
        if isinstance(node, ast.Break):
            flag = self.broke = self.broke or self.fresh("broke")
        elif isinstance(node, ast.Continue):
            flag = self.skipped = self.skipped or self.fresh("skipped")
        else:
            return None
        return Straight(statements(f"{flag} = True", node), [flag], always=True)
