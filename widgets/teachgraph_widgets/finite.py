"""`tg.check_nan_inf()`: stops at the first op that makes a NaN or an infinity.

This is the one observer that raises. It reads every result and every gradient, so it
costs a pass over each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from teachgraph.autograd.observed import attach, detach
from teachgraph.core.callsite import Callsite, callsite
from teachgraph.core.errors import (
    InvalidValueError,
    OpError,
    UnknownOpError,
    at_user_line,
)
from teachgraph.core.observe import observers
from teachgraph.core.op import find, slot_name
from teachgraph.core.tape import Node
from teachgraph.ops.error_message import describe
from teachgraph.static.operator import Operator
from teachgraph.utils.observe import Observer

__all__ = ["NotFiniteError", "check_nan_inf"]


class NotFiniteError(OpError, FloatingPointError):
    """An op made a NaN or an infinity."""


class Check(Observer):
    """Checks the results and the gradients of every op."""

    def __init__(self) -> None:
        self.lines: WeakKeyDictionary[Node, Callsite | None] = WeakKeyDictionary()
        self.values: dict[str, Any] = {}

    def op_end(
        self,
        op: str,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        attrs: Mapping[str, Any],
        node: Node | None,
    ) -> None:
        """Check the results of an op on Tensors."""
        if node is not None:  # the backward pass has no line of its own
            self.lines[node] = callsite()
        for tensor in outputs:
            if not is_finite(tensor.data):
                names = names_of(op, len(inputs))
                named_inputs = list(zip(names, inputs, strict=False))
                raise not_finite(op, tensor.data, named_inputs)

    def grad_flows(self, node: Node | None, index: int, target: Any, grad: Any) -> None:
        """Check the gradient that a node's rule has computed for one of its inputs."""
        array = getattr(grad, "data", grad) if hasattr(grad, "node") else grad
        if node is None or is_finite(array):
            return
        names = names_of(node.op.type, len(node.edges))
        slots = node.op.rule.saved if node.op.rule is not None else ()
        saved_tensors = list(zip(slots, node.saved or (), strict=False))
        what = f"the gradient for {names[index]}"
        where = self.lines.get(node)
        raise not_finite(f"{node.op.type}_grad", array, saved_tensors, what, where)

    def run_begin(self, program: Any, feed: Mapping[str, Any]) -> None:
        """Remember the feed, for the message of an error."""
        self.values = {name: np.asarray(value) for name, value in feed.items()}

    def run_op(self, operator: Operator, outputs: Mapping[str, Any]) -> None:
        """Check the outputs of an Operator of the running program."""
        for name, value in outputs.items():
            if isinstance(value, np.ndarray) and not is_finite(value):
                read = [n for n in operator.input_arg_names if n in self.values]
                named_inputs = [(n, self.values[n]) for n in read]
                where = (operator.twin or operator).callsite
                raise not_finite(operator.type, value, named_inputs, repr(name), where)
        self.values.update(outputs)

    def run_end(self, program: Any) -> None:
        """Release the values of the run."""
        self.values = {}


class check_nan_inf:  # noqa: N801  a verb, as in Paddle
    """Stop at the first op that makes a NaN or an infinity, and show it.

    The check holds from the call on; as a context manager until the end of its block.
    The error names the op, its inputs and the user's line; for a gradient, the line of
    the forward op. Programs run operator by operator meanwhile.

    Args:
        enabled: True to stop from now on, False to check no more.

    Raises:
        NotFiniteError: From within the op, at the user's line.
        InvalidValueError: `enabled` is neither True nor False.

    In Paddle this is `FLAGS_check_nan_inf`; in PyTorch `detect_anomaly`.

    >>> import teachgraph as tg
    >>> with tg.check_nan_inf():
    ...     y = tg.log(tg.to_tensor([1.0, -1.0]))
    Traceback (most recent call last):
    teachgraph_widgets.finite.NotFiniteError: log made 1 NaN in 2 elements...
    """

    def __init__(self, enabled: bool = True) -> None:
        if not isinstance(enabled, bool):
            message = f"check_nan_inf takes True or False, got {enabled!r}"
            raise InvalidValueError.here(message)
        self.before = [o for o in observers if isinstance(o, Check)]
        self.now = [Check()] if enabled else []
        switch(self.before, self.now)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        switch(self.now, self.before)


def is_on() -> bool:
    """True while a check is on."""
    return any(isinstance(observer, Check) for observer in observers)


def switch(off: Sequence[Check], on: Sequence[Check]) -> None:
    """Remove some checks from the observers and add others."""
    for check in off:
        if check in observers:
            detach(check)
    for check in on:
        attach(check)


def is_finite(array: Any) -> bool:
    """True if all elements are finite; anything but a float array is."""
    if not isinstance(array, np.ndarray) or array.dtype.kind != "f":
        return True
    # A finite sum proves it, without a mask as large as the array. The sum of finite
    # elements may overflow, so only then the elements decide.
    with np.errstate(all="ignore"):
        return bool(np.isfinite(array.sum()) or np.isfinite(array).all())


def not_finite(
    op: str,
    array: Any,
    named_inputs: Sequence[tuple[str, Any]],
    what: str = "",
    where: Callsite | None = None,
) -> NotFiniteError:
    """Return the error: the op, its NaN and infinities, its inputs, the line."""
    reason = f"{counted(array)} in {array.size} elements"
    lines = [f"{op} made {reason}" + (f" of {what}" if what else "")]
    lines += [f"  {slot}: {described(value)}" for slot, value in named_inputs]
    error = NotFiniteError(at_user_line("\n".join(lines), where))
    error.reason, error.op, error.where = reason, op, where or callsite()
    return error


def described(value: Any) -> str:
    """Describe an input, with the range of its finite elements.

    >>> described(np.array([[1.0, np.nan, -2.0]]))
    'ndarray float64 [1, 3], from -2 to 1, 1 NaN'
    """
    array = value if isinstance(value, np.ndarray) else getattr(value, "data", None)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iuf":
        return describe(value)
    finite = array[np.isfinite(array)]
    text = describe(value)
    if finite.size:
        text += f", from {float(finite.min()):.4g} to {float(finite.max()):.4g}"
    return text if finite.size == array.size else f"{text}, {counted(array)}"


def counted(array: Any) -> str:
    """Count the NaN and the infinities, as text."""
    nan, inf = int(np.isnan(array).sum()), int(np.isinf(array).sum())
    infinities = f"{inf} {'infinity' if inf == 1 else 'infinities'}"
    parts = [f"{nan} NaN"] * (nan > 0) + [infinities] * (inf > 0)
    return " and ".join(parts)


def names_of(op: str, count: int) -> Sequence[str]:
    """Return the slots of an op's inputs; numbers for an op that is not registered."""
    try:
        return [slot_name(name) for name in find(op).parameter_names(count)]
    except UnknownOpError:
        return [f"input {i}" for i in range(count)]
