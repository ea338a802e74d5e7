"""A readable reference framework after PaddlePaddle's design."""

from teachgraph.eager import Parameter, Tensor, grad, to_tensor

__version__ = "0.1.0"
