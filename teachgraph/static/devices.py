"""Devices, of which there is one: what code written for several may say of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from teachgraph.autograd.places import CPUPlace
from teachgraph.core.errors import InvalidValueError
from teachgraph.static.layers import marked

__all__ = ["cpu_places", "cuda_places", "device_guard"]


def cpu_places(device_count: int | None = None) -> list[CPUPlace]:
    """So many times the CPU, by default once.

    In Paddle this is `paddle.static.cpu_places`.

    >>> len(cpu_places(2))
    2
    """
    return [CPUPlace() for _ in range(1 if device_count is None else device_count)]


def cuda_places(device_ids: int | Sequence[int] | None = None) -> NoReturn:
    """Refuse to list GPUs, as Paddle does where it was built without CUDA.

    Raises:
        InvalidValueError: There is none.

    In Paddle this is `paddle.static.cuda_places`.
    """
    raise InvalidValueError.here(
        "there is no GPU here: take cpu_places() where there is none"
    )


@contextmanager
def device_guard(device: str | None = None) -> Iterator[None]:
    """Inside, appended operators are marked with a device; all run on the CPU.

    Args:
        device: `cpu`, `gpu`, `gpu:N` or `gpu:all`; None for no mark.

    Raises:
        InvalidValueError: It is another word.

    In Paddle this is `paddle.static.device_guard`.
    """
    kind, colon, _ = str(device or "").partition(":")
    if kind not in ("", "cpu", "gpu", "xpu") or (colon and kind == "cpu"):
        raise InvalidValueError.here(
            "The Attr(device) should be 'cpu', 'xpu', 'gpu', one of the last two with "
            f"a number such as 'gpu:0', or empty, but received {device!r}"
        )
    with marked(op_device=device or None):
        yield
