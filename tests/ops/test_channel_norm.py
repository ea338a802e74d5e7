"""Batch normalisation's arithmetic on arrays is that of its rule, made of ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from teachgraph.ops import channel_norm
from teachgraph.ops.batch_norm import batch_norm, batch_norm_grad

FLAGS = {
    "is_test": False,
    "use_global_stats": False,
    "trainable_statistics": False,
    "data_layout": "NCHW",
}


def answers(x: Any, dy: Any, scale: Any, bias: Any) -> list[Any]:
    zeros = np.zeros(x.shape[1], x.dtype)
    *running, mean, inverse, y = batch_norm.kernel(x, scale, bias, zeros, zeros)
    gradients = batch_norm_grad(dy, None, None, x, scale, bias, mean, inverse, **FLAGS)
    gradients = [g() if callable(g) else g for g in gradients]
    return [*running, mean, inverse, y, *gradients]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "shape", [(4, 3), (2, 5, 7), (3, 2, 20, 20), (1, 2, 3, 2, 2), (1, 1, 300, 300)]
)
@pytest.mark.parametrize("given", ["both", "scale", "neither"])
def test_arrays_give_what_the_ops_give(
    dtype: str, shape: tuple[int, ...], given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    x, dy = (rng.normal(3, 2, shape).astype(dtype) for _ in "xy")
    scale, bias = (rng.normal(1, 1, shape[1]).astype(dtype) for _ in "sb")
    args = scale if given != "neither" else None, bias if given == "both" else None
    fast = answers(x, dy, *args)
    monkeypatch.setattr(channel_norm, "serves", lambda *_: False)
    by_ops = answers(x, dy, *args)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    for found, expected in zip(fast, by_ops, strict=True):
        if expected is None:
            assert found is None
        else:
            np.testing.assert_allclose(found, expected, tolerance, tolerance)
            assert found.dtype == expected.dtype


def test_sums_of_long_rows_are_as_accurate_as_numpys() -> None:
    """BLAS adds four million numbers beside 10,000 with an error of 3e-4."""
    x = np.random.default_rng(0).normal(1e4, 1, (1, 1, 1 << 22)).astype("float32")
    exact = x.astype("float64").sum()
    assert abs(float(channel_norm.total(x)[0]) / exact - 1) < 1e-6
