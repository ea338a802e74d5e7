"""`nn.functional`'s names for tensor functions: padding, one-hot, diagonals."""

from __future__ import annotations

from teachgraph.ops.functions.diagonals import diag_embed
from teachgraph.ops.functions.indexing import one_hot
from teachgraph.ops.functions.manipulation import pad, zeropad2d

__all__ = [
    "diag_embed",
    "one_hot",
    "pad",
    "zeropad2d",
]
