"""Dropout, embedding, resizing, attention and small layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
import teachgraph.nn.functional as F
from teachgraph import nn, static
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.errors import OutOfRangeError
from teachgraph.ops.softmax import MANY
from tests.ops.values import numbers
from tests.static.fresh import fresh


def tensor(*shape: int) -> Any:
    return tg.to_tensor(numbers(*shape).astype("float32"))


ONES = tg.ones([200, 100])


def test_dropout_leaves_out_a_share_p_and_keeps_the_mean() -> None:
    tg.seed(3)
    for p in (0.2, 0.7):
        out = F.dropout(ONES, p).numpy()
        assert abs((out == 0).mean() - p) < 0.01
        assert abs(out.mean() - 1) < 0.03
        assert set(np.unique(out)) == {0, np.float32(1 / (1 - p))}


def test_dropout_can_put_the_mean_right_in_evaluation_instead() -> None:
    tg.seed(3)
    how = {"mode": "downscale_in_infer"}
    assert set(np.unique(F.dropout(ONES, 0.25, **how).numpy())) == {0, 1}
    out = F.dropout(ONES, 0.25, training=False, **how)
    np.testing.assert_array_equal(out.numpy(), np.full((200, 100), 0.75, "float32"))


def test_dropout_draws_from_the_one_generator() -> None:
    tg.seed(5)
    first, second = (F.dropout(ONES, 0.5).numpy() for _ in range(2))
    tg.seed(5)
    np.testing.assert_array_equal(F.dropout(ONES, 0.5).numpy(), first)
    assert (first != second).any()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dropout_makes_even_an_infinity_zero(dtype: str) -> None:
    x = tg.full([9, 11], -np.inf, dtype)
    assert set(np.unique(F.dropout(x, 0.5).numpy())) == {-np.inf, 0}


def test_the_gradient_passes_where_the_value_did() -> None:
    x = tensor(6, 5)
    x.stop_gradient = False
    out = F.dropout(x, 0.5)
    out.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2.0 * (out.numpy() != 0))


def test_whole_channels_are_dropped_together() -> None:
    tg.seed(2)
    for out in (
        F.dropout2d(tg.ones([20, 10, 3, 3])).numpy(),
        F.dropout2d(tg.ones([20, 3, 3, 10]), data_format="NHWC").numpy().swapaxes(1, 3),
        F.dropout3d(tg.ones([20, 10, 3, 3, 1])).numpy(),
    ):
        flat = out.reshape(20, 10, 9)
        assert (flat == flat[..., :1]).all()
        assert set(np.unique(flat)) == {0, 2}
    rows = F.dropout(ONES, 0.5, axis=0).numpy()
    assert (rows == rows[:, :1]).all()


@pytest.mark.parametrize("far", [10.0, 1000.0, np.inf])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_softmax_of_rows_near_and_far_from_each_other(far: float, dtype: str) -> None:
    x = np.array([[1, 2, 3], [1, 2, -far], [4, 4, 4]], dtype)
    x[2] -= min(far, 1e6)
    x = np.tile(x, (MANY, 1))
    power = np.exp(x - x.max(1, keepdims=True))
    wanted = power / power.sum(1, keepdims=True)
    np.testing.assert_allclose(F.softmax(tg.to_tensor(x)).numpy(), wanted, rtol=1e-6)


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    tg.seed(4)
    x = tg.randn([400, 400])
    out = F.alpha_dropout(x, 0.3).numpy()
    assert abs(out.mean()) < 0.01
    assert abs(out.var() - 1) < 0.02
    np.testing.assert_array_equal(F.alpha_dropout(x, 1.0).numpy(), 0 * x.numpy())


def test_evaluation_leaves_nothing_out() -> None:
    for layer, shape in (
        (nn.Dropout(0.5), (4, 3)),
        (nn.Dropout2D(0.5), (2, 3, 2, 2)),
        (nn.Dropout3D(0.5), (2, 3, 2, 2, 2)),
        (nn.AlphaDropout(0.5), (4, 3)),
    ):
        x = tensor(*shape)
        np.testing.assert_array_equal(layer.eval()(x).numpy(), x.numpy())
        assert (layer.train()(tg.ones([40, 3, 2, 2, 2][: x.ndim])).numpy() != 1).any()


def test_a_program_drops_anew_in_each_run_and_its_test_clone_never() -> None:
    main = static.Program()
    with static.program_guard(main, static.Program()):
        fed = static.data("x", [None, 50])
        out = nn.Dropout(0.5)(fed)
        test = main.clone(for_test=True)
    x = np.ones((4, 50), "float32")
    run = static.Executor().run
    (first,), (second,) = (run(main, {"x": x}, [out]) for _ in range(2))
    assert (first != second).any()
    assert set(np.unique(first)) == {0, 2}
    np.testing.assert_array_equal(run(test, {"x": x}, [out.name])[0], x)


def test_dropout_refuses_what_is_no_probability() -> None:
    x = tensor(2, 3)
    for p in (1.5, -0.1):
        with pytest.raises(InvalidValueError, match="between 0 and 1"):
            F.dropout(x, p)
        with pytest.raises(InvalidValueError, match="between 0 and 1"):
            nn.Dropout(p)
    with pytest.raises(DTypeError, match="should be a number"):
        F.dropout(x, "a half")
    with pytest.raises(InvalidValueError, match="mode argument"):
        F.dropout(x, 0.5, mode="none")
    with pytest.raises(ShapeError, match="dimensions of x should be 4"):
        F.dropout2d(x)


def test_embedding_is_a_row_for_each_id() -> None:
    layer, ids = nn.Embedding(5, 3), np.array([[4, 0], [4, 1]])
    out = layer(tg.to_tensor(ids))
    np.testing.assert_array_equal(out.numpy(), layer.weight.numpy()[ids])
    out.sum().backward()
    counts = np.bincount(ids.ravel(), minlength=5).astype("float32")
    wanted = np.repeat(counts[:, None], 3, axis=1)
    np.testing.assert_array_equal(layer.weight.grad.numpy(), wanted)


def test_the_padding_row_is_zeros_and_is_not_trained() -> None:
    for padding_idx in (3, -2):
        layer = nn.Embedding(5, 2, padding_idx=padding_idx)
        assert layer.weight.numpy()[3].tolist() == [0.0, 0.0]
        layer(tg.to_tensor([3, 1, 3])).sum().backward()
        grad = layer.weight.grad.numpy()
        assert grad.tolist() == [[0, 0], [1, 1], [0, 0], [0, 0], [0, 0]]
    out = F.embedding(tg.to_tensor([0, 1]), tg.ones([2, 2]), padding_idx=0)
    assert out.tolist() == [[0.0, 0.0], [1.0, 1.0]]


def test_the_padding_row_is_zeros_in_both_modes() -> None:
    tg.seed(3)
    dynamic = nn.Embedding(4, 3, padding_idx=-2).weight.numpy()
    assert dynamic.any(1).tolist() == [True, True, False, True]
    with fresh():
        tg.seed(3)
        table = nn.Embedding(4, 3, padding_idx=-2).weight
        executor = static.Executor()
        executor.run(static.default_startup_program())
        (begun,) = executor.run(fetch_list=[table + 0.0])
    np.testing.assert_array_equal(begun, dynamic)


def test_embedding_refuses_what_names_no_row() -> None:
    weight = tg.ones([3, 2])
    for wrong in (3, -1):
        with pytest.raises(OutOfRangeError, match=f"< 3, but got {wrong}"):
            F.embedding(tg.to_tensor([wrong]), weight)
    with pytest.raises(DTypeError, match=r"(?s)lookup_table_v2 .*float32"):
        F.embedding(tg.to_tensor([0.5]), weight)
    with pytest.raises(
        InvalidValueError, match=r"padding_idx must be within \[-3, 3\)"
    ):
        nn.Embedding(3, 2, padding_idx=3)


def test_attention_without_likeness_is_the_mean_so_far() -> None:
    q, v = tg.zeros([1, 4, 1, 2]), tensor(1, 4, 1, 2)
    out = F.scaled_dot_product_attention(q, q, v, is_causal=True).numpy()
    sums = np.cumsum(v.numpy(), axis=1)
    counts = np.arange(1, 5).reshape(1, 4, 1, 1)
    np.testing.assert_allclose(out, sums / counts, rtol=1e-5, atol=1e-6)


def test_attention_drops_weights_only_while_training() -> None:
    q = tensor(1, 4, 2, 2)
    plain = F.scaled_dot_product_attention(q, q, q).numpy()
    how = {"dropout_p": 0.9}
    tested = F.scaled_dot_product_attention(q, q, q, training=False, **how).numpy()
    np.testing.assert_array_equal(tested, plain)
    assert (F.scaled_dot_product_attention(q, q, q, **how).numpy() != plain).any()
    with pytest.raises(ShapeError, match="attention takes"):
        F.scaled_dot_product_attention(tensor(4, 2), q, q)


def test_layers_resize_as_the_function_does() -> None:
    x = tensor(1, 2, 3, 4)
    nearest = nn.UpsamplingNearest2D(scale_factor=2)(x).numpy()
    np.testing.assert_array_equal(nearest, x.numpy().repeat(2, 2).repeat(2, 3))
    corners = nn.UpsamplingBilinear2D(size=[5, 7])(x).numpy()
    np.testing.assert_allclose(corners[..., ::2, ::2], x.numpy(), rtol=1e-6, atol=1e-6)
    same = nn.Upsample(size=[5, 7], mode="bilinear", align_corners=True)(x)
    np.testing.assert_array_equal(same.numpy(), corners)
    assert F.upsample(x, size=2).shape == [1, 2, 2, 2]


def test_resizing_refuses_what_is_no_way_to_resize() -> None:
    x = tensor(1, 2, 3, 4)
    for words, how in (
        ("the mode is one of", {"size": 2, "mode": "cubic"}),
        ("only supports 3-D", {"size": 2, "mode": "linear"}),
        ("one of size and scale_factor", {}),
        ("one of size and scale_factor", {"size": 2, "scale_factor": 2}),
        ("align_corners has no meaning", {"size": 2, "align_corners": True}),
        ("2 numbers are wanted", {"size": [2, 2, 2]}),
        ("align_mode is 0 or 1", {"size": 2, "align_mode": 2}),
    ):
        with pytest.raises(InvalidValueError, match=words):
            F.interpolate(x, **how)


def test_shuffles_undo_each_other() -> None:
    x = tensor(2, 8, 2, 3)
    larger = nn.PixelShuffle(2)(x)
    assert larger.shape == [2, 2, 4, 6]
    np.testing.assert_array_equal(nn.PixelUnshuffle(2)(larger).numpy(), x.numpy())
    dealt = nn.ChannelShuffle(2)(x)
    assert (dealt.numpy() != x.numpy()).any()
    np.testing.assert_array_equal(nn.ChannelShuffle(4)(dealt).numpy(), x.numpy())


def test_folding_what_was_unfolded_counts_how_often_each_pixel_was_seen() -> None:
    x = tensor(1, 1, 3, 4)
    columns = nn.Unfold(2)(x)
    assert columns.shape == [1, 4, 6]
    seen = np.outer([1, 2, 1], [1, 2, 2, 1])
    folded = nn.Fold([3, 4], 2)(columns).numpy()
    np.testing.assert_allclose(folded[0, 0], x.numpy()[0, 0] * seen, rtol=1e-6)
    padded = F.unfold(x, [2, 2], paddings=[1, 0, 0, 0]).numpy()
    assert padded.shape == (1, 4, 9)
    assert padded[0, :2, :3].tolist() == [[0.0] * 3] * 2


def test_bilinear_is_linear_in_each_input() -> None:
    layer = nn.Bilinear(3, 2, 4)
    x, y = tensor(5, 3), tensor(5, 2)
    wanted = np.einsum("na,kab,nb->nk", x.numpy(), layer.weight.numpy(), y.numpy())
    np.testing.assert_allclose(layer(x, y).numpy(), wanted, rtol=1e-4, atol=1e-5)
    assert (layer.weight.shape, layer.bias.shape) == ([4, 3, 2], [1, 4])
    assert nn.Bilinear(3, 2, 4, bias_attr=False).bias is None


def test_small_layers() -> None:
    x = tensor(2, 3, 4)
    assert nn.Identity("anything", at=1)(x) is x
    assert nn.Flatten()(x).shape == [2, 12]
    assert nn.Unflatten(1, [3, 1])(x).shape == [2, 3, 1, 4]
    padded = nn.Pad1D([1, 2], value=5.0)(x).numpy()
    np.testing.assert_array_equal(padded[..., 1:-2], x.numpy())
    assert (padded[..., [0, -1]] == 5).all()
    image = tensor(1, 1, 2, 2)
    assert nn.ZeroPad2D([1, 0, 2, 0])(image).shape == [1, 1, 4, 3]
    assert nn.Pad3D(1)(tensor(1, 1, 1, 1, 1)).numpy().sum() == tensor(1).numpy()[0]


def test_labels_are_smoothed_and_lengths_become_masks() -> None:
    out = F.label_smooth(tg.to_tensor([[1.0, 0.0, 0.0, 0.0]]), epsilon=0.2)
    np.testing.assert_allclose(out.numpy(), [[0.85, 0.05, 0.05, 0.05]], rtol=1e-6)
    mask = F.sequence_mask(tg.to_tensor([2, 0]), maxlen=3, dtype="float32")
    assert mask.tolist() == [[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    assert str(mask.dtype) == "float32"


def test_layers_say_what_they_are() -> None:
    for layer, shown in (
        (nn.Dropout(0.2), "Dropout(p=0.2, axis=None, mode=upscale_in_train)"),
        (nn.Dropout2D(), "Dropout2D(p=0.5, data_format=NCHW)"),
        (nn.AlphaDropout(), "AlphaDropout(p=0.5)"),
        (
            nn.Embedding(3, 4, padding_idx=1),
            "Embedding(3, 4, padding_idx=1, sparse=False)",
        ),
        (nn.Flatten(), "Flatten()"),
        (nn.Unflatten(1, [2, 2]), "Unflatten(axis=1, shape=[2, 2])"),
        (
            nn.UpsamplingNearest2D(3),
            "UpsamplingNearest2D(size=[3, 3], data_format=NCHW)",
        ),
        (nn.PixelShuffle(2), "PixelShuffle(upscale_factor=2)"),
        (nn.ChannelShuffle(2), "ChannelShuffle(groups=2)"),
        (nn.Unfold(2), "Unfold(kernel_size=2, dilation=1, padding=0, stride=1)"),
        (nn.Fold(4, 2), "Fold(kernel_size=2, dilation=1, padding=0, stride=1)"),
        (nn.ZeroPad2D(1), "ZeroPad2D(padding=[1, 1, 1, 1], data_format=NCHW)"),
        (
            nn.Bilinear(2, 3, 4),
            "Bilinear(in1_features=2, in2_features=3, out_features=4, dtype=float32)",
        ),
    ):
        assert repr(layer) == shown
