"""Tools about derivatives: are the gradients right?"""

from teachgraph.autograd.check import check_grads

__all__ = ["check_grads"]
