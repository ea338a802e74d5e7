"""A convolution by full columns and by rows is the same, and so are its adjoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest

from teachgraph.ops import columns, conv_rows, products, wide_columns
from teachgraph.ops.windows import Steps, padded, steps, windows_of


class Case(NamedTuple):
    """The sizes of a convolution."""

    images: int
    channels: int
    sizes: Sequence[int]
    filters: int
    window: Sequence[int]
    strides: Sequence[int]
    pads: Sequence[tuple[int, int]]
    dilations: Sequence[int]
    groups: int = 1


TWO = {"strides": (1, 1), "pads": ((1, 1), (1, 1)), "dilations": (1, 1)}

CASES = {
    "plain": Case(2, 4, (9, 8), 3, (3, 3), **TWO),
    "batch": Case(40, 6, (14, 14), 2, (5, 5), **TWO),
    "wide batch": Case(9, 2, (5, 30), 2, (3, 3), **TWO),
    "large batch": Case(150, 8, (12, 12), 3, (3, 3), **TWO),
    "more filters than channels": Case(2, 2, (6, 7), 5, (2, 3), **TWO),
    "strides": Case(2, 3, (9, 11), 4, (3, 5), (2, 3), ((0, 1), (2, 1)), (1, 1)),
    "dilations": Case(1, 2, (9, 12), 2, (3, 3), (1, 2), ((1, 2), (0, 0)), (2, 3)),
    "far apart": Case(1, 2, (9, 12), 2, (2, 2), (3, 4), ((0, 0), (0, 0)), (1, 1)),
    "one row": Case(2, 3, (5, 6), 2, (2, 6), (1, 1), ((0, 0), (0, 0)), (1, 1)),
    "batch, strides": Case(9, 3, (9, 11), 4, (3, 5), (2, 3), ((0, 1), (2, 1)), (1, 1)),
    "batch of pixels": Case(9, 3, (5, 6), 4, (1, 1), (2, 1), ((0, 0),) * 2, (1, 1)),
    "pixels, strides and padding": Case(
        2, 3, (3, 3), 4, (1, 1), (2, 2), ((1, 1), (1, 1)), (1, 1)
    ),
    "no image": Case(0, 4, (9, 8), 3, (3, 3), **TWO),
    "more filters than windows": Case(1, 250, (4, 3), 250, (3, 3), **TWO),
    "groups": Case(2, 6, (7, 6), 4, (3, 3), **TWO, groups=2),
    "depthwise": Case(2, 5, (7, 6), 5, (3, 3), **TWO, groups=5),
    "depthwise, two filters each": Case(2, 3, (7, 6), 6, (3, 3), **TWO, groups=3),
    "depthwise, strides": Case(
        2, 5, (8, 9), 5, (3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1), 5
    ),
    "three dimensions": Case(
        2, 2, (5, 6, 7), 3, (2, 3, 2), (1, 2, 1), ((1, 0), (1, 1), (0, 1)), (2, 1, 1)
    ),
}


def operands(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[Steps]]:
    """Small whole numbers, of which every sum is exact."""
    rng = np.random.default_rng(3)
    axes = steps(case.sizes, case.window, case.strides, case.pads, case.dilations)
    image = (case.images, case.channels, *case.sizes)
    filters = (case.filters, case.channels // case.groups, *case.window)
    outputs = (case.images, case.filters, *[axis.count for axis in axes])
    shapes = image, filters, outputs
    x, w, g = [rng.integers(-9, 9, shape).astype(np.float32) for shape in shapes]
    return x, w, g, axes


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_rows_and_full_columns_give_the_same(case: Case) -> None:
    x, w, g, axes = operands(case)
    tall = [(conv_rows, "forward", x, w), (conv_rows, "backward_input", g, w)]
    near = case.dilations[0] == 1
    by_window = [
        (wide_columns, "forward_by_window_rows", x, w),
        (wide_columns, "backward_filter", x, g),
    ]
    by_output = [(wide_columns, "forward_by_output_rows", x, w)]
    for way, name, a, b in [
        *(tall if case.window[0] > 1 else []),
        *(by_output if near and case.images else []),
        *(by_window if case.strides[0] == 1 else []),
        (products, "forward", x, w),
        (products, "backward_input", g, w),
        (products, "backward_filter", x, g),
    ]:
        wanted = getattr(columns, name.split("_by")[0])(a, b, axes, case.groups)
        found = getattr(way, name)(a, b, axes, case.groups)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, wanted, err_msg=name)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_two_gradients_are_adjoints(case: Case) -> None:
    x, w, g, axes = operands(case)
    out = np.vdot(products.forward(x, w, axes, case.groups), g)
    assert out == np.vdot(products.backward_input(g, w, axes, case.groups), x)
    assert out == np.vdot(products.backward_filter(x, g, axes, case.groups), w)


@pytest.mark.parametrize("window", [5, 6, 7])
@pytest.mark.parametrize("dilation", [1, 2, 3])
def test_columns_of_overlapping_windows_are_what_they_show(
    window: int, dilation: int
) -> None:
    x = np.arange(2 * 3 * 20 * 23, dtype=np.float32).reshape(2, 3, 20, 23)
    axes = steps((20, 23), (3, window), (1, 2), ((1, 1), (3, 2)), (2, dilation))
    image = padded(x, axes)
    np.testing.assert_array_equal(
        columns.unrolled(image, axes), windows_of(image, axes)
    )


def test_rows_pay_for_depthwise_and_for_small_filters_of_large_images() -> None:
    def pays(case: Case) -> bool:
        x, w, _, axes = operands(case)
        return conv_rows.is_faster(x.shape, w.shape, axes, case.groups)

    assert pays(CASES["depthwise"])
    assert pays(Case(1, 8, (24, 24), 8, (3, 3), **TWO))
    assert not pays(Case(1, 64, (7, 7), 64, (3, 3), **TWO))
    assert not pays(Case(1, 8, (24, 24), 8, (1, 1), (1, 1), ((0, 0),) * 2, (1, 1)))
    assert not pays(Case(1, 8, (24, 24), 8, (3, 3), (2, 2), ((1, 1),) * 2, (1, 1)))


def test_wide_columns_pay_for_small_products_of_many_filters() -> None:
    def pays(case: Case) -> tuple[bool, bool]:
        _, w, _, axes = operands(case)
        sizes = case.images, w.shape, axes, case.groups
        return wide_columns.is_faster(*sizes), wide_columns.gradient_is_faster(*sizes)

    assert pays(Case(2, 32, (32, 32), 32, (3, 3), **TWO)) == (True, True)
    assert pays(Case(2, 128, (16, 16), 128, (3, 3), **TWO)) == (True, True)
    assert pays(Case(2, 96, (28, 28), 4, (3, 3), **TWO)) == (False, True)
    assert pays(Case(2, 32, (32, 32), 32, (1, 3), **TWO)) == (False, False)
    assert pays(Case(1, 3, (32, 32), 8, (3, 3), **TWO)) == (False, False)
    assert not pays(Case(8, 32, (32, 32), 32, (3, 3), **TWO, groups=32))[0]


def test_products_of_whole_images_pay_for_many_channels_and_few_weights() -> None:
    def pays(case: Case) -> bool:
        _, w, _, axes = operands(case)
        return wide_columns.sum_is_faster(case.images, w.shape, axes, case.groups)

    assert pays(Case(8, 128, (16, 16), 128, (3, 3), **TWO))
    assert pays(Case(8, 64, (24, 24), 64, (3, 3), **TWO))
    assert not pays(Case(8, 64, (32, 32), 64, (3, 3), **TWO))
    assert not pays(Case(8, 32, (24, 24), 64, (3, 3), **TWO))
    assert not pays(Case(2, 128, (16, 16), 128, (3, 3), **TWO))
    assert not pays(Case(8, 64, (24, 24), 64, (3, 3), (2, 2), ((1, 1),) * 2, (1, 1)))


def test_a_product_is_divided_until_its_parts_are_small() -> None:
    assert wide_columns.parts_of(64, 1000) == 1
    assert wide_columns.parts_of(64, 20_000) == 2
    assert wide_columns.parts_of(64, 2_000_000) == 64
