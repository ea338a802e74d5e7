"""Hooks on gradients: functions that see, and may replace, a tensor's whole gradient.

Wraps `tape.backward_pass` from the first hook on: a node is visited with what the hooks
of its outputs returned.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from contextvars import ContextVar
from typing import Any

from teachgraph.autograd.identity import ByIdentity
from teachgraph.core.errors import DTypeError, GradientShapeError
from teachgraph.core.observe import announce
from teachgraph.core.tape import Edge, Output, PerOutput, backward_pass
from teachgraph.core.tensor import Tensor

__all__ = ["HookHandle", "Hooks", "add_hook", "check", "reach_leaves", "register"]

Hooks = MutableMapping[Any, Callable[..., Any]]
"""Functions in the order they were registered in."""

reach_leaves: ContextVar[bool] = ContextVar("reach_leaves", default=True)
"""True if hooks of leaves run: they are for `.grad`, so not those under `grad`."""

registered: ByIdentity[Hooks] = ByIdentity()
"""The hooks of leaves and of nodes, these by output and number."""


class HookHandle:
    """Removes a hook.

    Attributes:
        removed: Called once it is removed.

    In Paddle this is `TensorHookRemoveHelper`, and `HookRemoveHelper` for layers.
    """

    def __init__(self, hooks: Hooks, key: Any) -> None:
        self._hooks, self._key = hooks, key
        self.removed: Callable[[], None] = tell_nobody

    def remove(self) -> bool:
        """Remove the hook; False if it was removed before."""
        if self._hooks.pop(self._key, None) is None:
            return False
        self.removed()
        return True


def tell_nobody() -> None:
    """Tell nobody."""


def check(hook: Any) -> None:
    """Refuse a hook that cannot be called.

    Raises:
        DTypeError: It cannot.
    """
    if not callable(hook):
        raise DTypeError.here(f"a hook is a function, got {hook!r}")


def register(hooks: Hooks, hook: Callable[..., Any], *group: Any) -> HookHandle:
    """Add a hook after those there are, under a key that starts with `group`.

    The key ends with a new number, not the count of hooks: after a removal that may be
    the number of one that is still there.

    Raises:
        TypeError: The hook cannot be called.

    >>> hooks = {}
    >>> handle = register(hooks, print)
    >>> handle.remove(), handle.remove()
    (True, False)
    """
    check(hook)
    key = (*group, max((k[-1] for k in hooks), default=-1) + 1)
    hooks[key] = hook
    return HookHandle(hooks, key)


def add_hook(tensor: Tensor, hook: Callable[[Any], Any]) -> HookHandle:
    """Let `hook` see, and replace, every whole gradient of a tensor."""
    check(hook)
    owner, index = owner_of(tensor.edge)
    hooks = registered.get(owner)
    if hooks is None:
        hooks = {}
        registered.put(owner, hooks)
    backward_pass.wrap(hooked, innermost=True)
    return register(hooks, on_tensors(hook, tensor.results), index)


def owner_of(edge: Edge) -> tuple[Any, int]:
    """The node or leaf at which a gradient arrives, and for which of its outputs."""
    return (edge.node, edge.index) if isinstance(edge, Output) else (edge, 0)


def on_tensors(
    hook: Callable[[Tensor], Tensor | None], results: Callable[..., Any]
) -> Callable[[Any], Any]:
    """A hook that takes a Tensor, for a pass whose gradients may be arrays.

    Raises:
        GradientShapeError: It returns a gradient of another shape or dtype.
    """

    def call(grad: Any) -> Any:
        before = grad if isinstance(grad, Tensor) else results(grad, False)
        after = hook(before)
        if after is None:
            return grad
        kind = getattr(after, "shape", None), getattr(after, "dtype", None)
        if kind != (before.shape, before.dtype) or not isinstance(after, Tensor):
            raise wrong_result(after, before)
        return after if grad is before else after.data

    return call


def wrong_result(after: Any, before: Tensor) -> GradientShapeError:
    """The error for what a hook returned in place of a gradient."""
    known = isinstance(after, Tensor)
    given = f"{after.dtype} {after.shape}" if known else repr(after)
    wanted = f"the gradient {before.dtype} {before.shape}"
    return GradientShapeError.here(f"a hook returned {given} in place of {wanted}")


def through_hooks(edge: Edge, dout: Any) -> Any:
    """A whole gradient after the hooks at its edge; a hook may remove itself."""
    owner, index = owner_of(edge)
    hooks = registered.get(owner)
    if not hooks or dout.__class__ is PerOutput:  # each output has had its hooks
        return dout
    here = [hook for (output, _), hook in hooks.items() if output == index]
    if here:
        announce("hooks_begin", edge, dout)
    for hook in here:
        dout = hook(dout)
    return dout


def hooked(reverse: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a backward pass: it runs the hooks of the gradients that it computes.

    Those of leaves run at the end, when their gradients are complete.
    """

    def reverse_hooked(seeds: Any, order: Any, visit: Any) -> Any:
        if not len(registered):
            return reverse(seeds, order, visit)

        def visit_hooked(node: Any, dout: Any) -> Any:
            return visit(node, through_hooks(node, dout))

        leaves = reverse(seeds, order, visit_hooked)
        reached = leaves if reach_leaves.get() else {}
        return leaves | {leaf: through_hooks(leaf, reached[leaf]) for leaf in reached}

    return reverse_hooked
