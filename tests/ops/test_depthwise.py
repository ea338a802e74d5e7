"""The filter gradient of a depthwise convolution is the sum its docstring writes."""

from __future__ import annotations

import numpy as np
import pytest

from teachgraph.ops import depthwise
from teachgraph.ops.sliding import Sliding
from teachgraph.ops.windows import counts, padded


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("image", "window", "strides", "paddings", "dilations"),
    [
        ((9, 11), (3, 3), (1, 1), (1, 1), (1, 1)),
        ((9, 8), (3, 2), (2, 1), (0, 2, 1, 0), (1, 1)),
        ((10, 13), (5, 3), (2, 3), (2, 1), (1, 2)),
        ((7, 6), (2, 2), (3, 4), (0, 0), (2, 3)),
        ((4, 5), (1, 3), (1, 2), (2, 3), (3, 1)),
        ((12,), (3,), (2,), (4,), (2,)),
        ((4, 5, 6), (2, 3, 2), (2, 1, 2), (1, 0, 1), (1, 2, 3)),
        ((1, 1), (1, 2), (3, 2), (5, 6), (1, 4)),
    ],
)
def test_each_element_is_a_sum_over_all_windows(
    image: tuple[int, ...],
    window: tuple[int, ...],
    strides: tuple[int, ...],
    paddings: tuple[int, ...],
    dilations: tuple[int, ...],
    dtype: str,
) -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(2, 3, *image)).astype(dtype), np.ones((3, 1, *window))
    sliding = Sliding(strides, paddings, "EXPLICIT", dilations, 3, "NCHW")
    axes = sliding.fit(x, w, len(image))
    g = rng.normal(size=(2, 3, *counts(axes))).astype(dtype)
    expected, pad = np.zeros(w.shape, dtype), padded(x, axes)
    for place in np.ndindex(*window):
        for where in np.ndindex(*counts(axes)):
            triples = zip(where, place, axes, strict=True)
            at = [h * axis.step + i * axis.dilation for h, i, axis in triples]
            expected[:, 0, *place] += (g[:, :, *where] * pad[:, :, *at]).sum(0)
    found = depthwise.backward_filter(x, g, axes, 3)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, 1e-4, 1e-4)
