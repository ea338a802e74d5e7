"""Einstein summation: products and sums, with a letter for each dimension.

"ij,jk->ik" is out_ik = sum over j of x_ij y_jk. The gradient of an einsum is an einsum,
too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from string import ascii_letters
from typing import Any, NamedTuple

import numpy as np

from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import of_one_dtype, reduce_to

__all__ = ["einsum"]


class Equation(NamedTuple):
    """Parsed equation with a letter for each dimension.

    Attributes:
        terms: The letters of each operand.
        output: Those of the result.
    """

    terms: tuple[str, ...]
    output: str

    def __str__(self) -> str:
        return f"{','.join(self.terms)}->{self.output}"


@lru_cache(maxsize=1000)
def parse(equation: str, ndims: tuple[int, ...]) -> Equation:
    """Parse an equation for operands of given ranks.

    Every "..." becomes unused letters, aligned at the right. Without "->" the result
    has the dimensions of "..." and then, in alphabetical order, the letters that occur
    once.

    Raises:
        InvalidValueError: The number of terms is not that of the operands, a label is
            no letter, or the result lacks the dimensions of "...".
        ShapeError: An operand has another rank.

    >>> str(parse("ij,jk", (2, 2)))
    'ij,jk->ik'
    >>> str(parse("...ij->...ji", (4,)))
    'abij->abji'
    """
    text, arrow, output = equation.replace(" ", "").partition("->")
    require_labels(equation)
    terms = text.split(",")
    if len(terms) != len(ndims):
        raise InvalidValueError(f"{len(terms)} terms for {len(ndims)} operands")
    free = [letter for letter in ascii_letters if letter not in equation]
    widths = [width_of_dots(term, n) for term, n in zip(terms, ndims, strict=True)]
    dots = "".join(free[: max(widths)])
    letters = tuple(
        term.replace("...", dots[len(dots) - width :])
        for term, width in zip(terms, widths, strict=True)
    )
    if arrow and "..." in text and "..." not in output:
        raise InvalidValueError(
            f"'...' of the operands is missing in the result {output!r}: dimensions "
            "that are to be summed over are named by letters"
        )
    if not arrow:
        output = "..." + single_letters(terms)
    return checked(Equation(letters, output.replace("...", dots)))


def require_labels(equation: str) -> None:
    """Require letters, and in each term at most one "...", which is all there is.

    Raises:
        InvalidValueError: There is another character, a second "..." or a second "->".
    """
    text, _, output = equation.replace(" ", "").partition("->")
    if "->" in output:
        raise InvalidValueError(f"{equation!r} has more than one '->'")
    for term in (*text.split(","), output):
        if term.count("...") > 1:
            raise InvalidValueError(f"{term!r} has more than one '...'")
        for label in term.replace("...", ""):
            if label not in ascii_letters:
                raise InvalidValueError(
                    f"{label!r} is no letter" + " nor '...'" * (label == ".")
                )


def width_of_dots(term: str, ndim: int) -> int:
    """Count the dimensions that "..." covers in a term.

    Raises:
        ShapeError: There are more letters than dimensions, or fewer and no "...".
    """
    width = ndim - len(term.replace("...", ""))
    if width < 0 or (width and "..." not in term):
        raise ShapeError(f"{term!r} does not describe {ndim} dimensions")
    return width


def single_letters(terms: Sequence[str]) -> str:
    """Letters that occur once, sorted."""
    letters = "".join(terms).replace("...", "")
    return "".join(sorted(c for c in letters if letters.count(c) == 1))


def checked(equation: Equation) -> Equation:
    """Require distinct letters in the result, all of them in the operands.

    Raises:
        InvalidValueError: They are not.
    """
    known = "".join(equation.terms)
    for letter in equation.output:
        if letter not in known or equation.output.count(letter) > 1:
            raise InvalidValueError(f"the result cannot have the dimension {letter!r}")
    return equation


@op(needs="an equation with a letter for each dimension of each operand")
def einsum(*operands: Any, equation: str) -> Any:
    """Sum of products of elements over all letters that the result lacks."""
    parsed = parse(equation, tuple(x.ndim for x in operands))
    sizes_of(parsed, operands)
    of_one_dtype(*operands)
    return np.einsum(str(parsed), *operands, optimize=len(operands) > 1)


@einsum.grad
def einsum_grad(dout: Any, *operands: Any, equation: str) -> Any:
    """Gradient of an operand: an einsum of dout and the other operands.

    Letters that dout and the other operands lack, and repeated letters, come from a
    further factor of zeros and ones.
    """
    parsed = parse(equation, tuple(x.ndim for x in operands))
    terms = parsed.terms

    def gradient(i: int) -> Any:
        x, wanted = operands[i], distinct(terms[i], str(parsed))
        factors = [dout, *operands[:i], *operands[i + 1 :]]
        letters = [parsed.output, *terms[:i], *terms[i + 1 :]]
        if wanted != terms[i] or set(wanted) - set("".join(letters)):
            factors.append(where_equal(x, term=terms[i]))
            letters.append(wanted)
        product = str(Equation(tuple(letters), wanted))
        return reduce_to(einsum(*factors, equation=product), x)

    return tuple((lambda i=i: gradient(i)) for i in range(len(operands)))


@einsum.infers
def infer_einsum(*operands: Like, equation: str) -> Any:
    """Sizes of the result's letters."""
    parsed = parse(equation, tuple(x.ndim for x in operands))
    sizes = sizes_of(parsed, operands)
    shape = tuple(sizes[letter] for letter in parsed.output)
    return [(shape, of_one_dtype(*operands))]


def sizes_of(parsed: Equation, operands: Sequence[Any]) -> dict[str, int]:
    """Resolve the size of each letter; 1 broadcasts, unless it is summed over.

    Raises:
        ShapeError: A letter has two sizes.
    """
    sizes: dict[str, int] = {}
    dimensions = [
        (letter, size, letter in parsed.output and term.count(letter) == 1)
        for term, x in zip(parsed.terms, operands, strict=True)
        for letter, size in zip(term, x.shape, strict=True)
    ]
    for letter, size, _ in dimensions:
        sizes[letter] = size if sizes.get(letter, 1) == 1 else sizes[letter]
    for letter, size, stretches in dimensions:
        if size != sizes[letter] and not (size == 1 and stretches):
            raise ShapeError(f"the dimension {letter!r} is {sizes[letter]} and {size}")
    return sizes


def distinct(term: str, used: str) -> str:
    """Replace repeated letters of a term by new ones.

    >>> distinct("iji", "iji->j")
    'ija'
    """
    free = iter(letter for letter in ascii_letters if letter not in used)
    return "".join(
        next(free) if letter in term[:k] else letter for k, letter in enumerate(term)
    )


@op
def where_equal(x: Any, *, term: str) -> Any:
    """Mask shaped like `x`: 1 where dimensions of equal letters have equal indices.

    For "ii" that is the identity matrix, for distinct letters 1 everywhere.
    """
    first = {letter: term.index(letter) for letter in term}
    index = np.indices(x.shape, sparse=True)
    same = np.ones(x.shape, bool)
    for axis, letter in enumerate(term):
        same &= index[axis] == index[first[letter]]
    return same.astype(x.dtype)
