"""Functions of numbers, in the words users write."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.core.ops import elementwise_add, elementwise_mul, unbroadcast
from teachgraph.ops.error_function import erf, erfinv

SINGLE = tg.to_tensor([1.5, -2.5, 0.0], "float32")
WHOLE = tg.to_tensor([7, -7, 3])
PAIRS = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "floor_divide",
    "remainder",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "pow",
]


@pytest.mark.parametrize("name", PAIRS)
def test_a_number_takes_the_dtype_of_the_tensor(name: str) -> None:
    function = getattr(tg, name)
    found = function(SINGLE, 2, name="ignored")
    assert found.dtype == np.float32
    np.testing.assert_allclose(
        found.numpy(), function(SINGLE, tg.to_tensor(2.0)).numpy(), rtol=1e-6
    )


@pytest.mark.parametrize(
    ("found", "wanted", "dtype"),
    [
        (lambda: tg.add(WHOLE, 2), [9, -5, 5], "int64"),
        (lambda: tg.add(WHOLE, 0.5), [7.5, -6.5, 3.5], "float32"),
        (lambda: tg.subtract(2, WHOLE), [-5, 9, -1], "int64"),
        (lambda: tg.floor_divide(WHOLE, 2), [3, -4, 1], "int64"),
        (lambda: tg.mod(WHOLE, 4), [3, 1, 3], "int64"),
        (lambda: tg.floor_mod(WHOLE, -4), [-1, -3, -1], "int64"),
        (lambda: tg.remainder(SINGLE, -1), [-0.5, -0.5, 0.0], "float32"),
        (lambda: tg.pow(WHOLE, 2), [49, 49, 9], "int64"),
        (lambda: tg.clip(WHOLE, -1, 5), [5, -1, 3], "int64"),
        (lambda: tg.clip(WHOLE, max=2), [2, -7, 2], "int64"),
        (lambda: tg.maximum(WHOLE, 0), [7, 0, 3], "int64"),
        (lambda: tg.trunc(WHOLE), [7, -7, 3], "int64"),
        (lambda: tg.round(SINGLE), [2.0, -3.0, 0.0], "float32"),
        (lambda: tg.greater_than(WHOLE, 2.5), [True, False, True], "bool"),
        (lambda: tg.logical_and(WHOLE, SINGLE), [True, True, False], "bool"),
        (lambda: tg.bitwise_and(WHOLE, 3), [3, 1, 3], "int64"),
        (lambda: tg.bitwise_not(WHOLE), [-8, 6, -4], "int64"),
        (lambda: tg.isnan(SINGLE), [False, False, False], "bool"),
        (lambda: tg.where(WHOLE > 0, 1.0, 0.0), [1.0, 0.0, 1.0], "float64"),
        (lambda: tg.where(WHOLE > 0, SINGLE, 0), [1.5, 0.0, 0.0], "float32"),
        (lambda: tg.where(WHOLE > 0, WHOLE, -1), [7, -1, 3], "int64"),
        (lambda: tg.increment(tg.to_tensor([3]), 2), [5], "int64"),
    ],
)
def test_values_and_dtypes(found: Any, wanted: list[Any], dtype: str) -> None:
    out = found()
    assert (out.tolist(), str(out.dtype)) == (wanted, dtype)


def test_nan_wins_a_maximum_but_not_fmax() -> None:
    x = tg.to_tensor([math.nan, 1.0])
    assert np.isnan(tg.maximum(x, 0.5).numpy()).tolist() == [True, False]
    assert tg.fmax(x, 0.5).tolist() == [0.5, 1.0]
    assert np.isnan(tg.clip(x, 0.0, 2.0).numpy()).tolist() == [True, False]


def test_infinity_passes_where_there_is_no_bound() -> None:
    x = tg.to_tensor([math.inf, -math.inf])
    assert tg.clip(x, min=0.0).tolist() == [math.inf, 0.0]
    assert tg.clip(x, max=0.0).tolist() == [0.0, -math.inf]


def test_a_tie_of_logaddexp_is_shared() -> None:
    x = tg.to_tensor([1.0, -1000.0], stop_gradient=False)
    y = tg.to_tensor([1.0, 0.0], stop_gradient=False)
    out = tg.logaddexp(x, y)
    out.backward()
    np.testing.assert_allclose(out.numpy(), [1 + math.log(2), 0.0], rtol=1e-6)
    assert x.grad is not None
    assert x.grad.tolist() == [0.5, 0.0]


def test_no_gradient_comes_from_what_was_not_chosen_even_if_it_is_nan() -> None:
    x = tg.to_tensor([0.0, 4.0], stop_gradient=False)
    safe = tg.where(x > 0, x, 1.0)
    tg.where(x > 0, tg.log(safe), 0.0).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 0.25]
    dout = tg.to_tensor([math.nan, 1.0])
    (dx,) = tg.grad([tg.where(x > 0, x, 1.0)], [x], [dout])
    assert dx.tolist() == [0.0, 1.0]


def test_where_alone_says_where() -> None:
    (rows,) = tg.where(WHOLE > 0)
    assert rows.numpy().ravel().tolist() == [0, 2]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: tg.where(WHOLE > 0, SINGLE), InvalidValueError, "both"),
        (lambda: tg.where(WHOLE, SINGLE, 0.0), DTypeError, "not bool"),
        (lambda: tg.floor_divide(WHOLE, 0), InvalidValueError, "by zero"),
        (lambda: tg.mod(WHOLE, tg.to_tensor([1, 0, 2])), InvalidValueError, "by zero"),
        (lambda: tg.pow(WHOLE, 0.5), DTypeError, "int64"),
        (lambda: tg.pow(WHOLE, -1), InvalidValueError, "negative"),
        (lambda: tg.clip(SINGLE, 1.0, 0.0), InvalidValueError, "above"),
        (lambda: tg.clip(WHOLE, 0.5, 2.0), DTypeError, "0.5"),
        (lambda: tg.sin(WHOLE), DTypeError, "astype"),
        (lambda: tg.bitwise_or(SINGLE, SINGLE), DTypeError, "integers"),
    ],
)
def test_what_has_no_meaning_is_refused(call: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        call()


def test_erf_is_right_to_its_last_digits() -> None:
    x = np.concatenate([np.linspace(-7, 7, 2001), np.logspace(-300, 0, 301)])
    wanted = np.array([math.erf(number) for number in x.tolist()])
    np.testing.assert_allclose(erf(x), wanted, rtol=1e-15, atol=0)
    assert erf(np.array([math.inf, -math.inf])).tolist() == [1.0, -1.0]


@pytest.mark.parametrize("name", PAIRS)
def test_a_whole_number_of_no_dimensions_widens_nothing(name: str) -> None:
    """NumPy makes of it a number of its own, which its rules take for int64."""
    ahead = tg.to_tensor(3, "int64") + 1  # computed, so that it is such a number
    found = getattr(tg, name)(SINGLE.abs() + 1, ahead)
    assert found.dtype == tg.float32
    assert np.asarray(found.numpy()).dtype == np.float32
    kernel = elementwise_mul.kernel
    assert kernel(np.ones(2, "float32"), np.int64(3)).dtype == np.float32


def test_erf_of_float32_is_right_to_half_a_millionth() -> None:
    x = np.concatenate([np.linspace(-7, 7, 40_001), np.logspace(-30, 0, 3001)])
    x = x.astype(np.float32)
    wanted = np.array([math.erf(number) for number in x.tolist()])
    found = erf(x)
    assert found.dtype == np.float32
    assert np.abs(found).max() == 1.0
    np.testing.assert_allclose(found, wanted, rtol=5e-7, atol=0)
    ends = np.array([math.inf, -math.inf, math.nan, -0.0], np.float32)
    np.testing.assert_array_equal(erf(ends), [1.0, -1.0, math.nan, -0.0])


def test_erfinv_undoes_erf() -> None:
    y = np.concatenate([np.linspace(-1, 1, 2001), [1 - 1e-15, 1e-300]])
    np.testing.assert_allclose(erf(erfinv(y)), y, rtol=1e-15, atol=0)
    assert np.isnan(erfinv(np.array([1.5, -2.0, math.nan]))).all()


def test_all_close() -> None:
    x = tg.to_tensor([1.0, math.nan])
    assert tg.allclose(x, x, equal_nan=True).item() is True
    assert tg.allclose(x, x).item() is False
    assert tg.isclose(x, 1.0).tolist() == [True, False]
    assert tg.equal_all(WHOLE, WHOLE).item() is True
    assert tg.equal_all(WHOLE, SINGLE[:2]).item() is False


def test_a_bare_number_beside_an_array_does_not_change_its_dtype() -> None:
    x = np.array([1.0, 2.0], "float32")
    for number in (2, 2.0, np.float32(2)):
        for found, wanted in (
            (tg.add(x, number), [3.0, 4.0]),
            (tg.subtract(number, x), [1.0, 0.0]),
            (tg.divide(x, number), [0.5, 1.0]),
        ):
            assert (found.tolist(), str(found.dtype)) == (wanted, "float32")


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_the_gradient_of_a_bias_sums_over_all_dimensions_but_its_own(axis: int) -> None:
    """Of sizes that are equal, and of so many rows that BLAS sums them."""
    x = np.random.default_rng(0).normal(size=(20, 20, 20)).astype("float32")
    bias = np.zeros(20, "float32")
    others = tuple({0, 1, 2} - {axis % 3})
    found = unbroadcast(x, bias, axis=axis)
    assert found.dtype == "float32"
    np.testing.assert_allclose(found, x.sum(others, dtype="float64"), atol=1e-4)


def test_full_like_keeps_the_sign_of_a_zero() -> None:
    x = tg.zeros([2])
    assert np.signbit(tg.full_like(x, -0.0).numpy()).all()
    assert not np.signbit(tg.full_like(x, 0.0).numpy()).any()


def test_the_gradient_of_a_number_for_each_row_of_a_square_sums_the_rows() -> None:
    x, y = tg.ones([3, 3]), tg.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    weights = tg.to_tensor(np.arange(9, dtype="float32").reshape(3, 3))
    (elementwise_add(x, y, axis=0) * weights).sum().backward()
    assert y.grad.tolist() == [3.0, 12.0, 21.0]
