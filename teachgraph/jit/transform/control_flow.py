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
from teachgraph.jit.transform.liveness import Facts, Liveness, captured, maybe_unbound
from teachgraph.jit.transform.names import (
    Fresh,
    call,
    declared,
    here,
    load,
    placed,
    statements,
    store,
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
        always = node.captured  # type: ignore[attr-defined]
        elsewhere = declared(node)
        facts = Liveness(node, always, elsewhere).facts
        if not facts:
            continue
        unbound, loads = maybe_unbound(node, facts)
        node.body = Checked(loads).all(node.body)
        change = ControlFlow(fresh, facts, elsewhere)
        node.body = change.all(node.body)
        node.body[docstring(node) : docstring(node)] = [
            line
            for name in unbound
            for line in statements(f"{name} = convert_undefined({name!r})", node)
        ]
    return function


class Checked(ast.NodeTransformer):
    """Check names that may have no value where they are read."""

    def __init__(self, loads: Sequence[ast.Name]) -> None:
        self.loads = {id(name): name for name in loads}

    def all(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Transform all statements of a body."""
        return list(self.visit(ast.Module(body, [])).body)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if id(node) not in self.loads:
            return node
        return ast.copy_location(call("convert_load", node), node)


def docstring(node: ast.FunctionDef) -> int:
    """Return the index of the first statement after the docstring."""
    return int(ast.get_docstring(node, clean=False) is not None)


class ControlFlow(ast.NodeTransformer):
    """Change the statements of one function, the inner ones first."""

    def __init__(
        self,
        fresh: Fresh,
        facts: dict[ast.AST, Facts],
        elsewhere: dict[str, type[ast.Global | ast.Nonlocal]],
    ) -> None:
        self.fresh, self.facts, self.elsewhere = fresh, facts, elsewhere

    def all(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Transform all statements of a body."""
        return list(self.visit(ast.Module(body, [])).body)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        facts = self.facts[node]
        self.generic_visit(node)
        then, definitions = self.part("then", node.body, facts, node)
        other: ast.expr = ast.Constant(value=None)
        # Without an `else`, a variable that goes in unchanged needs no function.
        if node.orelse or set(facts.live_after) - set(facts.live_before):
            other, more = self.part("else", node.orelse, facts, node)
            definitions += more
        decided = call(
            "convert_ifelse",
            node.test,
            then,
            other,
            tuple_of(facts.live_before, load),
            names_of(facts.live_after),
        )
        return [*definitions, assigned(facts.live_after, decided, node)]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        facts = self.facts[node]
        self.generic_visit(node)
        test = self.fresh("test")
        condition = function(test, facts.live_before, [ast.Return(node.test)], node)
        body, definitions = self.part("body", node.body, facts, node)
        repeated = call(
            "convert_while",
            load(test),
            body,
            tuple_of(facts.live_before, load),
            names_of(facts.live_after),
        )
        return [condition, *definitions, assigned(facts.live_after, repeated, node)]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        facts = self.facts[node]
        self.generic_visit(node)
        item = self.fresh("item")
        own = getattr(node.target, "id", "")
        first: list[ast.stmt] = []
        # A target that is not live around the loop can be the parameter itself.
        if own and own not in facts.live_before:
            item = own
        else:
            unpacked = ast.Assign([node.target], load(item))
            first = [ast.copy_location(unpacked, node)]
        body, definitions = self.part("body", [*first, *node.body], facts, node, item)
        stop = stop_of(node)
        place = [] if stop is None else [ast.Constant(facts.live_before.index(stop))]
        repeated = call(
            "convert_for",
            node.iter,
            body,
            tuple_of(facts.live_before, load),
            names_of(facts.live_after),
            *place,
        )
        return [*definitions, assigned(facts.live_after, repeated, node)]

    def part(
        self,
        name: str,
        body: list[ast.stmt],
        facts: Facts,
        node: ast.stmt,
        *first: str,
    ) -> tuple[ast.expr, list[ast.stmt]]:
        """Turn a branch or a loop body into a function; return its name and `def`."""
        called = self.fresh(name)
        results = ast.Return(tuple_of(facts.live_after, load))
        lines = [*self.declarations(body, node), *body, results]
        parameters = [*first, *facts.live_before]
        return load(called), [function(called, parameters, lines, node)]

    def declarations(self, body: list[ast.stmt], node: ast.stmt) -> list[ast.stmt]:
        """Declare the global and nonlocal names that the body assigns."""
        written = {
            n.id
            for n in here(body)
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        return [
            ast.copy_location(kind([name]), node)
            for name, kind in self.elsewhere.items()
            if name in written
        ]


def function(
    name: str, parameters: Sequence[str], body: list[ast.stmt], node: ast.stmt
) -> ast.FunctionDef:
    """`def name(*parameters): body`, at the line of another node."""
    arguments = ast.arguments(
        [], [ast.arg(p) for p in parameters], None, [], [], None, []
    )
    definition = ast.FunctionDef(name, arguments, body, [])
    ast.copy_location(definition, node)
    ast.copy_location(body[-1], node)
    placed(arguments, node)
    return definition


def tuple_of(names: Sequence[str], kind: object) -> ast.Tuple:
    """`(a, b)`, to be read or assigned."""
    if kind is store:
        return ast.Tuple([store(name) for name in names], ast.Store())
    return ast.Tuple([load(name) for name in names], ast.Load())


def names_of(names: Sequence[str]) -> ast.Tuple:
    """`("a", "b")`."""
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def assigned(names: Sequence[str], value: ast.expr, node: ast.stmt) -> ast.stmt:
    """`(a, b) = value`, at the line of another node."""
    statement: ast.stmt = ast.Expr(value)
    if names:
        statement = ast.Assign([tuple_of(names, store)], value)
    return ast.copy_location(statement, node)
