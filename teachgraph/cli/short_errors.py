"""Errors of commands: one line on standard error, and the exit code 2."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import wraps

from teachgraph.core.errors import TeachgraphError

__all__ = ["short_errors"]

Run = Callable[[argparse.Namespace], int]


def short_errors(name: str) -> Callable[[Run], Run]:
    """Print expected errors of a command in one line; a decorator."""

    def decorated(run: Run) -> Run:
        @wraps(run)
        def guarded(args: argparse.Namespace) -> int:
            try:
                return run(args)
            except (TeachgraphError, OSError, ImportError) as error:
                line = (str(error).splitlines() or [type(error).__name__])[0]
                sys.stderr.write(f"teachgraph {name}: {line}\n")
                return 2

        return guarded

    return decorated
