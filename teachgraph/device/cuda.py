"""Paddle's `device.cuda`, on a machine without a GPU: it counts none.

What asks how many there are is answered; what needs one is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NoReturn

from teachgraph.core.errors import InvalidValueError, ModeError
from teachgraph.ops.left_out import absent

__all__ = [
    "Event",
    "Stream",
    "current_stream",
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "stream_guard",
    "synchronize",
]


def device_count() -> int:
    """The number of GPUs.

    In Paddle this is `paddle.device.cuda.device_count`.

    >>> device_count()
    0
    """
    return 0


def empty_cache() -> None:
    """Give back the unused memory of GPUs, of which there is none.

    In Paddle this is `paddle.device.cuda.empty_cache`.
    """


def needs_gpu(name: str) -> Callable[[Any], NoReturn]:
    """Make the function of this name: it refuses to tell of a GPU."""

    def refuse(device: Any = None) -> NoReturn:
        raise InvalidValueError.here(
            f"The API paddle.device.cuda.{name} is not supported on the CPU, and "
            "there is no GPU here: ask device_count() first"
        )

    refuse.__name__ = name
    refuse.__doc__ = f"""Refuse to tell of a GPU.

    Raises:
        InvalidValueError: There is none.

    In Paddle this is `paddle.device.cuda.{name}`.
    """
    return refuse


get_device_properties = needs_gpu("get_device_properties")
get_device_name = needs_gpu("get_device_name")
get_device_capability = needs_gpu("get_device_capability")
max_memory_allocated = needs_gpu("max_memory_allocated")
max_memory_reserved = needs_gpu("max_memory_reserved")
memory_allocated = needs_gpu("memory_allocated")
memory_reserved = needs_gpu("memory_reserved")


def no_streams() -> ModeError:
    """Build the error for what a GPU's queue of work is needed for."""
    return ModeError.here(
        "there is no GPU here, so no stream: all work is done when a call returns"
    )


def synchronize(device: Any = None) -> NoReturn:
    """Refuse to wait for a GPU.

    Raises:
        ModeError: There is none.

    In Paddle this is `paddle.device.cuda.synchronize`.
    """
    raise no_streams()


def current_stream(device: Any = None) -> NoReturn:
    """Refuse to give a GPU's stream.

    Raises:
        ModeError: There is none.

    In Paddle this is `paddle.device.cuda.current_stream`.
    """
    raise no_streams()


def stream_guard(stream: Any) -> AbstractContextManager[None]:
    """Refuse to run in a GPU's stream.

    Raises:
        ModeError: There is none.

    In Paddle this is `paddle.device.cuda.stream_guard`.
    """
    raise no_streams()


class Stream:
    """A queue of work on a GPU; making one raises ModeError.

    In Paddle this is `paddle.device.cuda.Stream`.
    """

    def __init__(self, device: Any = None, priority: int = 2) -> None:
        raise no_streams()


class Event:
    """A mark in a GPU's stream; making one raises ModeError.

    In Paddle this is `paddle.device.cuda.Event`.
    """

    def __init__(self, enable_timing: bool = False, **more: Any) -> None:
        raise no_streams()


__path__: list[str] = []
"""Of no modules: Python asks for one where a name is missing."""

if not TYPE_CHECKING:
    __getattr__ = absent("device.cuda")
