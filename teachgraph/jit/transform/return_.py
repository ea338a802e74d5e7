"""`return` inside an `if` or a loop: a flag, and one `return` in the last line."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.jumps import Jumps, Straight
from teachgraph.jit.transform.loop_else import own_nodes
from teachgraph.jit.transform.names import Fresh, read, scope_nodes, statements

__all__ = ["return_"]


def return_(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Leave one `return` in each function, in its last line."""
    return EveryFunction(fresh).visit_FunctionDef(function)


class EveryFunction(ast.NodeTransformer):
    """Change each function, the inner ones first."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        early = [s for s in node.body[:-1] if returns(s)]
        last = node.body[-1]
        if early or (returns(last) and not isinstance(last, ast.Return)):
            node.body = single(node, self.fresh)
        return node


def returns(node: ast.stmt) -> bool:
    """True if a statement contains a `return`."""
    return any(isinstance(part, ast.Return) for part in scope_nodes([node]))


def single(node: ast.FunctionDef, fresh: Fresh) -> list[ast.stmt]:
    """Return the body of a function with one `return`, in its last line."""
    flag, result = fresh("returned"), fresh("result")
    head = [s for s in node.body[:1] if is_docstring(s)]
    straight = Returns(flag, result).straight(node.body[len(head) :])
    body = straight.body
    # If every path assigns the result, no branch has to merge it with None.
    first = "convert_nothing()" if straight.always else "None"
    begin = f"{result} = {first}"
    if flag in {name for s in body for name in read(s)}:
        begin = f"{flag} = False; {begin}"
    else:
        body[:] = Without(flag).all(body)
    line = node.body[len(head)]
    # A `return` parses only within a function.
    last = statements(f"def f():\n return {result}", body[-1])[0].body  # type: ignore[attr-defined]
    return [*head, *statements(begin, line), *body, *last]


def is_docstring(node: ast.stmt) -> bool:
    """True for a bare string."""
    value = getattr(node, "value", None)
    return isinstance(node, ast.Expr) and isinstance(getattr(value, "value", None), str)


class Without(ast.NodeTransformer):
    """Remove the assignments of a flag that nobody reads."""

    def __init__(self, flag: str) -> None:
        self.flag = flag

    def all(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Transform all statements of a body."""
        return list(self.visit(ast.Module(body, [])).body)

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | None:
        target = node.targets[0]
        return None if getattr(target, "id", "") == self.flag else node


class Returns(Jumps):
    """`return x` becomes `result = x; returned = True`, and in a loop, `break`."""

    def __init__(self, flag: str, result: str) -> None:
        self.flag, self.result = flag, result
        self.depth = 0

    def jump(self, node: ast.stmt) -> Straight | None:
        if not isinstance(node, ast.Return):
            return None
        body = statements(f"{self.result} = None; {self.flag} = True", node)
        if node.value is not None:
            body[0].value = node.value  # type: ignore[attr-defined]
        if self.depth:
            body += [ast.copy_location(ast.Break(), node)]
        return Straight(body, [self.flag], always=True)

    def loop(self, node: ast.For | ast.While) -> Straight:
        ever = endless(node)
        self.depth += 1
        inside = self.straight(node.body)
        self.depth -= 1
        if not inside.flags:
            return Straight([node], [])
        node.body = inside.body
        rewritten: list[ast.stmt] = [node]
        if self.depth:
            rewritten += statements(f"if {self.flag}: pass", node)
            rewritten[-1].body = [ast.copy_location(ast.Break(), node)]  # type: ignore[attr-defined]
        return Straight(rewritten, [self.flag], always=ever)


def endless(node: ast.For | ast.While) -> bool:
    """True for `while True` without a `break`: only a `return` ends it."""
    test = getattr(node, "test", None)
    ever = isinstance(test, ast.Constant) and bool(test.value)
    return ever and not any(isinstance(part, ast.Break) for part in own_nodes(node))
