"""Paddle 2's `paddle.linalg`: inverses, determinants and factors of matrices."""

from typing import TYPE_CHECKING

from teachgraph.ops.functions import decomposition, matrices, norm
from teachgraph.ops.functions.decomposition import *  # noqa: F403
from teachgraph.ops.functions.matrices import *  # noqa: F403
from teachgraph.ops.left_out import absent

__all__ = ["norm"]
__all__ += decomposition.__all__
__all__ += matrices.__all__

__path__: list[str] = []
"""No files of its own: with it Python looks for, and misses, what is left out."""

if not TYPE_CHECKING:
    __getattr__ = absent("linalg")
