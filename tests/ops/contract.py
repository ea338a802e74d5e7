"""What a row of the table says of an op.

Everything here is NumPy alone: the script that asks PyTorch reads the same rows in an
environment that has no `teachgraph`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.ops.values import numbers, turned

Array = np.ndarray[Any, Any]

FLOATS = ("float32", "float64")
NUMBERS = (*FLOATS, "int64")
EVERY = (*NUMBERS, "bool")

SHAPES = ("scalar", "1-D", "broadcast", "empty", "not contiguous")
"""What the inputs of every op are tried in; a row says why where it is not."""


@dataclass(frozen=True)
class Case:
    """One call of an op.

    Attributes:
        label: What is special about it: one of `SHAPES`, or in a word.
        inputs: The arrays, None for one that is left out.
        attrs: The attributes.
        smooth: Whether there is a derivative to compare finite differences with.
        constant: Positions of floating inputs that get no gradient.
        differs: Why PyTorch's gradient is another one here.
        paddle: The gradients measured with Paddle 2.6.2, as a function of the gradient
            that arrives; given where PyTorch's differ.
    """

    label: str
    inputs: tuple[Array | None, ...] = ()
    attrs: Mapping[str, Any] = field(default_factory=dict)
    smooth: bool = True
    constant: tuple[int, ...] = ()
    differs: str = ""
    paddle: Callable[[Array], tuple[Array, ...]] | None = None

    def variables(self) -> list[int]:
        """The positions of the inputs that get a gradient."""
        return [
            i
            for i, x in enumerate(self.inputs)
            if x is not None and x.dtype.kind == "f" and i not in self.constant
        ]


@dataclass(frozen=True)
class Wrong:
    """A call that cannot be right.

    Attributes:
        label: What is wrong.
        inputs: The arrays.
        attrs: The attributes.
        error: The name of the class in `teachgraph.core.errors`.
        says: Words that the message must have.
        by_value: Whether it takes the values to see it, not only shapes and dtypes.
    """

    label: str
    inputs: tuple[Any, ...]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    error: str = "ShapeError"
    says: str = ""
    by_value: bool = False
    known: tuple[int, ...] = ()


@dataclass(frozen=True, repr=False)
class Row:
    """One op, and all that holds of it.

    Attributes:
        op: Its type.
        cases: Calls of it.
        value: The same result by other means: plain loops, or NumPy in another way.
        twin: PyTorch's function, called as twin(torch, *inputs, **attrs).
        lonely: Why PyTorch has no twin, where it has none.
        accepts: The dtypes that its floating inputs may be given in instead.
        refuses: Those that it must refuse; by default, every other one.
        gives: For an input dtype and the attributes, the dtype of each output.
        wrong: Calls that are refused.
        lacks: Why there is no case of a kind in `SHAPES`.
        gradient: Whether the op has a derivative.
        updates: The position of an input that the result is stored in, or None.
        inner: Whether only rules call it, with inputs that are known to fit.
        by_value: Whether the sizes of its outputs depend on values.
        known: The positions of inputs whose sizes a program always knows: weights.
    """

    op: str
    cases: tuple[Case, ...]
    value: Callable[..., Any]
    twin: Callable[..., Any] | None = None
    lonely: str = ""
    accepts: tuple[str, ...] = FLOATS
    refuses: tuple[str, ...] | None = None
    gives: Callable[[str, Mapping[str, Any]], tuple[str, ...]] = lambda dtype, attrs: (
        dtype,
    )
    wrong: tuple[Wrong, ...] = ()
    lacks: Mapping[str, str] = field(default_factory=dict)
    gradient: bool = True
    updates: int | None = None
    inner: bool = False
    by_value: bool = False
    known: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return f"the row of {self.op}"

    def refused(self) -> list[str]:
        """The dtypes that are errors."""
        if self.refuses is not None:
            return list(self.refuses)
        return [dtype for dtype in EVERY if self.accepts and dtype not in self.accepts]


def always(*dtypes: str) -> Callable[[str, Mapping[str, Any]], tuple[str, ...]]:
    """Outputs whose dtypes do not follow the input's."""
    return lambda dtype, attrs: dtypes


def each(function: Callable[[float], float]) -> Callable[..., Array]:
    """Apply a function of one number to every element."""
    return np.vectorize(function, otypes=[float])


def unary(make: Callable[..., Array] = numbers, **attrs: Any) -> tuple[Case, ...]:
    """Every kind of shape for an op of one input."""
    return (
        Case("scalar", (make(),), attrs),
        Case("1-D", (make(5),), attrs),
        Case("2-D", (make(4, 3),), attrs),
        Case("empty", (make(0, 3),), attrs),
        Case("not contiguous", (turned(make(4, 5)),), attrs),
    )


def binary(make: Callable[..., Array] = numbers) -> tuple[Case, ...]:
    """Every kind of shape for an op of two inputs that broadcast."""

    def second(*shape: int) -> Array:
        return make(*shape, start=400)

    return (
        Case("scalar", (make(), second())),
        Case("1-D", (make(5), second(5))),
        Case("2-D", (make(4, 5), second(4, 5))),
        Case("broadcast", (make(4, 5), second(5))),
        Case("broadcast the first", (make(5), second(4, 5))),
        Case("broadcast both", (make(4, 1, 3), second(5, 1))),
        Case("broadcast a scalar", (make(4, 3), second())),
        Case("broadcast at an axis", (make(4, 5, 3), second(4, 5)), {"axis": 0}),
        Case("broadcast at axis 1", (make(4, 5, 3), second(5)), {"axis": 1}),
        Case("empty", (make(0, 3), second(3))),
        Case("empty, broadcast up", (make(1, 3), second(0, 1))),
        Case("not contiguous", (turned(make(4, 5)), turned(second(5)))),
    )


def beside(x: Any, y: Any, axis: int) -> Any:
    """`y` (an array or a PyTorch tensor) with trailing ones, to start at `axis`."""
    trailing = 0 if axis == -1 else x.ndim - axis - y.ndim
    return y.reshape(tuple(y.shape) + (1,) * trailing)


def pairwise(function: Callable[[Any, Any], Any]) -> Callable[..., Array]:
    """Apply a function of two numbers to every pair."""

    def value(x: Array, y: Array, axis: int = -1) -> Array:
        x, y = np.broadcast_arrays(x, beside(x, y, axis))
        pairs = zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)
        results = [function(a, b) for a, b in pairs]
        return np.array(results, bool if bool in map(type, results) else float).reshape(
            x.shape
        )

    return value


UNARY_LACKS = {"broadcast": "one input"}

PAIR_WRONG = (
    Wrong("sizes that differ", (numbers(4, 5), numbers(4))),
    Wrong("sizes that differ, one empty", (numbers(0), numbers(4))),
    Wrong("ranks that do not help", (numbers(2, 3, 4), numbers(2, 3))),
    Wrong(
        "an axis too far right",
        (numbers(4, 5), numbers(5)),
        {"axis": 2},
        "ShapeError",
    ),
    Wrong("an axis where sizes differ", (numbers(4, 5), numbers(5)), {"axis": 0}),
)
