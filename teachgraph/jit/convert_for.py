"""`for` at run time: Python's own over a known length, else a loop of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from teachgraph.control_flow.arrays import ARRAY, array_length, array_read
from teachgraph.errors import ConversionError
from teachgraph.jit.container_changes import convert_outside
from teachgraph.jit.convert_ifelse import convert_ifelse
from teachgraph.jit.convert_logical import convert_logical_not
from teachgraph.jit.convert_raise import required
from teachgraph.jit.convert_while import tensor_while
from teachgraph.jit.tracing import as_variable
from teachgraph.ops import functions
from teachgraph.static.variable import Variable

__all__ = [
    "Counted",
    "as_counted",
    "convert_enumerate",
    "convert_for",
    "convert_range",
    "convert_reversed",
    "convert_zip",
]


class Counted:
    """An iterable of a length that is known only when the program runs.

    Attributes:
        length: The number of items, a Variable.
        at: Returns the item at an index.
    """

    def __init__(self, length: Any, at: Callable[[Any], Any]) -> None:
        self.length, self.at = length, at

    def __iter__(self) -> Any:
        raise ConversionError.here(
            "how many rounds there are is known only when the program runs: write "
            "a `for` statement, not an expression"
        )


def as_counted(value: Any) -> Counted | None:
    """Return a tensor of unknown length, or a tensor array, as a `Counted`."""
    if isinstance(value, Counted):
        return value
    if not isinstance(value, Variable):
        return None
    if value.type == ARRAY:
        length = functions.reshape(array_length(value), [])
        return Counted(length, lambda i: array_read(value, functions.reshape(i, [1])))
    if value.shape and value.shape[0] == -1:
        return Counted(size(value, 0), lambda i: value[i])
    return None


def size(value: Variable, axis: int) -> Any:
    """Return a size that is known only when the program runs."""
    from teachgraph.jit.convert_shape import size_of

    return size_of(value, axis)


def convert_range(*bounds: Any) -> Any:
    """`range(...)`, also with bounds that are tensors."""
    bounds = tuple(as_variable(bound) for bound in bounds)
    if not any(isinstance(bound, Variable) for bound in bounds):
        return range(*bounds)
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    length = range_length(start, stop, step)
    return Counted(length, lambda i: range_index(i * step + start))


class RangeIndex(Variable):
    """A number of a range: in Python it is an int, so it divides like one."""

    def __rtruediv__(self, other: Any) -> Any:
        """Divide by it; the program stops where Python would."""
        required(self != 0, ZeroDivisionError, "division by zero")
        return super().__rtruediv__(other)


def range_index(value: Any) -> Any:
    """Turn a Variable that was just computed into a `RangeIndex`."""
    if type(value) is Variable:
        value.__class__ = RangeIndex
    return value


def range_length(start: Any, stop: Any, step: Any) -> Any:
    """Compute the length of a range: the ceiling of (stop - start) / step, or 0."""
    distance = stop - start
    if isinstance(step, Variable) or step not in (1, -1):
        length = (distance + step + (-1 if positive(step) else 1)) // step
        if isinstance(step, Variable):
            # Its sign is unknown: the ceiling as a negated floor does without.
            length = -((-distance) // step)
    else:
        length = distance * step
    return functions.cast(
        functions.maximum(length, functions.zeros_like(length)), "int64"
    )


def positive(step: Any) -> bool:
    """True for a positive number of Python."""
    return not isinstance(step, Variable) and step > 0


def convert_enumerate(values: Any, start: Any = 0) -> Any:
    """`enumerate(...)`, also over tensors."""
    values = as_variable(values)
    items = as_counted(values)
    if items is None:
        return enumerate(values, start)
    return Counted(items.length, lambda i: (i + start, items.at(i)))


def convert_reversed(values: Any) -> Any:
    """`reversed(...)`, also over tensors."""
    values = as_variable(values)
    items = as_counted(values)
    if items is None:
        return reversed(values)
    return Counted(items.length, lambda i: items.at(items.length - 1 - i))


def convert_zip(*values: Any, strict: bool = False) -> Any:
    """`zip(...)`, also over tensors."""
    values = tuple(as_variable(value) for value in values)
    items = [as_counted(value) for value in values]
    if all(one is None for one in items):
        return zip(*values, strict=strict)
    lengths = [
        one.length if one is not None else functions.full([], len(value), "int64")
        for one, value in zip(items, values, strict=True)
    ]
    shortest = lengths[0]
    for length in lengths[1:]:
        shortest = functions.minimum(shortest, length)

    def at(i: Any) -> tuple[Any, ...]:
        pairs = zip(items, values, strict=True)
        return tuple(v[i] if one is None else one.at(i) for one, v in pairs)

    return Counted(shortest, at)


def convert_for(
    values: Any,
    body: Callable[..., tuple[Any, ...]],
    state: tuple[Any, ...],
    names: Sequence[str],
    stop: int | None = None,
) -> tuple[Any, ...]:
    """`for item in values: body(item, ...)`.

    Args:
        values: The iterable.
        body: Takes an item and the variables; returns the variables.
        state: The variables before the loop.
        names: Their names.
        stop: The place of the variable that ends the loop, if there is one.
    """
    values = as_variable(values)
    items = as_counted(values)
    if items is not None:
        return counted_for(items, body, state, names, stop)
    if isinstance(values, Iterator):
        convert_outside(values)
    for item in values:
        done = False if stop is None else state[stop]
        if as_variable(done) is True:
            break
        state = iteration(done, body, item, state, names)
    return state


def iteration(
    done: Any,
    body: Callable[..., tuple[Any, ...]],
    item: Any,
    state: tuple[Any, ...],
    names: Sequence[str],
) -> tuple[Any, ...]:
    """Run one iteration of Python's loop, under an `if` when a tensor may end it."""
    if done is False:
        return body(item, *state)
    going = convert_logical_not(done)
    return convert_ifelse(
        going, lambda *now: body(item, *now), lambda *now: now, state, names
    )


def counted_for(
    values: Counted,
    body: Callable[..., tuple[Any, ...]],
    state: tuple[Any, ...],
    names: Sequence[str],
    stop: int | None,
) -> tuple[Any, ...]:
    """Append a loop over an index, whose end is known when the program runs."""
    start = functions.full([], 0, "int64")

    def test(i: Any, *now: Any) -> Any:
        more = i < values.length
        if stop is None or now[stop] is False:
            return more
        return functions.logical_and(more, convert_logical_not(now[stop]))

    def indexed_body(i: Any, *now: Any) -> tuple[Any, ...]:
        return (i + 1, *body(values.at(i), *now))

    condition = test(start, *state)
    own, own_names = (start, *state), ("the round", *names)
    return tensor_while(test, condition, indexed_body, own, own_names)[1:]
