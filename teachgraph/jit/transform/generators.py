"""Generators and coroutines within a function: they stay as they are."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh, scope_nodes, statements

__all__ = ["put_back", "set_aside"]


def set_aside(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Remove the bodies of generators, so that no transformer changes them."""
    for node in ast.walk(function):
        if node is not function and is_generator(node):
            node.aside, node.body = node.body, statements("pass", node)  # type: ignore[attr-defined]
    return function


def put_back(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Restore the bodies of generators."""
    for node in [n for n in ast.walk(function) if hasattr(n, "aside")]:
        node.body = node.aside  # type: ignore[attr-defined]
    return function


def is_generator(node: ast.AST) -> bool:
    """True for the definition of a generator or a coroutine."""
    if isinstance(node, ast.AsyncFunctionDef):
        return True
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(part, (ast.Yield, ast.YieldFrom)) for part in scope_nodes(node.body)
    )
