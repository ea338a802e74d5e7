"""Rows for `teachgraph/ops/einsum.py`."""

from __future__ import annotations

import math

import numpy as np

from tests.ops.contract import FLOATS, Array, Case, Row, Wrong
from tests.ops.values import numbers, turned


def term(label: str, equation: str, *shapes: tuple[int, ...]) -> Case:
    operands = [numbers(*shape, start=1 + 50 * i) for i, shape in enumerate(shapes)]
    return Case(label, tuple(operands), {"equation": equation})


def summed(*operands: Array, equation: str) -> Array:
    """Every combination of values of the letters, in one loop; no "..."."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if arrow and "..." in left and "..." not in right:
        kept = np.einsum(f"{left}->...{right}", *operands)
        return kept.sum(tuple(range(kept.ndim - len(right))))
    if "..." in equation:
        return np.einsum(equation, *operands)
    every = "".join(sorted(set(left.replace(",", ""))))
    if not arrow:
        right = "".join(c for c in every if left.count(c) == 1)
    sizes = dict.fromkeys(every, 1)
    for letters, x in zip(terms, operands, strict=True):
        sizes |= {c: n for c, n in zip(letters, x.shape, strict=True) if n != 1}
    out = np.zeros([sizes[c] for c in right])
    for values in np.ndindex(*(sizes[c] for c in every)):
        at = dict(zip(every, values, strict=True))
        factors = [
            x[tuple(at[c] % n for c, n in zip(letters, x.shape, strict=True))]
            for letters, x in zip(terms, operands, strict=True)
        ]
        out[tuple(at[c] for c in right)] += math.prod(map(float, factors))
    return out


def same_letters(x: Array, term: str) -> Array:
    out = np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        pairs = set(zip(term, place, strict=True))
        out[place] = len(pairs) == len(set(term))
    return out


ROWS = (
    Row(
        "einsum",
        (
            term("matrices", "ij,jk->ik", (4, 3), (3, 5)),
            term("no arrow", "ij,jk", (2, 3), (3, 4)),
            term("in the alphabet's order", "ba", (2, 3)),
            term("scalar", ",->", (), ()),
            term("1-D", "i,i->", (4,), (4,)),
            term("every pair", "i,j->ij", (3,), (2,)),
            term("transposed", "ij->ji", (4, 3)),
            term("a sum of everything", "ij->", (4, 3)),
            term("a sum of rows", "ij->i", (4, 3)),
            term("a sum in one factor", "ij,k->k", (2, 3), (4,)),
            term("the trace", "ii", (3, 3)),
            term("the diagonal", "ii->i", (3, 3)),
            term("a diagonal in a product", "iij,jk->ik", (2, 2, 3), (3, 2)),
            term("a diagonal of three", "iii->i", (2, 2, 2)),
            term("two diagonals", "ijij->ij", (2, 3, 2, 3)),
            term("three factors", "ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
            term("stacks", "bij,bjk->bik", (2, 2, 3), (2, 3, 2)),
            term("attention", "bqhd,bkhd->bhqk", (1, 2, 2, 3), (1, 3, 2, 3)),
            term("dots", "...ij,...jk->...ik", (2, 2, 3), (2, 3, 2)),
            term("broadcast", "...ij,...jk", (2, 2, 3), (3, 2)),
            term("broadcast ones", "...i,...i->...", (2, 1, 3), (1, 2, 3)),
            term("dots in the middle", "i...j->...", (2, 2, 3)),
            term("a stretched letter", "ij,jk->ijk", (2, 1), (3, 2)),
            term("with spaces", " i j , j -> i ", (2, 3), (3,)),
            term("empty", "ij,jk->ik", (0, 3), (3, 2)),
            term("empty inside", "ij,jk->ik", (2, 0), (0, 2)),
            Case(
                "not contiguous",
                (turned(numbers(4, 3)), turned(numbers(3, 2, start=50))),
                {"equation": "ij,jk->ki"},
            ),
        ),
        summed,
        lambda t, *operands, equation: t.einsum(equation, *operands),
        accepts=("float32", "float64", "int64"),
        refuses=(),
        wrong=(
            Wrong("sizes differ", (numbers(2, 3), numbers(4)), {"equation": "ij,j"}),
            Wrong("sizes of a letter differ", (numbers(2, 3),), {"equation": "ii"}),
            Wrong(
                "a stretched letter that is summed",
                (numbers(2, 1), numbers(3)),
                {"equation": "ij,j->i"},
            ),
            Wrong("a stretched diagonal", (numbers(1, 3),), {"equation": "ii->i"}),
            Wrong("too few letters", (numbers(2, 3),), {"equation": "i->i"}),
            Wrong("too many letters", (numbers(2),), {"equation": "ij->i"}),
            Wrong(
                "a term too few",
                (numbers(2), numbers(2)),
                {"equation": "i->i"},
                "InvalidValueError",
                "1 terms for 2",
            ),
            Wrong(
                "an unknown letter",
                (numbers(2),),
                {"equation": "i->j"},
                "InvalidValueError",
                "'j'",
            ),
            Wrong(
                "twice in the result",
                (numbers(2),),
                {"equation": "i->ii"},
                "InvalidValueError",
            ),
            Wrong(
                "no letters",
                (numbers(2),),
                {"equation": "1->1"},
                "InvalidValueError",
                "'1'",
            ),
        ),
    ),
    Row(
        "where_equal",
        (
            Case("scalar", (numbers(),), {"term": ""}),
            Case("1-D", (numbers(3),), {"term": "i"}),
            Case("the identity", (numbers(3, 3),), {"term": "ii"}),
            Case("two of three", (numbers(2, 3, 2),), {"term": "iji"}),
            Case("empty", (numbers(0, 2),), {"term": "ij"}),
            Case("not contiguous", (turned(numbers(2, 2)),), {"term": "ii"}),
        ),
        same_letters,
        lonely="PyTorch builds diagonals in another way",
        accepts=(*FLOATS, "int64"),
        refuses=(),
        gradient=False,
        lacks={"broadcast": "one input"},
        inner=True,
    ),
)
