"""`for` at run time: over what Python can count, its own; over the rest, a loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.control_flow.arrays import ARRAY, array_length, array_read
from teachgraph.core.errors import ConversionError, at_user_line
from teachgraph.jit.convert_ifelse import convert_ifelse
from teachgraph.jit.convert_logical import convert_logical_not
from teachgraph.jit.convert_raise import required
from teachgraph.jit.convert_while import tensor_while
from teachgraph.jit.tracing import as_variable
from teachgraph.ops import functions
from teachgraph.static.variable import Variable

__all__ = [
    "Counted",
    "convert_enumerate",
    "convert_for",
    "convert_range",
    "convert_reversed",
    "convert_zip",
    "counted",
]


class Counted:
    """What can be gone through by number, when the program runs.

    Attributes:
        length: How many there are: a Variable.
        at: The one at a place.
    """

    def __init__(self, length: Any, at: Callable[[Any], Any]) -> None:
        self.length, self.at = length, at

    def __iter__(self) -> Any:
        raise ConversionError(
            at_user_line(
                "how many rounds there are is known only when the program runs: write "
                "a `for` statement, not an expression"
            )
        )


def counted(value: Any) -> Counted | None:
    """A tensor whose length is not known yet as what can be gone through by number."""
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
    """A size that is known only when the program runs."""
    from teachgraph.jit.convert_shape import size_of

    return size_of(value, axis)


def convert_range(*bounds: Any) -> Any:
    """`range(...)`, of tensors or not."""
    given = [as_variable(bound) for bound in bounds]
    if not any(isinstance(bound, Variable) for bound in given):
        return range(*given)
    start, stop, step = (0, given[0], 1) if len(given) == 1 else (*given, 1)[:3]
    return Counted(rounds(start, stop, step), lambda i: whole(i * step + start))


class Whole(Variable):
    """A number of a range: without a program it is Python's, not a tensor."""

    def __rtruediv__(self, other: Any) -> Any:
        """A number by it; the program stops where Python would."""
        required(self != 0, ZeroDivisionError, "division by zero")
        return super().__rtruediv__(other)


def whole(value: Any) -> Any:
    """What was computed just now as a number of a range."""
    if type(value) is Variable:
        value.__class__ = Whole
    return value


def rounds(start: Any, stop: Any, step: Any) -> Any:
    """How many numbers a range has: the ceiling of (stop - start) / step, or 0."""
    distance = stop - start
    if isinstance(step, Variable) or step not in (1, -1):
        whole = (distance + step + (-1 if positive(step) else 1)) // step
        if isinstance(step, Variable):
            whole = -((-distance) // step)
    else:
        whole = distance * step
    return functions.cast(
        functions.maximum(whole, functions.zeros_like(whole)), "int64"
    )


def positive(step: Any) -> bool:
    """Whether a step of Python's goes up."""
    return not isinstance(step, Variable) and step > 0


def convert_enumerate(values: Any, start: Any = 0) -> Any:
    """`enumerate(...)`, of tensors or not."""
    given = as_variable(values)
    found = counted(given)
    if found is None:
        return enumerate(given, start)
    return Counted(found.length, lambda i: (i + start, found.at(i)))


def convert_reversed(values: Any) -> Any:
    """`reversed(...)`, of tensors or not."""
    given = as_variable(values)
    found = counted(given)
    if found is None:
        return reversed(given)
    return Counted(found.length, lambda i: found.at(found.length - 1 - i))


def convert_zip(*values: Any, strict: bool = False) -> Any:
    """`zip(...)`, of tensors or not."""
    given = [as_variable(value) for value in values]
    found = [counted(value) for value in given]
    if all(one is None for one in found):
        return zip(*given, strict=strict)
    lengths = [
        one.length if one is not None else functions.full([], len(value), "int64")
        for one, value in zip(found, given, strict=True)
    ]
    shortest = lengths[0]
    for length in lengths[1:]:
        shortest = functions.minimum(shortest, length)

    def at(i: Any) -> tuple[Any, ...]:
        pairs = zip(found, given, strict=True)
        return tuple(v[i] if one is None else one.at(i) for one, v in pairs)

    return Counted(shortest, at)


def convert_for(
    values: Any,
    body: Callable[..., tuple[Any, ...]],
    given: tuple[Any, ...],
    names: Sequence[str],
    stop: int | None = None,
) -> tuple[Any, ...]:
    """`for item in values: body(item, ...)`.

    Args:
        values: What is gone through.
        body: Takes an item and the variables; returns the variables.
        given: The variables as they are before.
        names: What they are called.
        stop: The place of the variable that ends the loop, if there is one.
    """
    values = as_variable(values)
    found = counted(values)
    if found is not None:
        return counted_for(found, body, given, names, stop)
    for item in values:
        done = False if stop is None else given[stop]
        if as_variable(done) is True:
            break
        given = one_round(done, body, item, given, names)
    return given


def one_round(
    done: Any,
    body: Callable[..., tuple[Any, ...]],
    item: Any,
    given: tuple[Any, ...],
    names: Sequence[str],
) -> tuple[Any, ...]:
    """One round of Python's loop, unless the loop is done by then."""
    if done is False:
        return body(item, *given)
    going = convert_logical_not(done)
    return convert_ifelse(
        going, lambda *now: body(item, *now), lambda *now: now, given, names
    )


def counted_for(
    values: Counted,
    body: Callable[..., tuple[Any, ...]],
    given: tuple[Any, ...],
    names: Sequence[str],
    stop: int | None,
) -> tuple[Any, ...]:
    """A loop whose rounds are counted when the program runs."""
    start = functions.full([], 0, "int64")

    def test(i: Any, *now: Any) -> Any:
        more = i < values.length
        if stop is None or now[stop] is False:
            return more
        return functions.logical_and(more, convert_logical_not(now[stop]))

    def round_(i: Any, *now: Any) -> tuple[Any, ...]:
        return (i + 1, *body(values.at(i), *now))

    return tensor_while(test, round_, (start, *given), ("the round", *names))[1:]
