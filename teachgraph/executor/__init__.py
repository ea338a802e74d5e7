"""How programs run: scopes, plans, generated code."""

from teachgraph.executor.executor import Executor
from teachgraph.executor.memory import Buffer, MemoryPlan
from teachgraph.executor.plan import Plan
from teachgraph.executor.scope import Scope, global_scope, scope_guard

__all__ = [
    "Buffer",
    "Executor",
    "MemoryPlan",
    "Plan",
    "Scope",
    "global_scope",
    "scope_guard",
]
