"""The floors of the house, drawn from the imports: `python -m tests.floors`.

A room is a package of `teachgraph`, or a module at its top; a face is a module of a
lower room that gives Paddle's names to what floors above that room hold. Every import
counts: at the top of a file, inside a function, under `TYPE_CHECKING`, in a string.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "teachgraph"

FLOORS: tuple[tuple[str, ...], ...] = (
    ("core",),
    ("errors", "ops"),
    ("control_flow", "autograd", "static", "regularizer"),
    ("passes", "planning"),
    (
        *("nn", "optimizer", "io", "dataset"),
        *("metric", "distribution", "vision", "text"),
    ),
    ("jit", "deploy", "distributed", "models"),
    (
        *("cli", "course", "fluid", "base", "callbacks", "hapi", "utils"),
        *("device", "framework", "inference", "linalg", "onnx", "reader", "tensor"),
        *("extensions", "__init__", "__main__"),
    ),
)
"""The rooms, floor by floor; those that are not built yet have their place."""

FACES = (
    "distributed/__init__",
    "distributed/launch",
    "static/__init__",
    "static/nn/__init__",
    "static/nn/control_flow",
    "vision/__init__",
    "vision/models",
)
"""Modules of rooms below that are Paddle's names: they stand on the top floor."""

TOP = len(FLOORS) - 1
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
MODULE_NAME = re.compile(rf"{PACKAGE}(\.\w+)+(:\w+(\.\w+)*)?")


@dataclass(frozen=True)
class Import:
    """One import of a module of the package by another.

    Attributes:
        source: The importing module, as a path: `nn/layer`, `nn/__init__`.
        target: The imported one.
        line: Where it is written.
        how: "at the top", "in a function", "for types" or "in a string".
    """

    source: str
    target: str
    line: int
    how: str = "at the top"

    def __str__(self) -> str:
        place = f"{PACKAGE}/{self.source}.py:{self.line}"
        return f"{place} imports {self.target} {self.how}"


def room(module: str) -> str:
    """The room a module belongs to; a face is one of its own."""
    return module if module in FACES else module.partition("/")[0]


def floor(module: str) -> int:
    """The floor a module stands on."""
    return TOP if module in FACES else FLOOR[room(module)]


@cache
def modules() -> Mapping[str, ast.Module]:
    """The parsed files of the package, by their paths without `.py`."""
    folder = ROOT / PACKAGE
    return {
        path.relative_to(folder).with_suffix("").as_posix(): ast.parse(path.read_text())
        for path in sorted(folder.rglob("*.py"))
    }


@cache
def imports() -> tuple[Import, ...]:
    """All imports of the package's modules by each other."""
    return tuple(
        Import(source, target, line, how)
        for source, tree in modules().items()
        for target, line, how in dict.fromkeys(found_in(tree, modules()))
        if target != source
    )


