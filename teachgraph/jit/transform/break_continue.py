"""`break` and `continue`: flags that the loop and the rest of its body ask."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.jumps import Jumps, Straight
from teachgraph.jit.transform.names import Fresh, statements

__all__ = ["break_continue", "stop_of"]


def break_continue(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Let no loop of a function have a `break` or `continue`."""
    made = BreakContinue(fresh).visit(function)
    assert isinstance(made, ast.FunctionDef)
    return made


def stop_of(loop: ast.For) -> str | None:
    """The flag that ends a `for`, if it has one."""
    return getattr(loop, "stop", None)


class BreakContinue(ast.NodeTransformer):
    """Changes each loop, the inner ones first."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        self.generic_visit(node)
        begin, broke = self.body(node)
        if broke:
            (test,) = statements(f"not {broke}", node)
            assert isinstance(test, ast.Expr)
            ever = isinstance(node.test, ast.Constant) and node.test.value
            both = ast.BoolOp(ast.And(), [test.value, node.test])
            node.test = ast.copy_location(test.value if ever else both, node)
        return [*begin, node]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        self.generic_visit(node)
        begin, broke = self.body(node)
        if broke:
            node.stop = broke  # type: ignore[attr-defined]
        return [*begin, node]

    def body(self, node: ast.For | ast.While) -> tuple[list[ast.stmt], str]:
        """Change the body; what goes before the loop, and the flag that ends it."""
        jumps = BreaksAndContinues(self.fresh)
        made = jumps.straight(node.body)
        if not made.flags:
            return [], ""
        node.body = made.body
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
