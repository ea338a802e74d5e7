# %% [markdown]
# # Dynamic or static: six models timed
#
# The same network can run in three ways: line by line, as a function that `to_static`
# has turned into a program, and as a program that an executor runs. ResNet50,
# MobileNetV2, an LSTM, a Transformer, a BERT and a policy that plays CartPole take the
# same steps each way. The numbers agree; the time they take depends on the network.
#
# You need to know what a layer and a training step are. The words are those of Paddle
# 2. The matrices are small, so one thread multiplies them sooner than several.

# %%
# %load_ext teachgraph
import os
import time
from typing import NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import matplotlib.pyplot as plt
import numpy as np

import teachgraph as paddle
from teachgraph import jit, models, static
from teachgraph.core import unique_name
from teachgraph.models.resnet import BottleneckBlock
from teachgraph.nn.functional import cross_entropy
from teachgraph.vision.models import mobilenet_v2, resnet50

# %% [markdown]
# ## The six
#
# Each is given by a function that makes it, one that computes its loss, and a batch.
# Two images of 64 x 64 pixels, a few texts of twelve words, 32 states of the game:
# small batches, so that this page takes seconds. The networks for images have their
# full size, the others are small.

# %%
rng = np.random.default_rng(0)


def words(rows, length=12):
    return rng.integers(3, 100, [rows, length])


class Model(NamedTuple):
    build: object
    loss: object
    batch: dict


def of_classes(net, x, label):
    return cross_entropy(net(x), label)


def of_next_words(net, x, label):
    logits, _ = net(x)
    return cross_entropy(logits, label)


def of_game(net, x, action, advantage):
    return models.policy_loss(net, x, action, advantage)


def of_translation(net, source, before, label):
    return cross_entropy(net(source, before), label)


bert = models.BertConfig(
    vocab_size=100,
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=128,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
images = {
    "x": rng.normal(size=[2, 3, 64, 64]).astype("float32"),
    "label": rng.integers(0, 10, [2, 1]),
}
six = {
    "ResNet50": Model(lambda: resnet50(num_classes=10), of_classes, images),
    "MobileNetV2": Model(lambda: mobilenet_v2(num_classes=10), of_classes, images),
    "LSTM": Model(
        lambda: models.LSTMLanguageModel(100, 64, 64),
        of_next_words,
        {"x": words(8), "label": words(8)[..., None]},
    ),
    "Transformer": Model(
        lambda: models.TransformerModel(100, 100, 12, 2, 2, 4, 32, 64, dropout=0.0),
        of_translation,
        {"source": words(8), "before": words(8), "label": words(8)[..., None]},
    ),
    "BERT": Model(
        lambda: models.BertForSequenceClassification(models.BertModel(bert), 2),
        of_classes,
        {"x": words(4), "label": rng.integers(0, 2, [4, 1])},
    ),
    "policy": Model(
        lambda: models.MLPPolicy(observations=4, actions=2, hidden=32),
        of_game,
        {
            "x": rng.normal(size=[32, 4]).astype("float32"),
            "action": rng.integers(0, 2, [32]),
            "advantage": rng.normal(size=[32]).astype("float32"),
        },
    ),
}

# %% [markdown]
# ## Two blocks, as a program
#
# ResNet50 is sixteen blocks in a row. Each adds to its input what three convolutions
# make of it. Here are two of them with a loss, their gradients and their updates, as
# the executor gets them: the rows of the program, and its graph. What repeats is folded
# into one box; press `+` to open it. On the left stands the way there, read downwards,
# on the right the way back, read upwards. At the sum of the second block the gradient
# goes on along both ways: through the convolutions, and past them, undiminished; ⊕ adds
# the two. So the first block learns however many follow it.

# %%
paddle.enable_static()
block_main, block_startup = static.Program(), static.Program()
with static.program_guard(block_main, block_startup), unique_name.guard():
    x = static.data("x", [2, 256, 8, 8])
    with static.name_scope("first_block"):
        y = BottleneckBlock(256, 64)(x)
    with static.name_scope("second_block"):
        y = BottleneckBlock(256, 64)(y)
    block_loss = paddle.mean(y)
    paddle.optimizer.SGD(0.1).minimize(block_loss)
paddle.disable_static()
paddle.show(block_main)

# %% [markdown]
# ## Three ways
#
# A way is made of a model, and gives two functions: one takes a step of training and
# returns the loss before it, the other answers without learning. The first two differ
# in one line.


# %%
def dynamic(model, *, translated=False):
    net = model.build()
    if translated:
        jit.to_static(net)
    optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
    batch = {name: paddle.to_tensor(value) for name, value in model.batch.items()}

    def train():
        net.train()
        loss = model.loss(net, **batch)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss.item()

    def answer():
        net.eval()
        with paddle.no_grad():
            return model.loss(net, **batch).item()

    return train, answer


def to_static(model):
    return dynamic(model, translated=True)


# %% [markdown]
# The third writes a program once. Its copy for tests ends at the loss, and takes the
# averages of batch normalisation as they are.


# %%
programs = {}


def executor(model):
    main, startup = static.Program(), static.Program()
    paddle.enable_static()
    with static.program_guard(main, startup), unique_name.guard():
        batch = {
            name: static.data(name, value.shape, str(value.dtype))
            for name, value in model.batch.items()
        }
        loss = model.loss(model.build(), **batch)
        test = main.clone(for_test=True)
        paddle.optimizer.SGD(0.01).minimize(loss)
    paddle.disable_static()
    programs[id(model)] = main, loss
    scope, run = static.Scope(), static.Executor()
    run.run(startup, scope=scope)

    def train():
        return run.run(main, model.batch, [loss], scope=scope)[0].item()

    def answer():
        return run.run(test, model.batch, [loss], scope=scope)[0].item()

    return train, answer


ways = {"dynamic": dynamic, "to_static": to_static, "executor": executor}

# %% [markdown]
# ## They agree
#
# From the same seed all three start with the same parameters. After three steps the
# loss is the same to five digits.

# %%
steps, first, losses = {}, {}, {}
for name, model in six.items():
    for way, make in ways.items():
        paddle.seed(7)
        train, answer = make(model)
        steps[name, way] = train, answer
        begin = time.process_time()
        losses[name, way] = [train()]
        first[name, way] = time.process_time() - begin
        losses[name, way] += [train(), train()]
        answer()
print(f"{'':12}" + "".join(f"{f'loss {i}':>9}" for i in (1, 2, 3)) + "   difference")
differences = []
for name in six:
    curves = np.array([losses[name, way] for way in ways])
    differences.append(np.ptp(curves, axis=0).max() / np.abs(curves).max())
    shown = "".join(f"{loss:9.4f}" for loss in curves[0])
    print(f"{name:12}{shown}{differences[-1]:13.0e}")
print("all ways agree:", all(difference < 1e-5 for difference in differences))

# %% [markdown]
# ## The table
#
# Seconds of the processor, so that whatever else the computer does counts for little.
# The ways take turns, and the fastest turn of each counts. The ratio is dynamic over
# executor: so many times as long it takes line by line.


# %%
def per_call(call, count):
    begin = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - begin) / count


