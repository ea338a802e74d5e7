"""Paddle 1.x's `fluid.backward`: operators that compute gradients."""

from teachgraph.static import append_backward, gradients
from teachgraph.static import gradients as calc_gradient

__all__ = ["append_backward", "calc_gradient", "gradients"]
