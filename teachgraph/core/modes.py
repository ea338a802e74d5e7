"""Which interpreter runs an op that no traced input speaks for, and is it recording.

Dynamic mode is the default of 2.x names, static mode that of the 1.x names in `fluid`;
`enable_static` and `disable_static` decide for both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Protocol

from teachgraph.core.errors import ModeError
from teachgraph.core.extend import unregistered
from teachgraph.core.threads import Guard


class Interpreter(Protocol):
    """The part of a mode that needs no traced input."""

    def create(self, op: Any, attrs: Mapping[str, Any]) -> Any:
        """Run, or append, an op that has no inputs."""

    def create_parameter(
        self, name: str, shape: Sequence[int], dtype: Any, attr: Any, initializer: Any
    ) -> Any:
        """Make a parameter and have it initialised."""


recording: ContextVar[bool] = ContextVar("recording", default=True)
"""A switch for each thread and task: do ops leave nodes on the tape."""

OUTSIDE: Any = object()
_inside: ContextVar[Any] = ContextVar("inside", default=OUTSIDE)
"""The mode of the innermost `using`."""

is_recording = recording.get
interpreters: dict[str, Interpreter] = {}

_choice: list[bool | None] = [None]
"""The mode the user chose; None until they choose."""


def enable_static() -> None:
    """From now on, layers and creation ops build the default program."""
    choose(True)


def disable_static(place: Any = None) -> None:
    """From now on, everything runs at once: here on the CPU, whatever the place."""
    choose(False)


def choose(static: bool | None) -> bool | None:
    """Choose static (True), dynamic (False) or neither; returns what was chosen."""
    before = chosen()
    if _inside.get() is OUTSIDE:
        _choice[0] = static
    else:
        _inside.set(static)
    return before


def chosen() -> bool | None:
    """The mode in force: static (True), dynamic (False) or neither (None)."""
    inside = _inside.get()
    return _choice[0] if inside is OUTSIDE else inside


def in_dynamic_mode() -> bool:
    """True if ops run at once (the default of the 2.x names).

    >>> in_dynamic_mode()
    True
    """
    return not chosen()


def using(static: bool | None) -> Guard[bool | None]:
    """Switch the mode inside the block, in this thread, whatever happens there."""
    return Guard(_inside.get, _inside.set, static)


def interpreter(name: str | None = None) -> Interpreter:
    """Interpreter of ops without a traced input, of a mode or of the one chosen."""
    name = name or ("dynamic" if in_dynamic_mode() else "static")
    if name not in interpreters:
        unregistered.call("mode", name)
        if name not in interpreters:
            raise ModeError(f"nobody interprets {name} mode: import teachgraph")
    return interpreters[name]


def no_grad(function: Callable[..., Any] | None = None) -> Any:
    """Record nothing: as a context manager, `@no_grad()`, or bare `@no_grad`.

    >>> with no_grad():
    ...     is_recording()
    False
    """
    guard = Guard(recording.get, recording.set, False)
    return guard if function is None else guard(function)
