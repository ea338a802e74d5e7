"""Which names a piece of code binds and reads, and names that are still free."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "Fresh",
    "assign",
    "bound",
    "call",
    "changed",
    "changed_in_place",
    "declared",
    "here",
    "lazily",
    "load",
    "placed",
    "read",
    "statements",
    "store",
]

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


class Fresh:
    """Gives out names that the user's function does not use: `then_0`, `then_1`."""

    def __init__(self, function: ast.AST) -> None:
        self.taken = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
        self.taken |= {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
        self.made: set[str] = set()

    def __call__(self, base: str) -> str:
        """The next free name that begins like this."""
        number = 0
        while f"{base}_{number}" in self.taken:
            number += 1
        found = f"{base}_{number}"
        self.taken.add(found)
        self.made.add(found)
        return found


def load(name: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    """A name that is assigned."""
    return ast.Name(name, ast.Store())


def call(function: str, *arguments: ast.expr, **keywords: ast.expr) -> ast.Call:
    """`function(*arguments, **keywords)`."""
    named = [ast.keyword(name, value) for name, value in keywords.items()]
    return ast.Call(load(function), list(arguments), named)


def assign(name: str, value: ast.expr) -> ast.Assign:
    """`name = value`."""
    return ast.Assign([store(name)], value)


def statements(text: str, like: ast.AST) -> list[ast.stmt]:
    """Code as trees, all of it at the line of another."""
    body = ast.parse(text).body
    for node in body:
        placed(node, like)
    return body


def placed(node: ast.AST, like: ast.AST) -> None:
    """Put a whole tree at the line of another."""
    for child in ast.walk(node):
        if "lineno" in child._attributes:
            ast.copy_location(child, like)


def bound(body: Iterable[ast.AST]) -> set[str]:
    """The names that statements bind, but for what is declared global or nonlocal."""
    found: set[str] = set()
    elsewhere: set[str] = set()
    for node in here(body):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            elsewhere.update(node.names)
        found.update(bound_by(node))
    return found - elsewhere


CHANGING = ("convert_change", "convert_delitem", "convert_setitem")
"""What changes its first argument in place."""


def changed(body: Sequence[ast.AST]) -> set[str]:
    """The names that statements bind, or whose value they change in place."""
    owners = {n.id for n in changed_in_place(body) if isinstance(n, ast.Name)}
    return bound(body) | owners


def changed_in_place(body: Iterable[ast.AST]) -> Iterator[ast.Name | ast.Attribute]:
    """The names and attributes whose value is changed: `x` of `x[i].append(v)`."""
    for node in here(body):
        if isinstance(node, ast.Call) and called(node) in CHANGING:
            owner = node.args[0]
            while (around := container_of(owner)) is not None:
                owner = around
            if isinstance(owner, (ast.Name, ast.Attribute)):
                yield owner


def container_of(node: ast.expr) -> ast.expr | None:
    """What an item is taken from: `x` of `x[i]` or of `convert_getitem(x, i)`."""
    if isinstance(node, ast.Subscript):
        return node.value
    found = isinstance(node, ast.Call) and called(node) == "convert_getitem"
    return node.args[0] if found else None  # type: ignore[attr-defined]


def called(node: ast.Call) -> str:
    """The name of a function that is called by its name."""
    return getattr(node.func, "id", "")


def bound_by(node: ast.AST) -> Iterator[str]:
    """The names that one node binds itself."""
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


def here(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes that run in the scope of these statements, not in one inside."""
    stack = list(body)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Scope):
            continue
        if isinstance(node, ast.comprehension):
            stack += [node.iter, *node.ifs]
            continue
        stack += ast.iter_child_nodes(node)


def read(*nodes: ast.AST | None) -> set[str]:
    """The names that are read in these trees, also by functions inside."""
    found: set[str] = set()
    for node in (part for tree in nodes if tree is not None for part in ast.walk(tree)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def lazily(value: ast.expr) -> ast.Lambda:
    """`lambda: value`."""
    nobody = ast.arguments([], [], None, [], [], None, [])
    return ast.copy_location(ast.Lambda(nobody, value), value)


def declared(function: ast.FunctionDef) -> dict[str, type[ast.Global | ast.Nonlocal]]:
    """What is declared global or nonlocal, by name."""
    return {
        name: type(node)
        for node in here(function.body)
        if isinstance(node, (ast.Global, ast.Nonlocal))
        for name in node.names
    }
