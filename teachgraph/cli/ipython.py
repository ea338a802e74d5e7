"""`%load_ext teachgraph`: load the IPython extension of the widgets."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from teachgraph.core.callsite import position
from teachgraph.core.errors import TeachgraphError

__all__ = ["LabMissingError", "load_ipython_extension", "unload_ipython_extension"]

NEEDED = ("anywidget", "IPython")


class LabMissingError(TeachgraphError, ImportError):
    """A package that pictures in a notebook need is not installed."""


def load_ipython_extension(shell: Any) -> None:
    """Register the magic `%%trace`.

    Raises:
        LabMissingError: The extra `lab` is not installed.
    """
    for name in NEEDED:
        try:
            import_module(name)
        except ImportError as error:
            raise LabMissingError(
                f"the live pictures need {name}, which cannot be imported ({error}): "
                'pip install "teachgraph[lab]"'
            ) from None
    import_module("teachgraph_widgets").load_ipython_extension(shell)
    position.wrap(in_cell)


def in_cell(in_file: Callable[[str, int], str]) -> Callable[[str, int], str]:
    """Say in which cell a line is, for a file name under which IPython keeps one."""

    def position_of(file: str, line: int) -> str:
        shell = import_module("IPython").get_ipython()
        cell = getattr(shell and shell.compile, "_filename_map", {}).get(file)
        return in_file(file, line) if cell is None else f"cell [{cell}], line {line}"

    return position_of


def unload_ipython_extension(shell: Any) -> None:
    """Remove the magic `%%trace`."""
    if in_cell in position.wrappers:
        position.unwrap(in_cell)
    import_module("teachgraph_widgets").unload_ipython_extension(shell)
