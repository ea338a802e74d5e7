"""`while ... else` and `for ... else`: the `else` runs unless a `break` has run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from teachgraph.jit.transform.names import Fresh, statements

__all__ = ["loop_else"]

Loop = ast.For | ast.While


def loop_else(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Move the `else` of loops behind them."""
    changed = LoopElse(fresh).visit(function)
    assert isinstance(changed, ast.FunctionDef)
    return changed


class LoopElse(ast.NodeTransformer):
    """Put `left = True` before each `break`, and `if not left:` after the loop."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        return self.loop(node)

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        return self.loop(node)

    def loop(self, node: Loop) -> list[ast.stmt]:
        self.generic_visit(node)
        after, node.orelse = node.orelse, []
        if not after:
            return [node]
        if not any(isinstance(part, ast.Break) for part in own_nodes(node)):
            return [node, *after]
        left = self.fresh("left")
        node.body = Marking(left).all(node.body)
        begin = statements(f"{left} = False", node)
        (guard,) = statements(f"if not {left}: pass", node)
        assert isinstance(guard, ast.If)
        guard.body = after
        return [*begin, node, guard]


class Marking(ast.NodeTransformer):
    """Set a flag before each `break` of one loop."""

    def __init__(self, flag: str) -> None:
        self.flag = flag

    def all(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Transform all statements of the loop's body."""
        module = self.visit(ast.Module(body, []))
        return list(module.body)

    def visit_Break(self, node: ast.Break) -> list[ast.stmt]:
        return [*statements(f"{self.flag} = True", node), node]

    def visit_While(self, node: ast.While) -> ast.While:
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node


def own_nodes(loop: Loop) -> Iterator[ast.AST]:
    """Yield the nodes of a loop that belong to no loop or function inside it."""
    stack: list[ast.AST] = list(loop.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.For, ast.While, ast.FunctionDef, ast.Lambda)):
            stack += ast.iter_child_nodes(node)
