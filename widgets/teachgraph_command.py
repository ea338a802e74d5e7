"""The command `teachgraph`: ready for Ctrl-C before the framework is imported."""

from __future__ import annotations

# `signal` imports modules for a tenth of a second, in which Ctrl-C would show.
import _signal  # type: ignore[import-not-found]
import _thread
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sys import UnraisableHookArgs
    from typing import NoReturn

__all__ = ["main"]


def quit_at_once(*_: object) -> NoReturn:
    """End as an interrupted command does; nothing has been begun."""
    os.write(2, b"Interrupted.\n")
    os._exit(130)


def interrupt_again(lost: UnraisableHookArgs) -> None:
    """Repeat a Ctrl-C that came inside a callback of Python, which cannot raise it.

    Python prints such an error and goes on; one of these callbacks belongs to the locks
    of imports.
    """
    if lost.exc_type is KeyboardInterrupt:
        _thread.start_new_thread(press_ctrl_c, ())
    else:
        sys.__unraisablehook__(lost)


def press_ctrl_c() -> None:
    """Interrupt the main thread, which is in its callback no more after this while."""
    time.sleep(0.05)
    os.kill(os.getpid(), _signal.SIGINT)


def main() -> int:
    """Run one command; return the exit code."""
    sys.unraisablehook = interrupt_again
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
