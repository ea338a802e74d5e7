"""Custom gradients, Jacobians, recomputation and gradient checks."""

from typing import TYPE_CHECKING

from teachgraph.autograd.check import check_grads
from teachgraph.autograd.functional import backward, hessian, jacobian
from teachgraph.autograd.grad_mode import (
    enable_grad,
    is_grad_enabled,
    set_grad_enabled,
)
from teachgraph.autograd.gradient import grad
from teachgraph.autograd.py_layer import PyLayer, PyLayerContext
from teachgraph.autograd.recompute import recompute
from teachgraph.core.modes import no_grad
from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as

__all__ = [
    "PyLayer",
    "PyLayerContext",
    "backward",
    "check_grads",
    "enable_grad",
    "grad",
    "hessian",
    "is_grad_enabled",
    "jacobian",
    "no_grad",
    "recompute",
    "set_grad_enabled",
]

if not TYPE_CHECKING:
    __getattr__ = absent("autograd")

known_as("autograd")
