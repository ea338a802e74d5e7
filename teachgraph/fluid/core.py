"""What 1.x code asks of `fluid.core`, where Paddle keeps its C++."""

from teachgraph.executor import Scope
from teachgraph.places import CPUPlace, CUDAPlace, is_compiled_with_cuda

__all__ = ["CPUPlace", "CUDAPlace", "Scope", "is_compiled_with_cuda"]
