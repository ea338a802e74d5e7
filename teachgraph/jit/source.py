"""From a function to its source, as a tree whose lines are those of the file."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from types import CodeType, FunctionType
from typing import NamedTuple

from teachgraph.errors import NoSourceError

__all__ = ["Definition", "definition"]

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Definition(NamedTuple):
    """Where and how a function is written.

    Attributes:
        node: A tree of its own, a `def` even where the user wrote a lambda.
        file: The file or the cell of a notebook.
        owner: The class it stands in, or nothing.
    """

    node: ast.FunctionDef
    file: str
    owner: str


def definition(function: FunctionType) -> Definition:
    """How a function is written, without its decorators and annotations.

    Raises:
        NoSourceError: Its source is not to be had, or is another by now.
    """
    code = function.__code__
    file = code.co_filename
    linecache.checkcache(file)
    lines = linecache.getlines(file, function.__globals__)
    if not lines:
        raise NoSourceError(no_source(function))
    try:
        found = [p for p in places("".join(lines)) if written_there(p.node, code)]
    except SyntaxError:
        found = []
    if len(found) > 1:
        found = [p for p in found if spans(p.node, code)]
    if not found and file.startswith("<"):  # Python 3.13 lists `python -c` as <string>
        raise NoSourceError(no_source(function))
    if not found:
        raise NoSourceError(
            f"line {code.co_firstlineno} of {file} no longer defines "
            f"{code.co_name!r}: the file has changed since it was imported; import it "
            "again"
        )
    innermost = found[-1]  # a lambda within a lambda lies in both
    return Definition(as_def(innermost.node), file, innermost.owner)


def no_source(function: FunctionType) -> str:
    """The message for a function whose source cannot be read."""
    return (
        f"the source of {function.__qualname__!r} is not to be had "
        f"({function.__code__.co_filename}), and to_static works on source: write the "
        "function in a file or in a cell of a notebook, or leave it as it is with "
        "not_to_static"
    )


class Place(NamedTuple):
    """A function in a file, and the class it stands in."""

    node: Function
    owner: str


def places(text: str) -> list[Place]:
    """All functions of a file; the trees are fresh each time."""
    return list(functions_in(parsed(text), ""))


@lru_cache(maxsize=32)
def parsed(text: str) -> ast.Module:
    """The tree of a file."""
    return ast.parse(text)


def functions_in(node: ast.AST, owner: str) -> Iterator[Place]:
    """The functions within a tree, each with the class around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield Place(child, owner)
        inside = child.name if isinstance(child, ast.ClassDef) else owner
        yield from functions_in(child, inside)


def written_there(node: Function, code: CodeType) -> bool:
    """Whether a code object comes from this line and has this name."""
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    name = getattr(node, "name", "<lambda>")
    return (first, name) == (code.co_firstlineno, code.co_name)


def spans(node: Function, code: CodeType) -> bool:
    """Whether a code object's instructions lie in a function: of lambdas in a line."""
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
    """A copy as a `def` that runs by itself."""
    copy: ast.AST = deepcopy(node)
    if isinstance(copy, ast.Lambda):
        back = ast.copy_location(ast.Return(copy.body), copy.body)
        made = ast.FunctionDef("lambda_", copy.args, [back], [])
        copy = ast.copy_location(made, node)
    assert isinstance(copy, ast.FunctionDef)
    copy.decorator_list, copy.returns = [], None
    for argument in ast.walk(copy.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return copy
