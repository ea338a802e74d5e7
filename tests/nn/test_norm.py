"""Normalisation layers: what they compute, what they remember, what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
import teachgraph.nn.functional as F
from teachgraph import nn, static
from teachgraph.core.errors import InvalidValueError, ShapeError
from tests.ops.values import numbers

BATCHES = {
    nn.BatchNorm1D: (4, 3),
    nn.BatchNorm2D: (4, 3, 2, 2),
    nn.BatchNorm3D: (2, 3, 2, 2, 2),
    nn.BatchNorm: (4, 3, 2),
}


def tensor(*shape: int) -> Any:
    return tg.to_tensor(numbers(*shape).astype("float32"))


def centred(x: Any, axes: tuple[int, ...]) -> Any:
    """Mean 0 and variance 1, in NumPy."""
    deviation = np.sqrt(x.var(axes, keepdims=True) + 1e-5)
    return (x - x.mean(axes, keepdims=True)) / deviation


@pytest.mark.parametrize("kind", BATCHES, ids=lambda kind: kind.__name__)
def test_a_channel_of_a_batch_gets_mean_0_and_variance_1(kind: Any) -> None:
    x, layer = tensor(*BATCHES[kind]), kind(3)
    axes = tuple(i for i in range(x.ndim) if i != 1)
    wanted = centred(x.numpy(), axes)
    np.testing.assert_allclose(layer(x).numpy(), wanted, atol=1e-5)


@pytest.mark.parametrize("kind", BATCHES, ids=lambda kind: kind.__name__)
def test_running_moments_move_by_a_tenth_and_are_used_in_evaluation(kind: Any) -> None:
    x, layer = tensor(*BATCHES[kind]), kind(3)
    axes = tuple(i for i in range(x.ndim) if i != 1)
    layer(x)
    mean, variance = 0.1 * x.numpy().mean(axes), 0.9 + 0.1 * x.numpy().var(axes)
    np.testing.assert_allclose(layer._mean.numpy(), mean, rtol=1e-5)
    np.testing.assert_allclose(layer._variance.numpy(), variance, rtol=1e-5)
    layer.eval()
    out = np.moveaxis(layer(x).numpy(), 1, -1)
    wanted = (np.moveaxis(x.numpy(), 1, -1) - mean) / np.sqrt(variance + 1e-5)
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(layer._mean.numpy(), mean, rtol=1e-5)


def test_channels_last_are_the_same_numbers() -> None:
    x = tensor(4, 3, 2, 2)
    last = tg.transpose(x, [0, 2, 3, 1])
    for kind, facts in (
        (nn.BatchNorm2D, (3,)),
        (nn.GroupNorm, (3, 3)),
        (nn.InstanceNorm2D, (3,)),
    ):
        wanted = kind(*facts)(x).numpy().transpose(0, 2, 3, 1)
        out = kind(*facts, data_format="NHWC")(last)
        np.testing.assert_allclose(out.numpy(), wanted, rtol=1e-5, atol=1e-6)


def test_the_state_and_the_parameters_are_named_as_in_paddle() -> None:
    with tg.unique_name.guard():
        layer = nn.BatchNorm2D(3)
    names = [(name, p.name) for name, p in layer.named_parameters()]
    assert names == [
        ("weight", "batch_norm2d_0.w_0"),
        ("bias", "batch_norm2d_0.b_0"),
        ("_mean", "batch_norm2d_0.w_1"),
        ("_variance", "batch_norm2d_0.w_2"),
    ]
    assert list(layer.state_dict()) == [name for name, _ in names]
    assert [p.stop_gradient for p in layer.parameters()] == [False, False, True, True]
    assert list(nn.BatchNorm2D(3, weight_attr=False, bias_attr=False).state_dict()) == [
        "_mean",
        "_variance",
    ]


def test_state_dict_carries_the_running_moments_over() -> None:
    first, second = nn.BatchNorm1D(3), nn.BatchNorm1D(3)
    first(tensor(4, 3))
    second.set_state_dict(first.state_dict())
    np.testing.assert_array_equal(second._mean.numpy(), first._mean.numpy())
    assert abs(second._mean.numpy()).max() > 0


def test_use_global_stats_chooses_the_moments_in_either_mode() -> None:
    x = tensor(4, 3)
    fixed = nn.BatchNorm1D(3, use_global_stats=True)
    np.testing.assert_allclose(fixed(x).numpy(), x.numpy() / np.sqrt(1 + 1e-5), 1e-5)
    assert fixed._mean.tolist() == [0.0, 0.0, 0.0]
    moving = nn.BatchNorm1D(3, use_global_stats=False)
    moving.eval()
    out = moving(x).numpy()
    np.testing.assert_allclose(out, centred(x.numpy(), (0,)), atol=1e-5)


def test_training_with_batch_normalisation_lowers_a_loss() -> None:
    tg.seed(1)
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.ReLU(), nn.Linear(4, 1))
    sgd = tg.optimizer.SGD(0.1, parameters=net.parameters())
    x = tensor(16, 3)
    y = tg.sum(x, axis=1, keepdim=True)
    losses = []
    for _ in range(30):
        loss = F.mse_loss(net(x), y)
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.6 * losses[0]


def test_a_program_updates_running_moments_and_its_test_clone_reads_them() -> None:
    x = numbers(4, 3).astype("float32")
    main, startup = static.Program(), static.Program()
    tg.enable_static()
    try:
        with static.program_guard(main, startup):
            fed = static.data("x", [None, 3])
            layer = nn.BatchNorm1D(3)
            out = layer(fed)
            test = main.clone(for_test=True)
            tg.optimizer.SGD(0.1).minimize(tg.mean(tg.square(out)))
    finally:
        tg.disable_static()
    executor = static.Executor()
    executor.run(startup)
    (trained,) = executor.run(main, {"x": x}, [out])
    np.testing.assert_allclose(trained, centred(x, (0,)), atol=1e-5)
    moments = [layer._mean.name, layer._variance.name]
    mean, variance = executor.run(test, {"x": x}, moments)
    np.testing.assert_allclose(mean, 0.1 * x.mean(0), rtol=1e-5)
    np.testing.assert_allclose(variance, 0.9 + 0.1 * x.var(0), rtol=1e-5)
    weight = [layer.weight.name, layer.bias.name]
    tested, scale, bias = executor.run(test, {"x": x}, [out.name, *weight])
    wanted = (x - mean) / np.sqrt(variance + 1e-5) * scale + bias
    np.testing.assert_allclose(tested, wanted, rtol=1e-5, atol=1e-6)
    (again,) = executor.run(test, {"x": x}, moments[:1])
    np.testing.assert_array_equal(again, mean)


def test_layer_norm_looks_at_each_sample() -> None:
    x = tensor(4, 3, 2)
    for shape, axes in (([3, 2], (1, 2)), (2, (2,))):
        out = nn.LayerNorm(shape)(x).numpy()
        np.testing.assert_allclose(out, centred(x.numpy(), axes), atol=1e-5)
    assert nn.LayerNorm([3, 2]).weight.shape == [6]


def test_group_norm_lies_between_layer_and_instance_norm() -> None:
    x = tensor(2, 4, 3)
    whole = nn.LayerNorm([4, 3], weight_attr=False, bias_attr=False)(x).numpy()
    each = nn.InstanceNorm1D(4)(x).numpy()
    np.testing.assert_allclose(nn.GroupNorm(1, 4)(x).numpy(), whole, atol=1e-5)
    np.testing.assert_allclose(nn.GroupNorm(4, 4)(x).numpy(), each, atol=1e-5)


def test_an_activation_comes_after_the_1x_layer() -> None:
    x = tensor(4, 3)
    plain, bent = nn.BatchNorm(3), nn.BatchNorm(3, act="relu")
    np.testing.assert_array_equal(bent(x).numpy(), np.maximum(plain(x).numpy(), 0))


def test_local_response_norm_is_the_same_with_channels_last() -> None:
    x = tensor(2, 4, 3)
    wanted = nn.LocalResponseNorm(3, alpha=1.0)(x).numpy().transpose(0, 2, 1)
    layer = nn.LocalResponseNorm(3, alpha=1.0, data_format="NLC")
    out = layer(tg.transpose(x, [0, 2, 1])).numpy()
    np.testing.assert_allclose(out, wanted, rtol=1e-6)


def test_normalising_zeros_gives_zeros_and_a_finite_gradient() -> None:
    for p in (1, 2, 4, float("inf")):
        x = tg.zeros([2, 3])
        x.stop_gradient = False
        out = F.normalize(x, p=p)
        out.sum().backward()
        assert not out.numpy().any()
        assert np.isfinite(x.grad.numpy()).all()


def test_float32_stays_float32() -> None:
    x = tensor(4, 3)
    for out in (F.normalize(x), F.rms_norm(x, 3), F.layer_norm(x, 3)):
        assert str(out.dtype) == "float32"


def test_what_does_not_fit_is_refused_in_words() -> None:
    with pytest.raises(ShapeError, match="expected 4D input"):
        nn.BatchNorm2D(3)(tensor(4, 3))
    with pytest.raises(ShapeError, match=r"(?s)batch_norm .*4 channels, .* of \[3\]"):
        nn.BatchNorm2D(3)(tensor(2, 4, 2, 2))
    with pytest.raises(ShapeError, match=r"expected input with shape \[\*, 4\]"):
        F.layer_norm(tensor(2, 3), [4])
    with pytest.raises(ShapeError, match="4 channels cannot be 3 groups"):
        nn.GroupNorm(3, 4)
    with pytest.raises(InvalidValueError, match=r"data_format .*'CHWN'"):
        nn.BatchNorm2D(3, data_format="CHWN")
    with pytest.raises(InvalidValueError, match="p is positive"):
        F.normalize(tensor(2, 3), p=0)
    with pytest.raises(ShapeError, match="Expected 3D or higher"):
        F.local_response_norm(tensor(2, 3), 3)


def test_layers_say_what_they_are() -> None:
    shown = "BatchNorm2D(num_features=2, momentum=0.9, epsilon=1e-05)"
    assert repr(nn.BatchNorm2D(2)) == shown
    shown = "LayerNorm(normalized_shape=[3], epsilon=1e-05)"
    assert repr(nn.LayerNorm(3)) == shown
    shown = "GroupNorm(num_groups=2, num_channels=4, epsilon=1e-05)"
    assert repr(nn.GroupNorm(2, 4)) == shown
    shown = "InstanceNorm2D(num_features=3, epsilon=1e-05)"
    assert repr(nn.InstanceNorm2D(3)) == shown


def test_a_group_norm_without_a_scale_keeps_one_that_is_not_trained() -> None:
    """As in Paddle, whose files have it."""
    layer = nn.GroupNorm(2, 4, weight_attr=False, bias_attr=False)
    assert list(layer.state_dict()) == ["weight", "bias"]
    assert [p.stop_gradient for p in layer.parameters()] == [True, True]
    assert layer.weight.tolist() == [1.0] * 4
