# %% [markdown]
# # One BERT, four ways
#
# A network is trained once and used a million times. Here a small BERT learns in
# seconds to read short reviews; then the same network answers four ways: op by op, as a
# program that `to_static` made of it, saved and loaded as a model for use, and through
# ONNX in another runtime. The answers are the same. The time they take is not.
#
# You need to know what a layer is. The words are those of Paddle 2. The matrices are
# small, so one thread multiplies them sooner than several that wait for one another.

# %%
import os
import time

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import matplotlib.pyplot as plt
import numpy as np
import onnxruntime

import teachgraph as paddle
from teachgraph import jit, models, nn
from teachgraph.deploy import inference, onnx
from teachgraph.static import InputSpec

# %% [markdown]
# ## The reviews
#
# Six words each. Some praise, some blame, most do neither, and *not* turns the word
# behind it around. What a review says on the whole is for the network to find out: it
# sees numbers for words, and has to learn that one of them changes its neighbour.

# %%
praise = ["good", "great", "lovely", "bright", "fresh"]
blame = ["bad", "dull", "poor", "ugly", "stale"]
others = ["the", "a", "film", "song", "book", "was", "is", "and", "very", "quite"]
vocabulary = ["[pad]", "[start]", "not", *praise, *blame, *others]
number = {word: i for i, word in enumerate(vocabulary)}
value = np.zeros(len(vocabulary), int)
value[[number[word] for word in praise]] = 1
value[[number[word] for word in blame]] = -1
LENGTH = 6
rng = np.random.default_rng(0)


def reviews(count):
    words = rng.integers(2, len(vocabulary), [count, LENGTH])
    words[rng.random([count, LENGTH]) < 0.15] = number["not"]
    values = value[words]
    values[:, 1:] *= np.where(words[:, :-1] == number["not"], -1, 1)
    decided = values.sum(1) != 0
    start = np.full([count, 1], number["[start]"])
    return np.hstack([start, words])[decided], (values.sum(1) > 0).astype(int)[decided]


def text(words):
    return " ".join(vocabulary[word] for word in words[1:])


test_words, test_labels = reviews(800)
for words, label in zip(test_words[:4], test_labels, strict=False):
    print("+" if label else "-", text(words))

# %% [markdown]
# ## Training
#
# Two layers of two heads each. It trains as a program: `to_static` has traced the
# layer's `forward`, and a step runs the program and the way back over it.

# %%
paddle.seed(0)
config = models.BertConfig(
    vocab_size=len(vocabulary),
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=128,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
    max_position_embeddings=LENGTH + 1,
    initializer_range=0.1,
)
net = models.BertForSequenceClassification(models.BertModel(config), 2)
jit.to_static(net, input_spec=[InputSpec([None, None], "int64", "input_ids")])
optimizer = paddle.optimizer.Adam(1e-3, parameters=net.parameters())
losses = []
for _ in range(600):
    words, labels = reviews(64)
    logits = net(paddle.to_tensor(words))
    loss = nn.functional.cross_entropy(logits, paddle.to_tensor(labels[:, None]))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    losses.append(loss.item())

# %%
net.eval()
with paddle.no_grad():
    said = net(paddle.to_tensor(test_words)).numpy().argmax(axis=1)
print(f"accuracy {100 * np.mean(said == test_labels):.1f}%")
figure, axis = plt.subplots(figsize=(8, 2.5))
axis.plot(losses, linewidth=1)
axis.set_xlabel("step")
axis.set_ylabel("loss")
figure.tight_layout()

# %% [markdown]
# What `to_static` made of the layer: its source, the source as it is rewritten, and the
# operators that come of it, joined line by line.

# %%
paddle.show(net.forward)

# %% [markdown]
# ## Out of the notebook
#
# `jit.save` writes the program as a document and the parameters as plain numbers. Who
# loads them needs neither this notebook nor the class of the network. `onnx.export`
# writes the same program in the words that other runtimes know.

# %%
spec = [InputSpec([None, None], "int64", "input_ids")]
jit.save(net, "reviewer", spec)
onnx.export(net, "reviewer", spec)
print(jit.load("reviewer").program().num_blocks, "block")

# %% [markdown]
# ## The four ways
#
# The model for use goes through passes first. They join the parts of attention into one
# operator, and products with their biases and what bends them; the report counts. What
# is asked for of the last layer is the first word alone, so a slice moves to the front.
#
# By itself a predictor lets ONNX Runtime take over after two runs, if that gives the
# same answers. Here it shall not, so that there are four ways to compare.

# %%
config = inference.Config("reviewer")
config.disable_onnxruntime()
model = inference.InferenceModel(config)
for line in str(model.predictor.report).splitlines():
    if not line.startswith(" "):
        print(line)

# %%
session = onnxruntime.InferenceSession(
    "reviewer.onnx", providers=["CPUExecutionProvider"]
)
plain = net.forward.dygraph_function


def op_by_op(words):
    with paddle.no_grad():
        return plain(paddle.to_tensor(words)).numpy()


def to_static(words):
    with paddle.no_grad():
        return net(paddle.to_tensor(words)).numpy()


def exported(words):
    return session.run(None, {"input_ids": words})[0]


ways = {
    "op by op": op_by_op,
    "to_static": to_static,
    "saved and loaded": model,
    "ONNX Runtime": exported,
}
answers = {name: way(test_words) for name, way in ways.items()}
for name, answer in answers.items():
    difference = np.abs(answer - answers["op by op"]).max()
    print(f"{name:18}{difference:.1e} from op by op")

# %% [markdown]
# ## The table
#
# One review, a thousand times each way. The ways take turns, so that whatever else the
# computer does hits all alike; the ratio is that of the fastest turns. For networks of
# real size ask the command line: `teachgraph bench bert --size mini`.

# %%
one = test_words[:1]
turns = {name: [] for name in ways}
for _ in range(20):
    for name, way in ways.items():
        begin = time.perf_counter()
        for _ in range(50):
            way(one)
        turns[name].append(time.perf_counter() - begin)
fastest = {name: min(seconds) / 50 for name, seconds in turns.items()}
print(f"{'':18}{'all thousand':>13}{'one, fastest':>15}{'ratio':>8}")
for name, seconds in fastest.items():
    ratio = fastest["op by op"] / seconds
    total = f"{sum(turns[name]):11.2f} s"
    print(f"{name:18}{total}{1e3 * seconds:12.3f} ms{ratio:7.2f}x")

# %%
figure, axis = plt.subplots(figsize=(8, 2))
axis.barh(list(fastest), [1e3 * seconds for seconds in fastest.values()])
axis.invert_yaxis()
axis.set_xlabel("milliseconds for one review")
figure.tight_layout()

# %% [markdown]
# ## What it has understood
#
# The same praise, and one small word more.

# %%
for line in ("the film was good and fresh", "film was not good and dull"):
    words = np.array([[number["[start]"], *(number[word] for word in line.split())]])
    scores = model(words)[0]
    print("+" if scores[1] > scores[0] else "-", line)
