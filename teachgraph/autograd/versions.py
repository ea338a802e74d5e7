"""The version check: no gradient is computed from a value that was overwritten.

An op in place gives its tensor a new array; a node that saved the old one would compute
with values that the tensor no longer has. A backward pass over such a node is refused,
as in Paddle and PyTorch, unless it is the op's own, which means the old values. Wraps
`tape.backward_pass` from the first op in place on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.identity import ByIdentity
from teachgraph.core.tape import Node, backward_pass, clock
from teachgraph.errors import InPlaceError

__all__ = ["now", "overwrite", "overwritten", "overwritten_since"]

overwritten: ByIdentity[tuple[int, int]] = ByIdentity()
"""When the tensor of an array that is still alive took another one, and the tensor's
version before."""


def now() -> int:
    """The time on the clock of the tape."""
    return next(clock)


def overwrite(
    *arrays: np.ndarray[Any, Any], since: int | None = None, version: int = 0
) -> None:
    """Note that the tensors that held these arrays have taken others.

    The nodes that came after `since` belong to what overwrote them: they know.
    """
    when = now() if since is None else since
    for array in arrays:
        overwritten.put(array, (when, version))
    backward_pass.wrap(checked, innermost=True)


def overwritten_since(array: Any, born: int) -> bool:
    """True if the tensor that held this array took another one after `born`.

    >>> array, before = np.zeros(3), next(clock)
    >>> overwrite(array)
    >>> overwritten_since(array, before), overwritten_since(array, next(clock))
    (True, False)
    """
    when, _ = overwritten.get(array) or (-1, 0)
    return when > born


def checked(reverse: Callable[..., Any]) -> Callable[..., Any]:
    """A backward pass that first looks for overwritten values among the saved ones."""

    def reverse_checked(seeds: Any, order: Any, visit: Any) -> Any:
        for node in order if len(overwritten) else ():
            if isinstance(node, Node) and isinstance(node.saved, (list, tuple)):
                check_saved(node, node.saved)
        return reverse(seeds, order, visit)

    return reverse_checked


def check_saved(node: Node, saved: Sequence[Any]) -> None:
    """Refuse a node that saved an array whose tensor was changed in place since.

    Raises:
        InPlaceError: It did.
    """
    rule = node.op.rule
    for position, value in enumerate(saved):
        if overwritten_since(value, node.born):
            names = rule.saved if rule is not None else ()
            name = names[min(position, len(names) - 1)] if names else "a tensor"
            _, version = overwritten.get(value) or (0, 0)
            raise InPlaceError.here(
                f"backward needs {name!r} as {node.op.type} saw it, but the tensor "
                "was changed in place since then: change a clone(), or use an op "
                "that returns a new tensor (in Paddle's words: received "
                f"tensor_version:{version + 1} != wrapper_version_snapshot:{version})"
            )
