"""`%load_ext teachgraph`: hands the notebook to the widgets, imported only then."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from teachgraph.errors import TeachgraphError

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


def unload_ipython_extension(shell: Any) -> None:
    """Take `%%trace` away again."""
    import_module("teachgraph_widgets").unload_ipython_extension(shell)
