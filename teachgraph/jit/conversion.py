"""Conversion of a function: its source is transformed and compiled.

The result has the globals and the closure of the user's function, and the user's file
and lines: tracebacks, debuggers and errors show what the user wrote.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from functools import update_wrapper
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

from teachgraph.core.errors import ConversionError
from teachgraph.jit.logs import conversion_log
from teachgraph.jit.source import definition
from teachgraph.jit.transform import transformed
from teachgraph.jit.transform.names import Fresh, read
from teachgraph.jit.transform.private import private

__all__ = ["Conversion", "conversion", "converted", "is_converted"]

FUTURE = 0x1FF0000
"""The flags of a code object for `from __future__ import ...`."""


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
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise ConversionError(
            f"{function.__qualname__!r} is a generator or a coroutine, which has no "
            "program: call it outside, or leave it as it is with not_to_static"
        )
    node, file, owner = definition(function)
    if conversion_log.verbosity > 0:
        conversion_log.converting(function.__qualname__, file)
    fresh = Fresh(node)
    node = transformed(private(node, owner) if owner else node, fresh)
    text = ast.unparse(node)
    free = function.__code__.co_freevars
    node.name = fresh("converted")  # the user's name may mean something else in it
    code = compiled(node, file, free, function.__code__.co_flags & FUTURE)
    code = renamed(code, function.__code__, fresh.made)
    remember(code)
    return Conversion(text, code)


def compiled(
    node: ast.FunctionDef, file: str, free: tuple[str, ...], flags: int
) -> CodeType:
    """Compile a function inside another one that binds its closure and the helpers."""
    helpers = sorted(name for name in read(node) if name.startswith("convert_"))
    parameters = ", ".join(dict.fromkeys([*free, *helpers]))
    module = ast.parse(f"def around({parameters}): pass")
    module.body[0].body = [node]  # type: ignore[attr-defined]
    outer = compile(module, file, "exec", flags, dont_inherit=True)
    return inner(inner(outer, "around"), node.name)


def inner(code: CodeType, name: str) -> CodeType:
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


def remember(code: CodeType) -> None:
    """Mark code, and the functions it defines, as converted."""
    _converted[id(code)] = code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            remember(constant)
