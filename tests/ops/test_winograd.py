"""Winograd's algorithm computes the sums of products that define a convolution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teachgraph.ops import columns, products, winograd
from teachgraph.ops.windows import Steps, cropped, padded, steps, tap


def plain_forward(x: np.ndarray, w: np.ndarray, axes: Sequence[Steps]) -> np.ndarray:
    image = padded(x, axes)
    return sum(
        np.einsum("oc,nchw->nohw", w[:, :, i, j], tap(image, axes, (i, j)))
        for i, j in np.ndindex(3, 3)
    )


def plain_backward_filter(
    x: np.ndarray, g: np.ndarray, axes: Sequence[Steps]
) -> np.ndarray:
    image = padded(x, axes)
    out = np.empty((g.shape[1], x.shape[1], 3, 3), x.dtype)
    for i, j in np.ndindex(3, 3):
        seen = tap(image, axes, (i, j))
        out[:, :, i, j] = np.einsum("nohw,nchw->oc", g, seen)
    return out


def plain_backward_input(
    g: np.ndarray, w: np.ndarray, axes: Sequence[Steps]
) -> np.ndarray:
    sizes = [axis.before + axis.image + axis.missing for axis in axes]
    out = np.zeros((len(g), w.shape[1], *sizes), g.dtype)
    for i, j in np.ndindex(3, 3):
        tap(out, axes, (i, j))[...] += np.einsum("oc,nohw->nchw", w[:, :, i, j], g)
    return cropped(out, axes)


pads = st.tuples(st.integers(0, 4), st.integers(0, 4))


@settings(deadline=None, derandomize=True)
@given(
    images=st.integers(1, 11),
    channels=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    sizes=st.tuples(st.integers(3, 11), st.integers(3, 11)),
    padding=st.tuples(pads, pads),
    seed=st.integers(0, 9),
)
def test_it_is_exact_where_sums_are(
    images: int,
    channels: tuple[int, int],
    sizes: tuple[int, int],
    padding: tuple[tuple[int, int], tuple[int, int]],
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    outputs, inputs = channels
    axes = steps(sizes, (3, 3), (1, 1), padding, (1, 1))
    counts = [axis.count for axis in axes]
    shapes = (
        (images, inputs, *sizes),
        (outputs, inputs, 3, 3),
        (images, outputs, *counts),
    )
    x, w, g = (rng.integers(-9, 9, shape).astype(np.float32) for shape in shapes)
    np.testing.assert_array_equal(
        winograd.forward(x, w, axes), plain_forward(x, w, axes)
    )
    np.testing.assert_array_equal(
        winograd.backward_filter(x, g, axes), plain_backward_filter(x, g, axes)
    )


LARGE = {
    "even": (8, 32, 64, 16, 16),
    "odd": (3, 64, 32, 15, 17),
    "a large batch": (40, 64, 64, 12, 10),
}


@pytest.mark.parametrize("case", LARGE.values(), ids=LARGE.keys())
def test_large_convolutions_use_it_and_are_exact_where_sums_are(
    case: tuple[int, ...],
) -> None:
    images, inputs, outputs, *sizes = case
    rng = np.random.default_rng(0)
    axes = steps(sizes, (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1))
    shapes = (
        (images, inputs, *sizes),
        (outputs, inputs, 3, 3),
        (images, outputs, *sizes),
    )
    x, w, g = (rng.integers(-9, 9, shape).astype(np.float32) for shape in shapes)
    assert winograd.is_faster(x, w, w.shape, axes, 1)
    for computed, plain in (
        (products.forward(x, w, axes, 1), plain_forward(x, w, axes)),
        (products.backward_input(g, w, axes, 1), plain_backward_input(g, w, axes)),
        (products.backward_filter(x, g, axes, 1), plain_backward_filter(x, g, axes)),
    ):
        np.testing.assert_array_equal(computed, plain)


def test_its_error_is_that_of_a_few_roundings() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((8, 64, 32, 32), np.float32)
    w = rng.standard_normal((64, 64, 3, 3), np.float32)
    axes = steps((32, 32), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1))
    exact = columns.forward(x.astype(float), w.astype(float), axes, 1)
    error = np.abs(products.forward(x, w, axes, 1) - exact).max()
    assert error < 2e-6 * np.abs(exact).max()


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 3e38])
def test_what_is_not_finite_reaches_only_the_windows_that_contain_it(
    value: float,
) -> None:
    x, w = np.ones((8, 32, 16, 16), np.float32), np.ones((64, 32, 3, 3), np.float32)
    axes = steps((16, 16), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1))
    assert winograd.is_faster(x, w, w.shape, axes, 1)
    x[0, 0, 4, 4] = value
    with np.errstate(all="ignore"):
        out = products.forward(x, w, axes, 1)
    np.testing.assert_array_equal(out, columns.forward(x, w, axes, 1))


def test_small_double_and_strided_convolutions_are_plain() -> None:
    def is_faster(
        image: Sequence[int],
        filters: Sequence[int],
        dtype: str = "float32",
        stride: int = 1,
        groups: int = 1,
    ) -> bool:
        x, w = np.empty(image, dtype), np.empty(filters, dtype)
        strides, pads = (stride,) * 2, ((1, 1), (1, 1))
        axes = steps(image[2:], filters[2:], strides, pads, (1, 1))
        return winograd.is_faster(x, w, filters, axes, groups)

    image, filters = (8, 64, 32, 32), (64, 64, 3, 3)
    assert is_faster(image, filters)
    assert not is_faster(image, filters, "float64")
    assert not is_faster(image, filters, stride=2)
    assert not is_faster(image, (64, 32, 3, 3), groups=2)
    assert not is_faster(image, (64, 64, 5, 5))
    assert not is_faster((8, 3, 32, 32), (64, 3, 3, 3))
    assert not is_faster((8, 512, 3, 3), (512, 512, 3, 3))
