"""What turns gradients into better parameters."""

from teachgraph.optimizer.optimizer import Optimizer
from teachgraph.optimizer.sgd import SGD

__all__ = ["SGD", "Optimizer"]
