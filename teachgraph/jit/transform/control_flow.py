"""`if`, `while` and `for` become calls that take branches and bodies as functions.

if x > 0:            def then_0():
    y = x                y = x
else:          ->        return (y,)
    y = -x           def else_0():
                         y = -x
                         return (y,)
                     (y,) = convert_ifelse(x > 0, then_0, else_0, (), ("y",))
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from teachgraph.jit.transform.break_continue import stop_of
from teachgraph.jit.transform.liveness import (
    Facts,
    captured,
    live_variables,
    maybe_unbound,
)
from teachgraph.jit.transform.names import (
    Fresh,
    call,
    declared,
    load,
    scope_nodes,
    statements,
)

__all__ = ["control_flow", "mark"]


def mark(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Note the variables that nested functions read.

    It comes first: later every branch is a nested function too.
    """
    for node in functions(function):
        node.captured = captured(node)  # type: ignore[attr-defined]
    return function


def functions(function: ast.FunctionDef) -> list[ast.FunctionDef]:
    """List a function and those inside it."""
    return [node for node in ast.walk(function) if isinstance(node, ast.FunctionDef)]


def control_flow(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Replace every `if`, `while` and `for` by a call."""
    for node in functions(function):
        elsewhere = declared(node)
        facts = live_variables(node, getattr(node, "captured", set()), elsewhere)
        if not facts:
            continue
        unbound, loads = maybe_unbound(node, facts)
        if unbound:
            give_placeholders(node, unbound, loads)
        node.body = ControlFlow(fresh, facts, elsewhere).all(node.body)
    return function


def give_placeholders(
    node: ast.FunctionDef, unbound: Sequence[str], loads: Sequence[ast.Name]
) -> None:
    """Assign a placeholder to names that may have no value, and check their reads."""
    node.body = Checked(loads).all(node.body)
    start = int(ast.get_docstring(node, clean=False) is not None)
    lines = "\n".join(f"{name} = convert_undefined({name!r})" for name in unbound)
    node.body[start:start] = statements(lines, node)


class Body(ast.NodeTransformer):
    """Transformer of the statements of one function."""

    def all(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Transform all statements of a body."""
        return list(self.visit(ast.Module(body, [])).body)


class Checked(Body):
    """Check names that may have no value where they are read."""

    def __init__(self, loads: Sequence[ast.Name]) -> None:
        self.loads = {id(name): name for name in loads}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if id(node) not in self.loads:
            return node
        return ast.copy_location(call("convert_load", node), node)


class ControlFlow(Body):
    """Change the statements of one function, the inner ones first."""

    def __init__(
        self,
        fresh: Fresh,
        facts: dict[ast.AST, Facts],
        elsewhere: dict[str, type[ast.Global | ast.Nonlocal]],
    ) -> None:
        self.fresh, self.facts, self.elsewhere = fresh, facts, elsewhere

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        self.generic_visit(node)
        before, after = self.facts[node]
        then, definitions = self.function("then", node.body, node)
        other: ast.expr = ast.Constant(value=None)
        # Without an `else`, a variable that goes in unchanged needs no function.
        if node.orelse or not {*after} <= {*before}:
            other, more = self.function("else", node.orelse, node)
            definitions += more
        return [
            *definitions,
            *self.call("convert_ifelse", node, node.test, then, other),
        ]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        self.generic_visit(node)
        test = self.fresh("test")
        parameters = ", ".join(self.facts[node].live_before)
        asked = statements(f"def {test}({parameters}): return test", node)
        asked[0].body[0].value = node.test  # type: ignore[attr-defined]
        body, definitions = self.function("body", node.body, node)
        called = self.call("convert_while", node, load(test), body)
        return [*asked, *definitions, *called]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        self.generic_visit(node)
        before = self.facts[node].live_before
        item = self.fresh("item")
        own = getattr(node.target, "id", "")
        first: list[ast.stmt] = []
        # A target that is not live around the loop can be the parameter itself.
        if own and own not in before:
            item = own
        else:
            first = statements(f"target = {item}", node)
            first[0].targets = [node.target]  # type: ignore[attr-defined]
        body, definitions = self.function("body", [*first, *node.body], node, item)
        called = self.call("convert_for", node, node.iter, body)
        if (stop := stop_of(node)) is not None:
            place = ast.Constant(before.index(stop))
            called[0].value.args.append(place)  # type: ignore[attr-defined]
        return [*definitions, *called]

    def function(
        self, kind: str, body: Sequence[ast.stmt], node: ast.stmt, *first: str
    ) -> tuple[ast.Name, list[ast.stmt]]:
        """Turn a branch or a loop body into a function; return its name and `def`."""
        before, after = self.facts[node]
        name, parameters = self.fresh(kind), ", ".join([*first, *before])
        text = f"def {name}({parameters}): return {tuple_text(after)}"
        definition = statements(text, node)
        inside = [*self.declarations(body, node), *body] if self.elsewhere else body
        definition[0].body[:0] = inside  # type: ignore[attr-defined]
        return load(name), definition

    def call(self, helper: str, node: ast.stmt, *first: ast.expr) -> list[ast.stmt]:
        """`(a, b) = helper(*first, (a, b), ("a", "b"))`, with the live variables."""
        before, after = self.facts[node]
        target = f"{tuple_text(after)} = " if after else ""
        line = statements(f"{target}{helper}({tuple_text(before)}, {(*after,)})", node)
        line[0].value.args[:0] = first  # type: ignore[attr-defined]
        return line

    def declarations(self, body: Sequence[ast.stmt], node: ast.stmt) -> list[ast.stmt]:
        """Declare the global and nonlocal names that the body assigns."""
        written = {
            n.id
            for n in scope_nodes(body)
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        return [
            ast.copy_location(kind([name]), node)
            for name, kind in self.elsewhere.items()
            if name in written
        ]


def tuple_text(names: Sequence[str]) -> str:
    """`(a, b,)`, to be read or assigned."""
    return f"({''.join(f'{name}, ' for name in names)})"
