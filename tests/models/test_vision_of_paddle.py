"""The networks of `paddle.vision.models`: parameters and outputs are Paddle 2.6.2's."""

from __future__ import annotations

import json
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import nn
from teachgraph.core.errors import InvalidValueError
from teachgraph.errors import DataError
from teachgraph.models.alexnet import TORCHVISION
from teachgraph.models.weights import renamed
from teachgraph.vision import models
from tests.models.modes import agree
from tests.models.networks import CLASSES, PADDLE, digest, images, some, values
from tests.static.fresh import fresh

ANSWERS = Path(__file__).parent.parent / "oracle/models/paddle_vision.json"
NAMES = [name for name in sorted(models.__all__) if name[0].islower()]


@cache
def answers() -> Any:
    return json.loads(ANSWERS.read_text("utf-8"))


def shapes(net: nn.Layer) -> dict[str, list[int]]:
    """In the order of the names, which is the same here and there."""
    state = sorted(net.state_dict().items())
    return {name: list(value.shape) for name, value in state}


@pytest.mark.parametrize("name", [*NAMES, "vgg11_bn", "vgg13_bn", "vgg16_bn"])
def test_its_parameters_have_paddles_names_and_shapes(name: str) -> None:
    """In static mode, where parameters have shapes before they have values."""
    options = {"batch_norm": True} if name.endswith("_bn") else {}
    with fresh():
        found = shapes(getattr(models, name.removesuffix("_bn"))(**options))
    counts = [len(found), sum(map(prod, found.values())), digest(found)]
    assert counts == answers()["counts"][name]


@pytest.mark.parametrize("family", PADDLE)
def test_it_gives_what_paddle_gives_with_the_same_weights(family: str) -> None:
    name, options, image = PADDLE[family]
    net = getattr(models, name)(**{"num_classes": CLASSES, **options})
    net.set_state_dict(values(shapes(net)))
    with tg.no_grad():
        out = net.eval()(tg.to_tensor(images(*image)))
    outs = out if isinstance(out, list) else [out]
    for ours, theirs in zip(outs, answers()["outputs"][family], strict=True):
        close = 1e-4 * np.abs(theirs).max()
        np.testing.assert_allclose(some(ours.numpy()), theirs, rtol=0, atol=close)


@pytest.mark.parametrize("name", ["squeezenet1_1", "resnext50_32x4d", "vgg11"])
def test_no_weights_come_along(name: str) -> None:
    with fresh(), pytest.raises(InvalidValueError, match="no weights come along"):
        getattr(models, name)(pretrained=True)


def test_a_file_of_paddles_is_read_and_another_refused(tmp_path: Path) -> None:
    net = models.squeezenet1_1(num_classes=CLASSES)
    state = values(shapes(net))
    file = tmp_path / "SqueezeNet1_1_pretrained.pdparams"
    tg.save(state, file)
    read = models.squeezenet1_1(file, num_classes=CLASSES).state_dict()
    for name, value in state.items():
        np.testing.assert_array_equal(read[name].numpy(), value)
    with pytest.raises(DataError, match=r"no value for .*'_fc.weight'"):
        models.shufflenet_v2_x0_25(file)


def test_torchvisions_alexnet_has_a_place_for_each_of_its_names() -> None:
    layers = {"features": (0, 3, 6, 8, 10), "classifier": (1, 4, 6)}
    theirs = [
        f"{part}.{number}.{kind}"
        for part, numbers in layers.items()
        for number in numbers
        for kind in ("weight", "bias")
    ]
    with fresh():
        ours = [*models.alexnet().state_dict()]
    assert [renamed(name, TORCHVISION) for name in theirs] == ours


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: models.SqueezeNet("2.0"), "version: one of"),
        (lambda: models.DenseNet(100), "layers: one of"),
        (lambda: models.ShuffleNetV2(3.0), "scale: one of"),
        (lambda: models.ShuffleNetV2(act="tanh"), "act: one of"),
    ],
)
def test_a_size_that_there_is_not_is_refused(build: Any, says: str) -> None:
    with pytest.raises(InvalidValueError, match=says):
        build()


@pytest.mark.parametrize(
    ("name", "options", "shape"),
    [
        ("mobilenet_v3_small", {"scale": 0.35}, [1, 192, 1, 1]),
        ("squeezenet1_1", {}, [1, 512, 1, 1]),
        ("shufflenet_v2_x0_25", {}, [1, 512, 1, 1]),
        ("mobilenet_v1", {"scale": 0.25}, [1, 256, 1, 1]),
    ],
)
def test_without_head_and_pool_it_gives_features(
    name: str, options: Any, shape: list[int]
) -> None:
    net = getattr(models, name)(num_classes=0, with_pool=False, **options).eval()
    assert net(tg.zeros([1, 3, 32, 32])).shape == shape


def test_both_modes_take_the_same_step() -> None:
    feed = {"image": images(2, 3, 32, 32), "label": np.array([[3], [1]])}

    def classified(net: Any, image: Any, label: Any) -> Any:
        logits = net(image)
        return logits, nn.functional.cross_entropy(logits, label)

    agree(
        lambda: models.shufflenet_v2_x0_25(num_classes=CLASSES).eval(), classified, feed
    )
