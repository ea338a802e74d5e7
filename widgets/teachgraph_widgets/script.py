"""Run a script as `__main__`, as Python would, and trace it."""

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
        arguments: The script's `sys.argv` after its own name.
        output: The page to write, if any.
        title: The picture's heading; by default the file's name.
        values: True to record summaries of values too.

    Raises:
        OSError: The file cannot be read, or the page not be written.
        SyntaxError: The file is no Python.
        BaseException: The script's own error, after the page has been written.
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
    """Run and record a file; return its trace and its error, if it raised one."""
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
            exec(code, main.__dict__)  # noqa: S102  the user's own script
        except BaseException as raised:
            error = raised
        finally:
            trace.end(None if is_farewell(error) else error, main.__dict__)
    return trace, error


@contextmanager
def as_main(file: Path, arguments: Sequence[str]) -> Iterator[ModuleType]:
    """Replace `__main__` by a new module, and set the script's `sys.argv` and path."""
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
    """True for the `SystemExit` of a successful script."""
    return isinstance(error, SystemExit) and error.code in (None, 0)
