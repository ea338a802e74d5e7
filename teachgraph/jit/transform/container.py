"""Changes of containers and tensors in place: `append`, `x[i] = v`, `del x[i]`.

Each becomes a call, such as `convert_setitem(x, i, v)`, which acts at run time by the
kind of x. A changed variable leaves a branch or a loop like an assigned one.
"""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import CHANGES, Fresh, call, set_lines, statements

__all__ = ["container"]


def container(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Make changes in place at run time, of tensors or containers."""
    changed = Containers(fresh).visit(function)
    assert isinstance(changed, ast.FunctionDef)
    return changed


PLAIN = (ast.Constant, ast.Slice, ast.Tuple, ast.UnaryOp)
"""Indices that contain no tensor."""


class Containers(ast.NodeTransformer):
    """Replace changes in place, and subscripts whose index may be a tensor."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """`items.append(v)` as `convert_change(items, "append", v)`."""
        self.generic_visit(node)
        function = node.func
        if not isinstance(function, ast.Attribute):
            return node
        if function.attr not in CHANGES and not in_place(function.attr):
            return node
        name = "convert_change" if function.attr in CHANGES else "convert_inplace"
        method = ast.copy_location(ast.Constant(function.attr), node)
        changed = call(name, function.value, method, *node.args)
        changed.keywords = node.keywords
        return ast.copy_location(changed, node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """`x[i]` as `convert_getitem(x, i)`, unless i is a number or a slice."""
        self.generic_visit(node)
        if isinstance(node.slice, PLAIN) or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(call("convert_getitem", node.value, node.slice), node)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        """`x[i] = v`; among several targets, `name, y = v` and then `x[i] = name`."""
        self.generic_visit(node)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
            return setitem_call(node.targets[0], node.value, node)
        parts = Parts(self.fresh)
        node.targets = [parts.visit(target) for target in node.targets]
        return [node, *(setitem_call(*pair, node) for pair in parts.pairs)]

    def visit_For(self, node: ast.For) -> ast.stmt:
        """`for x[i] in values`."""
        self.generic_visit(node)
        parts = Parts(self.fresh)
        node.target = parts.visit(node.target)
        node.body = [*(setitem_call(*pair, node) for pair in parts.pairs), *node.body]
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """`x[i] += v` as `convert_setitem(x, i, v, "+=")`."""
        self.generic_visit(node)
        if not isinstance(node.target, ast.Subscript):
            return node
        return setitem_call(
            node.target, node.value, node, ast.Constant(SIGNS[type(node.op)])
        )

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        """`del x` assigns the placeholder of a name without a value."""
        self.generic_visit(node)
        return [deleted(target, node) for target in node.targets]


class Parts(ast.NodeTransformer):
    """Replace `x[i]` among targets by fresh names.

    Attributes:
        pairs: The replaced targets, each with its name.
    """

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh
        self.pairs: list[tuple[ast.Subscript, ast.expr]] = []

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        name = self.fresh("part")
        value = ast.copy_location(ast.Name(name, ast.Load()), node)
        self.pairs.append((node, value))
        return ast.copy_location(ast.Name(name, ast.Store()), node)


def setitem_call(
    target: ast.Subscript, value: ast.expr, node: ast.stmt, *sign: ast.expr
) -> ast.stmt:
    """`x[i] = v` as `convert_setitem(x, i, v)`."""
    index = index_of(target.slice)
    changed = call("convert_setitem", target.value, index, value, *sign)
    return ast.copy_location(ast.Expr(ast.copy_location(changed, node)), node)


def deleted(target: ast.expr, node: ast.stmt) -> ast.stmt:
    """`del x` or `del x[i]` as a call."""
    if isinstance(target, ast.Name):
        name = target.id
        return statements(f"{name} = convert_del({name!r}, {name})", node)[0]
    if not isinstance(target, ast.Subscript):
        return ast.copy_location(ast.Delete([target]), node)
    changed = call("convert_delitem", target.value, index_of(target.slice))
    return ast.copy_location(ast.Expr(ast.copy_location(changed, node)), node)


def in_place(method: str) -> bool:
    """True for the name of a method that changes a tensor, as `add_`."""
    return method.endswith("_") and not method.startswith("_")


def index_of(index: ast.expr) -> ast.expr:
    """Turn an index into an argument: `a:b` into `slice(a, b, None)`."""
    if isinstance(index, ast.Slice):
        bounds = [index.lower, index.upper, index.step]
        parts = [bound or ast.Constant(value=None) for bound in bounds]
        as_call = call("slice", *parts)
        set_lines(as_call.func, index)
        return ast.copy_location(as_call, index)
    if isinstance(index, ast.Tuple):
        items = [index_of(item) for item in index.elts]
        return ast.copy_location(ast.Tuple(items, ast.Load()), index)
    return index


SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+=",
    ast.BitAnd: "&=",
    ast.BitOr: "|=",
    ast.BitXor: "^=",
    ast.Div: "/=",
    ast.FloorDiv: "//=",
    ast.LShift: "<<=",
    ast.MatMult: "@=",
    ast.Mod: "%=",
    ast.Mult: "*=",
    ast.Pow: "**=",
    ast.RShift: ">>=",
    ast.Sub: "-=",
}
