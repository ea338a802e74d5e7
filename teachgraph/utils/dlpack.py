"""Exchange of arrays without copies, by way of DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import DTypeError

__all__ = ["from_dlpack", "to_dlpack"]


class Capsule:
    """A capsule of DLPack in the form that NumPy takes."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the CPU


def to_dlpack(x: Tensor) -> Any:
    """A capsule of a tensor's memory, for one other library.

    Raises:
        DTypeError: It is no Tensor.

    In Paddle this is `paddle.utils.dlpack.to_dlpack`.

    >>> import teachgraph as tg
    >>> from_dlpack(to_dlpack(tg.to_tensor([1.0, 2.0]))).tolist()
    [1.0, 2.0]
    """
    if not isinstance(x, Tensor):
        raise DTypeError.here(f"to_dlpack takes a Tensor, got {type(x).__name__}")
    return x.data.__dlpack__()


def from_dlpack(dlpack: Any) -> Tensor:
    """A tensor in the memory of a capsule, or of an array of another library.

    Raises:
        DTypeError: It is neither.

    In Paddle this is `paddle.utils.dlpack.from_dlpack`.
    """
    source = dlpack if hasattr(dlpack, "__dlpack__") else Capsule(dlpack)
    try:
        return Tensor.results(np.from_dlpack(source))
    except (TypeError, ValueError) as error:
        told = f"from_dlpack takes a capsule of DLPack, got {type(dlpack).__name__}"
        raise DTypeError.here(told) from error
