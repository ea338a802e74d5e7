"""Programs of 1.x's dynamic mode, and recurrent ones, as they were written for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from teachgraph import fluid
from teachgraph.core import random
from teachgraph.fluid.dygraph.base import to_variable
from teachgraph.fluid.dygraph.nn import (
    BatchNorm,
    Conv2D,
    Conv2DTranspose,
    Embedding,
    InstanceNorm,
    Linear,
    Pool2D,
)

NUMBERS = np.random.default_rng(0)


class SimpleImgConvPool(fluid.dygraph.Layer):
    def __init__(self, num_channels: int, num_filters: int) -> None:
        super().__init__()
        self._conv2d = Conv2D(num_channels, num_filters, filter_size=5, act="relu")
        self._pool2d = Pool2D(pool_size=2, pool_stride=2, pool_type="max")

    def forward(self, inputs: Any) -> Any:
        return self._pool2d(self._conv2d(inputs))


class MNIST(fluid.dygraph.Layer):
    def __init__(self) -> None:
        super().__init__()
        self._first = SimpleImgConvPool(1, 4)
        self._second = SimpleImgConvPool(4, 6)
        self._fc = Linear(
            6 * 4 * 4,
            3,
            param_attr=fluid.ParamAttr(
                initializer=fluid.initializer.NormalInitializer(loc=0.0, scale=0.1)
            ),
            act="softmax",
        )

    def forward(self, inputs: Any, label: Any = None) -> Any:
        x = self._second(self._first(inputs))
        x = self._fc(fluid.layers.reshape(x, shape=[-1, 6 * 4 * 4]))
        if label is None:
            return x
        return x, fluid.layers.accuracy(input=x, label=label)


def digits() -> Any:
    images = NUMBERS.normal(0, 0.1, (24, 1, 28, 28)).astype("float32")
    for n in range(24):
        images[n, 0, 2 + 8 * (n % 3) : 8 + 8 * (n % 3)] += 1.0
    yield images, (np.arange(24) % 3).reshape(-1, 1)


def test_mnist_with_a_loader_and_a_saved_state(tmp_path: Path) -> None:
    with fluid.dygraph.guard(fluid.CPUPlace()):
        mnist = MNIST()
        rate = fluid.dygraph.PiecewiseDecay([8], [0.01, 0.005], 0)
        adam = fluid.optimizer.AdamOptimizer(rate, parameter_list=mnist.parameters())
        loader = fluid.io.DataLoader.from_generator(capacity=2, return_list=True)
        loader.set_batch_generator(digits, places=fluid.CPUPlace())
        losses = []
        for _ in range(12):
            for img, label in loader():
                cost, _ = mnist(img, label)
                loss = fluid.layers.cross_entropy(cost, label)
                avg_loss = fluid.layers.mean(loss)
                avg_loss.backward()
                adam.minimize(avg_loss)
                mnist.clear_gradients()
                losses.append(avg_loss.numpy().item())
        assert losses[-1] < 0.3 * losses[0]
        assert adam.current_step_lr() == 0.005
        fluid.save_dygraph(mnist.state_dict(), str(tmp_path / "mnist"))
        fluid.save_dygraph(adam.state_dict(), str(tmp_path / "mnist"))
        parameters, states = fluid.load_dygraph(str(tmp_path / "mnist"))
        again = MNIST()
        again.set_dict(parameters)
        adam.set_dict(states)
        again.eval()
        np.testing.assert_array_equal(again(img).numpy(), mnist(img).numpy())


class ConvBNLayer(fluid.dygraph.Layer):
    def __init__(
        self, channels: int, filters: int, size: int, stride: int, act: str | None
    ) -> None:
        super().__init__()
        self._conv = Conv2D(
            num_channels=channels,
            num_filters=filters,
            filter_size=size,
            stride=stride,
            padding=(size - 1) // 2,
            act=None,
            bias_attr=False,
        )
        self._batch_norm = BatchNorm(filters, act=act)

    def forward(self, inputs: Any) -> Any:
        return self._batch_norm(self._conv(inputs))


class BottleneckBlock(fluid.dygraph.Layer):
    def __init__(self, channels: int, filters: int, stride: int) -> None:
        super().__init__()
        self.conv0 = ConvBNLayer(channels, filters, 1, 1, act="relu")
        self.conv1 = ConvBNLayer(filters, filters, 3, stride, act="relu")
        self.conv2 = ConvBNLayer(filters, filters * 4, 1, 1, act=None)
        self.short = ConvBNLayer(channels, filters * 4, 1, stride, act=None)

    def forward(self, inputs: Any) -> Any:
        conv2 = self.conv2(self.conv1(self.conv0(inputs)))
        y = fluid.layers.elementwise_add(x=self.short(inputs), y=conv2)
        return fluid.layers.relu(y)


class ResNet(fluid.dygraph.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.conv = ConvBNLayer(3, 4, 3, 1, act="relu")
        self.blocks = [
            self.add_sublayer(f"bb_{i}", BottleneckBlock(channels, 2, 2))
            for i, channels in enumerate((4, 8))
        ]
        self.pool2d_avg = Pool2D(pool_type="avg", global_pooling=True)
        width = 1.0 / np.sqrt(8)
        self.out = Linear(
            8,
            3,
            param_attr=fluid.param_attr.ParamAttr(
                initializer=fluid.initializer.Uniform(-width, width)
            ),
        )

    def forward(self, inputs: Any) -> Any:
        y = self.conv(inputs)
        for block in self.blocks:
            y = block(y)
        y = fluid.layers.reshape(self.pool2d_avg(y), shape=[-1, 8])
        return self.out(y)


def test_resnet_with_momentum_and_decay() -> None:
    random.seed(1)  # a start from which twelve steps are enough
    images = np.random.default_rng(0).normal(0, 0.3, (12, 3, 8, 8)).astype("float32")
    for n in range(12):
        images[n, n % 3] += 1.0
    with fluid.dygraph.guard():
        resnet = ResNet()
        strategy = fluid.dygraph.prepare_context()
        parallel = fluid.dygraph.DataParallel(resnet, strategy)
        optimizer = fluid.optimizer.Momentum(
            learning_rate=0.05,
            momentum=0.9,
            regularization=fluid.regularizer.L2Decay(1e-4),
            grad_clip=fluid.clip.GradientClipByGlobalNorm(5.0),
            parameter_list=parallel.parameters(),
        )
        img = to_variable(images)
        label = to_variable((np.arange(12) % 3).reshape(-1, 1))
        label.stop_gradient = True
        losses = []
        for _ in range(12):
            out = parallel(img)
            loss = fluid.layers.softmax_with_cross_entropy(out, label)
            avg_loss = parallel.scale_loss(fluid.layers.mean(x=loss))
            avg_loss.backward()
            parallel.apply_collective_grads()
            optimizer.minimize(avg_loss)
            parallel.clear_gradients()
            losses.append(avg_loss.numpy().item())
        assert losses[-1] < 0.5 * losses[0]


class Generator(fluid.dygraph.Layer):
    """Down, a residual step and up again, as CycleGAN's."""

    def __init__(self) -> None:
        super().__init__()
        small = fluid.initializer.NormalInitializer(loc=0.0, scale=0.2)
        attr = fluid.ParamAttr(initializer=small)
        self.conv0 = Conv2D(3, 4, 3, param_attr=attr)
        self.in0 = InstanceNorm(4)
        self.down = Conv2D(4, 8, 3, stride=2, padding=1, param_attr=attr)
        self.res = Conv2D(8, 8, 3, param_attr=attr)
        self.in1 = InstanceNorm(8)
        self.up = Conv2DTranspose(8, 4, 4, stride=2, padding=1, param_attr=attr)
        self.last = Conv2D(4, 3, 3, padding=1, param_attr=attr)

    def forward(self, inputs: Any) -> Any:
        x = fluid.layers.pad2d(inputs, [1, 1, 1, 1], mode="reflect")
        x = fluid.layers.relu(self.in0(self.conv0(x)))
        x = fluid.layers.leaky_relu(self.down(x), alpha=0.2)
        step = fluid.layers.pad2d(x, paddings=[1, 1, 1, 1], mode="reflect")
        x = fluid.layers.elementwise_add(x, self.in1(self.res(step)))
        return fluid.layers.tanh(self.last(fluid.layers.relu(self.up(x))))


