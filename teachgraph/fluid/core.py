"""Paddle 1.x's `fluid.core`: names of its C++ library that 1.x code uses."""

from teachgraph.autograd.places import CPUPlace, CUDAPlace, is_compiled_with_cuda
from teachgraph.core.errors import ExecutorError
from teachgraph.static.scope import Scope

__all__ = ["CPUPlace", "CUDAPlace", "EOFException", "Scope", "is_compiled_with_cuda"]


class EOFException(ExecutorError):
    """A loader that feeds a program by itself has no more batches: `reset()` it."""
