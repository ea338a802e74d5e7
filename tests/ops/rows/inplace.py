"""Rows for `teachgraph/ops/inplace.py`."""

from __future__ import annotations

from tests.ops.contract import EVERY, Case, Row
from tests.ops.values import numbers, turned

ROWS = (
    Row(
        "overwritten_by",
        (
            Case("scalar", (numbers(), numbers(start=9)), constant=(1,)),
            Case("1-D", (numbers(5), numbers(5, start=9)), constant=(1,)),
            Case("empty", (numbers(0, 2), numbers(0, 2)), constant=(1,)),
            Case(
                "not contiguous",
                (turned(numbers(3, 2)), turned(numbers(3, 2, start=9))),
                constant=(1,),
            ),
        ),
        lambda x, y: y,
        lambda t, x, y: y + 0.0 * x,
        accepts=EVERY,
        lacks={"broadcast": "what overwrites has the shape of what is overwritten"},
    ),
)
