"""Paddle 1.x's `fluid.backward`: operators that compute gradients."""

from teachgraph.static import append_backward, gradients

__all__ = ["append_backward", "gradients"]
