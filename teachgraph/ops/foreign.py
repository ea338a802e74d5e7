"""Ops whose kernel calls the user's code, as `py_func` does: in the user's context.

Kernels run in a context of their own, where NumPy warns of nothing. In the user's code
NumPy warns as the user wishes, and their context variables have their values.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from functools import wraps
from typing import Any

from teachgraph.core import executor
from teachgraph.core.op import Op, op

__all__ = ["foreign_op", "is_foreign", "with_caller"]

_caller: ContextVar[Context | None] = ContextVar("caller", default=None)
"""While a program runs, the context in which the run was called."""

remember = _caller.set


def foreign_op(**options: Any) -> Callable[[Callable[..., Any]], Op]:
    """Make an op of a kernel that calls the user's code; see `op`."""

    def make(kernel: Callable[..., Any]) -> Op:
        return op(in_callers_context(kernel), context=copy_context, **options)

    return make


def is_foreign(op: Op) -> bool:
    """Say if the kernel of an op calls the user's code."""
    return op.context is copy_context


def in_callers_context(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that runs, within a program, where the run was called."""

    @wraps(kernel)
    def run(*inputs: Any, **attrs: Any) -> Any:
        caller = _caller.get()
        if caller is None:
            return kernel(*inputs, **attrs)
        return caller.copy().run(kernel, *inputs, **attrs)

    return run


@executor.silence.wrap
def with_caller(silence: Callable[[], Context]) -> Callable[[], Context]:
    """Remember in the context of a run the one it is called in."""

    def make() -> Context:
        context = silence()
        context.run(remember, copy_context())
        return context

    return make
