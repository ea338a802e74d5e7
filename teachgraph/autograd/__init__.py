"""Custom gradients, Jacobians, recomputation and gradient checks."""

from typing import TYPE_CHECKING

from teachgraph.autograd.check import check_grads
from teachgraph.autograd.functional import backward, hessian, jacobian
from teachgraph.autograd.py_layer import PyLayer, PyLayerContext
from teachgraph.autograd.recompute import recompute
from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as

__all__ = [
    "PyLayer",
    "PyLayerContext",
    "backward",
    "check_grads",
    "hessian",
    "jacobian",
    "recompute",
]

if not TYPE_CHECKING:
    __getattr__ = absent("autograd")

known_as("autograd")
