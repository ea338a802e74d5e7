"""A weight over its largest singular value."""

from __future__ import annotations

import numpy as np

import teachgraph as tg
from tests.ops.values import numbers


def test_the_largest_singular_value_becomes_1() -> None:
    weight = numbers(3, 2, 2, 4)
    layer = tg.nn.SpectralNorm([3, 2, 2, 4], dim=3, power_iters=200, dtype="float64")
    found = layer(tg.to_tensor(weight)).numpy()
    matrix = np.moveaxis(weight, 3, 0).reshape(4, -1)
    largest = np.linalg.svd(matrix)[1][0]
    np.testing.assert_allclose(found, weight / largest, rtol=1e-9)
    assert [p.shape for p in layer.parameters()] == [[4], [12]]


def test_a_few_steps_are_those_of_power_iteration() -> None:
    weight, layer = numbers(3, 4), tg.nn.SpectralNorm([3, 4], 0, 2, dtype="float64")
    u = layer.weight_u.numpy()
    for _ in range(2):
        v = weight.T @ u / np.linalg.norm(weight.T @ u)
        u = weight @ v / np.linalg.norm(weight @ v)
    for _ in range(2):  # the second call starts anew
        found = layer(tg.to_tensor(weight)).numpy()
        np.testing.assert_allclose(found, weight / (u @ weight @ v))


def test_the_singular_vectors_are_constants_for_the_gradient() -> None:
    layer = tg.nn.SpectralNorm([2, 2], power_iters=60, dtype="float64")
    x = tg.to_tensor(np.diag([4.0, 2.0]), stop_gradient=False)
    layer(x)[1, 1].backward()
    np.testing.assert_allclose(x.grad.numpy(), [[-2 / 16, 0.0], [0.0, 0.25]], atol=1e-9)
    assert layer.weight_u.grad is None
