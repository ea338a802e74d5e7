"""Utilities for parameters: clipping, weight and spectral norm, flattening."""

from teachgraph.nn.utils import clipping, reweighting, vectors
from teachgraph.nn.utils.clipping import *  # noqa: F403
from teachgraph.nn.utils.reweighting import *  # noqa: F403
from teachgraph.nn.utils.vectors import *  # noqa: F403
from teachgraph.ops.paddle_modules import known_as

__all__: list[str] = []
__all__ += clipping.__all__
__all__ += reweighting.__all__
__all__ += vectors.__all__

known_as("nn.utils")
