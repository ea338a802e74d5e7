"""Type tests of tensors, and the shape of a broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import ShapeError
from teachgraph.core.op import Traced
from teachgraph.ops.default_dtype import is_floating

__all__ = [
    "broadcast_shape",
    "is_complex",
    "is_floating_point",
    "is_integer",
    "is_tensor",
]


def is_tensor(x: Any) -> bool:
    """True for a Tensor, or a Variable of a Program.

    >>> is_tensor([1.0])
    False
    """
    return isinstance(x, Traced)


def is_floating_point(x: Any) -> bool:
    """True if the dtype is floating.

    >>> import numpy as np
    >>> is_floating_point(np.zeros(2)), is_floating_point(np.arange(2))
    (True, False)
    """
    return is_floating(x.dtype)


def is_integer(x: Any) -> bool:
    """True if the dtype is an integer.

    >>> import numpy as np
    >>> is_integer(np.arange(2)), is_integer(np.array([True]))
    (True, False)
    """
    return bool(x.dtype.kind in "iu")


def is_complex(x: Any) -> bool:
    """True if the dtype is complex; teachgraph has none.

    >>> import numpy as np
    >>> is_complex(np.zeros(2))
    False
    """
    return bool(x.dtype.kind == "c")


def broadcast_shape(x_shape: Sequence[int], y_shape: Sequence[int]) -> list[int]:
    """The shape that two shapes broadcast to.

    Raises:
        ShapeError: They do not broadcast.

    >>> broadcast_shape([2, 1, 3], [1, 3, 1])
    [2, 3, 3]
    """
    try:
        return list(np.broadcast_shapes(tuple(x_shape), tuple(y_shape)))
    except ValueError:
        shapes = f"{list(x_shape)} and {list(y_shape)}"
        raise ShapeError.here(f"{shapes} do not broadcast") from None
