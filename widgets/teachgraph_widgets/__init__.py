"""The live visualiser: records the effect of each line, and draws it while it runs.

`with tg.record() as t:` in code, `%%trace` in a notebook's cell, `teachgraph trace` on
the command line: all write one event log, and everything is drawn from that.
"""

from __future__ import annotations

from typing import Any

from teachgraph_widgets import plot, profiler
from teachgraph_widgets.dot import figure
from teachgraph_widgets.explaining import explain
from teachgraph_widgets.finite import NotFiniteError, check_nan_inf
from teachgraph_widgets.monitoring import Monitor, monitor
from teachgraph_widgets.page import write_page
from teachgraph_widgets.script import trace_script
from teachgraph_widgets.showing import Shown, show
from teachgraph_widgets.still import still
from teachgraph_widgets.strip import strip
from teachgraph_widgets.summary import summary
from teachgraph_widgets.tracing import Trace, record
from teachgraph_widgets.validate import LogError, read_log, validate

__all__ = [
    "LogError",
    "Monitor",
    "NotFiniteError",
    "Shown",
    "Trace",
    "check_nan_inf",
    "explain",
    "figure",
    "load_ipython_extension",
    "monitor",
    "plot",
    "profiler",
    "read_log",
    "record",
    "show",
    "still",
    "strip",
    "summary",
    "trace_script",
    "unload_ipython_extension",
    "validate",
    "write_page",
]


def load_ipython_extension(shell: Any) -> None:
    """Register `%%trace` in a notebook."""
    from teachgraph_widgets.magic import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Unregister `%%trace`."""
    from teachgraph_widgets.magic import unload

    unload(shell)
