"""Run a lesson within this process, for authors of lessons and for tests.

A rehearsal takes some 25 ms where a kernel takes a second, so every wrong answer of
every lesson can be tried. It has programs, names and a scope of its own.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Mapping
from contextlib import (
    AbstractContextManager,
    ExitStack,
    contextmanager,
    redirect_stderr,
    redirect_stdout,
)
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from teachgraph.course.source import Source, unpaced, without_markers

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["Played", "rehearse", "solved"]


@dataclass(frozen=True)
class Played:
    """A code cell that has run, with its output and its error."""

    role: str
    task: str
    output: str
    error: BaseException | None


def rehearse(
    source: Source, answers: Mapping[str, str] | None = None, *, long: bool = True
) -> list[Played]:
    """Run the code cells of a lesson, solved, or with other `answers` to some tasks.

    Without `long` those are left out that only train and show.
    """
    played = []
    with _stage() as shell:
        for cell in source.cells:
            if cell.role == "text" or ("long" in cell.tags and not long):
                continue
            code = unpaced(without_markers(cell.code))
            if cell.role == "exercise" and answers and cell.task in answers:
                code = answers[cell.task]
            printed = io.StringIO()
            with redirect_stdout(printed), redirect_stderr(printed):
                result = shell.run_cell(code)
            error = result.error_before_exec or result.error_in_exec
            played.append(Played(cell.role, cell.task, printed.getvalue(), error))
    return played


@contextmanager
def solved(source: Source) -> Iterator[dict[str, Any]]:
    """Yield the names that the solved notebook of a lesson defines.

    Cells tagged `long`, which only train and show, are left out.
    """
    with _stage() as shell:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            for cell in source.cells:
                if cell.role in ("live", "exercise") and "long" not in cell.tags:
                    shell.run_cell(unpaced(without_markers(cell.code)))
        yield dict(shell.user_ns)


@contextmanager
def _stage() -> Iterator[InteractiveShell]:
    """Yield a new shell, with fresh global state of the framework."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    quiet = Config()
    quiet.HistoryManager.enabled = False
    quiet.InteractiveShell.colors = "nocolor"
    main = sys.modules["__main__"]
    with ExitStack() as undo:
        undo.callback(sys.modules.__setitem__, "__main__", main)
        for guard in _fresh():
            undo.enter_context(guard)
        shell = InteractiveShell.instance(config=quiet)
        undo.callback(InteractiveShell.clear_instance)
        assert shell.extension_manager is not None
        undo.callback(shell.extension_manager.unload_extension, "teachgraph")
        yield shell


def _fresh() -> list[AbstractContextManager[object]]:
    """Return guards with a mode, names, programs and a scope of their own."""
    from teachgraph import fluid
    from teachgraph.core import modes, unique_name

    return [
        modes.using(None),
        unique_name.guard(),
        fluid.program_guard(fluid.Program(), fluid.Program()),
        fluid.scope_guard(fluid.Scope()),
    ]
