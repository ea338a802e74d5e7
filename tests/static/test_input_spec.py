"""What an input will be, before there is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core import modes
from teachgraph.core.errors import InvalidValueError
from teachgraph.static import InputSpec


def test_any_size_is_minus_one() -> None:
    assert InputSpec([None, -3, 4]).shape == (-1, -1, 4)
    assert InputSpec((np.int64(2),), "int64").dtype == tg.int64


def test_two_of_the_same_facts_are_equal_and_found_in_a_table() -> None:
    known = {InputSpec([None, 4], "float32", "x"): 1}
    assert known[InputSpec((-1, 4), np.float32, "x")] == 1
    for other in (
        InputSpec([2, 4], "float32", "x"),
        InputSpec([None, 4], "float64", "x"),
        InputSpec([None, 4], "float32", "y"),
        InputSpec([None, 4], "float32", "x", stop_gradient=True),
    ):
        assert other not in known
    assert InputSpec([1]) != "InputSpec"


def test_it_can_be_taken_from_what_there_is() -> None:
    with modes.using(static=False):
        tensor = tg.to_tensor([[1.0, 2.0]])
        tensor.name = "t"
        assert InputSpec.from_tensor(tensor) == InputSpec([1, 2], "float32", "t")
    x = static.data("x", [None, 3], "int64")
    assert InputSpec.from_tensor(x, "other") == InputSpec([-1, 3], "int64", "other")
    array = np.zeros((2, 0), "float64")
    assert InputSpec.from_numpy(array) == InputSpec([2, 0], "float64")
    with pytest.raises(TypeError, match="should be a Tensor, but received"):
        InputSpec.from_tensor(array)


def test_a_batch_is_put_in_front_and_taken_away() -> None:
    spec = InputSpec([3])
    assert spec.batch(4).shape == (4, 3)
    assert spec.unbatch().unbatch().shape == ()
    with pytest.raises(InvalidValueError, match="Not support to unbatch"):
        spec.unbatch()
    with pytest.raises(TypeError, match=r"type.batch_size. should be `int`"):
        spec.batch(2.0)


@pytest.mark.parametrize(
    ("shape", "dtype", "error", "message"),
    [
        (3, "float32", TypeError, "should be one of .tuple, list., but received int"),
        ([1.5], "float32", InvalidValueError, "Only value of type `int` and None"),
        ([True], "float32", InvalidValueError, "Only value of type `int` and None"),
        ([1], "float99", TypeError, "data type 'float99' not understood"),
    ],
)
def test_what_describes_no_input_is_refused(
    shape: Any, dtype: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        InputSpec(shape, dtype)
