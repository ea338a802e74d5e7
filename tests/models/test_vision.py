"""LeNet, ResNet and MobileNetV2: what PyTorch's give, in both modes, saved and read."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import models, nn
from teachgraph.core.errors import InvalidValueError
from teachgraph.errors import DataError
from teachgraph.models.mobilenet import mobilenet_v2
from teachgraph.models.resnet import COUNTERS, TORCHVISION, resnet18
from teachgraph.models.weights import linear_weights
from tests.models.modes import agree
from tests.models.networks import CLASSES, VISION, images, some, values
from tests.static.fresh import fresh

ANSWERS = Path(__file__).parent.parent / "oracle/models/vision.json"

NETS: dict[str, Callable[..., Any]] = {
    "lenet": models.LeNet,
    "resnet18": models.resnet18,
    "resnet50": models.resnet50,
    "mobilenet_v2": models.mobilenet_v2,
}

NETS_ON_DISK = ["lenet", "resnet18", "mobilenet_v2"]
"""Those of less than a hundred megabytes."""


@cache
def answers() -> Any:
    return json.loads(ANSWERS.read_text("utf-8"))


def loaded(name: str) -> nn.Layer:
    net = NETS[name](num_classes=CLASSES)
    state = values(answers()[name]["shapes"])
    state |= {"bn1.num_batches_tracked": np.array(3)} if name != "lenet" else {}
    models.load_pytorch(net, state, TORCHVISION, COUNTERS)
    for layer in net.sublayers():
        if isinstance(layer, nn.Dropout):
            layer.p = 0.0
    return net


def close(found: Any, expected: Any, rtol: float) -> None:
    """To a part of the largest, for sums of many terms cancel."""
    wanted = np.reshape(expected, np.shape(found))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=rtol * np.abs(wanted).max())


def exact(net: nn.Layer) -> nn.Layer:
    """The same network in float64."""
    for value in net.state_dict().values():
        value.data = value.data.astype(np.float64)
    return net


@pytest.mark.parametrize("name", NETS)
def test_it_gives_what_pytorch_gives_with_the_same_weights(name: str) -> None:
    told, net = answers()[name], loaded(name)
    x = tg.to_tensor(images(*VISION[name]))
    with tg.no_grad():
        close(net.eval()(x).numpy(), told["eval"], 1e-4)
        close(net.train()(x).numpy(), told["train"], 1e-4)


@pytest.mark.parametrize("name", NETS)
def test_its_gradients_are_pytorchs(name: str) -> None:
    told, net = answers()[name], exact(loaded(name))
    out = net(tg.to_tensor(images(*VISION[name]).astype(np.float64)))
    close(out.numpy(), told["train"], 1e-8)
    loss = nn.functional.cross_entropy(out, tg.arange(len(out)) % CLASSES)
    loss.backward()
    close(loss.item(), told["loss"], 1e-8)
    linear = linear_weights(net)
    for key, parameter in net.named_parameters():
        if key in told["gradients"]:
            grad = parameter.grad.numpy()
            close(some(grad.T if key in linear else grad), told["gradients"][key], 1e-8)


PADDLE = {
    "lenet": (61_610, 61_610),
    "resnet18": (11_699_112, 11_689_512),
    "resnet50": (25_610_152, 25_557_032),
    "mobilenet_v2": (3_538_984, 3_504_872),
}
"""All parameters, running moments among them, and those that are trained."""


@pytest.mark.parametrize("name", NETS)
def test_a_summary_counts_as_many_parameters_as_in_paddle(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = tg.summary(NETS[name](), (1, *VISION[name][1:]))
    assert tuple(found.values()) == PADDLE[name]
    assert f"{PADDLE[name][0]:,} parameters" in capsys.readouterr().out


FLOPS = {
    "lenet": 347_560,
    "resnet18": 1_819_066_368,
    "resnet50": 4_111_514_624,
    "mobilenet_v2": 314_194_496,
}


@pytest.mark.parametrize("name", NETS)
def test_it_takes_as_many_operations_as_paddle_counts(name: str) -> None:
    channels, side = VISION[name][1], 28 if name == "lenet" else 224
    assert tg.flops(NETS[name](), [1, channels, side, side]) == FLOPS[name]


@pytest.mark.parametrize(
    ("depth", "parameters"), [(34, 21_797_672), (101, 44_549_160), (152, 60_192_808)]
)
def test_other_depths_have_as_many_parameters_as_in_paddle(
    depth: int, parameters: int
) -> None:
    """In static mode, where parameters have shapes before they have values."""
    with fresh():
        net = getattr(models, f"resnet{depth}")()
        trained = [prod(p.shape) for p in net.parameters() if not p.stop_gradient]
    assert sum(trained) == parameters


@pytest.mark.parametrize(
    "name", [*NETS_ON_DISK, pytest.param("resnet50", marks=pytest.mark.full)]
)
def test_saved_and_read_it_is_the_same_bit_for_bit(name: str, tmp_path: Path) -> None:
    file = tmp_path / "net.pdparams"
    state = loaded(name).state_dict()
    tg.save(state, file)
    other = NETS[name](num_classes=CLASSES)
    assert other.set_state_dict(tg.load(file)) == ([], [])
    for key, value in other.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), state[key].numpy())


def test_a_file_with_torchvisions_names_is_read(tmp_path: Path) -> None:
    state, file = values(answers()["resnet18"]["shapes"]), tmp_path / "net.safetensors"
    tg.save(state, file)
    net = resnet18(file, num_classes=CLASSES)
    np.testing.assert_array_equal(net.fc.weight.numpy(), state["fc.weight"].T)
    variance = state["layer2.0.downsample.1.running_var"]
    found = net.state_dict()["layer2.0.downsample.1._variance"]
    np.testing.assert_array_equal(found.numpy(), variance)


def test_names_that_do_not_fit_are_told_and_nothing_is_loaded() -> None:
    net = models.LeNet(CLASSES)
    state = values(answers()["lenet"]["shapes"])
    state["fc.3.weight"] = state.pop("fc.2.weight")
    before = net.fc[0].weight.numpy()
    with pytest.raises(DataError, match=r"\['fc.2.weight'\].*\['fc.3.weight'\]"):
        models.load_pytorch(net, state)
    np.testing.assert_array_equal(net.fc[0].weight.numpy(), before)
    odd = models.load_pytorch(net, state, strict=False)
    assert odd == (["fc.2.weight"], ["fc.3.weight"])
    np.testing.assert_array_equal(net.fc[0].weight.numpy(), state["fc.0.weight"].T)


def test_weights_of_another_shape_are_refused() -> None:
    state = values(answers()["lenet"]["shapes"])
    with pytest.raises(InvalidValueError, match=r"fc\.2\.weight"):
        models.load_pytorch(models.LeNet(7), state)


def test_no_weights_come_along() -> None:
    with pytest.raises(InvalidValueError, match="no weights come along"):
        mobilenet_v2(pretrained=True)


@pytest.mark.parametrize("name", NETS)
def test_without_head_or_pool_it_gives_features(name: str) -> None:
    shape = VISION[name]
    x = tg.zeros([1, *shape[1:]])
    if name == "lenet":
        assert models.LeNet(num_classes=0)(x).shape == [1, 16, 5, 5]
        return
    net = NETS[name](num_classes=0, with_pool=False).eval()
    channels = {"resnet18": 512, "resnet50": 2048, "mobilenet_v2": 1280}[name]
    assert net(x).shape == [1, channels, 2, 2]


@pytest.mark.parametrize(
    ("options", "parameters"),
    [({"width": 4, "groups": 32}, 25_028_904), ({"width": 128}, 68_883_240)],
)
def test_groups_make_resnext_of_it_and_width_a_wide_one(
    options: Any, parameters: int
) -> None:
    """As many parameters as resnext50_32x4d and wide_resnet50_2 have."""
    net = models.resnet50(**options)
    trained = [p.size for p in net.parameters() if not p.stop_gradient]
    assert sum(trained) == parameters


def test_half_as_many_channels_are_rounded_to_eights() -> None:
    net = models.mobilenet_v2(scale=0.5)
    trained = [p.size for p in net.parameters() if not p.stop_gradient]
    assert sum(trained) == 1_968_680
    with tg.no_grad():
        assert net.eval()(tg.zeros([1, 3, 32, 32])).shape == [1, 1000]


def test_they_are_where_paddle_has_them() -> None:
    from teachgraph.vision.models import resnet50

    assert resnet50 is models.resnet50
    assert tg.vision.models.LeNet is models.LeNet


def test_they_are_imported_when_somebody_asks_for_them() -> None:
    code = (
        "import sys, teachgraph as tg; print('teachgraph.models' in sys.modules); "
        "print(tg.vision.models.LeNet.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.split() == [b"False", b"LeNet"]


def classified(net: Any, image: Any, label: Any) -> Any:
    logits = net(image)
    return logits, nn.functional.cross_entropy(logits, label)


@pytest.mark.parametrize("name", ["lenet", "resnet18", "mobilenet_v2"])
def test_both_modes_give_the_same_and_take_the_same_step(name: str) -> None:
    shape = (2, *VISION[name][1:])
    feed = {"image": images(*shape), "label": np.array([[3], [1]])}

    def build() -> Any:
        net = NETS[name](num_classes=CLASSES)
        return net.eval() if name == "mobilenet_v2" else net

    agree(build, classified, feed)
