"""`Print` and `Assert`: a look at a value while a program runs, or as Python runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.ops.functions import cast
from teachgraph.ops.print_assert import assert_, print_
from teachgraph.static.program import current_block
from teachgraph.static.variable import Variable

__all__ = ["Assert", "Print"]

_numbers = count(1)


def Print(  # noqa: N802  Paddle's name
    input: Any,
    first_n: int = -1,
    message: str | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_phase: str = "both",
    **_: Any,
) -> Any:
    """The tensor itself, which is printed each time it is computed.

    Args:
        input: A tensor.
        first_n: How often to print at most; any number of times if negative.
        message: What to print before it.
        summarize: How many elements to print at most; all if negative.
        print_tensor_name: Print its name, too.
        print_phase: `forward`, `backward` (its gradient) or `both`.

    Raises:
        InvalidValueError: `print_phase` is none of these.

    In Paddle this is `paddle.static.Print`.

    >>> import teachgraph as tg
    >>> x = Print(tg.to_tensor([1.0, 2.0]), message="x is")
    x is: float32 [2] [1.0, 2.0]
    """
    phase = print_phase.upper()
    if phase not in ("FORWARD", "BACKWARD", "BOTH"):
        raise InvalidValueError(f"print_phase is forward, backward or both: {phase}")
    return print_(
        input,
        first_n=first_n,
        message=message or "",
        summarize=summarize,
        name=(getattr(input, "name", "") or "")
        if has_printed_name(input, print_tensor_name)
        else "",
        print_phase=phase,
        number=next(_numbers),
    )


def has_printed_name(value: Any, wanted: bool) -> bool:
    """Say if a name is printed: a Variable has one that its program shows."""
    return wanted and isinstance(value, Variable)


def Assert(  # noqa: N802  Paddle's name
    cond: Any, data: Sequence[Any] = (), summarize: int = 20, name: str | None = None
) -> None:
    """Stop with an error, as soon as the program computes it, unless `cond` holds.

    Args:
        cond: One boolean.
        data: Tensors that the message shows.
        summarize: How many elements of each, all if negative.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: It does not hold.

    In Paddle this is `paddle.static.nn.control_flow.Assert`.
    """
    shown = list(data or ())
    if not isinstance(cond, Variable):
        values = [getattr(x, "numpy", lambda x=x: x)() for x in (cond, *shown)]
        assert_(*values, summarize=summarize)
        return
    slots = {
        "Cond": cast(cond, "bool") if cond.dtype != "bool" else cond,
        "Data": shown,
    }
    current_block().append_op(assert_.type, slots, {}, {"summarize": summarize})
