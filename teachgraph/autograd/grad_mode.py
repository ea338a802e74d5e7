"""`set_grad_enabled`: recording on or off from now on, or in a `with` block alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.core import modes
from teachgraph.core.modes import state

__all__ = ["set_grad_enabled"]


class set_grad_enabled(modes.set_grad_enabled):  # noqa: N801  Paddle's name
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
        super().__init__(mode)
        self.before, state.grad = state.grad, mode

    def __enter__(self) -> None:
        state.grad = self.before
        super().__enter__()

    def __call__(self, function: Callable[..., Any]) -> Any:
        """Decorate a function; what stands after it is as before."""
        state.grad = self.before
        return modes.set_grad_enabled(self.mode)(function)
