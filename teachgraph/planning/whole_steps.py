"""Steps that Ctrl-C does not cut in two.

A step changes one parameter after the other. An interrupt that came between two of them
would leave a model of which some parts have moved; so the first one waits for the end
of the step, and a second one does not.
"""

from __future__ import annotations

# The functions in C: those of `signal` make enums, at ten times the cost.
import _signal  # type: ignore[import-not-found]
from functools import partial
from typing import Any, Self

__all__ = ["Uninterrupted", "WholeStep"]

handler = partial(_signal.getsignal, _signal.SIGINT)
handle_by = partial(_signal.signal, _signal.SIGINT)


class WholeStep:
    """A `with` block at whose end the first Ctrl-C is heard; the second one at once."""

    before: Any = None
    heard = False

    def __enter__(self) -> Self:
        before = handler()
        if before is not None:  # one that is not in Python could not be put back
            try:
                handle_by(self.wait)
            except ValueError:  # no signal is handled outside of the main thread
                return self
            self.before = before
        return self

    def wait(self, *_: object) -> None:
        """Note the interrupt; let the second one through."""
        if self.heard:
            self.__exit__()
        self.heard = True

    def __exit__(self, *error: object) -> None:
        if self.before is not None:
            handle_by(self.before)
            if self.heard:
                _signal.raise_signal(_signal.SIGINT)


class Uninterrupted(WholeStep):
    """A `with` block at whose end any Ctrl-C is heard; it soon ends by itself."""

    def wait(self, *_: object) -> None:
        """Note the interrupt."""
        self.heard = True
