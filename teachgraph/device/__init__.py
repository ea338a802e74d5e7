"""Paddle's `device`: the one there is, the CPU.

Code that asks for a GPU if there is one finds none, as with Paddle on a machine that
has none; code that insists on one is refused.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NoReturn

from teachgraph.autograd.places import CPUPlace, is_compiled_with_cuda, place_of
from teachgraph.core.errors import DTypeError
from teachgraph.device import cuda
from teachgraph.ops.left_out import absent

__all__ = [
    "Event",
    "Stream",
    "cuda",
    "current_stream",
    "get_all_custom_device_type",
    "get_all_device_type",
    "get_available_custom_device",
    "get_available_device",
    "get_cudnn_version",
    "get_device",
    "is_compiled_with_cinn",
    "is_compiled_with_cuda",
    "is_compiled_with_custom_device",
    "is_compiled_with_distribute",
    "is_compiled_with_ipu",
    "is_compiled_with_rocm",
    "is_compiled_with_xpu",
    "set_device",
    "set_stream",
    "stream_guard",
    "synchronize",
]


def set_device(device: str) -> CPUPlace:
    """Choose the device that tensors live on: the CPU.

    Args:
        device: "cpu".

    Raises:
        DTypeError: It is no text.
        InvalidValueError: It is a device that is not here, or none at all.

    In Paddle this is `paddle.device.set_device`.

    >>> set_device("cpu")
    Place(cpu)
    """
    return place_of(device)


def get_device() -> str:
    """The device that tensors live on.

    In Paddle this is `paddle.device.get_device`.

    >>> get_device()
    'cpu'
    """
    return "cpu"


def get_all_device_type() -> list[str]:
    """The kinds of devices besides the CPU: none.

    In Paddle this is `paddle.device.get_all_device_type`.

    >>> get_all_device_type()
    []
    """
    return []


get_available_device = get_all_custom_device_type = get_all_device_type
get_available_custom_device = get_all_device_type


def get_cudnn_version() -> None:
    """The version of cuDNN: None, as there is none.

    In Paddle this is `paddle.device.get_cudnn_version`.
    """


def is_compiled_with_xpu() -> bool:
    """Tell whether there are XPUs (or ROCm, IPUs, CINN): never.

    In Paddle this is `paddle.device.is_compiled_with_xpu`, and so on.

    >>> is_compiled_with_xpu()
    False
    """
    return False


is_compiled_with_rocm = is_compiled_with_ipu = is_compiled_with_xpu
is_compiled_with_cinn = is_compiled_with_distribute = is_compiled_with_xpu


def is_compiled_with_custom_device(device_type: str) -> bool:
    """Tell whether there are devices of this kind: never.

    In Paddle this is `paddle.device.is_compiled_with_custom_device`.
    """
    return False


def synchronize(device: Any = None) -> None:
    """Wait for a device; the CPU has finished when a call returns.

    Raises:
        DTypeError: Nothing runs beside Python here that one could wait for.

    In Paddle this is `paddle.device.synchronize`.
    """
    raise refused()


def current_stream(device: Any = None) -> NoReturn:
    """Refuse to give a stream: only GPUs have some.

    Raises:
        DTypeError: There is none.

    In Paddle this is `paddle.device.current_stream`.
    """
    raise refused()


def set_stream(stream: Any) -> NoReturn:
    """Refuse to set a stream: only GPUs have some.

    Raises:
        DTypeError: There is none.

    In Paddle this is `paddle.device.set_stream`.
    """
    raise refused()


def stream_guard(stream: Any) -> AbstractContextManager[None]:
    """Refuse to run in a stream: only GPUs have some.

    Raises:
        DTypeError: There is none.

    In Paddle this is `paddle.device.stream_guard`.
    """
    raise refused()


class Stream:
    """A queue of work on a GPU; making one raises DTypeError.

    In Paddle this is `paddle.device.Stream`.
    """

    def __init__(
        self, device: Any = None, priority: int = 2, blocking: Any = False
    ) -> None:
        raise refused()


class Event:
    """A mark in a stream of a GPU; making one raises DTypeError.

    In Paddle this is `paddle.device.Event`.
    """

    def __init__(
        self, device: Any = None, enable_timing: bool = False, **more: Any
    ) -> None:
        raise refused()


def refused() -> DTypeError:
    """Build the error for what only devices with queues of their own have."""
    return DTypeError.here(
        "device should be gpu, xpu or the like: the CPU has no streams and nothing "
        "to wait for; leave it out, or ask `device.cuda.device_count()` first"
    )


if not TYPE_CHECKING:
    __getattr__ = absent("device")
