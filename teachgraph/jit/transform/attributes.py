"""`self.h = x` in an `if` or a loop: the attribute becomes a variable of the branch.

So does a name declared global or nonlocal. A function called in a branch is a whole
function of its own: there `convert_outside` notes that it assigns to an attribute.

if x > 0:            h_0 = convert_getattr(self, "h")
    self.h = x       if x > 0:
              ->         convert_setattr(self, "h", h_0)
                         self.h = x
                         h_0 = convert_getattr(self, "h")
                     convert_setattr(self, "h", h_0)
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from teachgraph.jit.transform.names import (
    Fresh,
    bound,
    call,
    changed_in_place,
    declared,
    scope_nodes,
    statements,
)

__all__ = ["attributes"]

Flow = ast.If | ast.For | ast.While


def attributes(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Make variables of attributes that a branch or a loop assigns to."""
    for node in [n for n in ast.walk(function) if isinstance(n, ast.FunctionDef)]:
        change = Attributes(fresh, declared(node))
        node.body = list(change.visit(ast.Module(node.body, [])).body)
    return function


class Attributes(ast.NodeTransformer):
    """Change each `if` and loop of one function, the inner ones first."""

    def __init__(self, fresh: Fresh, elsewhere: Collection[str]) -> None:
        self.fresh, self.elsewhere = fresh, elsewhere
        self.depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        targets = [t for t in node.targets if isinstance(t, ast.Attribute)]
        owners = [ast.unparse(t.value) for t in targets if is_path(t)]
        noted = [s for owner in owners for s in self.outside(owner, node)]
        return [node, *noted, *self.rebound(bound([node]), node)]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        place = node.target
        if not isinstance(place, ast.Attribute) or not is_path(place):
            return [node, *self.rebound(bound([node]), node)]
        return [node, *self.outside(ast.unparse(place.value), node)]

    def rebound(self, names: Collection[str], node: ast.stmt) -> list[ast.stmt]:
        """Note that names from elsewhere were assigned, outside of any `if` or loop."""
        if self.depth:
            return []
        lines = (f"convert_rebound(lambda: {n})" for n in names if n in self.elsewhere)
        return [s for line in lines for s in statements(line, node)]

    def outside(self, owner: str, node: ast.stmt) -> list[ast.stmt]:
        """Note that an object was changed, outside of any `if` or loop here."""
        return [] if self.depth else statements(f"convert_outside({owner})", node)

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        return self.around(node)

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        return self.around(node)

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        return self.around(node)

    def around(self, node: Flow) -> list[ast.stmt]:
        """Read the attributes before a statement, and write them after it."""
        assigned = dict.fromkeys(assigned_attributes(node))
        names = sorted(bound([*node.body, *node.orelse]) & {*self.elsewhere})
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        before: list[ast.stmt] = []
        after: list[ast.stmt] = []
        for owner, name in assigned:
            local = self.fresh(name.strip("_") or "attribute")
            get = f"{local} = convert_getattr({owner}, {name!r})"
            put = f"convert_setattr({owner}, {name!r}, {local})"
            before += statements(get, node)
            after += [*statements(put, node), *self.outside(owner, node)]
            around_bodies(node, put, get)
            if isinstance(node, ast.While):
                in_test(node, put)
        for name in names:
            local = self.fresh(name.strip("_") or "variable")
            get = f"{local} = convert_known({name!r}, lambda: {name})"
            before += statements(get, node)
            after += statements(f"{name} = {local}", node)
            after += self.rebound([name], node)
            around_bodies(node, f"{name} = {local}", get)
        return [*before, node, *after]


def is_path(node: ast.expr) -> bool:
    """True for a name with any number of attributes, as `self.a.b`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def around_bodies(node: Flow, put: str, get: str) -> None:
    """Write the attribute before each body, and read it after it."""
    for body in (node.body, node.orelse):
        if body:
            body[:] = [*statements(put, body[0]), *body, *statements(get, body[-1])]


def in_test(node: ast.While, put: str) -> None:
    """Write the attribute before the test of a loop."""
    (first,) = statements(put, node)
    assert isinstance(first, ast.Expr)
    after = call("convert_after", first.value, node.test)
    node.test = ast.copy_location(after, node.test)


def assigned_attributes(node: Flow) -> Iterator[tuple[str, str]]:
    """Yield the attributes that the bodies assign to or change, as (owner, name)."""
    bodies = [*node.body, *node.orelse]
    changed = bound(bodies)
    if isinstance(node, ast.For):
        changed = {*changed, *bound([ast.Assign([node.target], ast.Constant(None))])}
    read_or_stored = [n for n in scope_nodes(bodies) if isinstance(n, ast.Attribute)]
    stored = [n for n in read_or_stored if not isinstance(n.ctx, ast.Load)]
    for part in (*stored, *changed_in_place(bodies)):
        if not isinstance(part, ast.Attribute):
            continue
        root = part.value
        while isinstance(root, ast.Attribute):
            root = root.value
        # An owner that is assigned inside is another object before than after.
        if isinstance(root, ast.Name) and root.id not in changed:
            yield ast.unparse(part.value), part.attr
