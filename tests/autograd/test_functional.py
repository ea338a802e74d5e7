"""Jacobians and Hessians are what one works out by hand, and go on the tape."""

from __future__ import annotations

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import InvalidValueError, ShapeError


def leaf(*values: object) -> tg.Tensor:
    return tg.to_tensor(np.array(values, float), stop_gradient=False)


def test_a_jacobian_of_a_linear_map_is_its_matrix() -> None:
    x, matrix = leaf(1.0, 2.0, 3.0), np.arange(6.0).reshape(2, 3)
    found = tg.autograd.jacobian(tg.to_tensor(matrix) @ x, x)
    np.testing.assert_array_equal(found.numpy(), matrix)


def test_several_outputs_and_inputs_give_blocks() -> None:
    x, y = leaf(1.0, 2.0), tg.to_tensor(3.0, stop_gradient=False)
    (by_x, by_y), (none, same) = tg.autograd.jacobian([x * y, y * 2.0], [x, y])
    assert by_x.tolist() == [[3.0, 0.0], [0.0, 3.0]]
    assert by_y.tolist() == [1.0, 2.0]
    assert (none.tolist(), same.item()) == ([0.0, 0.0], 2.0)


def test_samples_of_a_batch_have_a_matrix_each() -> None:
    x = leaf([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    squares = tg.autograd.jacobian((x * x)[:, :2], x, batch_axis=0)
    assert squares.shape == [2, 2, 3]
    assert squares.tolist()[1] == [[8.0, 0.0, 0.0], [0.0, 10.0, 0.0]]
    sums = tg.autograd.hessian((x**3).sum(1), x, batch_axis=0)
    np.testing.assert_allclose(sums[1].numpy(), np.diag([24.0, 30.0, 36.0]))


def test_a_hessian_of_several_inputs_is_symmetric_by_blocks() -> None:
    x, y = leaf(1.0, 2.0), leaf(3.0)
    (xx, xy), (yx, yy) = tg.autograd.hessian((x * x * y).sum(), [x, y])
    np.testing.assert_allclose(xx.numpy(), np.diag([6.0, 6.0]))
    assert xy.tolist() == [[2.0], [4.0]]
    assert yx.tolist() == [[2.0, 4.0]]
    assert yy.tolist() == [[0.0]]


def test_a_jacobian_can_be_differentiated() -> None:
    x = leaf(1.0, 2.0)
    tg.autograd.jacobian(x**3, x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [6.0, 12.0])


def test_backward_of_several_adds_up() -> None:
    x = leaf(1.0, 2.0)
    shared = x * x
    start = tg.to_tensor(np.array([1.0, 10.0]))
    tg.autograd.backward([shared, shared * 3.0], [None, start])
    assert x.grad.tolist() == [2.0 + 6.0, 4.0 + 120.0]


def test_what_makes_no_sense_is_refused() -> None:
    x = leaf(1.0, 2.0)
    with pytest.raises(InvalidValueError, match="batch_axis"):
        tg.autograd.jacobian(x, x, batch_axis=1)
    with pytest.raises(ShapeError, match="one number"):
        tg.autograd.hessian(x * x, x)
    with pytest.raises(ShapeError, match="batches"):
        tg.autograd.jacobian(x[:1], x, batch_axis=0)
    with pytest.raises(InvalidValueError, match="2 gradients"):
        tg.autograd.backward(x * x, [None, None])
