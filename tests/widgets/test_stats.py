"""A value's summary says the truth, in two kilobytes."""

from __future__ import annotations

import base64
import json
import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from teachgraph_widgets.stats import LazyStats, Summarizer, outline, stats_of, summary

from tests.effort import examples

SHAPES = [(), (1,), (7,), (3, 4), (28, 28), (100, 100), (1000,), (2, 3, 5, 4), (300, 2)]


def seen(value: Any) -> Any:
    return stats_of(summary(value))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scale", [1e-20, 1e-3, 1.0, 1e6, 1e15])
def test_figures_are_numpys(shape: tuple[int, ...], scale: float) -> None:
    array = np.random.default_rng(5).normal(1.0, 2.0, shape) * scale
    stats = seen(array)
    assert stats["shape"] == list(shape)
    assert stats["min"] == pytest.approx(array.min(), rel=1e-5)
    assert stats["max"] == pytest.approx(array.max(), rel=1e-5)
    assert stats["mean"] == pytest.approx(array.mean(), rel=1e-5, abs=scale * 1e-9)
    assert stats["std"] == pytest.approx(array.std(), rel=1e-4, abs=scale * 1e-9)
    assert stats["norm"] == pytest.approx(np.linalg.norm(array.ravel()), rel=1e-5)
    first = array.ravel()[:8]
    assert stats["first"] == pytest.approx(first, rel=1e-5)


def test_the_deviation_of_large_numbers_close_together_is_right() -> None:
    array = 1e6 + np.random.default_rng(1).normal(0, 1e-2, 1000)
    assert seen(array)["std"] == pytest.approx(array.std(), rel=1e-3)


