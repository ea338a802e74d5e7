"""Find the source of a function, as a syntax tree with the lines of its file."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from types import CodeType, FunctionType
from typing import NamedTuple

from teachgraph.core.errors import NoSourceError

__all__ = ["Definition", "definition"]

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Definition(NamedTuple):
    """The source of a function.

    Attributes:
        node: A syntax tree of its own, a `def` even where the user wrote a lambda.
        file: The file or the cell of a notebook.
        owner: The class it is defined in, or an empty string.
    """

    node: ast.FunctionDef
    file: str
    owner: str


def definition(function: FunctionType) -> Definition:
    """Find the source of a function, without its decorators and annotations.

    Raises:
        NoSourceError: There is no source, or it has changed since the import.
    """
    code = function.__code__
    file = code.co_filename
    linecache.checkcache(file)
    lines = linecache.getlines(file, function.__globals__)
    if not lines:
        raise NoSourceError(no_source(function))
    try:
        matches = [p for p in places("".join(lines)) if written_there(p.node, code)]
    except SyntaxError:
        matches = []
    if len(matches) > 1:  # two lambdas in one line
        matches = [p for p in matches if spans(p.node, code)]
    if not matches and file.startswith("<"):
        raise NoSourceError(no_source(function))
    if not matches:
        raise NoSourceError(
            f"line {code.co_firstlineno} of {file} no longer defines "
            f"{code.co_name!r}: the file has changed since it was imported; import it "
            "again"
        )
    innermost = matches[-1]  # a lambda within a lambda lies in both
    return Definition(as_def(innermost.node), file, innermost.owner)


def no_source(function: FunctionType) -> str:
    """Error message for a function whose source cannot be read."""
    return (
        f"the source of {function.__qualname__!r} is not to be had "
        f"({function.__code__.co_filename}), and to_static works on source: write the "
        "function in a file or in a cell of a notebook, or leave it as it is with "
        "not_to_static"
    )


class Place(NamedTuple):
    """A function in a file, and the class it is defined in."""

    node: Function
    owner: str


def places(text: str) -> list[Place]:
    """List all functions of a file."""
    return list(functions_in(parsed(text), ""))


# A file of many functions is parsed once; `as_def` copies what is then transformed.
@lru_cache(maxsize=32)
def parsed(text: str) -> ast.Module:
    """Parse the text of a file."""
    return ast.parse(text)


def functions_in(node: ast.AST, owner: str) -> Iterator[Place]:
    """Yield the functions within a tree, each with the class around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield Place(child, owner)
        inside = child.name if isinstance(child, ast.ClassDef) else owner
        yield from functions_in(child, inside)


def written_there(node: Function, code: CodeType) -> bool:
    """True if a code object has the line and the name of this function."""
    # The first line of decorated code is that of the first decorator.
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    name = getattr(node, "name", "<lambda>")
    return (first, name) == (code.co_firstlineno, code.co_name)


def spans(node: Function, code: CodeType) -> bool:
    """True if a code object's instructions lie within a lambda's body."""
    if not isinstance(node, ast.Lambda):
        return True
    body = node.body
    begin, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    return all(
        begin <= (line, column) and (last, stop) <= end
        for line, last, column, stop in code.co_positions()
        if None not in (line, last, column, stop) and column != stop
    )


def as_def(node: Function) -> ast.FunctionDef:
    """Copy a function as a `def` without decorators and annotations."""
    copy: ast.AST = deepcopy(node)
    if isinstance(copy, ast.Lambda):
        value = ast.copy_location(ast.Return(copy.body), copy.body)
        as_function = ast.FunctionDef("lambda_", copy.args, [value], [])
        copy = ast.copy_location(as_function, node)
    assert isinstance(copy, ast.FunctionDef)
    copy.decorator_list, copy.returns = [], None
    for argument in ast.walk(copy.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return copy
