"""Paddle 1.x's `fluid.executor`: the Executor and scopes."""

from teachgraph.fluid.compiler import Executor
from teachgraph.static.scope import global_scope, scope_guard

__all__ = ["Executor", "global_scope", "scope_guard"]
