"""`%load_ext teachgraph`: hands the notebook to the widgets, imported only then."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from teachgraph.core.callsite import titles_of_files
from teachgraph.core.errors import TeachgraphError

__all__ = ["LabMissingError", "load_ipython_extension", "unload_ipython_extension"]

NEEDED = ("anywidget", "IPython")


class LabMissingError(TeachgraphError, ImportError):
    """The packages that pictures in a notebook need are not installed."""


def load_ipython_extension(shell: Any) -> None:
    """Give the notebook `%%trace`.

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
    """What the notebook shows beside the cell that is kept under this file name."""
    shell = import_module("IPython").get_ipython()
    number = getattr(shell and shell.compile, "_filename_map", {}).get(file)
    return None if number is None else f"cell [{number}]"


def unload_ipython_extension(shell: Any) -> None:
    """Take `%%trace` away again."""
    if cell_title in titles_of_files:
        titles_of_files.remove(cell_title)
    import_module("teachgraph_widgets").unload_ipython_extension(shell)