def test_a_generator_of_cyclegan() -> None:
    pictures = np.tanh(NUMBERS.normal(0, 0.5, (2, 3, 8, 8))).astype("float32")
    with fluid.dygraph.guard():
        generator = Generator()
        adam = fluid.optimizer.Adam(
            learning_rate=0.02, beta1=0.5, parameter_list=generator.parameters()
        )
        images = to_variable(pictures)
        losses = []
        for _ in range(15):
            difference = fluid.layers.elementwise_sub(generator(images), images)
            loss = fluid.layers.reduce_mean(fluid.layers.abs(difference)) * 10.0
            loss.backward()
            adam.minimize(loss)
            generator.clear_gradients()
            losses.append(loss.numpy().item())
        assert losses[-1] < 0.7 * losses[0]


def test_an_encoder_and_a_decoder_of_gru_units() -> None:
    """A sentence of words is said again: the pieces of machine translation."""
    words = NUMBERS.integers(0, 5, (16, 3))
    with fluid.dygraph.guard():
        table = Embedding(size=[5, 6], param_attr="words", dtype="float32")
        project, read = Linear(6, 24), fluid.dygraph.GRUUnit(size=24)
        speak, out = fluid.dygraph.GRUUnit(size=24), Linear(8, 5, act="softmax")
        parts = (table, project, read, speak, out)
        parameters = [p for part in parts for p in part.parameters()]
        adam = fluid.optimizer.AdamOptimizer(0.03, parameter_list=parameters)
        losses = []
        for _ in range(40):
            hidden = to_variable(np.zeros((16, 8), "float32"))
            steps = [project(table(to_variable(words[:, i]))) for i in range(3)]
            for step in steps:
                hidden, _, _ = read(step, hidden)
            loss: Any = 0.0
            for i in range(3):
                hidden, _, _ = speak(steps[i] * 0.0, hidden)
                label = to_variable(words[:, i : i + 1])
                cost = fluid.layers.cross_entropy(input=out(hidden), label=label)
                loss = loss + fluid.layers.mean(cost)
            loss.backward()
            adam.minimize(loss)
            adam.clear_gradients()
            losses.append(loss.numpy().item())
        assert losses[-1] < 0.6 * losses[0]


