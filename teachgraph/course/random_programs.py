"""Random programs that the checks of lessons 11 and C2 give to a learner's code.

A program is plain data: for each operator what it reads and what it writes, by
position. Position 0 is the input; a negative position is a parameter, "" an output that
nobody wants, and a fraction a constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["drawn", "written"]

Row = list[list[Any]]


def drawn(seed: int, *, of_all: bool = True) -> tuple[list[Row], list[int]]:
    """Draw a program of 2 to 11 operators, and one or two positions to fetch.

    Args:
        seed: Of the generator.
        of_all: The input and the parameter may be fetched as well.

    >>> rows, fetch = drawn(2)
    >>> len(rows), fetch == drawn(2)[1]
    (10, True)
    """
    draw = np.random.default_rng(seed)
    rows: list[Row] = []
    known: list[Any] = [0, -1]
    for step in range(int(draw.integers(2, 12))):
        reads = [
            known[int(i)] for i in draw.integers(len(known), size=draw.integers(4))
        ]
        if draw.random() < 0.3:
            reads.insert(int(draw.integers(len(reads) + 1)), 0.5)
        new = 2 * step + 1
        kinds: list[list[Any]] = [[new], [new], ["", new], [new, new + 1], [-1]]
        writes = kinds[draw.integers(5)]
        rows.append([reads, writes])
        known += [one for one in writes if one not in ("", -1)]
    choice = known if of_all else known[2:] or [0]
    fetch = draw.choice(choice, min(len(choice), 1 + seed % 2), replace=False)
    return rows, [int(one) for one in fetch]


def written(mine: Any, rows: Sequence[Row]) -> tuple[Any, dict[Any, Any]]:
    """Write a program with the learner's classes.

    Args:
        mine: Has the learner's `Program`, `Variable`, `Operator` and `Op`.
        rows: The operators.

    Returns:
        The Program, and its Variables by position.
    """
    main = mine.Program()
    variables = {
        0: mine.Variable(main, "x", [2], is_data=True),
        -1: mine.Variable(main, "w", [2], stop_gradient=False, persistable=True),
        "": None,
    }
    for reads, writes in rows:
        inputs = [one if one == 0.5 else variables[one] for one in reads]
        for one in writes:
            if one not in variables:
                variables[one] = mine.Variable(main, f"value{one}", [2])
        op = mine.Op("op", lambda *arrays: arrays, None)
        main.insert(mine.Operator(op, inputs, [variables[one] for one in writes]))
    return main, variables
