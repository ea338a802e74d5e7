"""`set_grad_enabled`: recording on or off from now on, or in a `with` block alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.core.modes import recording
from teachgraph.core.threads import Guard

__all__ = ["enable_grad", "is_grad_enabled", "set_grad_enabled"]


class set_grad_enabled(Guard[bool]):  # noqa: N801  Paddle's name
    """Switch recording on or off: from now on, or until a `with` block ends.

    A function that it decorates runs with it alone.

    Args:
        mode: Whether ops are recorded.

    In Paddle this is `paddle.set_grad_enabled`.

    >>> import teachgraph as tg
    >>> with set_grad_enabled(False):
    ...     tg.is_grad_enabled()
    False
    >>> switch = set_grad_enabled(False)
    >>> tg.is_grad_enabled()
    False
    >>> switch = set_grad_enabled(True)
    """

    def __init__(self, mode: bool) -> None:
        super().__init__(recording.get, recording.set, mode)
        self.outside = recording.get()
        recording.set(mode)

    def _recreate_cm(self) -> Any:
        return Guard(self.get, self.put, self.value)

    def __enter__(self) -> bool:  # type: ignore[override]
        recording.set(self.outside)
        return super().__enter__()

    def __call__(self, function: Callable[..., Any]) -> Any:
        """Decorate a function; what stands after it is as before."""
        recording.set(self.outside)
        return super().__call__(function)


def is_grad_enabled() -> bool:
    """True if ops on Tensors leave nodes on the tape.

    >>> is_grad_enabled()
    True
    """
    return recording.get()


def enable_grad() -> Guard[bool]:
    """Record again inside a `no_grad` block.

    >>> import teachgraph as tg
    >>> with tg.no_grad(), enable_grad():
    ...     tg.is_grad_enabled()
    True
    """
    return Guard(recording.get, recording.set, True)
