"""`%load_ext teachgraph`: hands the notebook to the widgets, imported only then."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


def load_ipython_extension(shell: Any) -> None:
    """Give the notebook `%%trace`."""
    import_module("teachgraph_widgets").load_ipython_extension(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Take `%%trace` away again."""
    import_module("teachgraph_widgets").unload_ipython_extension(shell)
