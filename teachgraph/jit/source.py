"""Find the source of a function, as a syntax tree with the lines of its file."""

from __future__ import annotations

import ast
import linecache
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, NamedTuple

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
    text = "".join(linecache.getlines(file, function.__globals__))
    places = functions_of(text).get((code.co_firstlineno, code.co_name), [])
    if len(places) > 1:  # two lambdas in one line
        places = [place for place in places if spans(place.node, code)]
    if not places:
        hidden = not text or file.startswith("<")
        raise NoSourceError(no_source(function) if hidden else has_changed(code))
    innermost = places[-1]  # a lambda within a lambda lies in both
    return Definition(as_def(innermost.node), file, innermost.owner)


def no_source(function: FunctionType) -> str:
    """Error message for a function whose source cannot be read."""
    return (
        f"the source of {function.__qualname__!r} is not to be had "
        f"({function.__code__.co_filename}), and to_static works on source: write the "
        "function in a file or in a cell of a notebook, or leave it as it is with "
        "not_to_static"
    )


def has_changed(code: CodeType) -> str:
    """Error message for a function that its file no longer has."""
    return (
        f"line {code.co_firstlineno} of {code.co_filename} no longer defines "
        f"{code.co_name!r}: the file has changed since it was imported; import it again"
    )


class Place(NamedTuple):
    """A function in a file, and the class it is defined in."""

    node: Function
    owner: str


# A file of many functions is parsed once; `as_def` copies what is then transformed.
@lru_cache(maxsize=32)
def functions_of(text: str) -> Mapping[tuple[int, str], list[Place]]:
    """Index the functions of a file as code objects are: by first line, and name."""
    index: defaultdict[tuple[int, str], list[Place]] = defaultdict(list)
    with suppress(SyntaxError):
        for place in functions_in(ast.parse(text), ""):
            node = place.node
            # The first line of decorated code is that of the first decorator.
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(d.lineno for d in decorators)])
            index[first, getattr(node, "name", "<lambda>")].append(place)
    return index


def functions_in(node: ast.AST, owner: str) -> Iterator[Place]:
    """Yield the functions within a tree, each with the class around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield Place(child, owner)
        inside = child.name if isinstance(child, ast.ClassDef) else owner
        yield from functions_in(child, inside)


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
    copy: Any = deepcopy(node)
    if isinstance(copy, ast.Lambda):
        copy = def_of(copy)
    copy.decorator_list, copy.returns = [], None
    for argument in ast.walk(copy.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return copy  # type: ignore[no-any-return]


def def_of(node: ast.Lambda) -> ast.FunctionDef:
    """Write a lambda as a `def`."""
    value = ast.copy_location(ast.Return(node.body), node.body)
    return ast.copy_location(ast.FunctionDef("lambda_", node.args, [value], []), node)
