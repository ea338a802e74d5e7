"""`trace`: what each line does, and what Paddle calls so, the sum of a diagonal."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from teachgraph.ops.functions import decomposition

__all__ = ["trace"]


def trace(x: Any = None, *arguments: Any, **settings: Any) -> Any:
    """Recorder of what the lines of a `with` block do; or the sum of a diagonal.

    Args:
        x: A matrix, or more of them in a batch; or the title of a picture, or nothing.
        arguments: Those of `linalg.trace`.
        settings: The same, or those of `teachgraph_widgets.trace`: `values`, `show`,
            `height`, `theme`.

    >>> import teachgraph as tg
    >>> tg.trace(tg.to_tensor([[1.0, 2.0], [3.0, 4.0]])).item()
    5.0
    >>> with tg.trace("A sum") as t:
    ...     y = tg.ones([2]) + 1.0
    >>> t.title
    'A sum'
    """
    if x is not None and not isinstance(x, str):
        return decomposition.trace(x, *arguments, **settings)
    title = [] if x is None else [x]
    return import_module("teachgraph_widgets").trace(*title, *arguments, **settings)
