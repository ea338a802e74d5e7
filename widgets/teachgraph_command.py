"""The command `teachgraph`: ready for Ctrl-C before the framework is imported."""

from __future__ import annotations

# `signal` imports modules for a tenth of a second, in which Ctrl-C would show.
import _signal  # type: ignore[import-not-found]
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["main"]


def quit_at_once(*_: object) -> NoReturn:
    """End as an interrupted command does; nothing has been begun."""
    os.write(2, b"Interrupted.\n")
    os._exit(130)


def main() -> int:
    """Run one command; return the exit code."""
    before = _signal.signal(_signal.SIGINT, quit_at_once)
    from teachgraph.cli import main as run

    if before is quit_at_once:  # of `python -m teachgraph`
        before = _signal.default_int_handler
    try:
        _signal.signal(_signal.SIGINT, before)
        return run()
    except KeyboardInterrupt:
        os.write(2, b"Interrupted.\n")
        return 130
