"""How programs run: scopes, plans, generated code."""

from teachgraph.executor.executor import Executor
from teachgraph.executor.plan import Plan
from teachgraph.executor.scope import Scope, global_scope, scope_guard

__all__ = ["Executor", "Plan", "Scope", "global_scope", "scope_guard"]
