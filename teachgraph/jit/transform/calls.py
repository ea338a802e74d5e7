"""Calls, `x.shape`, f-strings and `super()`: helpers decide them at run time."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh, call, set_lines

__all__ = ["attribute", "calls", "super_", "text"]

AS_THEY_ARE = frozenset(
    ["breakpoint", "dir", "eval", "exec", "globals", "locals", "super", "vars"]
)
"""Built-in functions that inspect the frame of their caller."""


def attribute(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Read unknown sizes of `x.shape` when the program runs."""
    return changed(Attributes(), function)


def text(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Format f-strings of tensors when the program runs."""
    return changed(Texts(), function)


def super_(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Give `super()` its arguments, which it cannot find inside a branch."""
    result = Super("").visit(function)
    assert isinstance(result, ast.FunctionDef)
    return result


def calls(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Convert called functions as well."""
    return Calls().visit_FunctionDef(function)


def changed(by: ast.NodeTransformer, function: ast.FunctionDef) -> ast.FunctionDef:
    """Transform the body of a function; its default values stay."""
    # Python has evaluated the defaults already: the new function takes over those.
    arguments, function.args = function.args, NO_ARGUMENTS
    result = by.visit(function)
    assert isinstance(result, ast.FunctionDef)
    result.args = arguments
    return result


NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])


class Attributes(ast.NodeTransformer):
    """`x.shape` becomes `convert_shape(x)`."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if node.attr != "shape" or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(call("convert_shape", node.value), node)


class Texts(ast.NodeTransformer):
    """`f"{x:.2f} m"` becomes `convert_text((x, ".2f", ""), " m")`."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        self.generic_visit(node)
        return ast.copy_location(call("convert_text", *map(part, node.values)), node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        node.value = self.visit(node.value)
        return node


def part(node: ast.expr) -> ast.expr:
    """Turn a part of an f-string into an argument."""
    if not isinstance(node, ast.FormattedValue):
        return node
    spec = node.format_spec or ast.Constant("")
    conversion = ast.Constant("" if node.conversion < 0 else chr(node.conversion))
    triple = ast.Tuple([node.value, spec, conversion], ast.Load())
    ast.copy_location(spec, node)
    ast.copy_location(conversion, node)
    return ast.copy_location(triple, node)


class Super(ast.NodeTransformer):
    """`super()` becomes `super(__class__, self)`."""

    def __init__(self, first: str) -> None:
        self.first = first

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        first = node.args.posonlyargs + node.args.args
        around, self.first = self.first, first[0].arg if first else ""
        self.generic_visit(node)
        self.first = around
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if getattr(node.func, "id", "") == "super" and self.first and not node.args:
            node.args = [
                ast.Name("__class__", ast.Load()),
                ast.Name(self.first, ast.Load()),
            ]
            for argument in node.args:
                set_lines(argument, node)
        return node


class Calls(ast.NodeTransformer):
    """`f(x)` becomes `convert_call(f)(x)`."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = getattr(node.func, "id", "")
        if name in AS_THEY_ARE or name.startswith("convert_"):
            return node
        node.func = ast.copy_location(call("convert_call", node.func), node.func)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = [self.visit(part) for part in node.body]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node
