"""`%%trace`: a cell that is traced while it runs.

The cell stays the cell: `%%trace` in its first line becomes `%trace`, a line of code
that begins the trace, and each statement gets a marker. So errors point at the user's
own lines, the last expression is displayed, `await` works, and names are the user's.
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
"""Magics that run Python: below `%%trace` they mean the same as above it."""


class Parser(argparse.ArgumentParser):
    """Raises what IPython shows in one line, instead of leaving."""

    def error(self, message: str) -> NoReturn:
        """Refuse."""
        raise UsageError(f"{MAGIC}: {message}\n{self.format_usage().strip()}")


def parser() -> Parser:
    """The options of `%%trace`."""
    about = "Run the cell and draw what each of its lines does."
    found = Parser(prog=MAGIC, description=about, add_help=False)
    found.add_argument("--title", default="", help="a heading")
    found.add_argument(
        "--no-values", action="store_true", help="do not look at values: lighter"
    )
    found.add_argument("--height", type=int, default=460, help="of a row, in pixels")
    found.add_argument("--theme", choices=THEMES, default="auto")
    found.add_argument(
        "--step", action="store_true", help="wait at each line: step, continue, stop"
    )
    found.add_argument(
        "--pace", type=seconds, default=0.0, help="seconds to wait at each line"
    )
    found.add_argument("-h", "--help", action="store_true", help="show this")
    return found


def seconds(text: str) -> float:
    """A number of seconds that somebody would wait.

    Raises:
        ValueError: It is none.
    """
    found = float(text)
    if not 0 <= found <= 60:
        raise ValueError
    return found


def parsed(line: str) -> argparse.Namespace:
    """The options in a line.

    Raises:
        UsageError: They are none.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{MAGIC}: {error}") from None
    return parser().parse_args(words)


def is_plain(line: str) -> bool:
    """Whether the options are right and ask for a trace, not for help."""
    try:
        return not parsed(line).help
    except UsageError:
        return False


def opened(lines: list[str]) -> list[str]:
    """A cell's lines with `%%trace` as the line of code it stands for."""
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
    """A cell that runs; within one, another may.

    Attributes:
        info: What IPython knows it by.
        trace: That of the cell, if there is one.
    """

    info: Any
    trace: Trace | None = None


@magics_class
class Tracer(Magics):
    """The magic, and what of the shell it listens to."""

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
        """Cells have ended, from the `first` of those that run on: the inmost first."""
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
        """A transformer of cells: `%%trace` becomes a line of the cell."""
        found = opened(lines)
        if found is not lines:
            self.text = "".join(lines)
        return found

    def visit(self, tree: ast.AST) -> ast.AST:
        """A transformer of syntax trees: markers where it begins with `%trace`."""
        if isinstance(tree, ast.Module) and begins_trace(tree):
            self.source = Source(self.text)
            first, tree.body = tree.body[0], tree.body[1:]
            marked(tree, self.source)
            tree.body.insert(0, first)
        return tree

    def before_cell(self, info: Any) -> None:
        """A cell runs, maybe within another."""
        if self.cells and self.cells[0].info is None:
            self.finish(None)
        self.cells.append(Running(info))
        if self.used:
            self.give_marker()

    def give_marker(self) -> None:
        """What traced functions call must be there, also after a reset."""
        self.shell.user_ns[MARKER] = self.shell.user_ns_hidden[MARKER] = mark

    def after_cell(self, result: Any) -> None:
        """A cell has run, or was stopped; an empty one was never begun."""
        if result is None:
            self.finish(KeyboardInterrupt())
            return
        for depth, cell in enumerate(self.cells):
            if cell.info is result.info:
                self.finish(result.error_in_exec, depth)
                return


def show_as_written(frame: FrameType | None, text: str) -> None:
    """Let tracebacks show a cell's first line as it was written: as `%%trace`."""
    while frame is not None:
        name = frame.f_code.co_filename
        lines = linecache.getlines(name)
        if lines and "run_line_magic('trace'" in lines[0]:
            first = f"# {text.splitlines()[0]}\n"
            linecache.cache[name] = (len(text), None, [first, *lines[1:]], name)
            return
        frame = frame.f_back


def begins_trace(tree: ast.Module) -> bool:
    """Whether the first statement is what `%trace` becomes."""
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
    """The tracer of the shell, while the extension is loaded."""

    tracer: Tracer | None = None


def load(shell: Any) -> None:
    """Give a shell `%%trace`."""
    unload(shell)
    tracer = _Loaded.tracer = Tracer(shell)
    shell.register_magics(tracer)
    shell.input_transformers_cleanup.append(tracer.clean)
    shell.ast_transformers.append(tracer)
    shell.events.register("pre_run_cell", tracer.before_cell)
    shell.events.register("post_run_cell", tracer.after_cell)


def unload(shell: Any) -> None:
    """Take it away again."""
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
