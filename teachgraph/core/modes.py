"""Which interpreter runs an op that no traced input speaks for, and is it recording.

Dynamic mode is the default of 2.x names, static mode that of the 1.x names in `fluid`;
`enable_static` and `disable_static` decide for both.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ContextDecorator, contextmanager
from typing import Any, Protocol

from teachgraph.core.errors import ModeError
from teachgraph.core.extend import unregistered


class Interpreter(Protocol):
    """The part of a mode that needs no traced input."""

    def create(self, op: Any, attrs: Mapping[str, Any]) -> Any:
        """Run, or append, an op that has no inputs."""

    def create_parameter(
        self, name: str, shape: Sequence[int], dtype: Any, attr: Any, initializer: Any
    ) -> Any:
        """Make a parameter and have it initialised."""


class _State(threading.local):
    """Per thread, as autograd's switch is in Paddle and PyTorch."""

    def __init__(self) -> None:
        self.grad = True
        self.outer: list[bool] = []
        self.within: list[bool | None] = []


state = _State()
interpreters: dict[str, Interpreter] = {}


class _Choice:
    """The mode the user chose; None until they choose."""

    static: bool | None = None


_choice = _Choice()


def enable_static() -> None:
    """From now on, layers and creation ops build the default program."""
    choose(True)


def disable_static(place: Any = None) -> None:
    """From now on, everything runs at once: here on the CPU, whatever the place."""
    choose(False)


def choose(static: bool | None) -> bool | None:
    """Choose static (True), dynamic (False) or neither; returns what was chosen."""
    before = chosen()
    if state.within:
        state.within[-1] = static
    else:
        _choice.static = static
    return before


def chosen() -> bool | None:
    """The mode in force: static (True), dynamic (False) or neither (None)."""
    return state.within[-1] if state.within else _choice.static


def in_dynamic_mode() -> bool:
    """True if ops run at once (the default of the 2.x names).

    >>> in_dynamic_mode()
    True
    """
    return not chosen()


@contextmanager
def using(static: bool | None) -> Iterator[None]:
    """Switch the mode inside the block, in this thread, whatever happens there."""
    state.within.append(static)
    try:
        yield
    finally:
        state.within.pop()


def interpreter(name: str | None = None) -> Interpreter:
    """Interpreter of ops without a traced input: that of a mode, or of the one chosen.

    Raises:
        ModeError: The interpreter of this mode has not been imported.
    """
    if name is None:
        name = "dynamic" if in_dynamic_mode() else "static"
    if name not in interpreters:
        unregistered.call("mode", name)
        if name not in interpreters:
            raise ModeError(f"nobody interprets {name} mode: import teachgraph")
    return interpreters[name]


def is_grad_enabled() -> bool:
    """True if ops on Tensors leave nodes on the tape.

    >>> is_grad_enabled()
    True
    """
    return state.grad


class set_grad_enabled(ContextDecorator):  # noqa: N801  Paddle's name
    """Switch recording on or off, inside a `with` block or a decorated function.

    >>> with set_grad_enabled(False):
    ...     is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        state.outer.append(state.grad)
        state.grad = self.mode

    def __exit__(self, *error: object) -> None:
        state.grad = state.outer.pop()


def no_grad(function: Callable[..., Any] | None = None) -> Any:
    """Record nothing: as a context manager, `@no_grad()`, or bare `@no_grad`.

    >>> with no_grad():
    ...     is_grad_enabled()
    False
    """
    guard = set_grad_enabled(mode=False)
    return guard if function is None else guard(function)


def enable_grad() -> set_grad_enabled:
    """Record again inside a `no_grad` block.

    >>> with no_grad(), enable_grad():
    ...     is_grad_enabled()
    True
    """
    return set_grad_enabled(mode=True)
