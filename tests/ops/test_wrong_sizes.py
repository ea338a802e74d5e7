"""What is wrong with unknown sizes is told as it was declared, not as it was tried."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import pytest

from teachgraph import static
from teachgraph.core.errors import OpError
from teachgraph.core.op import find
from teachgraph.ops import shape_errors
from teachgraph.static import size_search as infer
from tests.ops.contract import Row, Wrong
from tests.ops.lives import in_static_mode, op_of
from tests.ops.table import mistakes

pytestmark = pytest.mark.further

BY_SHAPE = [pair for pair in mistakes() if not pair[1].by_value and pair[1].inputs]
ROWS = [
    (row, [w for _, w in pairs]) for row, pairs in groupby(BY_SHAPE, lambda p: p[0])
]
"""Each op with its mistakes that show in shapes and dtypes."""

MOST_UNKNOWN = 3
"""With more of them thousands of sizes are tried."""

Declared = Callable[[Wrong, set[int]], list[list[int]]]


def batch(wrong: Wrong, known: set[int]) -> list[list[int]]:
    """The shapes, with an unknown first size of the first input."""
    first, *others = (list(x.shape) for x in wrong.inputs)
    return [[-1, *first[1:]] if first and 0 not in known else first, *others]


def ends(wrong: Wrong, known: set[int]) -> list[list[int]]:
    """The shapes, with unknown first and last sizes."""
    shapes = [list(x.shape) for x in wrong.inputs]
    for i, shape in enumerate(shapes):
        if shape and i not in known:
            shape[0] = shape[-1] = -1
    return shapes


def refusals(row: Row, wrongs: list[Wrong], declared: Declared) -> dict[str, str]:
    """What an op says of each mistake while a program is built, if it shows then."""
    told = {}
    for wrong in wrongs:
        shapes = declared(wrong, {*row.known, *wrong.known})
        if sum(shape.count(-1) for shape in shapes) > MOST_UNKNOWN:
            continue
        with static.program_guard(static.Program()), in_static_mode():
            pairs = zip(shapes, wrong.inputs, strict=True)
            inputs = [
                static.data(f"x{i}", shape, x.dtype)
                for i, (shape, x) in enumerate(pairs)
            ]
            try:
                op_of(row)(*inputs, **wrong.attrs)
            except OpError as error:
                told[wrong.label] = str(error)
                check(error, row, inputs)
    return told


def check(error: OpError, row: Row, inputs: list[static.Variable]) -> None:
    """The message names the op, the variables as they were declared, and this file."""
    assert error.op == row.op
    assert __file__ in str(error)
    for v in inputs:
        assert f"{v.dtype} {list(v.shape)}  ({v.name})" in str(error)


@pytest.mark.parametrize("declared", [batch, ends])
@pytest.mark.parametrize(("row", "wrongs"), ROWS, ids=[row.op for row, _ in ROWS])
def test_what_was_tried_does_not_show(
    row: Row, wrongs: list[Wrong], declared: Declared, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = refusals(row, wrongs, declared)
    monkeypatch.setattr(infer, "TRIAL_SIZES", (7, 5))
    monkeypatch.setattr(shape_errors, "PRIMES", shape_errors.PRIMES[3:])
    again = refusals(row, wrongs, declared)
    assert {n: told[n] for n in told.keys() & again} == {
        n: again[n] for n in told.keys() & again
    }


def reason(op: str, *shapes: list[int], dtype: str = "float32", **attrs: object) -> str:
    """Why an op cannot take what has these shapes."""
    with static.program_guard(static.Program()), in_static_mode():
        inputs = [static.data(f"x{i}", s, dtype) for i, s in enumerate(shapes)]
        with pytest.raises(OpError) as caught:
            find(op)(*inputs, **attrs)
    return str(caught.value).split("\n")[0].partition("inputs: ")[2]


TOLD = {
    "unknown": (
        ("elementwise_add", [-1, 5], [4]),
        "operands could not be broadcast together with shapes (-1,5) (4,)",
    ),
    "known, whatever else is not": (
        ("mul", [-1, 2, 3], [5, 4]),
        "X has 6 columns, Y has 5 rows",
    ),
    "that depends on an unknown one": (
        ("mul", [2, -1, 3], [5, 4]),
        "X has ? columns, Y has 5 rows",
    ),
    "that shows once batches agree": (
        ("bmm", [-1, 4, 3], [2, 4, 5]),
        "the first has 3 columns, the second 4 rows",
    ),
    "that must be taken for granted": (
        ("solve", [-1, 3], [2]),
        "[2] has not 3 rows (where -1 is 3)",
    ),
    "of a bias, once columns agree": (
        ("fc", [-1, -1], [4, 2], [3]),
        "a bias [3] for 2 columns",
    ),
}


@pytest.mark.parametrize("size", TOLD)
def test_a_size_is_told_as_declared(size: str) -> None:
    call, told = TOLD[size]
    assert reason(*call) == told