def sentiment(network: Any) -> None:
    """Sentences of 6 of 10 words; those with a word below 5 in front are good."""
    rows = NUMBERS.integers(0, 10, (32, 6))
    data = fluid.data(name="words", shape=[None, 6], dtype="int64")
    label = fluid.data(name="label", shape=[None, 1], dtype="int64")
    emb = fluid.embedding(input=data, size=[10, 8], is_sparse=True)
    prediction = fluid.layers.fc(input=network(emb), size=2, act="softmax")
    cost = fluid.layers.cross_entropy(input=prediction, label=label)
    avg_cost = fluid.layers.mean(cost)
    fluid.optimizer.Adagrad(learning_rate=0.1).minimize(avg_cost)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    feed = {"words": rows, "label": (rows[:, :1] < 5).astype("int64")}
    losses = [exe.run(feed=feed, fetch_list=[avg_cost])[0].item() for _ in range(25)]
    assert losses[-1] < 0.5 * losses[0]


def test_understand_sentiment_by_convolutions() -> None:
    def convolution_net(emb: Any) -> Any:
        image = fluid.layers.unsqueeze(emb, axes=[1])
        parts = [
            fluid.nets.simple_img_conv_pool(
                input=image,
                num_filters=6,
                filter_size=[size, 8],
                pool_size=1,
                pool_stride=1,
                act="tanh",
            )
            for size in (3, 4)
        ]
        flat = [fluid.layers.flatten(part, axis=1) for part in parts]
        return fluid.layers.concat(input=flat, axis=1)

    sentiment(convolution_net)


def test_understand_sentiment_by_a_static_rnn() -> None:
    def recurrent_net(emb: Any) -> Any:
        steps = fluid.layers.transpose(emb, perm=[1, 0, 2])
        rnn = fluid.layers.StaticRNN()
        with rnn.step():
            word = rnn.step_input(steps)
            hidden = rnn.memory(shape=[-1, 8], batch_ref=word)
            cell = rnn.memory(shape=[-1, 8], batch_ref=word)
            new, kept = fluid.layers.lstm_unit(word, hidden, cell, forget_bias=1.0)
            rnn.update_memory(hidden, new)
            rnn.update_memory(cell, kept)
            rnn.step_output(new)
        return fluid.layers.reduce_max(rnn(), dim=0)

    sentiment(recurrent_net)
