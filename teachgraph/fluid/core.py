"""What 1.x code asks of `fluid.core`, where Paddle keeps its C++."""

from teachgraph.core.scope import Scope
from teachgraph.static.places import CPUPlace, CUDAPlace, is_compiled_with_cuda

__all__ = ["CPUPlace", "CUDAPlace", "Scope", "is_compiled_with_cuda"]
