"""Places, of which there is one: programs run on the CPU."""

from __future__ import annotations

from dataclasses import dataclass

from teachgraph.core.errors import InvalidValueError, at_user_line

__all__ = ["CPUPlace", "CUDAPlace", "is_compiled_with_cuda"]


@dataclass(frozen=True)
class CPUPlace:
    """The CPU.

    >>> CPUPlace()
    Place(cpu)
    """

    def __repr__(self) -> str:
        return "Place(cpu)"


class CUDAPlace:
    """A GPU, which there is none of: making one raises InvalidValueError."""

    def __init__(self, index: int = 0) -> None:
        raise InvalidValueError(
            at_user_line(
                f"there is no GPU {index} here: teachgraph runs on the CPU only"
            )
        )


def is_compiled_with_cuda() -> bool:
    """Say if there are GPUs: never.

    >>> is_compiled_with_cuda()
    False
    """
    return False