@settings(max_examples=examples(1000), deadline=None)
@given(
    arrays.arrays(
        dtype=st.sampled_from(["float32", "float64", "int64", "bool"]),
        shape=arrays.array_shapes(min_dims=0, max_dims=4, max_side=40),
        elements=None,
    )
)
def test_it_is_small_json_whatever_the_value(array: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stats = seen(array)
    text = json.dumps(stats, allow_nan=False, separators=(",", ":"))
    assert len(text) <= 4000
    finite = array.size - stats["nan"] - stats["inf"]
    if array.dtype.kind == "f":
        assert stats["nan"] == np.isnan(array).sum()
        assert stats["inf"] == np.isinf(array).sum()
    if finite > 1:
        assert sum(stats["hist"]) == min(finite, sum(stats["hist"]))
        assert len(stats["hist"]) == 32


def test_one_nan_in_millions_is_seen() -> None:
    array = np.ones((1500, 1000), np.float32)
    array[777, 333] = np.nan
    array[5, 6] = -np.inf
    stats = seen(array)
    assert (stats["nan"], stats["inf"], stats["mean"]) == (1, 1, 1.0)


def test_a_large_value_is_sampled_and_says_so() -> None:
    array = np.tile(np.arange(10.0), 10_000)
    stats = seen(array)
    assert stats["stride"] > 1
    expected = -(-array.size // stats["stride"])
    assert sum(stats["hist"]) == expected
    share = np.array(stats["hist"])[[0, 31]] / expected
    assert share == pytest.approx([0.1, 0.1], abs=0.01), "no digit is favoured"
    assert "stride" not in seen(np.arange(100.0))


def test_the_heat_map_keeps_the_picture() -> None:
    rows, columns = np.mgrid[0:280, 0:140]
    heat = np.array(seen((rows // 140) * 2.0 + columns // 70)["heat"])
    height, width = heat.shape
    assert height <= 32
    assert width <= 32
    corners = [heat[0, 0], heat[0, -1], heat[-1, 0], heat[-1, -1]]
    assert corners == [0.0, 1.0, 2.0, 3.0]
    assert np.array_equal(seen(np.eye(4))["heat"], np.eye(4))


def test_a_cell_with_something_infinite_is_empty() -> None:
    array = np.zeros((3, 3))
    array[1, 2] = np.inf
    heat = seen(array)["heat"]
    assert heat[1] == [0.0, 0.0, None]
    assert sum(cell is None for row in heat for cell in row) == 1


def test_of_several_matrices_the_first_is_drawn() -> None:
    images = np.stack([np.full((4, 4), 7.0), np.zeros((4, 4))])
    assert seen(images)["heat"] == [[7.0] * 4] * 4


def test_an_outline_has_the_figures_alone() -> None:
    array = np.arange(6.0).reshape(2, 3)
    whole, short = seen(array), stats_of(outline(array))
    assert short["hist"] == short["heat"] == short["first"] == []
    names = ("shape", "dtype", "min", "max", "mean", "std", "norm", "nan", "inf")
    for name in names:
        assert short[name] == whole[name]


def test_an_outline_of_a_large_value_says_that_it_is_of_a_sample() -> None:
    array = np.arange(100_000.0)
    sampled, exact = stats_of(outline(array)), stats_of(outline(array, array.size))
    stride = sampled["stride"]
    assert stride > 1
    assert sampled["max"] == array[::stride].max()
    assert "stride" not in exact
    assert (exact["max"], exact["mean"]) == (99_999.0, 49_999.5)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_one_number_that_is_none(value: float) -> None:
    stats = seen(np.float32(value))
    assert stats["min"] is None
    assert (stats["nan"], stats["inf"]) == (
        int(math.isnan(value)),
        int(math.isinf(value)),
    )


def test_what_is_no_number_has_a_shape_at_least() -> None:
    stats = seen(np.array(["a", "b"]))
    assert (stats["shape"], stats["min"], stats["first"]) == ([2], None, [])


@pytest.mark.parametrize("shape", [(4, 3, 32, 48), (1, 8, 8), (2, 1, 28, 28)])
def test_of_pictures_the_first_is_kept_in_its_proportions(
    shape: tuple[int, ...],
) -> None:
    rows, columns = shape[-2:]
    array = np.zeros(shape)
    array[..., columns // 2 :] = 5.0
    stats = seen(array)
    height, width = stats["image_size"]
    assert width / height == pytest.approx(columns / rows, rel=0.15)
    pixels = np.frombuffer(base64.b64decode(stats["image"]), np.uint8)
    pixels = pixels.reshape(height, width, shape[-3])
    assert (pixels[:, 0] == 0).all(), "the least is black"
    assert (pixels[:, -1] == 255).all(), "the greatest is white"
    assert stats["heat"] == []
    assert len(json.dumps(stats)) <= 2048


def test_a_kernel_of_a_convolution_is_no_picture() -> None:
    assert "image" not in seen(np.ones((8, 3, 3, 3)) * np.arange(3))


def test_a_picture_with_nan_in_it_is_still_one() -> None:
    array = np.linspace(0, 1, 3 * 16 * 16).reshape(3, 16, 16)
    array[0, 0, 0] = np.nan
    assert seen(array)["image_size"] == [16, 16]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("oddity", [None, np.nan, np.inf, 1e30])
def test_what_is_worked_out_later_is_what_would_be_seen_now(
    shape: tuple[int, ...], oddity: float | None
) -> None:
    array = np.random.default_rng(2).normal(size=shape).astype("float32")
    array.flat[0] = array.flat[0] if oddity is None else oddity
    now = seen(array), stats_of(outline(array))
    summarizer = Summarizer()
    later = summarizer.summary(array), summarizer.outline(array)
    array[...] = 7.0
    assert tuple(map(stats_of, later)) == now


def test_what_waits_to_be_looked_at_is_bounded() -> None:
    summarizer = Summarizer(most=10_000)
    seen_of = [summarizer.outline(np.ones(100)) for _ in range(100)]
    assert sum(isinstance(one, LazyStats) for one in seen_of) == 10_000 // 800
    assert all(stats_of(one)["norm"] == 10.0 for one in seen_of)
