"""Derivatives of one's own, and tools about derivatives."""

from teachgraph.autograd.check import check_grads
from teachgraph.autograd.functional import backward, hessian, jacobian
from teachgraph.autograd.py_layer import PyLayer, PyLayerContext
from teachgraph.autograd.recompute import recompute

__all__ = [
    "PyLayer",
    "PyLayerContext",
    "backward",
    "check_grads",
    "hessian",
    "jacobian",
    "recompute",
]
