"""The first interpreter: ops run at once and leave a tape behind."""

from teachgraph.eager.create import Parameter, to_tensor
from teachgraph.eager.gradient import grad
from teachgraph.eager.tensor import Tensor

__all__ = ["Parameter", "Tensor", "grad", "to_tensor"]
