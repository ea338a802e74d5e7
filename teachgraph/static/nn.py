"""Paddle 2's `static.nn`: layers that make their own parameters."""

from teachgraph.static.layers import fc
from teachgraph.static.user_op import py_func

__all__ = ["fc", "py_func"]
