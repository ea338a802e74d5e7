"""Paddle 1.x's `fluid.core`: names of its C++ library that 1.x code uses."""

from teachgraph.core.scope import Scope
from teachgraph.static.places import CPUPlace, CUDAPlace, is_compiled_with_cuda

__all__ = ["CPUPlace", "CUDAPlace", "Scope", "is_compiled_with_cuda"]
