"""Paddle 1.x's `fluid.executor`: the Executor and scopes."""

from teachgraph.core.executor import global_scope, scope_guard
from teachgraph.fluid.compiler import Executor

__all__ = ["Executor", "global_scope", "scope_guard"]
