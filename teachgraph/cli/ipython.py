"""`%load_ext teachgraph`: load the IPython extension of the widgets."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from teachgraph.core.callsite import titles_of_files
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
    if cell_title not in titles_of_files:
        titles_of_files.append(cell_title)


def cell_title(file: str) -> str | None:
    """Return the number of the cell that IPython keeps under a file name."""
    shell = import_module("IPython").get_ipython()
    number = getattr(shell and shell.compile, "_filename_map", {}).get(file)
    return None if number is None else f"cell [{number}]"


def unload_ipython_extension(shell: Any) -> None:
    """Remove the magic `%%trace`."""
    if cell_title in titles_of_files:
        titles_of_files.remove(cell_title)
    import_module("teachgraph_widgets").unload_ipython_extension(shell)
