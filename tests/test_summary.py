"""Tables of networks: shapes, parameters, multiplications as Paddle counts them."""

from __future__ import annotations

from typing import Any

import pytest

import teachgraph as tg
from teachgraph import nn
from teachgraph.core.errors import InvalidValueError


def lenet() -> nn.Layer:
    return nn.Sequential(
        nn.Conv2D(1, 6, 3, stride=1, padding=1),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(6, 16, 5, stride=1, padding=0),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.Linear(120, 84),
        nn.Linear(84, 10),
    )


def test_flops_and_parameters_of_lenet_are_those_paddle_documents(capsys: Any) -> None:
    assert tg.flops(lenet(), [1, 1, 28, 28], print_detail=True) == 347_560
    told = capsys.readouterr().out
    assert "241,600" in told
    assert "[1, 16, 10, 10]" in told
    found = tg.summary(lenet(), (1, 1, 28, 28))
    assert found == {"total_params": 61_610, "trainable_params": 61_610}


def test_a_network_is_left_as_it_was(capsys: Any) -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    net[1].eval()
    tg.summary(net, (1, 2))
    assert [layer.training for layer in net.sublayers(include_self=True)] == [
        True,
        True,
        False,
    ]
    assert all(not layer._pre_hooks and not layer._post_hooks for layer in net)


def test_frozen_parameters_are_counted_apart(capsys: Any) -> None:
    net = nn.Linear(4, 3, bias_attr=tg.ParamAttr(trainable=False))
    assert tg.summary(net, (-1, 4)) == {"total_params": 15, "trainable_params": 12}


def test_several_inputs_and_integers(capsys: Any) -> None:
    class Two(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(10, 4)

        def forward(self, ids: Any, x: Any) -> Any:
            return self.table(ids) + x

    assert tg.summary(Two(), [(2, 3), (2, 3, 4)], ["int64", "float32"]) == {
        "total_params": 40,
        "trainable_params": 40,
    }


def test_a_way_of_ones_own_to_count() -> None:
    ops = {nn.ReLU: lambda layer, inputs, output: output.size}
    assert tg.flops(nn.Sequential(nn.ReLU()), [3, 5], custom_ops=ops) == 15


@pytest.mark.parametrize("count", [7, tg.to_tensor([7])])
def test_a_function_of_ones_own_may_add_to_the_layers_total(count: Any) -> None:
    """As functions for Paddle do, which return nothing."""

    def add(layer: Any, inputs: Any, output: Any) -> None:
        layer.total_ops += count

    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    assert tg.flops(net, [1, 2], custom_ops={nn.Linear: add}) == 14
    assert not hasattr(net[0], "total_ops")
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_a_size_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="positive integers"):
        tg.summary(nn.ReLU(), (0, "a"))
