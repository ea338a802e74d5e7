"""Pooling as functions and layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
import teachgraph.nn.functional as F
from teachgraph import nn
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.errors import OutOfRangeError

Array = np.ndarray[Any, Any]

SQUARE = np.arange(1.0, 17.0).reshape(1, 1, 4, 4)


def images(*shape: int) -> Array:
    return np.random.default_rng(0).normal(size=shape)


def test_maxima_and_means_side_by_side() -> None:
    np.testing.assert_array_equal(F.max_pool2d(SQUARE, 2)[0, 0], [[6, 8], [14, 16]])
    np.testing.assert_array_equal(
        F.avg_pool2d(SQUARE, 2)[0, 0], [[3.5, 5.5], [11.5, 13.5]]
    )


@pytest.mark.parametrize(
    ("exclusive", "expected"),
    [
        (True, [[3.5, 5, 6], [9.5, 11, 12], [13.5, 15, 16]]),
        (False, [[14 / 9, 30 / 9, 2], [57 / 9, 11, 6], [4.5, 7.5, 4]]),
    ],
)
def test_padding_counts_or_not_as_measured_with_paddle(
    exclusive: bool, expected: Any
) -> None:
    found = F.avg_pool2d(SQUARE, 3, 2, 1, exclusive=exclusive, ceil_mode=True)
    np.testing.assert_allclose(found[0, 0], expected, rtol=1e-12)


def test_same_padding_as_measured_with_paddle() -> None:
    how: dict[str, Any] = {"kernel_size": 3, "stride": 2, "padding": "SAME"}
    np.testing.assert_array_equal(
        F.max_pool2d(SQUARE, **how)[0, 0], [[11, 12], [15, 16]]
    )
    np.testing.assert_array_equal(
        F.avg_pool2d(SQUARE, **how)[0, 0], [[6, 7.5], [12, 13.5]]
    )


@pytest.mark.parametrize("data_format", ["NCHW", "NHWC"])
def test_windows_that_lie_apart_take_the_gradient_without_indices(
    data_format: str,
) -> None:
    x = tg.to_tensor(np.random.default_rng(0).integers(0, 3, (2, 7, 6, 5)) / 1.0)
    x.stop_gradient = False
    y = F.max_pool2d(x, (2, 3), data_format=data_format)
    upstream = tg.to_tensor(images(*y.shape))
    upstream[0, 0, 0, 0] = np.inf
    (plain,) = tg.grad([y], [x], [upstream], retain_graph=True)
    # Recorded, the gradient is made of ops, with the indices of the maxima.
    (recorded,) = tg.grad([y], [x], [upstream], create_graph=True)
    np.testing.assert_array_equal(plain.numpy(), recorded.numpy())


def test_nan_is_the_first_maximum_of_windows_that_lie_apart() -> None:
    x = tg.to_tensor([[[[1.0, np.nan], [np.nan, 3.0]]]], stop_gradient=False)
    F.max_pool2d(x, 2).sum().backward()
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.numpy(), [[[[0, 1], [0, 0]]]])


def test_the_first_of_several_maxima_gets_the_gradient() -> None:
    x = tg.ones([1, 1, 3, 3])
    x.stop_gradient = False
    F.max_pool2d(x, 2, 1).sum().backward()
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.numpy()[0, 0], [[1, 1, 0], [1, 1, 0], [0] * 3])


def test_not_a_number_is_the_largest_and_gets_the_gradient() -> None:
    x = tg.to_tensor([[[[1.0, np.nan], [5.0, 2.0]]]], stop_gradient=False)
    out = F.max_pool2d(x, 2)
    assert np.isnan(out.numpy()).all()
    (dx,) = tg.grad([out], [x])
    assert dx is not None
    np.testing.assert_array_equal(dx.numpy()[0, 0], [[0, 1], [0, 0]])


def test_minus_infinity_beside_padding_gets_its_own_gradient() -> None:
    x = tg.to_tensor(np.full((1, 1, 2, 2), -np.inf), stop_gradient=False)
    out, mask = F.max_pool2d(x, 2, 2, 1, return_mask=True)
    np.testing.assert_array_equal(mask.numpy()[0, 0], [[0, 1], [2, 3]])
    (dx,) = tg.grad([out], [x])
    assert dx is not None
    np.testing.assert_array_equal(dx.numpy(), 1.0)


def test_the_mask_says_where_the_maxima_are() -> None:
    x = images(2, 3, 5, 7)
    out, mask = F.max_pool2d(x, 3, 2, 1, return_mask=True)
    assert mask.dtype == np.int32
    found = np.take_along_axis(x.reshape(2, 3, 35), mask.reshape(2, 3, -1), 2)
    np.testing.assert_array_equal(found.reshape(out.shape), out)


def test_unpooling_keeps_maxima_and_nothing_else() -> None:
    out, mask = F.max_pool2d(SQUARE, 2, return_mask=True)
    back = F.max_unpool2d(out, mask, 2)
    expected = np.where(np.isin(SQUARE, out), SQUARE, 0.0)
    np.testing.assert_array_equal(back, expected)
    larger = F.max_unpool2d(out, mask, 2, output_size=[1, 1, 5, 4])
    np.testing.assert_array_equal(larger[0, 0, :4], expected[0, 0])


def test_windows_that_share_an_image_out() -> None:
    x = np.arange(1.0, 26.0).reshape(1, 1, 5, 5)
    means = [[4.5, 6.5], [12, 14], [19.5, 21.5]]
    np.testing.assert_array_equal(F.adaptive_avg_pool2d(x, [3, 2])[0, 0], means)
    _, mask = F.adaptive_max_pool2d(x, [3, 2], return_mask=True)
    np.testing.assert_array_equal(mask[0, 0], [[7, 9], [17, 19], [22, 24]])
    whole = F.adaptive_avg_pool2d(x, 1)
    assert whole.item() == pytest.approx(13.0)
    np.testing.assert_array_equal(F.adaptive_avg_pool2d(x, (None, None)), x)


def test_a_sequence_is_an_image_of_one_row() -> None:
    x = images(2, 3, 8)
    parts = x.reshape(2, 3, 4, 2)
    np.testing.assert_array_equal(F.max_pool1d(x, 2), parts.max(-1))
    np.testing.assert_allclose(F.avg_pool1d(x, 2), parts.mean(-1))
    np.testing.assert_array_equal(F.adaptive_max_pool1d(x, 4), parts.max(-1))
    np.testing.assert_allclose(F.adaptive_avg_pool1d(x, 4), parts.mean(-1))
    out, mask = F.max_pool1d(x, 2, return_mask=True)
    back = F.max_unpool1d(out, mask, 2)
    np.testing.assert_array_equal(back, np.where(np.isin(x, out), x, 0.0))
    padded = F.avg_pool1d(x, 2, 2, [1, 1], exclusive=False)
    np.testing.assert_allclose(padded[..., 0], x[..., 0] / 2)


def test_a_volume_has_three_sizes() -> None:
    x = images(2, 3, 4, 2, 6)
    parts = x.reshape(2, 3, 2, 2, 1, 2, 3, 2).transpose(0, 1, 2, 4, 6, 3, 5, 7)
    np.testing.assert_array_equal(F.max_pool3d(x, 2), parts.max((5, 6, 7)))
    np.testing.assert_allclose(F.avg_pool3d(x, 2), parts.mean((5, 6, 7)))
    np.testing.assert_array_equal(
        F.adaptive_max_pool3d(x, [2, 1, 3]), parts.max((5, 6, 7))
    )
    np.testing.assert_allclose(
        F.adaptive_avg_pool3d(x, [2, 1, 3]), parts.mean((5, 6, 7))
    )
    out, mask = F.max_pool3d(x, 2, return_mask=True)
    back = F.max_unpool3d(out, mask, 2)
    np.testing.assert_array_equal(back, np.where(np.isin(x, out), x, 0.0))


def test_another_divisor() -> None:
    sums = F.avg_pool2d(SQUARE, 2, divisor_override=1)
    np.testing.assert_allclose(sums[0, 0], [[14, 22], [46, 54]])


def test_channels_last() -> None:
    x = images(2, 3, 5, 4)
    turned = x.transpose(0, 2, 3, 1)
    for function in (F.max_pool2d, F.avg_pool2d):
        last = function(turned, 2, padding=1, data_format="NHWC")
        np.testing.assert_array_equal(
            last.transpose(0, 3, 1, 2), function(x, 2, padding=1)
        )
    means = F.adaptive_avg_pool2d(turned, [2, 3], data_format="NHWC")
    np.testing.assert_allclose(
        means.transpose(0, 3, 1, 2), F.adaptive_avg_pool2d(x, [2, 3])
    )


def test_what_is_refused() -> None:
    with pytest.raises(ShapeError, match="a window of 5 is larger than the image, 4"):
        F.max_pool2d(SQUARE, 5)
    with pytest.raises(ShapeError, match="lies in the padding alone"):
        F.avg_pool2d(SQUARE, 2, padding=2)
    with pytest.raises(InvalidValueError, match="return_mask needs channels first"):
        F.max_pool2d(SQUARE, 2, return_mask=True, data_format="NHWC")
    with pytest.raises(InvalidValueError, match="output_size has 2 numbers"):
        F.adaptive_avg_pool2d(SQUARE, [1, 2, 3])
    out, mask = F.max_pool2d(SQUARE, 2, return_mask=True)
    with pytest.raises(InvalidValueError, match="not within a stride of"):
        F.max_unpool2d(out, mask, 2, output_size=[6, 4])
    with pytest.raises(OutOfRangeError, match="there are 16 pixels, but no number 16"):
        F.max_unpool2d(out, np.full_like(mask, 16), 2)


LAYERS: list[tuple[Any, Any, Any, list[int]]] = [
    (nn.MaxPool1D(2), F.max_pool1d, {"kernel_size": 2}, [2, 3, 6]),
    (
        nn.MaxPool2D(2, 1, 1),
        F.max_pool2d,
        {"kernel_size": 2, "stride": 1, "padding": 1},
        [2, 3, 4, 6],
    ),
    (nn.MaxPool3D(2), F.max_pool3d, {"kernel_size": 2}, [2, 3, 4, 4, 4]),
    (
        nn.AvgPool1D(2, 1, 1, False),
        F.avg_pool1d,
        {"kernel_size": 2, "stride": 1, "padding": 1, "exclusive": False},
        [2, 3, 6],
    ),
    (
        nn.AvgPool2D(2, ceil_mode=True),
        F.avg_pool2d,
        {"kernel_size": 2, "ceil_mode": True},
        [2, 3, 5, 5],
    ),
    (nn.AvgPool3D(2), F.avg_pool3d, {"kernel_size": 2}, [2, 3, 4, 4, 4]),
    (nn.AdaptiveAvgPool1D(2), F.adaptive_avg_pool1d, {"output_size": 2}, [2, 3, 5]),
    (nn.AdaptiveAvgPool2D(2), F.adaptive_avg_pool2d, {"output_size": 2}, [2, 3, 5, 4]),
    (
        nn.AdaptiveAvgPool3D(2),
        F.adaptive_avg_pool3d,
        {"output_size": 2},
        [2, 3, 5, 4, 3],
    ),
    (nn.AdaptiveMaxPool1D(2), F.adaptive_max_pool1d, {"output_size": 2}, [2, 3, 5]),
    (nn.AdaptiveMaxPool2D(2), F.adaptive_max_pool2d, {"output_size": 2}, [2, 3, 5, 4]),
    (
        nn.AdaptiveMaxPool3D(2),
        F.adaptive_max_pool3d,
        {"output_size": 2},
        [2, 3, 5, 4, 3],
    ),
]


@pytest.mark.parametrize(
    ("layer", "function", "how", "shape"),
    LAYERS,
    ids=[type(row[0]).__name__ for row in LAYERS],
)
def test_a_layer_is_its_function(
    layer: Any, function: Any, how: dict[str, Any], shape: list[int]
) -> None:
    x = images(*shape).astype("float32")
    found = layer(tg.to_tensor(x)).numpy()
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, function(x, **how))


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_unpooling_layers(dims: int) -> None:
    x = tg.to_tensor(images(2, 3, *[4] * dims))
    pooled, mask = getattr(nn, f"MaxPool{dims}D")(2, return_mask=True)(x)
    back = getattr(nn, f"MaxUnPool{dims}D")(2)(pooled, mask).numpy()
    expected = np.where(np.isin(x.numpy(), pooled.numpy()), x.numpy(), 0.0)
    np.testing.assert_array_equal(back, expected)


def test_layers_tell_their_windows() -> None:
    assert repr(nn.MaxPool2D(2)) == "MaxPool2D(kernel_size=2, stride=None, padding=0)"
    assert (
        repr(nn.AvgPool2D(2, 2, 1)) == "AvgPool2D(kernel_size=2, stride=2, padding=1)"
    )
    assert repr(nn.AdaptiveAvgPool2D(2)) == "AdaptiveAvgPool2D(output_size=2)"
    assert repr(nn.AdaptiveMaxPool2D(2)) == (
        "AdaptiveMaxPool2D(output_size=2, return_mask=False)"
    )
    assert repr(nn.MaxUnPool2D(2)) == "MaxUnPool2D(output_size=None)"