def fastest(name, kind, turns=4):
    calls = {way: steps[name, way][kind] for way in ways}
    count = 1 + int(0.03 / per_call(calls["dynamic"], 1))
    found = {way: [] for way in ways}
    for _ in range(turns):
        for way, call in calls.items():
            found[way].append(per_call(call, count))
    return {way: min(seconds) for way, seconds in found.items()}


times = {}
for kind, title in enumerate(("a training step", "an answer")):
    print(f"{title:18}" + "".join(f"{way + ' ms':>14}" for way in ways) + "   ratio")
    for name in six:
        found = times[name, kind] = fastest(name, kind)
        ratio = found["dynamic"] / found["executor"]
        row = "".join(f"{1e3 * seconds:14.2f}" for seconds in found.values())
        print(f"  {name:16}{row}{ratio:8.2f}")
    print()

# %%
figure, axis = plt.subplots(figsize=(8, 3))
for kind, title in enumerate(("a training step", "an answer")):
    ratios = [
        times[name, kind]["dynamic"] / times[name, kind]["executor"] for name in six
    ]
    axis.bar(np.arange(6) + 0.4 * kind - 0.2, ratios, 0.38, label=title)
axis.axhline(1, linestyle=":", color="gray")
axis.set_xticks(range(6), list(six))
axis.set_ylabel("dynamic / executor")
axis.legend()
figure.tight_layout()

# %% [markdown]
# A program saves what Python does between the operators: looking up, checking, keeping
# the tape. That is some microseconds an operator. Where an operator multiplies large
# matrices, as in a convolution, it hardly counts; where it adds 32 numbers, it is most
# of the time. So a policy, a Transformer and a BERT of this size gain much, a ResNet50
# little. The LSTM's twelve steps are one operator in each way: there is little to save.
#
# With `to_static` the forward pass is a program, and so is the way back over it, but
# the loss, the tape and the optimizer still go line by line. The executor runs all of
# it at once.
#
# What a program costs is its first step, which plans it and writes the Python that the
# later ones run. The faster it is afterwards, the sooner that is paid:

# %%
for name in six:
    each = times[name, 0]
    more = first[name, "executor"] - each["executor"]
    saved = each["dynamic"] - each["executor"]
    back = f"paid back after {more / saved:.0f} steps" if saved > 0 else "for nothing"
    print(f"{name:12}{1e3 * more:6.0f} ms once, {back}")

# %% [markdown]
# ## Memory
#
# What a program has as well is a plan. It is known beforehand when each value is
# written and when it is read last, so that values that never live at the same time
# share their bytes.

# %%
plans = {}
print(f"{'':12}{'operators':>10}{'each its own, MB':>18}{'shared, MB':>12}{'':4}share")
for name, model in six.items():
    main, loss = programs[id(model)]
    plan = plans[name] = static.Executor().memory_plan(main, model.batch, [loss])
    own, shared = plan.naive_peak / 2**20, plan.planned_peak / 2**20
    count = len(main.global_block().ops)
    print(f"{name:12}{count:10}{own:18.2f}{shared:12.2f}{shared / own:9.0%}")

# %% [markdown]
# The same for the two blocks, drawn: a rectangle is a value, from left to right the
# operators it lives through, from bottom to top its bytes. The way there goes up, for
# the way back has to read what it leaves; then it is let go of, piece by piece.

# %%
feed = {"x": np.zeros([2, 256, 8, 8], "float32")}
executor_of_block = static.Executor()
executor_of_block.run(block_startup)
paddle.show(executor_of_block.memory_plan(block_main, feed, [block_loss]))
