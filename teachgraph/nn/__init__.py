"""What models are made of."""

from teachgraph.nn import functional, initializer
from teachgraph.nn.layer import Layer
from teachgraph.nn.linear import (
    CrossEntropyLoss,
    Linear,
    ReLU,
    Sequential,
    Sigmoid,
    Tanh,
)

__all__ = [
    "CrossEntropyLoss",
    "Layer",
    "Linear",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Tanh",
    "functional",
    "initializer",
]
