"""Places, of which there is one: programs run on the CPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from teachgraph.core.errors import InvalidValueError

__all__ = [
    "CPUPlace",
    "CUDAPlace",
    "check_place",
    "is_compiled_with_cuda",
    "not_here",
    "place_of",
]


@dataclass(frozen=True)
class CPUPlace:
    """The CPU.

    >>> CPUPlace()
    Place(cpu)
    """

    def __repr__(self) -> str:
        return "Place(cpu)"

    def is_cpu_place(self) -> bool:
        """Return True: there is no other place."""
        return True

    def is_gpu_place(self) -> bool:
        """Return False; so do the others."""
        return False

    is_cuda_pinned_place = is_xpu_place = is_ipu_place = is_custom_place = is_gpu_place

    def _equals(self, other: Any) -> bool:
        """Tell whether another place is the same."""
        return isinstance(other, CPUPlace)


class CUDAPlace:
    """A GPU, which there is none of: making one raises InvalidValueError."""

    def __init__(self, index: int = 0) -> None:
        raise InvalidValueError.here(
            f"there is no GPU {index} here: teachgraph runs on the CPU only"
        )


def is_compiled_with_cuda() -> bool:
    """Say if there are GPUs: never.

    >>> is_compiled_with_cuda()
    False
    """
    return False


OTHERS = ("gpu", "xpu", "npu", "ipu", "mlu")
"""Devices that Paddle knows and that are not here."""


def place_of(device: Any) -> CPUPlace:
    """The place that a device's name means, or a place itself: the CPU.

    Raises:
        InvalidValueError: It is a device that is not here, or none at all.

    >>> place_of("cpu")
    Place(cpu)
    """
    if isinstance(device, CPUPlace):
        return device
    if not isinstance(device, str):
        raise InvalidValueError.here(f"a device is a str such as 'cpu', got {device!r}")
    name, _, number = device.lower().partition(":")
    if name == "cpu" and not number:
        return CPUPlace()
    if name in OTHERS:
        raise not_here(device)
    raise InvalidValueError.here(
        f"The device must be a string which is like 'cpu', got {device!r}; that is "
        "the only one here"
    )


def check_place(place: Any) -> None:
    """Refuse a place other than the CPU, however it is named; None leaves it open.

    Raises:
        InvalidValueError: It is another place, or none.
    """
    if place is not None:
        place_of(place)


def not_here(device: str) -> InvalidValueError:
    """Build the error for a device of another kind than the CPU."""
    return InvalidValueError.here(
        f"The device should not be {device!r}, since there is only the CPU here: "
        "take 'gpu' if is_compiled_with_cuda() else 'cpu'"
    )
