"""What the functions of linear algebra promise beside what their ops' rows test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import linalg
from teachgraph.autograd import check_grads
from teachgraph.core.errors import InvalidValueError, OpError, ShapeError
from tests.ops.values import numbers

SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


def variable(values: Any) -> Any:
    return tg.to_tensor(values, stop_gradient=False)


@pytest.mark.parametrize(
    ("call", "op"),
    [
        (lambda: linalg.inv(variable(SINGULAR)), "inverse"),
        (lambda: linalg.solve(variable(SINGULAR), variable(np.ones(2))), "solve"),
        (lambda: linalg.cholesky(variable(-np.eye(2))), "cholesky"),
        (lambda: linalg.matrix_power(variable(SINGULAR), -1), "matrix_power"),
    ],
)
def test_a_matrix_that_will_not_do_is_an_error_that_names_the_op(
    call: Callable[[], Any], op: str
) -> None:
    with pytest.raises(InvalidValueError, match=f"^{op} cannot take these inputs: a m"):
        call()


def test_equal_eigenvalues_have_a_gradient_where_only_values_are_used() -> None:
    x = variable(np.eye(3))
    linalg.eigvalsh(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.eye(3), atol=1e-12)


@pytest.mark.parametrize("part", [0, 1])
def test_vectors_that_may_turn_have_no_gradient(part: int) -> None:
    x = variable(np.eye(2))
    chosen = linalg.svd(x)[0] if part else linalg.eigh(x)[1]
    with pytest.raises(InvalidValueError, match="equal values"):
        (chosen * tg.to_tensor(numbers(2, 2))).sum().backward()


def test_gradients_that_are_not_given_are_errors_in_words() -> None:
    full = linalg.svd(variable(numbers(3, 2)), full_matrices=True)[0]
    with pytest.raises(InvalidValueError, match="full_matrices=True"):
        full.sum().backward()
    _, r = linalg.qr(variable(numbers(2, 3)))
    with pytest.raises(ShapeError, match="more columns than rows"):
        r.sum().backward()
    with pytest.raises(InvalidValueError, match="'complete'"):
        linalg.qr(variable(numbers(3, 2)), mode="complete")[1].sum().backward()


def test_factors_make_the_matrix_again() -> None:
    x = numbers(3, 2)
    u, s, vh = linalg.svd(tg.to_tensor(x))
    np.testing.assert_allclose(((u * s) @ vh).numpy(), x, atol=1e-12)
    q, r = linalg.qr(tg.to_tensor(x))
    np.testing.assert_allclose((q @ r).numpy(), x, atol=1e-12)
    only_r = linalg.qr(tg.to_tensor(x), mode="r")
    np.testing.assert_allclose(only_r.numpy(), r.numpy())


def test_outer_and_inner_are_differentiated_to_third_order() -> None:
    x, y = numbers(2, 3), numbers(4, 3, start=50)
    check_grads(tg.inner, [x, y], order=3)
    check_grads(tg.outer, [numbers(3), numbers(2, start=9)], order=3)
    check_grads(tg.matmul, [numbers(3), numbers(3, 2)], order=3)


@pytest.mark.parametrize(
    ("x", "y", "axes"),
    [
        ((2, 3, 4), (3, 4, 5), 2),
        ((2, 3, 4), (4, 3, 5), [[1, 2], [1, 0]]),
        ((2, 3), (3, 2), [[0, -1], [1, 0]]),
        ((2, 3), (4,), 0),
        ((3, 2), (3, 4), [0]),
    ],
)
def test_tensordot_sums_over_the_axes_named(
    x: tuple[int, ...], y: tuple[int, ...], axes: Any
) -> None:
    first, second = numbers(*x), numbers(*y, start=50)
    found = tg.tensordot(tg.to_tensor(first), tg.to_tensor(second), axes)
    wanted = np.tensordot(first, second, (axes, axes) if axes == [0] else axes)
    np.testing.assert_allclose(found.numpy(), wanted, atol=1e-12)
    check_grads(lambda a, b: tg.tensordot(a, b, axes), [first, second], order=2)


def test_tensordot_refuses_axes_that_are_not_there() -> None:
    with pytest.raises(OpError, match="tensordot"):
        tg.tensordot(tg.ones([2, 3]), tg.ones([3]), axes=2)


def test_shapes_may_hold_tensors() -> None:
    two, shape = tg.to_tensor(2), tg.to_tensor([2, 3])
    assert tg.zeros([two, 3]).shape == [2, 3]
    assert tg.ones(shape).shape == [2, 3]
    assert tg.randn([two]).shape == [2]
    assert tg.full([two], tg.to_tensor(1.5)).tolist() == [1.5, 1.5]


def test_ranges_have_paddles_dtypes() -> None:
    assert tg.arange(3).dtype == np.int64
    assert tg.arange(0.0, 3).dtype == np.float32
    assert tg.arange(tg.to_tensor(3)).tolist() == [0, 1, 2]
    assert tg.arange(1, 10, 4, dtype="int32").tolist() == [1, 5, 9]
    assert tg.assign(np.array([1.5])).dtype == np.float32
    assert tg.assign([True]).dtype == np.bool_


def test_a_clone_passes_gradients_on_and_shares_no_memory() -> None:
    x = variable([1.0, 2.0])
    copy = tg.clone(x)
    (copy * copy).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2.0, 4.0])
    assert not np.shares_memory(copy.numpy(), x.numpy())
