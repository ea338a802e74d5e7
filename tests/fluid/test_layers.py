"""1.x's layers by 1.x's argument names, beside NumPy, in programs and in a guard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from teachgraph import fluid
from teachgraph.core.errors import InvalidValueError
from teachgraph.fluid import layers
from teachgraph.fluid.aliases import alias
from tests.fluid.test_fluid import X, Y, in_a_guard, in_a_program

B = np.array([[True, False], [True, True]])
IMAGE = np.arange(32.0, dtype="float32").reshape(1, 2, 4, 4)

Function = Callable[..., Any]


def relu(x: Any) -> Any:
    return np.maximum(x, 0)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


OF_X: dict[str, tuple[Function, Function]] = {
    "reduce_mean": (
        lambda x: layers.reduce_mean(x, [1], True),
        lambda x: x.mean(1, keepdims=True),
    ),
    "reduce_max": (lambda x: layers.reduce_max(x, dim=0), lambda x: x.max(0)),
    "reduce_min": (lambda x: layers.reduce_min(input=x, dim=-1), lambda x: x.min(-1)),
    "reduce_prod": (lambda x: layers.reduce_prod(x, dim=0), lambda x: x.prod(0)),
    "argmax": (layers.argmax, lambda x: x.argmax(0)),
    "argmin": (lambda x: layers.argmin(x, axis=1), lambda x: x.argmin(1)),
    "argsort": (
        lambda x: layers.argsort(x, 1, descending=True)[1],
        lambda x: (-x).argsort(1),
    ),
    "argsort values": (lambda x: layers.argsort(x, 1)[0], lambda x: np.sort(x, 1)),
    "cumsum": (lambda x: layers.cumsum(x, axis=1), lambda x: x.cumsum(1)),
    "clip": (lambda x: layers.clip(x, 1.0, 4.0), lambda x: x.clip(1, 4)),
    "clip_by_norm": (
        lambda x: layers.clip_by_norm(x, max_norm=1.0),
        lambda x: x / np.linalg.norm(x),
    ),
    "squeeze": (
        lambda x: layers.squeeze(layers.unsqueeze(x, axes=[0, 2]), axes=[0]),
        lambda x: x[:, None],
    ),
    "stack": (lambda x: layers.stack([x, x], axis=1), lambda x: np.stack([x, x], 1)),
    "split": (lambda x: layers.split(x, 3)[1], lambda x: x[:, 1:2]),
    "split at": (lambda x: layers.split(x, [1, 1], dim=0)[1], lambda x: x[1:]),
    "expand": (
        lambda x: layers.expand(x, expand_times=[2, 1]),
        lambda x: np.tile(x, (2, 1)),
    ),
    "reverse": (lambda x: layers.reverse(x, axis=[1]), lambda x: x[:, ::-1]),
    "pad": (
        lambda x: layers.pad(x, paddings=[0, 1, 2, 0], pad_value=7.0),
        lambda x: np.pad(x, ((0, 1), (2, 0)), constant_values=7),
    ),
    "slice": (
        lambda x: layers.slice(x, axes=[1], starts=[1], ends=[3]),
        lambda x: x[:, 1:3],
    ),
    "flatten": (layers.flatten, lambda x: x),
    "flatten at 0": (lambda x: layers.flatten(x, axis=0), lambda x: x.reshape(1, -1)),
    "zeros_like": (layers.zeros_like, np.zeros_like),
    "ones_like": (layers.ones_like, np.ones_like),
    "sum": (lambda x: layers.sum([x, x, x]), lambda x: 3 * x),
    "shape": (layers.shape, lambda x: np.array(x.shape)),
    "size": (layers.size, lambda x: np.array(x.size)),
    "has_nan": (layers.has_nan, lambda x: np.array(False)),
    "isfinite": (layers.isfinite, lambda x: np.array(True)),
    "assign": (layers.assign, lambda x: x),
    "relu6": (lambda x: layers.relu6(x, threshold=3.0), lambda x: x.clip(0, 3)),
    "leaky_relu": (
        lambda x: layers.leaky_relu(x - 2.0),
        lambda x: np.where(x > 2, x - 2, 0.02 * (x - 2)),
    ),
    "elu": (
        lambda x: layers.elu(x - 2.0, alpha=0.5),
        lambda x: np.where(x > 2, x - 2, 0.5 * np.expm1(x - 2)),
    ),
    "swish": (lambda x: layers.swish(x, beta=2.0), lambda x: x * sigmoid(2 * x)),
    "soft_relu": (
        lambda x: layers.soft_relu(x, threshold=2.0),
        lambda x: np.log1p(np.exp(x.clip(-2, 2))),
    ),
    "hard_sigmoid": (
        lambda x: layers.hard_sigmoid(x - 2.0),
        lambda x: (0.2 * (x - 2) + 0.5).clip(0, 1),
    ),
    "brelu": (lambda x: layers.brelu(x, 1.0, 3.0), lambda x: x.clip(1, 3)),
    "stanh": (lambda x: layers.stanh(x, 0.5, 2.0), lambda x: 2 * np.tanh(0.5 * x)),
    "logsigmoid": (layers.logsigmoid, lambda x: np.log(sigmoid(x))),
    "softshrink": (
        lambda x: layers.softshrink(x, alpha=1.0),
        lambda x: np.maximum(x - 1, 0),
    ),
    "pow": (lambda x: layers.pow(x, factor=1.5), lambda x: x**1.5),
    "rsqrt": (layers.rsqrt, lambda x: x**-0.5),
    "l2_normalize": (
        lambda x: layers.l2_normalize(x, axis=1),
        lambda x: x / np.linalg.norm(x, axis=1, keepdims=True),
    ),
    "label_smooth": (
        lambda x: layers.label_smooth(x, epsilon=0.3),
        lambda x: 0.7 * x + 0.1,
    ),
    "dropout in a test": (
        lambda x: layers.dropout(x, 0.25, is_test=True),
        lambda x: 0.75 * x,
    ),
    "dropout upscaled": (
        lambda x: layers.dropout(
            x, 0.25, is_test=True, dropout_implementation="upscale_in_train"
        ),
        lambda x: x,
    ),
    "cos_sim": (lambda x: layers.cos_sim(x, x), lambda x: np.ones((2, 1))),
    "huber_loss": (
        lambda x: layers.huber_loss(x, x - 3.0, delta=1.0),
        lambda x: np.full((2, 3), 2.5),
    ),
    "elementwise_mod": (
        lambda x: layers.elementwise_mod(x, x * 0.0 + 2.0, act="relu"),
        lambda x: x % 2,
    ),
}
PAIRS: dict[str, tuple[Function, Function]] = {
    "equal": (layers.equal, np.equal),
    "less_than": (layers.less_than, np.less),
    "greater_equal": (layers.greater_equal, np.greater_equal),
    "mse_loss": (layers.mse_loss, lambda x, y: np.mean((x - y) ** 2)),
    "mul": (
        lambda x, y: layers.mul(x, layers.transpose(y, perm=[1, 0])),
        lambda x, y: x @ y.T,
    ),
    "expand_as": (lambda x, y: layers.expand_as(x, target_tensor=y), lambda x, y: x),
    "sigmoid_cross_entropy_with_logits": (
        lambda x, y: layers.sigmoid_cross_entropy_with_logits(x, y, normalize=True),
        lambda x, y: (np.maximum(x, 0) - x * y + np.log1p(np.exp(-x))) / 6,
    ),
}
OF_IMAGES: dict[str, tuple[Function, Function]] = {
    "pool2d": (
        lambda x: layers.pool2d(x, 2, pool_stride=2),
        lambda x: x[:, :, 1::2, 1::2],
    ),
    "pool2d of means": (
        lambda x: layers.pool2d(x, pool_type="avg", global_pooling=True),
        lambda x: x.mean((2, 3), keepdims=True),
    ),
    "adaptive_pool2d": (
        lambda x: layers.adaptive_pool2d(x, 1),
        lambda x: x[:, :, 3:, 3:],
    ),
    "adaptive means": (
        lambda x: layers.adaptive_pool2d(x, [1, 4], pool_type="avg"),
        lambda x: x.mean(2, keepdims=True),
    ),
    "resize_nearest": (
        lambda x: layers.resize_nearest(x, scale=2, align_corners=False),
        lambda x: x.repeat(2, 2).repeat(2, 3),
    ),
    "resize_bilinear": (
        lambda x: layers.resize_bilinear(x, out_shape=[4, 7]),
        lambda x: np.stack([x[..., 0] + i / 2 for i in range(7)], -1),
    ),
    "lrn": (
        lambda x: layers.lrn(x, n=3, k=1.0, alpha=0.5, beta=1.0),
        lambda x: x / (1 + 0.5 * (x**2).sum(1, keepdims=True)),
    ),
    "flatten": (layers.flatten, lambda x: x.reshape(1, -1)),
}
CASES = {
    **{name: (*case, (X,)) for name, case in OF_X.items()},
    **{name: (*case, (X, Y)) for name, case in PAIRS.items()},
    **{name: (*case, (IMAGE,)) for name, case in OF_IMAGES.items()},
}


@pytest.mark.parametrize("how", [in_a_program, in_a_guard])
@pytest.mark.parametrize("name", CASES)
def test_a_layer_computes_what_its_name_says(name: str, how: Function) -> None:
    layer, wanted, values = CASES[name]
    found, want = how(layer, *values), np.atleast_1d(wanted(*values))
    assert found.shape == want.shape
    np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("how", [in_a_program, in_a_guard])
def test_truths_are_joined_and_counted(how: Function) -> None:
    assert how(lambda b: layers.reduce_all(b, dim=1), B).tolist() == [False, True]
    assert how(layers.reduce_any, B).item() is True
    assert how(layers.where, B).tolist() == [[0, 0], [1, 0], [1, 1]]
    both = how(lambda a, b: layers.logical_and(a, layers.logical_not(b)), B, B)
    assert not both.any()


@pytest.mark.parametrize("how", [in_a_program, in_a_guard])
def test_places_are_read(how: Function) -> None:
    index = np.array([1, 0], "int64")
    np.testing.assert_array_equal(how(layers.gather, X, index), X[::-1])


@pytest.mark.parametrize("how", [in_a_program, in_a_guard])
def test_places_are_written(how: Function) -> None:
    index = np.array([1, 0], "int64")
    found = how(lambda x, i: layers.scatter(x, i, x), X, index)
    np.testing.assert_array_equal(found, X[::-1])


@pytest.mark.parametrize("how", [in_a_program, in_a_guard])
def test_places_in_all_dimensions_are_read(how: Function) -> None:
    at = np.array([[1, 2]], "int64")
    np.testing.assert_array_equal(how(layers.gather_nd, X, at), [X[1, 2]])


@pytest.mark.parametrize("how", [in_a_program, in_a_guard])
def test_classes_come_as_a_column(how: Function) -> None:
    column = np.array([[2], [0]])
    found = how(lambda c: layers.one_hot(c, depth=3), column)
    np.testing.assert_array_equal(found, [[0, 0, 1], [1, 0, 0]])


def test_what_is_made_of_nothing_is_an_operator_unless_in_a_guard() -> None:
    made = [
        layers.zeros([2], "int64"),
        layers.ones(shape=[2], dtype="float32"),
        layers.range(0, 6, 2, "int64"),
        layers.linspace(0.0, 1.0, 3),
        layers.eye(2),
    ]
    found = fluid.Executor().run(fetch_list=made)
    assert [value.tolist() for value in found] == [
        [0, 0],
        [1, 1],
        [0, 2, 4],
        [0.0, 0.5, 1.0],
        [[1, 0], [0, 1]],
    ]
    with fluid.dygraph.guard():
        assert layers.zeros([2], "int64").tolist() == [0, 0]
        drawn = layers.uniform_random([1000], min=2.0, max=3.0).numpy()
        assert 2.0 <= drawn.min() < drawn.max() < 3.0


def test_an_embedding_of_a_column_has_no_column() -> None:
    ids = layers.data("ids", [1], dtype="int64")
    rows = layers.embedding(ids, size=[3, 2])
    assert rows.shape == (-1, 2)
    assert fluid.embedding(ids, size=[3, 2]).shape == (-1, 1, 2)


def test_a_network_of_old_words_learns() -> None:
    image = layers.data("image", [1, 4, 4])
    label = layers.data("label", [1], dtype="int64")
    hidden = layers.conv2d(image, num_filters=4, filter_size=3, padding=1, act="relu")
    hidden = layers.pool2d(layers.batch_norm(hidden), pool_size=2, pool_stride=2)
    prediction = layers.fc(hidden, size=2, act="softmax")
    loss = layers.mean(layers.cross_entropy(prediction, label))
    accuracy = layers.accuracy(prediction, label)
    fluid.optimizer.Adam(0.05, regularization=fluid.regularizer.L2Decay(1e-4)).minimize(
        loss
    )
    executor = fluid.Executor()
    fluid.default_startup_program().random_seed = 1
    executor.run(fluid.default_startup_program())
    feed = {
        "image": np.stack([IMAGE[0, :1] / 32, 1 - IMAGE[0, :1] / 32]),
        "label": np.array([[0], [1]]),
    }
    first, *_ = executor.run(feed=feed, fetch_list=[loss])
    for _ in range(20):
        last, right = executor.run(feed=feed, fetch_list=[loss, accuracy])
    assert last < first / 2
    assert right == 1.0


def test_arguments_that_are_none_of_a_layers_are_refused() -> None:
    layer = alias(np.sum, "input, dim=None", dim="axis")
    for wrong in (
        lambda: layer(X, axis=0),
        lambda: layer(X, 0, None, 1),
        lambda: layer(dim=0),
    ):
        with pytest.raises(TypeError, match=r"^sum\(input, dim=None, name=None\): "):
            wrong()
    assert layer(X, dim=0, name="ignored").shape == (3,)


def test_a_pooling_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="pool"):
        in_a_guard(lambda x: layers.pool2d(x, 2, pool_type="least"), IMAGE)


@pytest.mark.parametrize("batch", [None, -1])
def test_a_shape_with_an_open_size_has_its_batch(batch: int | None) -> None:
    assert layers.data("open", [batch, 3]).shape == (-1, 3)


@pytest.mark.parametrize("how", [in_a_program, in_a_guard])
def test_expand_as_repeats_to_a_multiple(how: Function) -> None:
    target = np.zeros((4, 3), "float32")
    np.testing.assert_array_equal(how(layers.expand_as, X, target), [*X, *X])


def test_expand_as_of_an_open_size_broadcasts() -> None:
    one, many = fluid.data("one", [1, 3]), fluid.data("many", [None, 3])
    rows = layers.expand_as(one, many)
    feed = {"one": X[:1], "many": np.zeros((2, 3), "float32")}
    (found,) = fluid.Executor().run(feed=feed, fetch_list=[rows])
    np.testing.assert_array_equal(found, [X[0], X[0]])


@pytest.mark.parametrize("in_place", [True, False])
def test_a_counter_keeps_its_dtype(in_place: bool) -> None:
    counter = layers.fill_constant([1], "int64", 3)
    more = layers.increment(counter, in_place=in_place)
    (value,) = fluid.Executor().run(fetch_list=[more])
    assert (value.dtype, value.tolist()) == ("int64", [4])


def test_accuracy_writes_its_counts() -> None:
    x, label = fluid.data("x", [2, 3]), fluid.data("label", [2, 1], "int64")
    correct, total = layers.create_tensor("int32"), layers.create_tensor("int64")
    share = layers.accuracy(x, label, correct=correct, total=total)
    feed = {"x": np.eye(2, 3, dtype="float32"), "label": np.array([[0], [2]])}
    found = fluid.Executor().run(feed=feed, fetch_list=[share, correct, total])
    assert found == [0.5, 1, 2]


def test_an_instance_norm_has_a_scale_and_a_shift() -> None:
    found = layers.instance_norm(fluid.data("image", [2, 4, 3, 3]), param_attr="scale")
    parameters = found.block.program.all_parameters()
    assert [p.name for p in parameters] == ["scale", "instance_norm_0.b_0"]
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    (value,) = exe.run(
        feed={"image": np.ones((2, 4, 3, 3), "float32")}, fetch_list=["scale"]
    )
    np.testing.assert_array_equal(value, np.ones(4))
