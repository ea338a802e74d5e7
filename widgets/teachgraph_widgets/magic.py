"""`%%trace`: the notebook magic that traces a cell while it runs.

IPython still runs the cell itself: `%%trace` in its first line becomes `%trace`, a line
of code that begins the trace, and each statement gets a marker. So errors point at the
user's own lines, the last expression is displayed, `await` works, and names are global.
"""

from __future__ import annotations

import argparse
import ast
import linecache
import shlex
import sys
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class

from teachgraph_widgets.lines import MARKER, Source, mark, marked
from teachgraph_widgets.tracing import THEMES, Trace, in_notebook

__all__ = ["Tracer", "load", "unload"]

MAGIC = "%%trace"
AROUND = ("%%time", "%%capture", "%%prun")
"""Magics that run Python: one below `%%trace` is moved above it."""


class Parser(argparse.ArgumentParser):
    """A parser that raises a UsageError, which IPython shows in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise a UsageError with the usage."""
        raise UsageError(f"{MAGIC}: {message}\n{self.format_usage().strip()}")


def parser() -> Parser:
    """Return the parser of the options of `%%trace`."""
    about = "Run the cell and draw what each of its lines does."
    options = Parser(prog=MAGIC, description=about, add_help=False)
    options.add_argument("--title", default="", help="a heading")
    options.add_argument(
        "--no-values", action="store_true", help="do not look at values: lighter"
    )
    options.add_argument("--height", type=int, default=460, help="of a row, in pixels")
    options.add_argument("--theme", choices=THEMES, default="auto")
    options.add_argument(
        "--step", action="store_true", help="wait at each line: step, continue, stop"
    )
    options.add_argument(
        "--pace", type=seconds, default=0.0, help="seconds to wait at each line"
    )
    options.add_argument("-h", "--help", action="store_true", help="show this")
    return options


def seconds(text: str) -> float:
    """Read a number of seconds, from 0 to 60.

    Raises:
        ValueError: The text is no such number.
    """
    value = float(text)
    if not 0 <= value <= 60:
        raise ValueError
    return value


def parsed(line: str) -> argparse.Namespace:
    """Parse the options in a line.

    Raises:
        UsageError: An option is unknown, or its value is wrong.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{MAGIC}: {error}") from None
    return parser().parse_args(words)


def is_plain(line: str) -> bool:
    """True if the options are valid and ask for a trace, not for help."""
    try:
        return not parsed(line).help
    except UsageError:
        return False


def opened(lines: list[str]) -> list[str]:
    """Replace `%%trace` in a cell's first line by the line magic `%trace`."""
    if not lines:
        return lines
    first, _, rest = lines[0].partition("\n")
    word, _, options = first.partition(" ")
    if word != MAGIC or not is_plain(options):
        return lines
    if not rest and lines[1:] and lines[1].startswith(AROUND):
        return [lines[1], lines[0], *lines[2:]]
    return [f"%trace {options}".rstrip() + "\n", *([rest] if rest else []), *lines[1:]]


@dataclass
class Running:
    """A running cell; a cell may run another.

    Attributes:
        info: IPython's `ExecutionInfo` of the cell.
        trace: The cell's trace, if it has begun one.
    """

    info: Any
    trace: Trace | None = None


