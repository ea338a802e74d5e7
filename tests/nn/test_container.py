"""Layers in rows, lists and dicts: what they hold is theirs, in order."""

from __future__ import annotations

import pytest

import teachgraph as tg
from teachgraph import nn
from teachgraph.core.errors import DTypeError
from teachgraph.errors import OutOfRangeError


def linears(count: int) -> list[nn.Layer]:
    return [nn.Linear(2, 2) for _ in range(count)]


def names(layer: nn.Layer) -> list[str]:
    return [name for name, _ in layer.named_parameters()]


def test_a_list_of_layers_behaves_as_a_list() -> None:
    a, b, c, d = linears(4)
    layers = nn.LayerList([a, b])
    layers.append(c).insert(1, d)
    assert list(layers) == [a, d, b, c]
    assert (len(layers), layers[-1], list(layers[1:3])) == (4, c, [d, b])
    del layers[0]
    assert list(layers) == [d, b, c]
    layers[0] = a
    assert list(layers) == [a, b, c]
    assert names(layers)[:2] == ["0.weight", "0.bias"]


def test_more_than_ten_layers_stay_in_order() -> None:
    made = linears(12)
    assert list(nn.LayerList(made)) == made


@pytest.mark.parametrize("index", [3, -4])
def test_a_number_past_the_end_is_an_index_error(index: int) -> None:
    with pytest.raises(OutOfRangeError, match="LayerList of 3"):
        nn.LayerList(linears(3))[index]


def test_what_is_no_layer_is_refused() -> None:
    with pytest.raises(DTypeError, match="sublayer"):
        nn.LayerList([3])


def test_parameters_in_a_list_are_the_owners() -> None:
    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            made = [self.create_parameter([2]) for _ in range(3)]
            self.weights = nn.ParameterList(made)

    net = Net()
    assert names(net) == ["weights.0", "weights.1", "weights.2"]
    assert [p.shape for p in net.weights] == [[2], [2], [2]]
    assert net.weights[-1] is net.parameters()[2]


def test_layers_by_name() -> None:
    a, b = linears(2)
    layers = nn.LayerDict({"a": a})
    layers["b"] = b
    assert (layers.keys(), layers.values(), len(layers)) == (["a", "b"], [a, b], 2)
    assert layers.pop("a") is a
    assert list(layers) == ["b"]
    layers.update([("c", a)])
    assert names(layers) == ["b.weight", "b.bias", "c.weight", "c.bias"]
    with pytest.raises(KeyError):
        layers["a"]
    layers.clear()
    assert len(layers) == 0


def test_a_row_of_layers_can_be_named_sliced_and_walked() -> None:
    net = nn.Sequential(("in", nn.Linear(2, 3)), ("out", nn.Linear(3, 1)))
    assert net["in"] is net[0]
    # As in Paddle, a part is numbered anew.
    assert names(net[1:]) == ["0.weight", "0.bias"]
    assert net[1:][0] is net["out"]
    x = tg.ones([4, 2])
    assert net(x).tolist() == net["out"](net["in"](x)).tolist()
    assert list(net) == [net[0], net[1]]
