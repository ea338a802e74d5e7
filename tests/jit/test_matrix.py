"""What Paddle gets wrong in its conversion, and what happens here instead.

Each row names the construct, what Paddle 2.6 or 3.3 makes of it, what it is here, and
the functions or tests that show it.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.jit import test_errors, test_to_static
from tests.jit.functions import CASES


class Row(NamedTuple):
    construct: str
    paddle: str
    here: str
    shown_by: tuple[str, ...]


RIGHT = "as Python"

MATRIX = (
    Row(
        "bound in one branch only, used later",
        "garbage, or an UndefinedVar",
        "UnboundLocalError where it is used",
        (
            "test_a_name_without_a_value_raises_where_it_is_used",
            "bound_in_one_branch",
            "created_in_loop",
        ),
    ),
    Row(
        "y = None, assigned under a tensor, `is not None`",
        "garbage, or an UndefinedVar",
        RIGHT,
        ("none_then_tensor", "none_in_tensor_loop"),
    ),
    Row("branches of different types", "error", RIGHT, ("texts_in_branches",)),
    Row("returns of different arity", "error", RIGHT, ("returns_of_any_kind",)),
    Row("return None or a tensor", "garbage", RIGHT, ("returns_none_or_tensor",)),
    Row("early return", "right", RIGHT, ("early_return", "returns_nested")),
    Row(
        "return inside a tensor loop",
        "error in 3.3",
        RIGHT,
        ("return_in_tensor_while", "return_in_while"),
    ),
    Row("bare return in a loop", "error", RIGHT, ("bare_return",)),
    Row("for ... else, while ... else", "dropped", RIGHT, ("for_else", "while_else")),
    Row(
        "tensor break in a Python loop",
        "error",
        RIGHT,
        ("for_break", "while_true_break"),
    ),
    Row("0 < t < 10", "wrong", RIGHT, ("chained_comparison", "long_chain")),
    Row("walrus in a test", "error in 2.6", RIGHT, ("walrus",)),
    Row(
        "raise under a tensor if",
        "raised while tracing",
        "raised by a run that takes the branch",
        ("test_an_error_belongs_to_its_branch",),
    ),
    Row("*args of tensors", "error", RIGHT, ("star_arguments",)),
    Row(
        "NumPy on a tensor",
        "by chance, or an error",
        "ModeError that says why",
        ("test_numpy_on_a_tensor_of_a_program_is_refused",),
    ),
    Row("variable step of a range", "error", RIGHT, ("for_range_any_step",)),
    Row(
        "lazy and/or of tensors",
        "both sides computed",
        RIGHT,
        ("lazy_and", "lazy_and_of_tensors"),
    ),
    Row(
        "sizes after the program decides",
        "-1",
        "a tensor",
        ("test_sizes_that_a_program_works_out",),
    ),
    Row(
        "the caller's tensors",
        "changed by loops",
        "never changed",
        ("test_large_tensors_and_views_of_them_stay_as_they_are",),
    ),
    Row(
        "recursion that a tensor ends",
        "overflow",
        "ConversionError that says to loop",
        ("test_what_has_no_program_is_refused_in_words",),
    ),
    Row(
        "one variable of two dtypes or ranks",
        "error",
        "ConversionError that names it",
        ("test_what_has_no_program_is_refused_in_words",),
    ),
)


@pytest.mark.parametrize("row", MATRIX, ids=lambda row: row.construct)
def test_what_a_row_says_is_shown(row: Row) -> None:
    tests = {*vars(test_errors), *vars(test_to_static)}
    assert set(row.shown_by) <= tests | CASES.keys()
