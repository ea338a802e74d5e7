"""Other shapes of the same elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.ops import shape as shapes

__all__ = [
    "concat",
    "reshape",
    "transpose",
    "unsqueeze",
]


def reshape(x: Any, shape: Sequence[int], name: Any = None) -> Any:
    """The same elements in another shape; one size may be -1, 0 keeps a size."""
    return shapes.reshape2(x, shape=list(shape))


def transpose(x: Any, perm: Sequence[int], name: Any = None) -> Any:
    """Dimension k of the result is dimension perm[k] of x."""
    return shapes.transpose2(x, axis=list(perm))


def unsqueeze(x: Any, axis: int | Sequence[int], name: Any = None) -> Any:
    """`x` with a dimension of size 1 put in at `axis`."""
    return shapes.unsqueeze2(x, axes=[axis] if isinstance(axis, int) else list(axis))


def concat(x: Sequence[Any], axis: int = 0, name: Any = None) -> Any:
    """The parts one after the other along `axis`."""
    return shapes.concat(*x, axis=axis)
