"""What is drawn or looked up by value, of the functions of matrices."""

from __future__ import annotations

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import InvalidValueError, ShapeError
from tests.ops.values import numbers

X = numbers(6, 4)


def test_the_components_are_those_of_the_svd() -> None:
    tg.seed(0)
    u, s, v = tg.linalg.pca_lowrank(tg.to_tensor(X), 4)
    centered = X - X.mean(0)
    np.testing.assert_allclose(s.numpy(), np.linalg.svd(centered)[1], atol=1e-9)
    product = u.numpy() * s.numpy() @ v.numpy().T
    np.testing.assert_allclose(product, centered, atol=1e-12)


def test_few_components_are_the_largest() -> None:
    tg.seed(0)
    table = X[:, :1] @ X[:1] * 10.0 + X * 1e-3
    _, s, v = tg.linalg.pca_lowrank(tg.to_tensor(table), 1, center=False)
    np.testing.assert_allclose(s.numpy(), np.linalg.svd(table)[1][:1], rtol=1e-9)
    assert v.shape == [4, 1]


def test_a_best_fit_tells_rank_and_singular_values() -> None:
    x, y = X[:, [0, 1, 1]], X[:, 3:]
    solution, _, rank, values = tg.linalg.lstsq(x, y, driver="gelsd")
    wanted = np.linalg.lstsq(x, y, rcond=None)
    np.testing.assert_allclose(solution, wanted[0], atol=1e-12)
    assert int(rank) == wanted[2] == 2
    np.testing.assert_allclose(values, wanted[3], atol=1e-12)
    assert tg.linalg.lstsq(X[:3], y[:3])[1].size == 0


def test_householder_product_is_the_q_of_qr() -> None:
    packed, tau = np.linalg.qr(X, mode="raw")
    found = tg.linalg.householder_product(packed.T.copy(), tau)
    np.testing.assert_allclose(found, np.linalg.qr(X)[0], atol=1e-12)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="matrix norm"):
        tg.linalg.cond(X[:4], 3)
    with pytest.raises(ShapeError, match="1 or 2 dimensions"):
        tg.linalg.cov(X[None])
    with pytest.raises(InvalidValueError, match="components"):
        tg.linalg.pca_lowrank(X, 5)
    with pytest.raises(InvalidValueError, match="driver"):
        tg.linalg.lstsq(X, X, driver="best")
    with pytest.raises(ShapeError, match="factors"):
        tg.linalg.householder_product(X, np.ones(5))
