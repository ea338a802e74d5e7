"""Whole programs as they were written for Paddle 1.x, after one changed import."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph import fluid
from teachgraph.io import batch

RNG = np.random.default_rng(0)


def trained(loss: Any, reader: Any, feeder: fluid.DataFeeder, epochs: int) -> Any:
    """The losses, epoch by epoch."""
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    means = []
    for _ in range(epochs):
        mean = fluid.average.WeightedAverage()
        for data in reader():
            (value,) = exe.run(
                fluid.default_main_program(),
                feed=feeder.feed(data),
                fetch_list=[loss],
            )
            mean.add(value, len(data))
        means.append(float(np.asarray(mean.eval()).item()))
    return means


def test_fit_a_line(tmp_path: Path) -> None:
    slope = RNG.normal(size=(13,)).astype("float32")

    def houses() -> Iterator[Any]:
        numbers = np.random.default_rng(1)
        for _ in range(64):
            x = numbers.normal(size=13).astype("float32")
            yield x, np.array([x @ slope], "float32")

    x = fluid.layers.data(name="x", shape=[13], dtype="float32")
    y = fluid.layers.data(name="y", shape=[1], dtype="float32")
    y_predict = fluid.layers.fc(input=x, size=1, act=None)
    cost = fluid.layers.square_error_cost(input=y_predict, label=y)
    avg_loss = fluid.layers.mean(cost)
    test_program = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.SGD(learning_rate=0.05).minimize(avg_loss)
    feeder = fluid.DataFeeder(place=fluid.CPUPlace(), feed_list=[x, y])
    losses = trained(avg_loss, batch(houses, batch_size=16), feeder, 8)
    assert losses[-1] < 0.05 * losses[0]

    exe = fluid.Executor(fluid.CPUPlace())
    folder = str(tmp_path / "fit_a_line.model")
    fluid.io.save_inference_model(folder, ["x"], [y_predict], exe)
    data = feeder.feed(list(houses())[:5])
    (expected,) = exe.run(test_program, feed=data, fetch_list=[y_predict])
    with fluid.scope_guard(fluid.core.Scope()):
        program, names, targets = fluid.io.load_inference_model(folder, exe)
        found = exe.run(program, feed={names[0]: data["x"]}, fetch_list=targets)
    np.testing.assert_allclose(found[0], expected, rtol=1e-6)


def pictures() -> Iterator[Any]:
    """28 x 28 numbers in a row, with a bright band at the height of their class."""
    numbers = np.random.default_rng(2)
    for n in range(60):
        image = numbers.normal(0, 0.1, (28, 28))
        image[2 + 8 * (n % 3) : 8 + 8 * (n % 3)] += 1.0
        yield image.astype("float32").ravel(), n % 3


def convolutional_neural_network(img: Any) -> Any:
    first = fluid.nets.simple_img_conv_pool(
        input=img,
        filter_size=5,
        num_filters=4,
        pool_size=2,
        pool_stride=2,
        act="relu",
    )
    first = fluid.layers.batch_norm(first)
    second = fluid.nets.simple_img_conv_pool(
        input=first,
        filter_size=5,
        num_filters=6,
        pool_size=2,
        pool_stride=2,
        act="relu",
    )
    return fluid.layers.fc(input=second, size=3, act="softmax")


def multilayer_perceptron(img: Any) -> Any:
    hidden = fluid.layers.fc(input=img, size=20, act="tanh")
    hidden = fluid.layers.fc(input=hidden, size=20, act="tanh")
    return fluid.layers.fc(input=hidden, size=3, act="softmax")


def recognised(network: Any) -> None:
    img = fluid.layers.data(name="img", shape=[1, 28, 28], dtype="float32")
    label = fluid.layers.data(name="label", shape=[1], dtype="int64")
    prediction = network(img)
    cost = fluid.layers.cross_entropy(input=prediction, label=label)
    avg_loss = fluid.layers.mean(cost)
    acc = fluid.layers.accuracy(input=prediction, label=label)
    test_program = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adam(learning_rate=0.005).minimize(avg_loss)
    feeder = fluid.DataFeeder(feed_list=[img, label], place=fluid.CPUPlace())
    losses = trained(avg_loss, batch(pictures, batch_size=20), feeder, 4)
    assert losses[-1] < 0.5 * losses[0]
    exe, right = fluid.Executor(fluid.CPUPlace()), fluid.metrics.Accuracy()
    for data in batch(pictures, batch_size=20)():
        (share,) = exe.run(test_program, feed=feeder.feed(data), fetch_list=[acc])
        right.update(value=share, weight=len(data))
    assert right.eval() > 0.8


def test_recognize_digits_by_convolutions() -> None:
    recognised(convolutional_neural_network)


def test_recognize_digits_by_an_mlp() -> None:
    recognised(multilayer_perceptron)


def test_word2vec() -> None:
    sizes = {"size": [30, 8], "dtype": "float32", "is_sparse": True}
    names = ["firstw", "secondw", "thirdw", "fourthw", "nextw"]
    words = [fluid.layers.data(name=n, shape=[1], dtype="int64") for n in names]
    embeds = [
        fluid.layers.embedding(input=word, param_attr="shared_w", **sizes)
        for word in words[:4]
    ]
    context = fluid.layers.concat(input=embeds, axis=1)
    hidden = fluid.layers.fc(input=context, size=32, act="sigmoid")
    predict = fluid.layers.fc(input=hidden, size=30, act="softmax")
    cost = fluid.layers.cross_entropy(input=predict, label=words[4])
    avg_cost = fluid.layers.mean(cost)
    fluid.optimizer.AdagradOptimizer(
        learning_rate=0.3,
        regularization=fluid.regularizer.L2DecayRegularizer(8e-4),
    ).minimize(avg_cost)

    def ngrams() -> Iterator[Any]:
        yield from (tuple((n + i) % 30 for i in range(5)) for n in range(30))

    feeder = fluid.DataFeeder(feed_list=words, place=fluid.CPUPlace())
    losses = trained(avg_cost, batch(ngrams, batch_size=10), feeder, 30)
    assert losses[-1] < 0.5 * losses[0]
    assert len(fluid.default_main_program().all_parameters()) == 5


def vgg_bn_drop(input: Any) -> Any:
    def conv_block(ipt: Any, num_filter: int, groups: int, dropouts: Any) -> Any:
        return fluid.nets.img_conv_group(
            input=ipt,
            pool_size=2,
            pool_stride=2,
            conv_num_filter=[num_filter] * groups,
            conv_filter_size=3,
            conv_act="relu",
            conv_with_batchnorm=True,
            conv_batchnorm_drop_rate=dropouts,
            pool_type="max",
        )

    conv1 = conv_block(input, 4, 2, [0.3, 0])
    conv2 = conv_block(conv1, 6, 2, [0.4, 0])
    drop = fluid.layers.dropout(x=conv2, dropout_prob=0.2)
    fc1 = fluid.layers.fc(input=drop, size=16, act=None)
    bn = fluid.layers.batch_norm(input=fc1, act="relu")
    drop2 = fluid.layers.dropout(x=bn, dropout_prob=0.1)
    fc2 = fluid.layers.fc(input=drop2, size=16, act=None)
    return fluid.layers.fc(input=fc2, size=3, act="softmax")


def resnet_cifar10(ipt: Any) -> Any:
    def conv_bn_layer(
        input: Any,
        ch_out: int,
        filter_size: int,
        stride: int,
        padding: int,
        act: str | None = "relu",
        bias_attr: Any = False,
    ) -> Any:
        tmp = fluid.layers.conv2d(
            input=input,
            filter_size=filter_size,
            num_filters=ch_out,
            stride=stride,
            padding=padding,
            act=None,
            bias_attr=bias_attr,
        )
        return fluid.layers.batch_norm(input=tmp, act=act)

    def basicblock(input: Any, ch_in: int, ch_out: int, stride: int) -> Any:
        tmp = conv_bn_layer(input, ch_out, 3, stride, 1)
        tmp = conv_bn_layer(tmp, ch_out, 3, 1, 1, act=None, bias_attr=True)
        short = input
        if ch_in != ch_out:
            short = conv_bn_layer(input, ch_out, 1, stride, 0, None)
        return fluid.layers.elementwise_add(x=tmp, y=short, act="relu")

    conv1 = conv_bn_layer(ipt, ch_out=4, filter_size=3, stride=1, padding=1)
    res1 = basicblock(conv1, 4, 4, 1)
    res2 = basicblock(res1, 4, 8, 2)
    pool = fluid.layers.pool2d(input=res2, pool_size=8, pool_type="avg", pool_stride=1)
    return fluid.layers.fc(input=pool, size=3, act="softmax")


def classified(network: Any) -> None:
    picture = fluid.layers.data(name="pixel", shape=[3, 16, 16], dtype="float32")
    label = fluid.layers.data(name="label", shape=[1], dtype="int64")
    predict = network(picture)
    cost = fluid.layers.cross_entropy(input=predict, label=label)
    avg_cost = fluid.layers.mean(cost)
    rate = fluid.layers.piecewise_decay(boundaries=[6], values=[0.01, 0.005])
    fluid.optimizer.Momentum(
        learning_rate=rate,
        momentum=0.9,
        regularization=fluid.regularizer.L2Decay(1e-4),
    ).minimize(avg_cost)

    def images() -> Iterator[Any]:
        numbers = np.random.default_rng(3)
        for n in range(24):
            image = numbers.normal(0, 0.3, (3, 16, 16))
            image[n % 3] += 1.0
            yield image.astype("float32"), n % 3

    feeder = fluid.DataFeeder(feed_list=[picture, label], place=fluid.CPUPlace())
    losses = trained(avg_cost, batch(images, batch_size=12), feeder, 6)
    assert losses[-1] < 0.8 * losses[0]


def test_image_classification_by_vgg() -> None:
    fluid.default_startup_program().random_seed = 7
    fluid.default_main_program().random_seed = 7
    classified(vgg_bn_drop)


def test_image_classification_by_resnet() -> None:
    classified(resnet_cifar10)


def test_readers_feed_a_compiled_program() -> None:
    x = fluid.data(name="x", shape=[None, 4], dtype="float32")
    y = fluid.data(name="y", shape=[None, 1], dtype="float32")
    loss = fluid.layers.mean(fluid.layers.square(fluid.layers.fc(x, 1) - y))
    fluid.optimizer.SGD(0.1).minimize(loss)
    numbers = RNG.normal(size=(8, 4)).astype("float32")

    def samples() -> Iterator[Any]:
        yield from ((row, [row.sum()]) for row in numbers)

    places = fluid.cpu_places(1)
    loader = fluid.io.DataLoader.from_generator(feed_list=[x, y], capacity=4)
    loader.set_sample_generator(samples, batch_size=4, places=places)
    reader = fluid.io.PyReader(feed_list=[x, y], capacity=4, iterable=True)
    reader.decorate_sample_list_generator(batch(samples, 4), places=places)
    exe = fluid.Executor(places[0])
    exe.run(fluid.default_startup_program())
    compiled = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(
        loss_name=loss.name, build_strategy=fluid.BuildStrategy(), places=places
    )
    losses = []
    for _ in range(10):
        for data in [*loader(), *reader()]:
            losses += exe.run(compiled, feed=data, fetch_list=[loss.name])
    assert losses[-1].item() < 0.1 * losses[0].item()
    parallel = fluid.ParallelExecutor(use_cuda=False, loss_name=loss.name)
    (data,) = next(iter(loader()))
    (value,) = parallel.run(fetch_list=[loss.name], feed=data)
    assert value.item() < losses[0].item()


def test_a_loop_over_the_array_that_it_writes_has_a_gradient() -> None:
    layers = fluid.layers
    x = fluid.data("x", [3])
    x.stop_gradient = False
    i, end = (layers.fill_constant([1], "int64", n) for n in (0, 3))
    array = layers.create_array("float32")
    layers.array_write(x, i, array)
    going = layers.less_than(i, end)
    with layers.While(going).block():
        part = layers.array_read(array, i)
        times = layers.assign(np.array([2.0, 3.0, 1.0], "float32"))
        more = layers.elementwise_mul(part, times)
        layers.increment(i)
        layers.array_write(more, i, array)
        layers.less_than(i, end, cond=going)
    loss = layers.mean(layers.array_read(array, end))
    fluid.backward.append_backward(loss)
    feed = {"x": np.array([1.0, 2.0, 3.0], "float32")}
    value, gradient = fluid.Executor().run(feed=feed, fetch_list=[loss, "x@GRAD"])
    np.testing.assert_allclose(value, [65 / 3], rtol=1e-6)
    np.testing.assert_allclose(gradient, [8 / 3, 9.0, 1 / 3], rtol=1e-6)


def test_adadelta_of_1x_takes_no_learning_rate() -> None:
    x = fluid.data("x", [1, 2])
    w = fluid.layers.create_parameter([2, 1], "float32", name="w")
    loss = fluid.layers.mean(fluid.layers.matmul(x, w))
    fluid.optimizer.Adadelta(learning_rate=1e-4, epsilon=1e-3).minimize(loss)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    fetch = {"feed": {"x": np.ones((1, 2), "float32")}, "fetch_list": ["w"]}
    first, second = exe.run(**fetch)[0], exe.run(**fetch)[0]
    np.testing.assert_allclose(second - first, -0.14179, atol=1e-5)
