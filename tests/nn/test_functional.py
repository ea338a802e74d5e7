"""Layers and functions over the ops: what they compute, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
import teachgraph.nn.functional as F
from teachgraph import nn
from teachgraph.autograd import check_grads
from teachgraph.core.errors import DTypeError, ShapeError
from tests.ops.values import numbers

LOGITS = numbers(4, 3)
LABELS = np.array([2, 0, 1, 1])


def losses(logits: Any, labels: Any) -> Any:
    """-log of the right class's share, one row at a time."""
    shares = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    return -np.log(shares[np.arange(len(labels)), labels])


def test_linear_is_a_product_and_a_sum() -> None:
    layer = nn.Linear(3, 2)
    x = numbers(5, 4, 3).astype("float32")
    wanted = np.einsum("abi,io->abo", x, layer.weight.numpy()) + layer.bias.numpy()
    found = layer(tg.to_tensor(x)).numpy()
    # Terms may cancel: what is left has the rounding of the terms.
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    assert layer.bias.tolist() == [0.0, 0.0]


def test_linear_without_a_bias_has_none() -> None:
    layer = nn.Linear(3, 2, bias_attr=False)
    assert layer.bias is None
    assert list(layer.state_dict()) == ["weight"]
    x = tg.to_tensor(numbers(5, 3).astype("float32"))
    np.testing.assert_array_equal(layer(x).numpy(), (x @ layer.weight).numpy())


def test_linear_refuses_another_width_in_words() -> None:
    with pytest.raises(
        ShapeError, match=r"(?s)matmul_v2 .*\[2, 4\].*\[3, 2\]"
    ) as caught:
        nn.Linear(3, 2)(tg.ones([2, 4]))
    assert __file__ in str(caught.value)


def test_gradients_of_a_network_are_finite_differences() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3), nn.Sigmoid())
    net.to(dtype="float64")
    check_grads(lambda x: F.cross_entropy(net(x), LABELS), [LOGITS])


def test_sequential_calls_its_layers_in_order() -> None:
    net = nn.Sequential(
        ("double", Times(2.0)), ("less", Plus(-3.0)), ("relu", nn.ReLU())
    )
    assert net(tg.to_tensor([1.0, 2.5])).tolist() == [0.0, 2.0]
    assert [name for name, _ in net.named_children()] == ["double", "less", "relu"]
    assert (len(net), net[-1].full_name()) == (3, net.relu.full_name())
    assert isinstance(net[:2], nn.Sequential)
    assert net[:2](tg.to_tensor([1.0])).tolist() == [-1.0]
    with pytest.raises(IndexError):
        _ = net[3]
    with pytest.raises(DTypeError, match="should be of type Layer"):
        nn.Sequential(nn.ReLU(), "relu")


class Times(nn.Layer):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: Any) -> Any:
        return x * self.factor


class Plus(Times):
    def forward(self, x: Any) -> Any:
        return x + self.factor


def test_the_same_layer_may_stand_twice_in_a_sequence() -> None:
    twice = Times(3.0)
    assert nn.Sequential(twice, twice)(tg.to_tensor(1.0)).item() == 9.0


@pytest.mark.parametrize("shape", [(4,), (4, 1)])
@pytest.mark.parametrize(
    ("reduction", "reduce"),
    [("mean", np.mean), ("sum", np.sum), ("none", lambda loss: loss)],
)
def test_cross_entropy(shape: Any, reduction: str, reduce: Any) -> None:
    found = F.cross_entropy(
        tg.to_tensor(LOGITS), tg.to_tensor(LABELS.reshape(shape)), reduction=reduction
    )
    np.testing.assert_allclose(
        found.numpy(), reduce(losses(LOGITS, LABELS).reshape(shape)), rtol=1e-12
    )


def test_cross_entropy_of_soft_labels() -> None:
    soft = np.eye(3)[LABELS] * 0.7 + 0.1
    shares = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
    found = F.cross_entropy(LOGITS, soft, soft_label=True)
    wanted = -(soft * np.log(shares)).sum(axis=1).mean()
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_the_loss_layer_is_the_function() -> None:
    loss = nn.CrossEntropyLoss(ignore_index=1, reduction="sum")
    found = loss(tg.to_tensor(LOGITS), tg.to_tensor(LABELS))
    assert found.item() == pytest.approx(losses(LOGITS, LABELS)[:2].sum(), rel=1e-12)


def test_squared_errors() -> None:
    x, y = LOGITS, numbers(4, 3, start=50)
    np.testing.assert_allclose(F.square_error_cost(x, y), (x - y) ** 2, rtol=1e-12)
    np.testing.assert_allclose(F.mse_loss(x, y), ((x - y) ** 2).mean(), rtol=1e-12)
    total = F.mse_loss(x, y, reduction="sum")
    np.testing.assert_allclose(total, ((x - y) ** 2).sum(), rtol=1e-12)


def test_softmax_in_another_dtype() -> None:
    found = F.softmax(tg.to_tensor([[1, 1]]), dtype="float32")
    assert (found.tolist(), str(found.dtype)) == ([[0.5, 0.5]], "float32")


@pytest.mark.parametrize(
    ("layer", "function"),
    [(nn.ReLU, F.relu), (nn.Sigmoid, F.sigmoid), (nn.Tanh, F.tanh)],
)
def test_activation_layers_are_their_functions(layer: Any, function: Any) -> None:
    x = tg.to_tensor(LOGITS)
    np.testing.assert_array_equal(layer()(x).numpy(), function(x).numpy())


def test_a_network_learns_what_it_is_shown() -> None:
    tg.seed(3)
    x = tg.to_tensor(numbers(32, 4).astype("float32"))
    label = x[:, 1:].argmax(axis=1)
    net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
    optimizer = tg.optimizer.SGD(learning_rate=0.5, parameters=net.parameters())
    first = last = F.cross_entropy(net(x), label).item()
    for _ in range(300):
        loss = F.cross_entropy(net(x), label)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        last = loss.item()
    assert last < 0.3 * first
