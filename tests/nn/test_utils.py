"""Weights made of other parameters, and parameters as one vector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.nn import utils
from tests.ops.values import numbers


def conv() -> Any:
    return tg.nn.Conv2D(2, 3, 3)


X = tg.to_tensor(numbers(1, 2, 5, 5).astype("float32"))


@pytest.mark.parametrize("dim", [None, 0, 1])
def test_a_normalised_weight_computes_the_same_until_it_learns(dim: int | None) -> None:
    layer = conv()
    before, weight = layer(X).numpy(), layer.weight.numpy()
    utils.weight_norm(layer, dim=dim)
    np.testing.assert_allclose(layer(X).numpy(), before, rtol=1e-5, atol=1e-6)
    names = {name for name, _ in layer.named_parameters()}
    assert names == {"weight_g", "weight_v", "bias"}
    others = tuple(i for i in range(4) if i != dim)
    expected = np.sqrt((weight**2).sum(axis=others)).ravel()
    np.testing.assert_allclose(layer.weight_g.numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("dim", [None, -1])
def test_one_norm_of_all_elements_has_no_dimension(dim: int | None) -> None:
    """Nor has it one in the files that Paddle saves."""
    layer = conv()
    before, weight = layer(X).numpy(), layer.weight.numpy()
    utils.weight_norm(layer, dim=dim)
    np.testing.assert_allclose(layer(X).numpy(), before, rtol=1e-5, atol=1e-6)
    assert [name for name, _ in layer.named_parameters()] == [
        *("bias", "weight_v", "weight_g"),
    ]
    assert layer.weight_g.shape == []
    np.testing.assert_allclose(layer.weight_g.item(), np.linalg.norm(weight), rtol=1e-5)


def test_a_step_changes_length_and_direction_and_removing_keeps_them() -> None:
    layer = utils.weight_norm(conv())
    optimizer = tg.optimizer.SGD(0.1, parameters=layer.parameters())
    (layer(X) ** 2).mean().backward()
    along = (layer.weight_v.grad * layer.weight_v).sum(axis=[1, 2, 3]).numpy()
    np.testing.assert_allclose(along, 0.0, atol=1e-5)
    first = layer.weight.numpy()
    optimizer.step()
    out = layer(X).numpy()
    assert np.abs(layer.weight.numpy() - first).max() > 1e-3
    utils.remove_weight_norm(layer)
    assert {name for name, _ in layer.named_parameters()} == {"weight", "bias"}
    np.testing.assert_allclose(layer(X).numpy(), out, rtol=1e-5, atol=1e-6)
    with pytest.raises(InvalidValueError, match="no normalised 'weight'"):
        utils.remove_weight_norm(layer)


def test_a_normalised_layer_is_saved_and_traced_like_any_other() -> None:
    layer, other = utils.weight_norm(conv()), utils.weight_norm(conv())
    other.set_state_dict(layer.state_dict())
    np.testing.assert_array_equal(other(X).numpy(), layer(X).numpy())
    traced = tg.jit.to_static(other)
    np.testing.assert_allclose(traced(X).numpy(), layer(X).numpy(), atol=1e-6)


def test_training_calls_come_nearer_and_calls_in_a_test_stay() -> None:
    tg.seed(3)
    layer = utils.spectral_norm(tg.nn.Linear(4, 3))
    largest = np.linalg.svd(layer.weight_orig.numpy())[1][0]
    for _ in range(100):
        layer(tg.zeros([1, 4]))
    found = layer.weight.numpy()
    np.testing.assert_allclose(found, layer.weight_orig.numpy() / largest, rtol=1e-4)
    assert layer.weight_u.shape == [3]
    assert [p.shape for p in layer.parameters()] == [[3], [4, 3]]
    layer.eval()
    u = layer.weight_u.numpy()
    layer(tg.zeros([1, 4]))
    np.testing.assert_array_equal(layer.weight_u.numpy(), u)


def test_what_a_layer_has_not_is_refused_and_the_layer_kept() -> None:
    layer = conv()
    with pytest.raises(InvalidValueError, match="no such parameter"):
        utils.weight_norm(layer, "kernel")
    with pytest.raises(InvalidValueError, match="dim = 4: it has 4 dimensions"):
        utils.spectral_norm(layer, dim=4)
    assert {name for name, _ in layer.named_parameters()} == {"weight", "bias"}


def test_a_vector_goes_into_parameters_and_back() -> None:
    layer = tg.nn.Linear(3, 2)
    given = numbers(8).astype("float32")
    utils.vector_to_parameters(tg.to_tensor(given), layer.parameters())
    found = utils.parameters_to_vector(layer.parameters())
    np.testing.assert_array_equal(found.numpy(), given)
    found.sum().backward()
    assert layer.weight.grad.numpy().tolist() == [[1.0] * 2] * 3
    with pytest.raises(ShapeError, match="8 elements"):
        utils.vector_to_parameters(tg.zeros([7]), layer.parameters())
