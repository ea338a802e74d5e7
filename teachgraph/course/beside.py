"""Pictures: `watch(f)`, `beside(yours, ours)`, and a `strip` of graphs."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.observe import announce
from teachgraph.course.checks import attempt

__all__ = ["beside", "draw", "strip", "watch", "watched"]

drawing = ContextVar("drawing", default=True)


def draw(on: bool) -> None:
    """Switch the pictures of a lesson on, or off where nobody looks."""
    drawing.set(on)


def watch(function: Callable[[], Any]) -> Any:
    """Call a function without arguments, and show its trace, line by line.

    Returns:
        What `teachgraph.show` returns: a picture in a notebook, a text elsewhere.

    Raises:
        InvalidValueError: It takes arguments.

    >>> import teachgraph as tg
    >>> def double():
    ...     y = tg.to_tensor(3.0) * 2.0
    >>> print(str(watch(double)).splitlines()[0])
    Trace: double
    """
    if not drawing.get():
        return None
    widgets = import_module("teachgraph_widgets")
    return widgets.show(traced(function, function.__name__))


def beside(yours: Any, ours: Any, names: tuple[str, str] = ("yours", "ours")) -> Any:
    """Show two traces beside each other; mark the first event in which they differ.

    Args:
        yours: A trace, a log, or a function without arguments, which is called and
            traced: it runs some lines with your code.
        ours: The same, with the framework's.
        names: The titles.

    Returns:
        What `teachgraph.show` returns: a picture in a notebook, a text elsewhere.

    Raises:
        InvalidValueError: There is no picture of such an object.

    >>> import teachgraph as tg
    >>> def yours():
    ...     y = tg.to_tensor(3.0) * 2.0
    ...     z = y + 1.0
    >>> def ours():
    ...     y = tg.to_tensor(3.0) * 3.0
    ...     z = y + 1.0
    >>> for line in str(beside(yours, ours)).splitlines()[:3]:
    ...     print(line)
    First difference
    yours: the value of y is 6
    ours: the value of y is 9
    """
    if not drawing.get():
        return None
    widgets = import_module("teachgraph_widgets")
    pair = [
        traced(which, name) if is_function(which) else which
        for which, name in zip((yours, ours), names, strict=True)
    ]
    return widgets.show(*pair, names=names)


def strip(*tensors: Any, names: Sequence[str] = ()) -> Any:
    """Draw the graphs that made some tensors as thumbnails, side by side.

    Args:
        tensors: At least one; their tapes must not be freed.
        names: Captions, by default their positions.

    Returns:
        A picture in a notebook, a text elsewhere.

    Raises:
        InvalidValueError: There is no tensor, or not a caption for each.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor(2.0, stop_gradient=False)
    >>> strip(x * x, (x * x + x).sqrt())
    1: 1 op
    2: 3 ops
    """
    if not drawing.get():
        return None
    return import_module("teachgraph_widgets").strip(*tensors, names=names)


def watched(backward: Callable[..., Any], loss: Any, **options: Any) -> Any:
    """Run a learner's reverse pass, and tell those who watch its begin and its end.

    An exercise that is not written yet is said to be so; then there are no gradients.
    """
    announce("backward_begin", [loss])
    try:
        nothing: Any = {}
        gradients = attempt(partial(backward, **options), loss, otherwise=nothing)
        for leaf, grad in gradients.items() if isinstance(gradients, dict) else ():
            announce("grad_ready", leaf, grad)
        return gradients
    finally:
        announce("backward_end", [loss])


def is_function(thing: Any) -> bool:
    """True for a Python function, whose source can be shown."""
    return callable(thing) and hasattr(thing, "__code__")


def traced(function: Callable[[], Any], title: str) -> Any:
    """Call a function, and return its trace; an error in it is part of the trace.

    Raises:
        InvalidValueError: It needs arguments.
    """
    code = function.__code__
    if code.co_argcount > len(function.__defaults__ or ()):
        message = f"beside calls {code.co_name} without arguments, but it needs some"
        raise InvalidValueError.here(message)
    widgets = import_module("teachgraph_widgets")
    source_of_file = import_module("teachgraph_widgets.lines").Source.of_file
    lines = linecache.getlines(code.co_filename)
    trace = widgets.Trace(title, show=False)
    trace.begin(source_of_file(code.co_filename, "".join(lines)))
    error: BaseException | None = None
    try:
        function()
    except Exception as raised:
        error = raised
    finally:
        trace.end(error)
    return trace
