"""Private names: `self.__name` becomes `self._Class__name`, as in a class body."""

from __future__ import annotations

import ast

__all__ = ["private"]


def private(function: ast.FunctionDef, owner: str) -> ast.FunctionDef:
    """Mangle private names: the converted function is compiled outside the class."""
    if owner.strip("_"):
        Private(owner.lstrip("_")).visit(function)
    return function


class Private(ast.NodeTransformer):
    """Rename names that begin with two underscores and do not end with them."""

    def __init__(self, owner: str) -> None:
        self.owner = owner

    def renamed(self, name: str) -> str:
        """Return the mangled name."""
        hidden = name.startswith("__") and not name.endswith("__")
        return f"_{self.owner}{name}" if hidden else name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.renamed(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.renamed(node.arg)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        node.attr = self.renamed(node.attr)
        return node
