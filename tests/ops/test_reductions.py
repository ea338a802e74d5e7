"""What reductions, scans and searches promise beyond what their rows say."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.autograd import check_grads
from teachgraph.core.errors import DTypeError, InvalidValueError, OpError, ShapeError
from teachgraph.ops.functions import search
from tests.ops.lives import several
from tests.ops.values import integers, numbers

REDUCTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "sum": (tg.sum, "reduce_sum"),
    "mean": (tg.mean, "reduce_mean"),
    "max": (tg.max, "reduce_max"),
    "min": (tg.min, "reduce_min"),
    "amax": (tg.amax, "reduce_amax"),
    "amin": (tg.amin, "reduce_amin"),
    "prod": (tg.prod, "reduce_prod"),
    "logsumexp": (tg.logsumexp, "logsumexp"),
    "all": (tg.all, "reduce_all"),
    "any": (tg.any, "reduce_any"),
    "var": (tg.var, "reduce_mean"),
    "std": (tg.std, "reduce_mean"),
    "norm": (lambda x, axis: tg.norm(x, axis=axis), "_norm"),
    "nansum": (tg.nansum, "reduce_sum"),
    "nanmean": (tg.nanmean, "reduce_sum"),
    "count_nonzero": (tg.count_nonzero, "reduce_sum"),
    "median": (tg.median, "median"),
    "quantile": (lambda x, axis: tg.quantile(x, 0.5, axis), "quantile"),
    "argmax": (tg.argmax, "arg_max"),
    "argmin": (tg.argmin, "arg_min"),
    "cumsum": (tg.cumsum, "cumsum"),
    "cumprod": (tg.cumprod, "cumprod"),
    "logcumsumexp": (tg.logcumsumexp, "logcumsumexp"),
    "cummax": (tg.cummax, "cummax"),
    "cummin": (tg.cummin, "cummin"),
    "sort": (tg.sort, "argsort"),
    "argsort": (tg.argsort, "argsort"),
    "topk": (lambda x, axis: tg.topk(x, 1, axis), "top_k_v2"),
    "kthvalue": (lambda x, axis: tg.kthvalue(x, 1, axis), "kthvalue"),
    "mode": (search.mode, "mode"),
    "unique": (lambda x, axis: tg.unique(x, axis=axis), "unique"),
    "unique_consecutive": (
        lambda x, axis: tg.unique_consecutive(x, axis=axis),
        "unique_consecutive",
    ),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", [nan, 0.5, True, False, "x"], ids=str)
def test_what_is_no_axis_is_refused_by_name(name: str, axis: Any) -> None:
    function, op = REDUCTIONS[name]
    with pytest.raises(DTypeError, match=f"(?s){op} cannot .*an axis is an integer"):
        function(tg.to_tensor(numbers(2, 3)), axis)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", [2, -3])
def test_an_axis_out_of_range_is_refused_by_name(name: str, axis: int) -> None:
    function, op = REDUCTIONS[name]
    with pytest.raises(OpError, match=f"{op} cannot take"):
        function(tg.to_tensor(numbers(2, 3)), axis)


SEVERAL = [name for name in list(REDUCTIONS)[:18] if name != "norm"]


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("axis", [[0, 0], (1, -1)], ids=str)
def test_an_axis_named_twice_is_refused_by_name(name: str, axis: Any) -> None:
    function, op = REDUCTIONS[name]
    with pytest.raises(ShapeError, match=f"{op} cannot take"):
        function(tg.to_tensor(numbers(2, 3)), axis)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64"])
def test_whole_numbers_add_up_in_int64(dtype: str) -> None:
    total = tg.sum(np.ones((200, 3), dtype), axis=0)
    assert (str(total.dtype), total.tolist()) == ("int64", [200, 200, 200])


def test_the_mean_of_integers_is_refused() -> None:
    with pytest.raises(DTypeError, match=r"(?s)reduce_mean .*astype\('float32'\)"):
        tg.mean(tg.to_tensor([1, 2]))


def test_a_dtype_is_cast_to_first() -> None:
    whole = np.array([1, 2, 3], "int32")
    found = [tg.sum(whole, dtype="float64"), tg.prod(whole, dtype="float32")]
    found += [tg.cumsum(whole, dtype="int64")[-1], tg.cumprod(whole, 0, "float64")[-1]]
    assert [str(x.dtype) for x in found] == ["float64", "float32", "int64", "float64"]
    assert [float(x) for x in found] == [6.0, 6.0, 6.0, 6.0]


def test_nothing_reduces_to_the_neutral_element() -> None:
    nothing = np.zeros((0, 2), "float32")
    assert tg.sum(nothing, 0).tolist() == [0.0, 0.0]
    assert tg.prod(nothing, 0).tolist() == [1.0, 1.0]
    assert tg.logsumexp(nothing, 0).tolist() == [-inf, -inf]
    assert np.isnan(tg.mean(nothing, 0)).tolist() == [True, True]
    for extreme in (tg.max, tg.min, tg.amax, tg.amin):
        with pytest.raises(ShapeError, match="no identity"):
            extreme(nothing, 0)


def test_nan_is_not_lost() -> None:
    x = np.array([1.0, nan, 2.0], "float32")
    for function in (tg.sum, tg.mean, tg.max, tg.amin, tg.prod, tg.logsumexp, tg.var):
        assert isnan(function(x)), function
    for function in (tg.median, tg.norm, lambda x: tg.quantile(x, 0.1)):
        assert isnan(function(x)), function
    assert tg.nanmean(x) == 1.5
    assert np.isnan(tg.cummax(x)[0]).tolist() == [False, True, True]
    assert tg.cummax(x)[1].tolist() == [0, 1, 1]
    assert tg.argsort(x).tolist() == [0, 2, 1]
    assert tg.argsort(x, descending=True).tolist() == [1, 2, 0]
    assert tg.topk(x, 2, largest=False)[0].tolist() == [1.0, 2.0]


def test_an_infinite_element_does_not_make_the_median_nan() -> None:
    x = np.array([[1.0, inf, 2.0], [inf, inf, -inf]])
    assert tg.median(x, axis=1).tolist() == [2.0, inf]
    assert tg.quantile(x, 1.0, axis=1).tolist() == [inf, inf]


def gradient(function: Callable[[Any], Any], *values: float) -> list[float]:
    x = tg.to_tensor(np.array(values), stop_gradient=False)
    (dx,) = tg.grad(function(x), x)
    found: list[float] = dx.tolist()
    return found


def test_ties_are_as_in_paddle() -> None:
    assert gradient(tg.max, 3.0, 3.0, 1.0) == [1.0, 1.0, 0.0]
    assert gradient(tg.min, 3.0, 1.0, 1.0) == [0.0, 1.0, 1.0]
    assert gradient(tg.amax, 3.0, 3.0, 1.0) == [0.5, 0.5, 0.0]
    assert gradient(tg.amin, 3.0, 1.0, 1.0) == [0.0, 0.5, 0.5]
    assert gradient(tg.median, 2.0, 2.0, 2.0, 1.0) == [0.5, 0.5, 0.0, 0.0]
    assert gradient(lambda x: tg.cummax(x)[0], 3.0, 3.0, 1.0) == [1.0, 2.0, 0.0]


@pytest.mark.parametrize("p", ["fro", 0, 0.5, 1, 1.5, 2, 3, inf, -inf, -1])
def test_the_gradient_of_a_norm_is_finite_at_0(p: Any) -> None:
    x = tg.to_tensor(np.zeros(3), stop_gradient=False)
    (dx,) = tg.grad(tg.norm(x, p), x, create_graph=True)
    assert dx.tolist() == [0.0, 0.0, 0.0]
    (ddx,) = tg.grad(dx, x, allow_unused=True)
    assert ddx is None or ddx.tolist() == [0.0, 0.0, 0.0]


def test_an_order_that_is_none_is_refused() -> None:
    for p in ("nuc", nan, None, [2]):
        with pytest.raises(InvalidValueError, match=r"p_norm .* a number or 'fro'"):
            tg.norm(tg.to_tensor(numbers(3)), p)


def test_products_of_zeros_have_every_derivative() -> None:
    x = np.array([[2.0, 0.0, 3.0], [0.0, 0.0, 5.0]])
    check_grads(lambda x: tg.prod(x, axis=1), [x], order=3)
    check_grads(tg.prod, [x], order=3)
    check_grads(lambda x: tg.cumprod(x, dim=1), [x], order=3)


def test_variances_are_differentiated_twice() -> None:
    check_grads(lambda x: tg.var(x, axis=[0, 2]), [numbers(3, 2, 2)], order=2)
    check_grads(lambda x: tg.std(x, axis=0, keepdim=True), [numbers(3, 2)], order=2)


def test_the_variance_of_one_element_is_0() -> None:
    assert tg.var(np.array([2.0])) == 0.0
    assert tg.std(np.array([[1.0, 2.0]]), axis=0).tolist() == [0.0, 0.0]


def test_a_variance_needs_no_known_size() -> None:
    program = static.Program()
    with static.program_guard(program, static.Program()):
        x = static.data("x", [-1, 3], "float64")
        spread = tg.var(x, axis=0)
    value = numbers(5, 3)
    (found,) = static.Executor().run(program, {"x": value}, [spread])
    np.testing.assert_allclose(found, value.var(axis=0, ddof=1), rtol=1e-12)


def test_a_median_needs_a_known_number_of_elements() -> None:
    with static.program_guard(static.Program(), static.Program()):
        x = static.data("x", [-1, 3], "float64")
        assert tg.median(x, axis=1).shape == (-1,)
        with pytest.raises(ShapeError, match=r"median .* known number of elements"):
            tg.median(x, axis=0)
    with pytest.raises(ShapeError, match="known number of elements, got 0"):
        tg.median(np.zeros((0, 3)), axis=0)


def test_a_quantile_is_float64_and_a_median_of_integers_float32() -> None:
    x = np.array([[1, 2], [4, 3]])
    assert tg.quantile(x.astype("float32"), 0.4).dtype == "float64"
    assert tg.quantile(x, [0.4, 0.5], axis=[0, 1], keepdim=True).tolist() == [
        [[pytest.approx(2.2)]],
        [[2.5]],
    ]
    assert (tg.median(x).dtype, float(tg.median(x))) == ("float32", 2.5)


@pytest.mark.parametrize("q", [1.5, -0.1, nan, [], [0.5, 2.0], "half"], ids=str)
def test_a_share_is_from_0_to_1(q: Any) -> None:
    with pytest.raises(InvalidValueError, match=r"quantile .* a share is from 0 to 1"):
        tg.quantile(tg.to_tensor(numbers(3)), q)


def test_gradients_go_to_what_was_chosen() -> None:
    x = 4.0, 1.0, 3.0, 2.0
    weights = np.array([10.0, 20.0])
    assert gradient(lambda x: tg.topk(x, 2)[0] * weights, *x) == [10.0, 0.0, 20.0, 0.0]
    assert gradient(lambda x: tg.kthvalue(x, 2)[0], *x) == [0.0, 0.0, 0.0, 1.0]
    assert gradient(lambda x: tg.sort(x)[1:3] * weights, *x) == [0.0, 0.0, 20.0, 10.0]
    mask = np.array([True, False, False, True])
    assert gradient(lambda x: tg.masked_select(x, mask) * weights, *x) == [
        10.0,
        0.0,
        0.0,
        20.0,
    ]


def test_the_places_are_given_in_the_dtype_asked_for() -> None:
    x = tg.to_tensor(numbers(3, 2))
    found = [tg.argmax(x, dtype="int32"), tg.argmin(x, 0, dtype="int32")]
    found += [tg.cummax(x, 0, "int32")[1], tg.unique(x, True, dtype="int32")[1]]
    assert {str(places.dtype) for places in found} == {"int32"}
    with pytest.raises(DTypeError, match="indices are int32 or int64, not float32"):
        tg.argmax(x, dtype="float32")


def test_indices_of_what_is_not_0() -> None:
    x = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
    rows, columns = tg.nonzero(tg.to_tensor(x), as_tuple=True)
    assert rows.tolist() == [[0], [1], [2]]
    assert columns.tolist() == [[0], [1], [0]]


def test_what_is_different_comes_with_what_is_asked_for() -> None:
    x = np.array([3.0, 1.0, 3.0, 2.0])
    out, first, which, count = tg.unique(x, True, True, True)
    assert out.tolist() == [1.0, 2.0, 3.0]
    assert first.tolist() == [1, 3, 0]
    assert which.tolist() == [2, 0, 2, 1]
    assert count.tolist() == [1, 1, 2]
    assert tg.unique(x).tolist() == [1.0, 2.0, 3.0]
    assert tg.unique_consecutive(x, return_inverse=True)[1].tolist() == [0, 1, 2, 3]


def test_boundaries_are_a_row() -> None:
    x = tg.to_tensor(numbers(2, 3))
    boundaries = tg.to_tensor(np.array([-9.0, 9.0]))
    assert tg.bucketize(x, boundaries).tolist() == [[1, 1, 1], [1, 1, 1]]
    with pytest.raises(ShapeError, match=r"searchsorted .* the boundaries are a row"):
        tg.bucketize(x, x)


@pytest.mark.parametrize(
    ("given", "wanted"), [("float32", "float32"), ("int64", "float64")]
)
def test_weights_are_counted_in_their_own_dtype(given: str, wanted: str) -> None:
    found = tg.bincount(np.array([1, 2, 1]), np.array([1, 2, 4]).astype(given), 4)
    assert (str(found.dtype), found.tolist()) == (wanted, [0.0, 5.0, 2.0, 0.0])


def test_infinities_fall_outside_a_range_that_is_given() -> None:
    x = np.array([0.5, inf, nan, 2.5])
    assert tg.histogram(x, bins=3, min=0, max=3).tolist() == [1, 0, 1]


def test_a_running_product_without_an_axis_goes_through_all() -> None:
    x = integers(2, 2, below=9) + 1
    assert tg.cumprod(x).tolist() == np.cumprod(x).tolist()
    assert tg.cummin(x)[0].tolist() == np.minimum.accumulate(x.ravel()).tolist()


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", [0, -1])
def test_a_scalar_is_a_line_of_one(name: str, axis: int) -> None:
    function, _ = REDUCTIONS[name]
    line = function(tg.to_tensor([2.5]), 0)
    found = function(tg.to_tensor(2.5), axis)
    for one, other in zip(several(found), several(line), strict=True):
        assert float(one) == float(other)


def test_a_scalar_keeps_its_gradient() -> None:
    for function in (tg.sum, tg.mean, tg.prod, tg.logsumexp, tg.median, tg.amin):
        x = tg.to_tensor(2.5, stop_gradient=False)
        (dx,) = tg.grad(function(x, 0), x)
        assert (dx.shape, float(dx)) == ([], 1.0)
