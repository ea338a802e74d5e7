"""Runs a script as Python would, and traces it."""

from __future__ import annotations

import ast
import os
import sys
import tokenize
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from teachgraph_widgets.lines import MARKER, Source, mark, marked
from teachgraph_widgets.page import write_page
from teachgraph_widgets.tracing import Trace

__all__ = ["run_script", "trace_script"]


def trace_script(
    path: str | os.PathLike[str],
    arguments: Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    values: bool = True,
) -> Trace:
    """Run a Python file as `__main__` and record what each of its lines does.

    Args:
        path: The file.
        arguments: What it finds in `sys.argv` after its own name.
        output: Where to write the page to step through, if anywhere.
        title: The picture's heading; by default the file's name.
        values: Whether to look at values too.

    Raises:
        OSError: The file cannot be read, or the page not be written.
        SyntaxError: It is no Python.
        BaseException: What the script raised, after the page has been written.
    """
    trace, error = run_script(path, arguments, title=title, values=values)
    if output is not None:
        write_page(trace.log, output)
    if error is not None:
        raise error
    return trace


def run_script(
    path: str | os.PathLike[str],
    arguments: Sequence[str] = (),
    *,
    title: str | None = None,
    values: bool = True,
) -> tuple[Trace, BaseException | None]:
    """Run and record a file; its trace, and what it raised."""
    file = Path(path)
    with tokenize.open(file) as opened:
        text = opened.read()
    source = Source(text, str(file))
    tree = marked(ast.parse(text, str(file)), source)
    code = compile(tree, str(file), "exec", dont_inherit=True)
    trace = Trace(file.name if title is None else title, values=values, show=False)
    error: BaseException | None = None
    with as_main(file, arguments) as main:
        main.__dict__[MARKER] = mark
        trace.begin(source)
        try:
            exec(code, main.__dict__)  # noqa: S102  to run it is what was asked for
        except BaseException as raised:
            error = raised
        finally:
            trace.end(None if is_farewell(error) else error, main.__dict__)
    return trace, error


@contextmanager
def as_main(file: Path, arguments: Sequence[str]) -> Iterator[ModuleType]:
    """A module in the place of `__main__`, with the script's `sys.argv` and path."""
    main = ModuleType("__main__")
    main.__file__ = str(file)
    before = sys.modules["__main__"], sys.argv, sys.path[:]
    sys.modules["__main__"], sys.argv = main, [str(file), *arguments]
    sys.path.insert(0, str(file.resolve().parent))
    try:
        yield main
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:] = before


def is_farewell(error: BaseException | None) -> bool:
    """Whether this is `sys.exit()` of a script that is content."""
    return isinstance(error, SystemExit) and error.code in (None, 0)
