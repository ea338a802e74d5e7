"""Whoever asks for one of PyTorch's names is told what it is called here."""

import re
from typing import Any

import pytest

import teachgraph as tg
from teachgraph.core.errors import ProgramError
from teachgraph.ops.pytorch_names import PYTORCH, by_name, our_name

PLACES: dict[str, Any] = {
    "Tensor": tg.ones([2]),
    "Layer": tg.nn.Linear(1, 1),
    "Optimizer": tg.optimizer.SGD(0.1, parameters=tg.nn.Linear(1, 1).parameters()),
    "": tg,
    "nn": tg.nn,
    "nn.functional": tg.nn.functional,
    "optimizer": tg.optimizer,
    "autograd": tg.autograd,
}
NAMES = [(place, name) for place in PYTORCH for name in by_name(place)]


@pytest.mark.parametrize(("place", "name"), NAMES)
def test_it_is_not_here_and_ours_is(place: str, name: str) -> None:
    ours = our_name(place, name)
    with pytest.raises(AttributeError, match=re.escape(f"{name} is here {ours}")):
        getattr(PLACES[place], name)
    path = re.match(r"(?:self\.|x\.)?([a-z_A-Z.0-9]+)", ours)
    assert path or place == "Tensor"  # an operator such as x + y
    if path and path[1] not in ("nothing", "x"):
        owners = [tg, PLACES[place], tg.Tensor, tg.nn.Layer]
        assert any(has(owner, path[1]) for owner in owners), path[1]


def has(owner: Any, path: str) -> bool:
    for name in path.split("."):
        if not hasattr(owner, name):
            return False
        owner = getattr(owner, name)
    return True


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("Conv2d", "Conv2D"),
        ("ConvTranspose3d", "Conv3DTranspose"),
        ("BatchNorm1d", "BatchNorm1D"),
        ("AdaptiveAvgPool2d", "AdaptiveAvgPool2D"),
        ("MaxUnPool2d", "MaxUnPool2D"),
        ("Dropout2d", "Dropout2D"),
        ("InstanceNorm3d", "InstanceNorm3D"),
        ("ZeroPad2d", "ZeroPad2D"),
    ],
)
def test_layers_of_some_dimensions_end_in_a_capital(name: str, ours: str) -> None:
    assert hasattr(tg.nn, ours)
    with pytest.raises(AttributeError, match=f"PyTorch's {name} is here nn.{ours}$"):
        getattr(tg.nn, name)


def test_an_attribute_of_ones_own_may_have_such_a_name() -> None:
    class Net(tg.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.modules = tg.nn.LayerList([tg.nn.Linear(2, 1)])

    net = Net()
    assert len(net.modules) == 1
    assert "modules" in dir(net)
    assert len(net.parameters()) == 2
    assert "modules" not in dir(tg.nn.Linear(2, 1))
    assert not hasattr(tg.nn.Linear(2, 1), "modules")


def test_a_class_called_as_an_instance_is_told_so() -> None:
    class Net(tg.nn.Layer):
        pass

    with pytest.raises(TypeError, match=r"make the layer first .*: Net\(\)\(x\)"):
        Net(tg.ones([2]))
    loss = tg.nn.CrossEntropyLoss(tg.ones([1, 2]), tg.ones([1]))
    with pytest.raises(ProgramError, match=r"CrossEntropyLoss\(\)\(x\)\.backward"):
        loss.backward()


def test_an_optimizer_of_nothing_does_not_step_in_silence() -> None:
    class Net(tg.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [tg.nn.Linear(2, 1)]

    empty = tg.optimizer.SGD(0.1, parameters=Net().parameters())
    with pytest.raises(ValueError, match=r"no parameters.* nn\.LayerList"):
        empty.step()


def test_arguments_in_pytorchs_order_are_named_not_printed() -> None:
    with pytest.raises(ValueError, match=r"rate must be .* got a list as the first"):
        tg.optimizer.Adam(tg.nn.Linear(99, 99).parameters(), 0.1)
    for call in (
        lambda: tg.ones([8]).reshape(4, 2),
        lambda: tg.ones([4, 2]).transpose(0, 1),
        lambda: tg.ones([1, 2]).expand(4, 2),
    ):
        with pytest.raises(TypeError, match="go into one list, as in"):
            call()
