"""Names that code binds and reads, fresh names, and small builders of syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

__all__ = [
    "CHANGES",
    "CHANGING",
    "Fresh",
    "acts",
    "bound",
    "call",
    "changed",
    "changed_in_place",
    "declared",
    "lazily",
    "load",
    "read",
    "scope_nodes",
    "set_lines",
    "statements",
]

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


class Fresh:
    """Generator of names that the user's function does not use: `then_0`, `then_1`.

    Attributes:
        taken: The names in use.
        generated: The names it has returned.
    """

    def __init__(self, function: ast.AST) -> None:
        self.taken = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
        self.taken |= {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
        self.generated: set[str] = set()

    def __call__(self, base: str) -> str:
        """Return the next free name with this beginning."""
        names = (f"{base}_{number}" for number in count())
        name = next(name for name in names if name not in self.taken)
        self.taken.add(name)
        self.generated.add(name)
        return name


def load(name: str) -> ast.Name:
    """Build a name that is read."""
    return ast.Name(name, ast.Load())


def call(function: str, *arguments: ast.expr, **keywords: ast.expr) -> ast.Call:
    """`function(*arguments, **keywords)`."""
    named = [ast.keyword(name, value) for name, value in keywords.items()]
    return ast.Call(load(function), list(arguments), named)


def statements(text: str, like: ast.AST) -> list[ast.stmt]:
    """Parse code; all of it gets the line of another node."""
    body = ast.parse(text).body
    for node in body:
        set_lines(node, like)
    return body


def set_lines(node: ast.AST, like: ast.AST) -> None:
    """Give a whole tree the line of another node."""
    for child in ast.walk(node):
        if "lineno" in child._attributes:
            ast.copy_location(child, like)


def bound(body: Iterable[ast.AST]) -> set[str]:
    """Return the local names that statements bind."""
    names: set[str] = set()
    elsewhere: set[str] = set()
    for node in scope_nodes(body):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            elsewhere.update(node.names)
        names.update(bound_by(node))
    return names - elsewhere


CHANGES = frozenset(
    (
        *("add", "append", "appendleft", "clear", "discard", "extend", "insert"),
        *("pop", "popitem", "popleft", "remove", "reverse", "setdefault", "sort"),
        "update",
    )
)
"""Methods of Python's containers that change them in place."""


def acts(node: ast.AST) -> bool:
    """True for a `while` whose test assigns, or changes something by a method."""
    return isinstance(node, ast.While) and any(map(changes, ast.walk(node.test)))


def changes(node: ast.AST) -> bool:
    """True for `:=`, and for a method that may change its owner in place."""
    method = getattr(node, "attr", "")
    acting = method in CHANGES or method.endswith("_")
    return acting or isinstance(node, ast.NamedExpr)


CHANGING = ("convert_change", "convert_delitem", "convert_setitem")
"""Helpers that change their first argument in place."""


def changed(body: Sequence[ast.AST]) -> set[str]:
    """Return the names that statements bind, or whose values they change in place."""
    owners = {n.id for n in changed_in_place(body) if isinstance(n, ast.Name)}
    return bound(body) | owners


def changed_in_place(body: Iterable[ast.AST]) -> Iterator[ast.Name | ast.Attribute]:
    """Yield the names and attributes whose values change: `x` of `x[i].append(v)`."""
    for node in scope_nodes(body):
        if isinstance(node, ast.Call) and called(node) in CHANGING:
            owner = node.args[0]
            while (around := container_of(owner)) is not None:
                owner = around
            if isinstance(owner, (ast.Name, ast.Attribute)):
                yield owner


def container_of(node: ast.expr) -> ast.expr | None:
    """Return `x` of `x[i]` or of `convert_getitem(x, i)`."""
    if isinstance(node, ast.Subscript):
        return node.value
    item = isinstance(node, ast.Call) and called(node) == "convert_getitem"
    return node.args[0] if item else None  # type: ignore[attr-defined]


def called(node: ast.Call) -> str:
    """Return the name of a function that is called by its name."""
    return getattr(node.func, "id", "")


def bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that one node binds itself."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (a.asname or a.name.partition(".")[0] for a in node.names)
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        if node.name:
            yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def scope_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes in the scope of these statements, not those of inner scopes.

    The target of a comprehension is local to it.
    """
    stack = list(body)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.comprehension):
            stack += [node.iter, *node.ifs]
        elif not isinstance(node, Scope):
            stack += ast.iter_child_nodes(node)


def read(*nodes: ast.AST | None) -> set[str]:
    """Return the names that are read in these trees, also by nested functions."""
    names: set[str] = set()
    for node in (part for tree in nodes if tree is not None for part in ast.walk(tree)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)  # `x += 1` reads x, but its context is Store
    return names


def lazily(value: ast.expr) -> ast.Lambda:
    """`lambda: value`."""
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.copy_location(ast.Lambda(nothing, value), value)


def declared(function: ast.FunctionDef) -> dict[str, type[ast.Global | ast.Nonlocal]]:
    """Return the names that are declared global or nonlocal, with the statement."""
    return {
        name: type(node)
        for node in scope_nodes(function.body)
        if isinstance(node, (ast.Global, ast.Nonlocal))
        for name in node.names
    }
