"""What a command says when it cannot: one line, and the exit code 2."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import wraps

from teachgraph.core.errors import TeachgraphError

__all__ = ["in_a_line"]

Run = Callable[[argparse.Namespace], int]


def in_a_line(name: str) -> Callable[[Run], Run]:
    """Say in one line what went wrong, instead of a traceback; a decorator."""

    def decorated(run: Run) -> Run:
        @wraps(run)
        def told(args: argparse.Namespace) -> int:
            try:
                return run(args)
            except (TeachgraphError, OSError, ImportError) as error:
                line = (str(error).splitlines() or [type(error).__name__])[0]
                sys.stderr.write(f"teachgraph {name}: {line}\n")
                return 2

        return told

    return decorated
