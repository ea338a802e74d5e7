"""Convolutions as functions and layers."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
import teachgraph.nn.functional as F
from teachgraph import nn, static
from teachgraph.core.errors import InvalidValueError, ShapeError

Array = np.ndarray[Any, Any]


def images(*shape: int) -> Array:
    return np.random.default_rng(0).normal(size=shape)


def test_one_edge_of_a_square() -> None:
    image = np.zeros((1, 1, 3, 4))
    image[..., 2:] = 1.0
    found = F.conv2d(image, np.array([[[[-1.0, 1.0]]]]))
    np.testing.assert_array_equal(found[0, 0], [[0.0, 1.0, 0.0]] * 3)


@pytest.mark.parametrize(
    ("padding", "like"),
    [
        (1, [1, 1, 1, 1]),
        ([1, 2], [1, 1, 2, 2]),
        ([1, 2, 0, 3], [1, 2, 0, 3]),
        ([[0, 0], [0, 0], [1, 2], [0, 3]], [1, 2, 0, 3]),
        ("same", [0, 1, 1, 1]),
        ("VALID", [0, 0, 0, 0]),
    ],
)
def test_every_way_to_say_padding(padding: Any, like: list[int]) -> None:
    x, w = images(2, 3, 5, 4), images(4, 3, 2, 3)
    top, bottom, left, right = like
    bordered = np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)])
    np.testing.assert_array_equal(
        F.conv2d(x, w, padding=padding), F.conv2d(bordered, w)
    )


def test_padding_by_pairs_of_images_with_channels_last() -> None:
    x, w = images(2, 5, 4, 3), images(4, 3, 2, 3)
    pairs = [[0, 0], [1, 2], [0, 3], [0, 0]]
    bordered = np.pad(x, pairs)
    found = F.conv2d(x, w, padding=pairs, data_format="NHWC")
    np.testing.assert_array_equal(found, F.conv2d(bordered, w, data_format="NHWC"))


@pytest.mark.parametrize(
    ("padding", "says"),
    [
        ("full", "SAME, VALID or numbers, not 'full'"),
        ([[1, 0], [0, 0], [0, 0], [0, 0]], "batch and channels cannot be padded"),
        ([1, 2, 3], "2 or twice as many paddings"),
        (-1, "padding is 0 or more"),
    ],
)
def test_padding_that_makes_no_sense(padding: Any, says: str) -> None:
    with pytest.raises(InvalidValueError, match=says):
        F.conv2d(images(1, 1, 4, 4), images(1, 1, 2, 2), padding=padding)


def test_a_bias_is_added_to_each_channel() -> None:
    x, w, bias = images(2, 3, 4, 4), images(2, 3, 2, 2), np.array([10.0, 20.0])
    difference = F.conv2d(x, w, bias) - F.conv2d(x, w)
    np.testing.assert_allclose(difference[:, 0], 10.0)
    np.testing.assert_allclose(difference[:, 1], 20.0)
    last = {"data_format": "NHWC"}
    x = x.transpose(0, 2, 3, 1)
    difference = F.conv2d(x, w, bias, **last) - F.conv2d(x, w, **last)
    np.testing.assert_allclose(difference[..., 1], 20.0)


def test_channels_last_are_channels_first_turned() -> None:
    x, w = images(2, 4, 5, 6), images(6, 2, 3, 3)
    how: dict[str, Any] = {"stride": 2, "padding": 1, "groups": 2}
    first = F.conv2d(x, w, **how)
    last = F.conv2d(x.transpose(0, 2, 3, 1), w, **how, data_format="NHWC")
    np.testing.assert_allclose(last.transpose(0, 3, 1, 2), first, rtol=1e-12)


def test_a_sequence_is_convolved_as_numpy_does() -> None:
    x, w = images(1, 1, 9), images(1, 1, 4)
    expected = np.correlate(x[0, 0], w[0, 0], "valid")
    np.testing.assert_allclose(F.conv1d(x, w)[0, 0], expected, rtol=1e-12)
    turned = F.conv1d(x.transpose(0, 2, 1), w, data_format="NLC")
    np.testing.assert_allclose(turned[0, :, 0], expected, rtol=1e-12)


@pytest.mark.parametrize("padding", [1, [2, 0], "same"])
def test_a_transposed_sequence_is_a_full_convolution_cut(padding: Any) -> None:
    x, w = images(1, 1, 5), images(1, 1, 3)
    full = np.convolve(x[0, 0], w[0, 0])
    before, after = {1: (1, 1), "same": (1, 1)}.get(str(padding), (1, 1))
    if padding == [2, 0]:
        before, after = 2, 0
    expected = full[before : len(full) - after]
    found = F.conv1d_transpose(x, w, padding=padding)[0, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_sizes_of_transposed_convolutions() -> None:
    x, w = images(1, 2, 3, 4), images(2, 5, 3, 3)
    assert F.conv2d_transpose(x, w, stride=2).shape == (1, 5, 7, 9)
    assert F.conv2d_transpose(x, w, stride=2, output_padding=1).shape == (1, 5, 8, 10)
    assert F.conv2d_transpose(x, w, stride=2, output_size=[7, 10]).shape == (
        1,
        5,
        7,
        10,
    )
    with pytest.raises(InvalidValueError, match="from 7 to 8 is possible, not 9"):
        F.conv2d_transpose(x, w, stride=2, output_size=[9, 9])
    with pytest.raises(InvalidValueError, match="give only one"):
        F.conv2d_transpose(x, w, stride=2, output_size=[8, 9], output_padding=1)
    line = F.conv1d_transpose(x[:, :, 0], w[:, :, 0], stride=3, output_size=14)
    assert line.shape == (1, 5, 14)


def test_a_transposed_convolution_is_the_adjoint() -> None:
    x, g, w = images(2, 4, 7, 7), images(2, 6, 3, 3), images(6, 2, 3, 3)
    how: dict[str, Any] = {"stride": 2, "groups": 2}
    there = np.vdot(F.conv2d(x, w, **how), g)
    back = np.vdot(x, F.conv2d_transpose(g, w, **how))
    assert there == pytest.approx(back, rel=1e-12)


@pytest.mark.parametrize("depth", [1, 2])
def test_a_channel_by_itself_is_a_depthwise_convolution(depth: int) -> None:
    program = static.Program()
    with static.program_guard(program, static.Program()):
        x = static.data("x", [2, 3, 5, 5])
        F.conv2d(x, static.data("w", [3 * depth, 1, 3, 3]), groups=3)
        F.conv2d(x, static.data("v", [3 * depth, 3, 3, 3]))
        F.conv2d_transpose(x, static.data("u", [3, depth, 3, 3]), groups=3)
    transposed = "depthwise_conv2d_transpose" if depth == 1 else "conv2d_transpose"
    types = [op.type for op in program.global_block().ops]
    assert types == ["depthwise_conv2d", "conv2d", transposed]


LAYERS = [
    (nn.Conv1D, [2, 4, 9], [6, 2, 3]),
    (nn.Conv2D, [2, 4, 9, 8], [6, 2, 3, 3]),
    (nn.Conv3D, [2, 4, 5, 4, 5], [6, 2, 3, 3, 3]),
    (nn.Conv1DTranspose, [2, 4, 9], [4, 3, 3]),
    (nn.Conv2DTranspose, [2, 4, 5, 6], [4, 3, 3, 3]),
    (nn.Conv3DTranspose, [2, 4, 3, 2, 3], [4, 3, 3, 3, 3]),
]


@pytest.mark.parametrize(("kind", "image", "weight"), LAYERS)
def test_a_layer_is_its_function(
    kind: Any, image: list[int], weight: list[int]
) -> None:
    layer = kind(4, 6, 3, stride=2, padding=1, groups=2)
    names = [name for name, _ in layer.named_parameters()]
    assert names == ["weight", "bias"]
    assert (layer.weight.shape, layer.bias.shape) == (weight, [6])
    layer.bias.set_value(np.arange(6, dtype="float32"))
    x = images(*image).astype("float32")
    name = kind.__name__.lower().replace("transpose", "_transpose")
    w, b = layer.weight.numpy(), layer.bias.numpy()
    found = layer(tg.to_tensor(x)).numpy()
    assert found.dtype == np.float32
    function = getattr(F, name)
    expected = function(x, w, b, stride=2, padding=1, groups=2)
    np.testing.assert_array_equal(found, expected)


def test_weights_start_as_those_of_he() -> None:
    tg.seed(1)
    layer = nn.Conv2D(32, 64, (3, 5))
    deviation = sqrt(2 / (32 * 15))
    assert layer.weight.numpy().std() == pytest.approx(deviation, rel=0.02)
    np.testing.assert_array_equal(layer.bias.numpy(), 0.0)
    groups = nn.Conv2D(64, 64, 5, groups=64).weight.numpy()
    assert groups.std() == pytest.approx(sqrt(2 / (64 * 25)), rel=0.1)
    limit = sqrt(6 / ((32 + 64) * 9))
    largest = np.abs(nn.Conv2DTranspose(64, 32, 3).weight.numpy()).max()
    assert 0.99 * limit < largest <= limit


@pytest.mark.parametrize(
    ("mode", "theirs"),
    [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")],
)
def test_padding_with_the_image_itself(mode: str, theirs: Any) -> None:
    x = images(2, 3, 5, 4).astype("float32")
    layer = nn.Conv2D(3, 4, 3, padding=[1, 2], padding_mode=mode)
    bordered = np.pad(x, [(0, 0), (0, 0), (1, 1), (2, 2)], theirs)
    expected = F.conv2d(bordered, layer.weight.numpy(), layer.bias.numpy())
    np.testing.assert_allclose(layer(tg.to_tensor(x)).numpy(), expected, rtol=1e-6)


def test_layers_tell_their_sizes_and_what_is_unusual() -> None:
    assert repr(nn.Conv1D(4, 6, 3)) == "Conv1D(4, 6, kernel_size=[3], data_format=NCL)"
    layer = nn.Conv2D(
        4, 6, 3, stride=2, padding=1, dilation=2, padding_mode="circular",
        data_format="NHWC",
    )  # fmt: skip
    assert repr(layer) == (
        "Conv2D(4, 6, kernel_size=[3, 3], stride=[2, 2], padding=1, "
        "padding_mode=circular, dilation=[2, 2], data_format=NHWC)"
    )
    assert repr(nn.Conv2D(4, 6, 3, groups=2)) == (
        "Conv2D(4, 6, kernel_size=[3, 3], groups=2, data_format=NCHW)"
    )
    assert repr(nn.Conv2DTranspose(4, 6, 3, stride=2, output_padding=1)) == (
        "Conv2DTranspose(4, 6, kernel_size=[3, 3], stride=[2, 2], output_padding=1, "
        "data_format=NCHW)"
    )


def test_what_a_layer_refuses() -> None:
    with pytest.raises(InvalidValueError, match="3 groups do not divide 4 channels in"):
        nn.Conv2D(4, 6, 3, groups=3)
    with pytest.raises(InvalidValueError, match="padding_mode is one of"):
        nn.Conv2D(4, 6, 3, padding_mode="mirror")
    with pytest.raises(InvalidValueError, match="needs numbers"):
        nn.Conv2D(1, 1, 3, padding="same", padding_mode="reflect")(
            tg.ones([1, 1, 4, 4])
        )
    with pytest.raises(
        ShapeError, match="6 filters of 4 channels, in 1 groups, do not"
    ):
        nn.Conv2D(4, 6, 3)(tg.ones([1, 3, 5, 5]))
    with pytest.raises(ShapeError, match="a window of 3 is larger than the image, 2"):
        nn.Conv2D(4, 6, 3)(tg.ones([1, 4, 5, 2]))


def test_many_images_at_once_are_each_for_itself() -> None:
    """The columns of a batch are made in blocks; no block may be lost."""
    x = images(40, 8, 20, 20).astype("float32")
    w = images(4, 8, 5, 5).astype("float32")
    g = images(40, 4, 16, 16).astype("float32")
    tensors = [tg.Tensor(x, stop_gradient=False), tg.Tensor(w, stop_gradient=False)]
    out = F.conv2d(*tensors)
    dx, dw = tg.grad([out], tensors, [tg.Tensor(g)])
    wanted_dw = np.zeros_like(w)
    for i in range(40):
        one = [tg.Tensor(x[i : i + 1], stop_gradient=False), tensors[1]]
        part = F.conv2d(*one)
        first, second = tg.grad([part], one, [tg.Tensor(g[i : i + 1])])
        np.testing.assert_allclose(
            out.numpy()[i], part.numpy()[0], rtol=2e-4, atol=1e-4
        )
        np.testing.assert_allclose(
            dx.numpy()[i], first.numpy()[0], rtol=2e-4, atol=1e-4
        )
        wanted_dw += second.numpy()
    np.testing.assert_allclose(dw.numpy(), wanted_dw, rtol=1e-3, atol=1e-2)