@magics_class
class Tracer(Magics):
    """The magic, with its input transformers and its hooks on cells."""

    shell: Any

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.text, self.used = "", False
        self.source: Source | None = None
        self.cells: list[Running] = []

    @line_cell_magic
    def trace(self, line: str, cell: str | None = None) -> None:
        """Run the cell and draw what each of its lines does.

        `%%trace --help` lists the options.
        """
        options = parsed(line)
        if options.help:
            sys.stdout.write(parser().format_help())
        elif cell is not None:
            self.shell.run_cell(f"{MAGIC} {line}\n{cell}")
        else:
            self.begin(options)

    def begin(self, options: argparse.Namespace) -> None:
        """Trace from here to the end of the cell."""
        if not self.cells:
            self.cells.append(Running(None))
        cell = self.cells[-1]
        self.end(cell, None)
        source, self.source = self.source or Source(self.text), None
        self.used = True
        self.give_marker()
        cell.trace = Trace(
            options.title,
            values=not options.no_values,
            height=options.height,
            theme=options.theme,
            step=options.step,
            pace=options.pace,
        )
        cell.trace.begin(source)
        show_as_written(sys._getframe(1), self.text)

    def finish(self, error: BaseException | None, first: int = 0) -> None:
        """End the traces of running cells from number `first` on, innermost first."""
        while len(self.cells) > first:
            self.end(self.cells.pop(), error)

    def end(self, cell: Running, error: BaseException | None) -> None:
        """End a cell's trace, if there is one."""
        trace, cell.trace = cell.trace, None
        if trace is not None:
            trace.end(error, self.shell.user_ns)
            if not in_notebook():
                sys.stdout.write(trace.summary() + "\n")

    def clean(self, lines: list[str]) -> list[str]:
        """Transform a cell's text: `%%trace` becomes a line of the cell."""
        replaced = opened(lines)
        if replaced is not lines:
            self.text = "".join(lines)
        return replaced

    def visit(self, tree: ast.AST) -> ast.AST:
        """Transform a cell's syntax tree: insert markers if it begins with `%trace`."""
        if isinstance(tree, ast.Module) and begins_trace(tree):
            self.source = Source(self.text)
            first, tree.body = tree.body[0], tree.body[1:]
            marked(tree, self.source)
            tree.body.insert(0, first)
        return tree

    def before_cell(self, info: Any) -> None:
        """Push a cell that is about to run, possibly within another."""
        if self.cells and self.cells[0].info is None:
            self.finish(None)
        self.cells.append(Running(info))
        if self.used:
            self.give_marker()

    def give_marker(self) -> None:
        """Define the marker again: `%reset` deletes it, traced functions call it."""
        self.shell.user_ns[MARKER] = self.shell.user_ns_hidden[MARKER] = mark

    def after_cell(self, result: Any) -> None:
        """Pop a cell that has ended; `result` is None if it was interrupted."""
        if result is None:
            self.finish(KeyboardInterrupt())
            return
        for depth, cell in enumerate(self.cells):
            if cell.info is result.info:
                self.finish(result.error_in_exec, depth)
                return


def show_as_written(frame: FrameType | None, text: str) -> None:
    """Restore a cell's first line in `linecache`, so that tracebacks show `%%trace`."""
    while frame is not None:
        name = frame.f_code.co_filename
        lines = linecache.getlines(name)
        if lines and "run_line_magic('trace'" in lines[0]:
            first = f"# {text.splitlines()[0]}\n"
            linecache.cache[name] = (len(text), None, [first, *lines[1:]], name)
            return
        frame = frame.f_back


def begins_trace(tree: ast.Module) -> bool:
    """True if the first statement is IPython's call for `%trace`."""
    match tree.body[:1]:
        case [
            ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(attr="run_line_magic"),
                    args=[ast.Constant(value="trace"), *_],
                )
            )
        ]:
            return True
    return False


class _Loaded:
    """Holder of the shell's tracer while the extension is loaded."""

    tracer: Tracer | None = None


def load(shell: Any) -> None:
    """Register `%%trace` in a shell."""
    unload(shell)
    tracer = _Loaded.tracer = Tracer(shell)
    shell.register_magics(tracer)
    shell.input_transformers_cleanup.append(tracer.clean)
    shell.ast_transformers.append(tracer)
    shell.events.register("pre_run_cell", tracer.before_cell)
    shell.events.register("post_run_cell", tracer.after_cell)


def unload(shell: Any) -> None:
    """Unregister `%%trace`, with its transformers and hooks."""
    tracer, _Loaded.tracer = _Loaded.tracer, None
    if tracer is None:
        return
    tracer.finish(None)
    shell.input_transformers_cleanup.remove(tracer.clean)
    shell.ast_transformers.remove(tracer)
    shell.events.unregister("pre_run_cell", tracer.before_cell)
    shell.events.unregister("post_run_cell", tracer.after_cell)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("trace", None)
