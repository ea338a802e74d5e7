"""What changes a container or a tensor in place: `append`, `x[i] = v`, `del x[i]`.

Each becomes a call, which says at run time what it means: `convert_setitem(x, i, v)`.
Branches and loops hand on what these change as they do what is assigned.
"""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh, call, placed, statements

__all__ = ["container"]

CHANGES = frozenset(
    (
        *("add", "append", "appendleft", "clear", "discard", "extend", "insert"),
        *("pop", "popitem", "popleft", "remove", "reverse", "setdefault", "sort"),
        "update",
    )
)
"""Methods of Python's containers that change them."""


def container(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Have changes in place made at run time, of tensors or not."""
    made = Containers(fresh).visit(function)
    assert isinstance(made, ast.FunctionDef)
    return made


PLAIN = (ast.Constant, ast.Slice, ast.Tuple, ast.UnaryOp)
"""Indices that choose no item of a list by a tensor."""


class Containers(ast.NodeTransformer):
    """Replaces what changes something in place, and parts that a tensor may choose."""

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
        made = call(name, function.value, method, *node.args)
        made.keywords = node.keywords
        return ast.copy_location(made, node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """`x[i]` as `convert_getitem(x, i)`, but for a number or a slice."""
        self.generic_visit(node)
        plain = isinstance(
            node.slice, (ast.Constant, ast.Slice, ast.Tuple, ast.UnaryOp)
        )
        if plain or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(call("convert_getitem", node.value, node.slice), node)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        """`x[i] = v`, also among several targets, by way of a name."""
        self.generic_visit(node)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
            return put(node.targets[0], node.value, node)
        parts = Parts(self.fresh)
        node.targets = [parts.visit(target) for target in node.targets]
        return [node, *(put(*pair, node) for pair in parts.found)]

    def visit_For(self, node: ast.For) -> ast.stmt:
        """`for x[i] in values`."""
        self.generic_visit(node)
        parts = Parts(self.fresh)
        node.target = parts.visit(node.target)
        node.body = [*(put(*pair, node) for pair in parts.found), *node.body]
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """`x[i] += v` as `convert_setitem(x, i, v, "+=")`."""
        self.generic_visit(node)
        if not isinstance(node.target, ast.Subscript):
            return node
        return put(node.target, node.value, node, ast.Constant(SIGNS[type(node.op)]))

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        """`del x` leaves a name that stands for nothing."""
        self.generic_visit(node)
        return [deleted(target, node) for target in node.targets]


class Parts(ast.NodeTransformer):
    """Lets names take the places of `x[i]` among targets."""

    def __init__(self, fresh: Fresh) -> None:
        self.fresh = fresh
        self.found: list[tuple[ast.Subscript, ast.expr]] = []

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        name = self.fresh("part")
        value = ast.copy_location(ast.Name(name, ast.Load()), node)
        self.found.append((node, value))
        return ast.copy_location(ast.Name(name, ast.Store()), node)


def put(
    target: ast.Subscript, value: ast.expr, node: ast.stmt, *sign: ast.expr
) -> ast.stmt:
    """`x[i] = v` as `convert_setitem(x, i, v)`."""
    made = call("convert_setitem", target.value, index_of(target.slice), value, *sign)
    return ast.copy_location(ast.Expr(ast.copy_location(made, node)), node)


def deleted(target: ast.expr, node: ast.stmt) -> ast.stmt:
    """`del x` or `del x[i]` as a call."""
    if isinstance(target, ast.Name):
        name = target.id
        return statements(f"{name} = convert_del({name!r}, {name})", node)[0]
    if not isinstance(target, ast.Subscript):
        return ast.copy_location(ast.Delete([target]), node)
    made = call("convert_delitem", target.value, index_of(target.slice))
    return ast.copy_location(ast.Expr(ast.copy_location(made, node)), node)


def in_place(method: str) -> bool:
    """Whether a method is one that changes a tensor, by its name."""
    return method.endswith("_") and not method.startswith("_")


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
