"""`tg.check_nan_inf()`: stops at the first op that makes a NaN or an infinity.

The one observer that raises: whoever turns it on wants the program to stop there. It
looks at every result and every gradient, so it costs a pass over each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from teachgraph.core.callsite import Callsite, callsite
from teachgraph.core.errors import (
    InvalidValueError,
    OpError,
    UnknownOpError,
    at_user_line,
    describe,
)
from teachgraph.core.observe import Observer, attach, detach, observers
from teachgraph.core.op import find, slot_name
from teachgraph.core.tape import Node
from teachgraph.static.operator import Operator

__all__ = ["NotFiniteError", "check_nan_inf"]


class NotFiniteError(OpError, FloatingPointError):
    """An op made a NaN or an infinity."""


class Check(Observer):
    """Looks at what every op computes, on the way forward and on the way back."""

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
        """An op ran on Tensors."""
        if node is not None:
            self.lines[node] = callsite()
        for tensor in outputs:
            if not is_finite(tensor.data):
                names = names_of(op, len(inputs))
                given = list(zip(names, inputs, strict=False))
                raise not_finite(op, tensor.data, given)

    def grad_flows(self, node: Node | None, index: int, target: Any, grad: Any) -> None:
        """A node's rule has computed the gradient of one of its inputs."""
        array = getattr(grad, "data", grad) if hasattr(grad, "node") else grad
        if node is None or is_finite(array):
            return
        names = names_of(node.op.type, len(node.edges))
        kept = node.op.rule.saved if node.op.rule is not None else ()
        given = list(zip(kept, node.saved or (), strict=False))
        what = f"the gradient for {names[index]}"
        where = self.lines.get(node)
        raise not_finite(f"{node.op.type}_grad", array, given, what, where)

    def run_begin(self, program: Any, feed: Mapping[str, Any]) -> None:
        """A run starts with what it is fed."""
        self.values = dict(feed)

    def run_op(self, operator: Operator, outputs: Mapping[str, Any]) -> None:
        """An Operator of a running program has computed."""
        for name, value in outputs.items():
            if isinstance(value, np.ndarray) and not is_finite(value):
                read = [n for n in operator.input_arg_names if n in self.values]
                given = [(n, self.values[n]) for n in read]
                where = (operator.twin or operator).callsite
                raise not_finite(operator.type, value, given, repr(name), where)
        self.values.update(outputs)

    def run_end(self, program: Any) -> None:
        """What the run computed is let go of."""
        self.values = {}


class check_nan_inf:  # noqa: N801  a verb, as in Paddle
    """Stop at the first op that makes a NaN or an infinity, and show it.

    Holds from the call on; as a context manager until the end of its block. The error
    names the op, the user's line and what the op was given; of a gradient, the line of
    the op whose gradient it is. Programs run operator by operator meanwhile.

    Args:
        enabled: Whether to stop from now on.

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
            told = f"check_nan_inf takes True or False, got {enabled!r}"
            raise InvalidValueError(at_user_line(told))
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
    """Whether a NaN would be found."""
    return any(isinstance(observer, Check) for observer in observers)


def switch(off: Sequence[Check], on: Sequence[Check]) -> None:
    """Let some look no more, and others from now on."""
    for check in off:
        if check in observers:
            detach(check)
    for check in on:
        attach(check)


def is_finite(array: Any) -> bool:
    """Whether all elements are finite; a finite sum says so at once."""
    if not isinstance(array, np.ndarray) or array.dtype.kind != "f":
        return True
    with np.errstate(all="ignore"):
        return bool(np.isfinite(array.sum()) or np.isfinite(array).all())


def not_finite(
    op: str,
    array: Any,
    given: Sequence[tuple[str, Any]],
    what: str = "",
    where: Callsite | None = None,
) -> NotFiniteError:
    """The error: what was made, out of what, and where."""
    made = f"{counted(array)} in {array.size} elements"
    lines = [f"{op} made {made}" + (f" of {what}" if what else "")]
    lines += [f"  {slot}: {described(value)}" for slot, value in given]
    error = NotFiniteError(at_user_line("\n".join(lines), where))
    error.reason, error.op, error.where = made, op, where or callsite()
    return error


def described(value: Any) -> str:
    """An input, with the range of what it holds.

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
    """How many NaN and infinities there are."""
    nan, inf = int(np.isnan(array).sum()), int(np.isinf(array).sum())
    infinities = f"{inf} {'infinity' if inf == 1 else 'infinities'}"
    parts = [f"{nan} NaN"] * (nan > 0) + [infinities] * (inf > 0)
    return " and ".join(parts)


def names_of(op: str, count: int) -> Sequence[str]:
    """The names of an op's inputs, as far as it is one of ours."""
    try:
        return [slot_name(name) for name in find(op).parameter_names(count)]
    except UnknownOpError:
        return [f"input {i}" for i in range(count)]
