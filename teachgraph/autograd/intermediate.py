"""Gradients of intermediate results, which 1.x's dynamic mode keeps.

Wraps `tape.backward_pass`: in 1.x's mode each gradient that arrives at a node is kept
beside the node, as long as the node lives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from teachgraph.autograd.hooks import owner_of
from teachgraph.autograd.identity import ByIdentity
from teachgraph.core.tape import Edge, PerOutput, backward_pass
from teachgraph.core.tensor import Tensor

__all__ = ["gradient_at", "keep_gradients", "keeping_gradients"]

arrived: ByIdentity[dict[int, Any]] = ByIdentity()
"""Gradients by node and the number of its output."""

wanted: ContextVar[bool] = ContextVar("wanted", default=False)


def keep_gradients(keep: bool = True) -> None:
    """Keep the gradients of intermediate results from now on, or no longer."""
    backward_pass.wrap(keeping)
    wanted.set(keep)


@contextmanager
def keeping_gradients() -> Iterator[None]:
    """Keep the gradients of intermediate results of backward passes inside."""
    before = wanted.get()
    keep_gradients()
    try:
        yield
    finally:
        wanted.set(before)


def gradient_at(edge: Edge) -> Any:
    """The gradient that was kept at a node's output, None if there is none."""
    owner, index = owner_of(edge)
    gradient = (arrived.get(owner) or {}).get(index)
    return gradient.data if isinstance(gradient, Tensor) else gradient


def keeping(reverse: Callable[..., Any]) -> Callable[..., Any]:
    """A backward pass that keeps the gradients it comes by, where that is wanted."""

    def reverse_keeping(seeds: Any, order: Any, visit: Any) -> Any:
        if not wanted.get():
            return reverse(seeds, order, visit)

        def visit_keeping(node: Any, dout: Any) -> Any:
            if dout.__class__ is not PerOutput:
                owner, index = owner_of(node)
                arrived.put(owner, {**(arrived.get(owner) or {}), index: dout})
            return visit(node, dout)

        return reverse(seeds, order, visit_keeping)

    return reverse_keeping
