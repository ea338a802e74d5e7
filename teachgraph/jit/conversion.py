"""Conversion of a function: its source is found, transformed and compiled.

The result has the globals and the closure of the user's function, and the user's file
and lines: tracebacks, debuggers and errors show what the user wrote.
"""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from functools import lru_cache, update_wrapper
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple, cast

from teachgraph.errors import ConversionError, NoSourceError
from teachgraph.jit.settings import conversion_log
from teachgraph.jit.transform import transformed
from teachgraph.jit.transform.names import Fresh, read
from teachgraph.jit.transform.private import private

__all__ = [
    "Conversion",
    "codes",
    "conversion",
    "converted",
    "definition",
    "definition_of",
    "function_key",
    "is_converted",
    "own_cells",
    "read_by",
]

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

FUTURE = 0x1FF0000
"""The flags of a code object for `from __future__ import ...`."""

GENERATOR = inspect.CO_GENERATOR | inspect.CO_COROUTINE
"""The flags of the code of a generator or a coroutine."""


class Conversion(NamedTuple):
    """The converted source of a function.

    Attributes:
        text: The source after all transformers.
        code: The compiled source.
    """

    text: str
    code: CodeType


# Code objects with equal source compare equal, also across files: so the file is part
# of one key, and identity is the other's.
_done: dict[tuple[str, CodeType], Conversion] = {}
_converted: dict[int, CodeType] = {}


def converted(function: FunctionType, helpers: Mapping[str, Any]) -> FunctionType:
    """Convert a function: the helpers decide its control flow.

    Raises:
        ConversionError: It is a generator, or has no source.
    """
    code, user = conversion(function).code, function.__code__
    own = dict(zip(user.co_freevars, function.__closure__ or (), strict=True))
    # The helpers come in as closure cells: the user's globals stay as they are.
    cells = [own.get(name) or CellType(helpers[name]) for name in code.co_freevars]
    result = FunctionType(code, function.__globals__, closure=tuple(cells))
    result.__defaults__ = function.__defaults__
    result.__kwdefaults__ = function.__kwdefaults__
    update_wrapper(result, function)
    del result.__wrapped__  # type: ignore[attr-defined]
    return result


def is_converted(function: FunctionType) -> bool:
    """True for a converted function, and for one that such a function defines."""
    return _converted.get(id(function.__code__)) is function.__code__


def function_key(function: FunctionType) -> tuple[CodeType, tuple[int, ...]]:
    """Return the key of a function: its code, and the identities of its cells."""
    return function.__code__, tuple(id(cell) for _, cell in own_cells(function))


def definition_of(function: Any) -> list[Any]:
    """List a function's code and defaults; nothing of another callable."""
    function = getattr(function, "__func__", function)
    if not isinstance(function, FunctionType):
        return []
    definition = [function.__code__, function.__defaults__]
    if by_name := function.__kwdefaults__:
        definition += by_name.values()
    return definition


def own_cells(function: FunctionType) -> Iterator[tuple[str, CellType]]:
    """Yield the closure cells of a function, but for the helpers of conversion."""
    pairs = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return (pair for pair in pairs if not pair[0].startswith("convert_"))


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object, and those of the functions defined in it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from codes(value)


def read_by(code: CodeType, *names: str) -> Iterator[dis.Instruction]:
    """Yield the instructions with these names."""
    return (step for step in dis.get_instructions(code) if step.opname in names)


def conversion(function: FunctionType) -> Conversion:
    """Convert the source of a function, once for each code object.

    Raises:
        ConversionError: It is a generator, or has no source.
    """
    key = function.__code__.co_filename, function.__code__
    if key not in _done:
        _done[key] = converted_source(function)
    return _done[key]


def converted_source(function: FunctionType) -> Conversion:
    """Transform and compile the source of a function."""
    if function.__code__.co_flags & GENERATOR:
        raise ConversionError(no_program(function))
    node, file, owner = definition(function)
    if conversion_log.verbosity > 0:
        conversion_log.converting(function.__qualname__, file)
    fresh = Fresh(node)
    node = transformed(private(node, owner) if owner else node, fresh)
    text = ast.unparse(node)
    free = function.__code__.co_freevars
    node.name = fresh("converted")  # the user's name may mean something else in it
    code = compiled(node, file, free, function.__code__.co_flags & FUTURE)
    code = renamed(code, function.__code__, fresh.generated)
    mark_converted(code)
    return Conversion(text, code)


def no_program(function: FunctionType) -> str:
    """Error message for a generator or a coroutine."""
    return (
        f"{function.__qualname__!r} is a generator or a coroutine, which has no "
        "program: call it outside, or leave it as it is with not_to_static"
    )


def compiled(
    node: ast.FunctionDef, file: str, free: tuple[str, ...], flags: int
) -> CodeType:
    """Compile a function inside another one that binds its closure and the helpers."""
    helpers = sorted(name for name in read(node) if name.startswith("convert_"))
    parameters = ", ".join(dict.fromkeys([*free, *helpers]))
    module = ast.parse(f"def around({parameters}): pass")
    module.body[0].body = [node]  # type: ignore[attr-defined]
    outer = compile(module, file, "exec", flags, dont_inherit=True)
    return inner_code(inner_code(outer, "around"), node.name)


def inner_code(code: CodeType, name: str) -> CodeType:
    """Return the code of a function defined within some code."""
    inside = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return next(code for code in inside if code.co_name == name)


def renamed(code: CodeType, user: CodeType, made: set[str]) -> CodeType:
    """Give code the user's names, also that of branches and loop bodies."""
    consts = tuple(
        renamed(constant, user, made) if isinstance(constant, CodeType) else constant
        for constant in code.co_consts
    )
    name = user.co_name if code.co_name in made else code.co_name
    path = code.co_qualname.removeprefix("around.<locals>.").split(".<locals>.")
    theirs = [part for part in path if part not in made]
    qualname = ".<locals>.".join([user.co_qualname, *theirs])
    return code.replace(co_consts=consts, co_name=name, co_qualname=qualname)


def mark_converted(code: CodeType) -> None:
    """Mark code, and the functions it defines, as converted."""
    _converted[id(code)] = code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            mark_converted(constant)


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
    # Parsed: the fields of a `def` differ from one Python to the next.
    function = cast(ast.FunctionDef, ast.parse("def lambda_(): ...").body[0])
    function.args = node.args
    function.body = [ast.copy_location(ast.Return(node.body), node.body)]
    return ast.copy_location(function, node)
