"""What changes a list or a tensor in place: `append`, `pop`, `x[i] = v` and `del`.

Each becomes an assignment, so that a branch or a loop hands the change on.
"""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh, call, placed, statements

__all__ = ["container"]


def container(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Make changes in place assignments."""
    made = Containers(fresh).visit(function)
    assert isinstance(made, ast.FunctionDef)
    return made


Place = ast.Name | ast.Attribute | ast.Subscript


class Containers(ast.NodeTransformer):
    """Replaces the statements that change something in place."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """`items.append(x)` and `items.pop()` by themselves."""
        self.generic_visit(node)
        value = node.value
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
            return node
        owner, method = value.func.value, value.func.attr
        if isinstance(owner, ast.Name) and in_place(method):
            made = call("convert_inplace", owner, ast.Constant(method), *value.args)
            made.keywords = value.keywords
            target = ast.Name(owner.id, ast.Store())
            return ast.copy_location(ast.Assign([target], made), node)
        if method not in CHANGES or value.keywords or not isinstance(owner, ast.Name):
            return node
        made = call("convert_change", owner, ast.Constant(method), *value.args)
        placed(made.args[1], node)
        target = ast.Name(owner.id, ast.Store())
        return ast.copy_location(ast.Assign([target], made), node)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        """`x[i] = v`, and `last = items.pop()`."""
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Subscript):
            return self.put(target, node.value, node)
        return self.popped(node) or node

    def popped(self, node: ast.Assign) -> ast.stmt | None:
        """`last = items.pop()` as `last, items = convert_pop(items)`."""
        value = node.value
        if len(node.targets) != 1 or not isinstance(value, ast.Call):
            return None
        function = value.func
        if not (isinstance(function, ast.Attribute) and function.attr == "pop"):
            return None
        if value.keywords or not isinstance(function.value, ast.Name):
            return None
        owner = function.value
        both = ast.Tuple(
            [node.targets[0], ast.Name(owner.id, ast.Store())], ast.Store()
        )
        made = call("convert_pop", owner, *value.args)
        return ast.copy_location(ast.Assign([both], made), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        """`x[i] += v` as `x[i] = x[i] + v`."""
        self.generic_visit(node)
        target = node.target
        if not isinstance(target, ast.Subscript):
            return node
        now = ast.Subscript(again(target.value), again(target.slice), ast.Load())
        value = ast.BinOp(now, node.op, node.value)
        placed(now, node)
        ast.copy_location(value, node)
        return self.put(target, value, node)

    def put(
        self, target: ast.Subscript, value: ast.expr, node: ast.stmt
    ) -> ast.stmt | list[ast.stmt]:
        """`x[i] = v` as `x = convert_setitem(x, i, v)`."""
        owner = target.value
        if not isinstance(owner, Place):
            return node
        index = ast.Tuple([], ast.Load()) if target.slice is None else target.slice
        made = call("convert_setitem", again(owner), index_of(index), value)
        placed(made.func, node)
        ast.copy_location(made, node)
        if isinstance(owner, ast.Subscript):
            return self.put(owner, made, node)
        place = again(owner)
        place.ctx = ast.Store()  # type: ignore[attr-defined]
        return ast.copy_location(ast.Assign([place], made), node)

    def visit_Delete(self, node: ast.Delete) -> ast.stmt | list[ast.stmt]:
        """`del x` leaves a name that stands for nothing."""
        names = [t.id for t in node.targets if isinstance(t, ast.Name)]
        if len(names) < len(node.targets):
            return node
        lines = [f"{name} = convert_del({name!r}, {name})" for name in names]
        return statements("; ".join(lines), node)


def in_place(method: str) -> bool:
    """Whether a method is one that changes a tensor, by its name."""
    return method.endswith("_") and not method.startswith("_")


CHANGES = ("append", "extend", "insert", "pop", "clear")
"""Methods of lists that change them."""


def again(node: ast.expr) -> ast.expr:
    """The same place, to be read."""
    copy = ast.parse(ast.unparse(node), mode="eval").body
    placed(copy, node)
    return copy


def index_of(index: ast.expr) -> ast.expr:
    """What stands between brackets, as an argument."""
    if isinstance(index, ast.Slice):
        bounds = [index.lower, index.upper, index.step]
        parts = [bound or ast.Constant(value=None) for bound in bounds]
        made = call("slice", *parts)
        placed(made.func, index)
        return ast.copy_location(made, index)
    if isinstance(index, ast.Tuple):
        items = [index_of(item) for item in index.elts]
        return ast.copy_location(ast.Tuple(items, ast.Load()), index)
    return index
