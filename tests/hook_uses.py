"""Where modules outside of the core use its hooks, read off from their source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache

from tests.floors import PACKAGE, modules, resolve

REGISTRIES = {
    "autograd.second_order_program.double_grad_builder",
    "core.backward.Wrapper",
    "core.callsite.add_own_files",
    "core.modes.interpreters",
    "core.tape.backward_from",
}
"""What an extension puts itself into or hands itself to; whoever names it, uses it."""

DECORATORS = {"grad_builder", "lowering"}
"""Methods of `core.op.Op` that register a function for one op."""

CALLED = {"core.tape.Node"}
"""Classes that an extension makes objects of, in place of those the core makes."""


@cache
def uses() -> frozenset[tuple[str, str]]:
    """All (module, hook) outside of the core, both without the package's name."""
    return frozenset(
        (module.replace("/", ".").removesuffix("__init__").rstrip("."), hook)
        for module, tree in modules().items()
        if not module.startswith("core/")
        for hook in hooks_in(tree)
    )


@cache
def hook_points() -> frozenset[str]:
    """The functions of the core that extensions may wrap."""
    return frozenset(
        f"{module.replace('/', '.')}.{name}"
        for module, tree in modules().items()
        if module.startswith("core/")
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "HookPoint"
        for name in assigned(node)
    )


def assigned(node: ast.Assign | ast.AnnAssign) -> list[str]:
    """The names that a statement binds."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


@cache
def classes() -> frozenset[str]:
    """The classes of the core, except for errors: raising one's own extends nothing."""
    return frozenset(
        f"{module.replace('/', '.')}.{node.name}"
        for module, tree in modules().items()
        if module.startswith("core/") and module != "core/errors"
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    )


def hooks_in(tree: ast.Module) -> Iterator[str]:
    """Yield the hooks that one module uses."""
    names = imported(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=point, attr="wrap"):
                if (name := dotted(point, names)) in hook_points():
                    yield name
            case ast.ClassDef(bases=bases):
                yield from {dotted(base, names) for base in bases} & classes()
            case ast.Call(func=called):
                yield from {dotted(called, names)} & CALLED
            case ast.FunctionDef(decorator_list=decorators):
                for decorator in decorators:
                    match decorator:
                        case ast.Attribute(attr=attr) if attr in DECORATORS:
                            yield f"core.op.Op.{attr}"
        if isinstance(node, ast.Name | ast.Attribute):
            yield from {dotted(node, names)} & REGISTRIES


def imported(tree: ast.Module) -> Mapping[str, str]:
    """What the names mean that a module imports from the package."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}".partition(".")[2]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
        if resolve(node.module, modules()) is not None
    }


def dotted(node: ast.AST, names: Mapping[str, str]) -> str:
    """What an expression names; "" where that is nothing of the package."""
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    if isinstance(node, ast.Attribute) and (value := dotted(node.value, names)):
        return f"{value}.{node.attr}"
    return ""


def mentions(module: str, hook: str) -> bool:
    """Whether a module names a hook, or the last part of its name."""
    path = resolve(f"{PACKAGE}.{module}", modules())
    assert path is not None
    wanted = hook.rpartition(".")[2]
    return any(
        wanted in {getattr(node, "id", None), getattr(node, "attr", None)}
        or (isinstance(node, ast.alias) and node.name == wanted)
        for node in ast.walk(modules()[path])
    )