def found_in(tree: ast.Module, known: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    """Yield (target, line, how) for each import of a module in `known`.

    A string counts if it is `module:name`, or names a module in a file that imports
    what strings name.
    """
    by_name = any(
        isinstance(node, ast.Name) and node.id in {"import_module", "__import__"}
        for node in ast.walk(tree)
    )
    for node, how in walk(tree, "at the top"):
        if names := names_imported(node, by_name):
            manner = how if isinstance(node, ast.stmt) else "in a string"
            for name in names:
                target = resolve(name, known)
                # A string that goes on after a module's name is no module's.
                if target and (manner != "in a string" or dotted(target) == name):
                    yield target, node.lineno, manner


def names_imported(node: ast.AST, by_name: bool) -> list[str]:
    """List the dotted names that a statement or a string imports."""
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom(module=str(module)):
            return [f"{module}.{alias.name}" for alias in node.names]
        case ast.Constant(value=str(text)) if MODULE_NAME.fullmatch(text):
            module, colon, _ = text.partition(":")
            return [module] if colon or by_name else []
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return [PACKAGE] if by_name and text == f"{PACKAGE}." else []
    return []


def walk(node: ast.AST, how: str) -> Iterator[tuple[ast.AST, str]]:
    """Yield the nodes below one, each with how an import there would be made."""
    for child in ast.iter_child_nodes(node):
        inside = how
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inside = "in a function"
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            inside = "for types"
        yield child, inside
        yield from walk(child, inside)


def resolve(name: str, known: Iterable[str]) -> str | None:
    """Return the module that a dotted name is, or is an attribute of.

    A name that is no module belongs to the nearest package above it.
    """
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return None
    for length in range(len(parts), 0, -1):
        path = "/".join(parts[1:length])
        for module in (path, f"{path}/__init__".lstrip("/")):
            if module in known:
                return module
    return None


def dotted(module: str) -> str:
    """The name that Python imports a module by."""
    return f"{PACKAGE}/{module}".removesuffix("/__init__").replace("/", ".")


def foreign(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield (package, line) for each import from outside the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.split(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module.split(".")[0], node.lineno


def upward() -> list[Import]:
    """The imports of a module that stands on a higher floor."""
    return [edge for edge in imports() if floor(edge.source) < floor(edge.target)]


def across() -> list[Import]:
    """The imports between rooms of one floor."""
    return [
        edge
        for edge in imports()
        if room(edge.source) != room(edge.target)
        and floor(edge.source) == floor(edge.target)
    ]


def components(edges: Iterable[tuple[str, str]]) -> list[frozenset[str]]:
    """The strongly connected components of more than one node (Kosaraju's algorithm).

    >>> [sorted(c) for c in components([("a", "b"), ("b", "a"), ("b", "c")])]
    [['a', 'b']]
    """
    after: dict[str, set[str]] = {}
    before: dict[str, set[str]] = {}
    for source, target in edges:
        after.setdefault(source, set()).add(target)
        before.setdefault(target, set()).add(source)
    finished: list[str] = []
    seen: set[str] = set()
    for start in after.keys() | before.keys():
        finished += postorder(start, after, seen)
    seen = set()
    groups = [frozenset(postorder(s, before, seen)) for s in reversed(finished)]
    return [group for group in groups if len(group) > 1]


def postorder(start: str, after: Mapping[str, set[str]], seen: set[str]) -> list[str]:
    """Return the nodes reached from one and not yet seen, each after its successors."""
    if start in seen:
        return []
    seen.add(start)
    order: list[str] = []
    open_nodes = [(start, iter(after.get(start, ())))]
    while open_nodes:
        node, successors = open_nodes[-1]
        for successor in successors:
            if successor not in seen:
                seen.add(successor)
                open_nodes.append((successor, iter(after.get(successor, ()))))
                break
        else:
            order.append(node)
            open_nodes.pop()
    return order


def drawing() -> str:
    """Draw the floors, the top one first: each room with its imports, counted."""
    counts = Counter(
        (room(edge.source), room(edge.target))
        for edge in imports()
        if room(edge.source) != room(edge.target)
    )
    files = Counter(map(room, modules()))
    lines: list[str] = []
    for level in range(TOP, -1, -1):
        lines.append(f"floor {level}")
        for name in sorted(name for name in files if floor(name) == level):
            arrows = "  ".join(
                f"{arrow(level, floor(target))}{target} {count}"
                for (source, target), count in sorted(
                    counts.items(), key=lambda item: (-floor(item[0][1]), item[0][1])
                )
                if source == name
            )
            label = f"{name} ({files[name]})"
            lines.append(f"  {label:22} {arrows}".rstrip())
    return "\n".join(lines)


def arrow(source: int, target: int) -> str:
    """The sign of an arrow from one floor to another."""
    return "↓" if target < source else "→" if target == source else "↑ "


if __name__ == "__main__":
    print(drawing())
