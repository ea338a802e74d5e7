"""Photograph every view of real programs, small, middling and large, to be looked at.

`python widgets/dev/gallery.py [part of a name ...]` runs the programs, and writes a PNG
file for each scene, at 900 and 1600 pixels, in the light and in the dark theme, to
`tests/artefacts/gallery`. `--narrow` and `--dark` take only these.
"""

from __future__ import annotations

import argparse
import html
import inspect
import linecache
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from teachgraph_widgets.log import written
from teachgraph_widgets.page import write_page
from teachgraph_widgets.summary import summary

import teachgraph as tg
from teachgraph import static
from teachgraph.core import unique_name
from tests.widgets import micrograd
from tests.widgets.micrograd import Value
from tests.widgets.recording import FOUR_LINES, record
from widgets.dev import shoot
from widgets.dev.kinds import KINDS

TARGET = shoot.WIDGETS.parent / "tests" / "artefacts" / "gallery"
WIDTHS = (900, 1600)
THEMES = ("light", "dark")
ALL_PASSES = ["dead_code", "identities", "constant_folding", "fc_fuse"]

EAGER = """\
x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
y = x * x
loss = (y + x).sum()
loss.backward()
"""

EAGER_MANY = """\
layers = [tg.nn.Linear(16, 16) for _ in range({layers})]
x = tg.ones([8, 16])
for layer in layers:
    x = tg.tanh(layer(x))
loss = x.square().mean()
loss.backward()
"""

NETWORK = """\
encoder = tg.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0)
model = tg.nn.TransformerEncoder(encoder, {layers})
words = tg.randn([2, 6, 16])
loss = model(words).square().mean()
loss.backward()
"""

STATIC_MANY = """\
x = fluid.data(name="x", shape=[None, 16], dtype="float32")
label = fluid.data(name="label", shape=[None, 1], dtype="float32")
hidden = x
for _ in range({layers}):
    hidden = fluid.layers.fc(hidden, size=16, act="tanh")
guess = fluid.layers.fc(hidden, size=1)
loss = fluid.layers.mean(fluid.layers.square_error_cost(guess, label))
fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)
"""

RUN = """\
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
x = np.linspace(-1, 1, 20, dtype="float32").reshape(20, 1)
found = exe.run(feed={"X": x}, fetch_list=[loss])
"""

FOR_TEST = """\
x = fluid.data(name="x", shape=[None, 4], dtype="float32")
hidden = fluid.layers.fc(x, size=8, act="relu")
hidden = fluid.layers.dropout(hidden, 0.5)
loss = fluid.layers.mean(hidden)
test = fluid.default_main_program().clone(for_test=True)
fluid.optimizer.Adam(learning_rate=0.01).minimize(loss)
"""

BLOCKS = """\
i = fluid.layers.fill_constant(shape=[1], dtype="int64", value=0)
n = fluid.layers.fill_constant(shape=[1], dtype="int64", value=4)
total = fluid.layers.fill_constant(shape=[1], dtype="float32", value=1.0)
i, total = fluid.layers.while_loop(
    lambda i, total: i < n,
    lambda i, total: [i + 1, total * 2.0],
    [i, total],
)
big = fluid.layers.cond(total > 8.0, lambda: total - 8.0, lambda: total)
exe = fluid.Executor()
found = exe.run(fetch_list=[big])
"""

HOOKS = """\
w = tg.to_tensor([[0.5, -1.0], [2.0, 0.25]], stop_gradient=False)
x = tg.to_tensor([[1.0, 2.0]])
w.register_hook(lambda grad: grad * 0.5)
with tg.no_grad():
    scale = x.mean() * 2.0
h = tg.tanh(x @ w)
still = h.detach()
loss = (h * scale + still).sum()
loss.backward()
"""

HOOKED_SUM = """\
def clipped(grad):
    return tg.clip(grad, -1.0, 1.0)

x = tg.to_tensor([3.0, 4.0], stop_gradient=False)
x.register_hook(clipped)
y = x * x
y.register_hook(lambda grad: grad * 0.5)
loss = (y * 2.0).sum()
loss.backward()
"""

PENALTY = """\
critic = tg.nn.Sequential(tg.nn.Linear(2, 8), tg.nn.Tanh(), tg.nn.Linear(8, 1))
x = tg.randn([4, 2])
x.stop_gradient = False
score = critic(x).sum()
(slope,) = tg.grad(score, x, create_graph=True)
penalty = (slope.square().sum(axis=1).sqrt() - 1.0).square().mean()
penalty.backward()
"""

SHARED = """\
cell = tg.nn.Linear(4, 4)
h = tg.ones([2, 4])
for step in range(12):
    h = tg.tanh(cell(h))
loss = h.mean()
loss.backward()
sgd = tg.optimizer.SGD(0.1, parameters=cell.parameters())
sgd.step()
"""

LONG_NAMES = """\
an_input_with_a_very_long_and_telling_name = tg.to_tensor(
    np.ones((1, 2, 3, 4, 5, 6, 7), "float32"), stop_gradient=False
)
größe = an_input_with_a_very_long_and_telling_name * 2.0
重み = tg.exp(größe)
損失関数の値をここに置く長い名前 = (重み * größe).mean()
損失関数の値をここに置く長い名前.backward()
"""

STATIC_NAMES = """\
x = fluid.data(name="the_images_of_the_training_set_in_gray", shape=[None, 1, 28, 28])
w = fluid.ParamAttr(name="encoder/layer_11/attention/query/kernel_of_the_projection")
hidden = fluid.layers.fc(x, size=1024, param_attr=w, act="softmax")
loss = fluid.layers.mean(hidden)
fluid.optimizer.Adam(learning_rate=0.01).minimize(loss)
"""

ONE_OP = """\
y = tg.tanh(tg.to_tensor([0.5], stop_gradient=False))
"""

NO_OP = """\
x = 3
"""

SCOPES = """\
x = fluid.data(name="x", shape=[None, 8], dtype="float32")
hidden = x
for block in range(3):
    with fluid.name_scope(f"block_{block}"):
        with fluid.name_scope("attention"):
            keys = fluid.layers.fc(hidden, size=8)
            weights = fluid.layers.softmax(keys)
        with fluid.name_scope("mlp"):
            hidden = fluid.layers.fc(weights * hidden, size=8, act="relu")
loss = fluid.layers.mean(hidden)
fluid.optimizer.Adam(learning_rate=0.01).minimize(loss)
"""

SECOND = """\
x = tg.to_tensor(2.0, stop_gradient=False)
y = x * x * x
(first,) = tg.grad(y, x, create_graph=True)
(second,) = tg.grad(first, x)
"""

NOT_FINITE = """\
x = tg.to_tensor([0.0, 1.0, 4.0], stop_gradient=False)
root = tg.sqrt(x)
ratio = root / (root - 1.0)
loss = ratio.sum()
loss.backward()
"""

FAILING = """\
x = tg.ones([4, 3])
w = tg.to_tensor(np.ones((5, 2), "float32"), stop_gradient=False)
y = tg.matmul(x, w)
loss = y.mean()
"""

FAILING_STATIC = """\
x = fluid.data(name="x", shape=[None, 4], dtype="float32")
h = fluid.layers.fc(x, size=8)
y = fluid.layers.elementwise_add(h, fluid.data("z", [3, 5]))
"""

INSPECTED = """\
w = tg.to_tensor(np.random.default_rng(0).normal(size=(12, 20)), stop_gradient=False)
x = tg.to_tensor(np.random.default_rng(1).normal(size=(8, 12)))
for step in range(12):
    loss = tg.tanh(x @ w).square().mean()
    loss.backward()
    tg.assign(w - 5.0 * w.grad, w)
    w.clear_gradient()
(tg.tanh(x @ w)).square().mean().backward()
"""

PICTURE = """\
images = tg.to_tensor(pictures, stop_gradient=False)
conv = tg.nn.Conv2D(3, 4, 3)
loss = conv(images).square().mean()
loss.backward()
"""

REWRITTEN = """\
@tg.jit.to_static
def power(x, n):
    total = x
    for i in range(n):
        if total.sum() > 10.0:
            total = total - 1.0
        else:
            total = total * x
    return total

found = power(tg.ones([2]) * 1.5, 3)
"""

LOOP_IN_BRANCH = """\
@tg.jit.to_static
def settle(x, limit):
    # Halve what is too large, else grow it once.
    if x.sum() > limit:
        steps = 0
        while x.sum() > limit:
            x = x / 2.0
            steps = steps + 1
    else:
        x = x * 1.5
    return x

found = settle(tg.ones([4]) * 3.0, 2.0)
"""

FAILING_REWRITTEN = """\
@tg.jit.to_static
def scores(x, weights):
    if x.mean() > 0.0:
        x = x * 2.0
    return tg.matmul(x, weights)

found = scores(tg.ones([4, 3]), tg.ones([5, 2]))
"""

STOPPED = """\
x = tg.to_tensor([[0.0, 1.0], [4.0, 9.0]], stop_gradient=False)
with tg.check_nan_inf():
    root = tg.sqrt(x)
    scaled = tg.log(root - 1.0)
    loss = scaled.sum()
"""

LOSSES = """\
w = tg.to_tensor([[3.0], [-2.0]], stop_gradient=False)
rate = tg.optimizer.lr.StepDecay(0.1, step_size=4)
sgd = tg.optimizer.Momentum(rate, parameters=[w])
for step in range(20):
    loss = (tg.ones([4, 2]) @ w).square().mean()
    loss.backward()
    sgd.step()
    sgd.clear_grad()
    rate.step()
"""


NAMES = """\
w = tg.to_tensor([3.0, -2.0], stop_gradient=False)
rate = 0.1

def loss_of(w):
    square = w * w
    return square.sum()

for step in range(3):
    loss = loss_of(w)
    loss.backward()
    print(f"step {step}: loss {loss.item():.3f}")
    w = (w - rate * w.grad).detach()
    w.stop_gradient = False
"""

DIAMOND = """\
x = tg.to_tensor(2.0, stop_gradient=False)
y = x * x
left = y * x
right = y + x
loss = left * right
loss.backward()
"""

FOREIGN = """\
x1, x2 = Value(2.0), Value(0.5)
w1, w2 = Value(-3.0), Value(1.0)
b = Value(6.7)
n = x1 * w1 + x2 * w2 + b
out = n.tanh()
loss = out * out + n
loss.backward()
"""


@dataclass(frozen=True)
class Scene:
    """A log, and what one does in its page before the photograph.

    Attributes:
        make: Runs the program; gives its log.
        keys: What is pressed.
        click: What is clicked before that: selectors.
        query: What else the page is asked for.
        stay: Whether the keys go to what was clicked, and not to the whole view.
    """

    make: Callable[[], Any]
    keys: Sequence[str] = ()
    click: Sequence[str] = ()
    query: str = ""
    stay: bool = False


def traced(text: str, **names: Any) -> Callable[[], Any]:
    def made() -> Any:
        lines = text.splitlines(keepends=True)
        linecache.cache["<traced>"] = len(text), None, lines, "<traced>"
        return record(text, **names).log

    return made


def of_two() -> Any:
    """A tape with a mistake, `=` for `+=`, beside the framework's."""
    source = inspect.getsource(micrograd.Value).replace("edge.grad +=", "edge.grad =")
    names = dict(vars(micrograd))
    exec(source, names)  # noqa: S102  our own
    text = DIAMOND.replace("tg.to_tensor(2.0, stop_gradient=False)", "Value(2.0)")
    yours, ours = traced(text, Value=names["Value"])(), traced(DIAMOND)()
    return tg.show(yours, ours, names=("yours", "ours")).log


def sized(text: str, layers: int) -> Callable[[], Any]:
    return traced(text.format(layers=layers))


def network(layers: int) -> tuple[Any, Any]:
    """A static network of this depth: its program and its loss."""
    x = static.data("x", [None, 16])
    hidden: Any = x
    for _ in range(layers):
        hidden = tg.tanh(static.nn.fc(hidden, 16)) * 1.0 + 0.0
    loss = hidden.mean()
    tg.optimizer.SGD(0.1).minimize(loss)
    return static.default_main_program(), loss


def of_program(layers: int) -> Any:
    return tg.show(network(layers)[0]).log


def of_passes(layers: int) -> Any:
    program, loss = network(layers)
    fast = tg.passes.apply_pass(program, ALL_PASSES, fetches=[loss])
    return tg.show(fast.report).log


TEN_PASSES = """\
main = fluid.default_main_program()
names = [name for name in tg.passes.list() if "fold" not in name or "stant" in name]
skipped = {"conv_bn_fuse", "parameter_folding", "recompute"}
fast = tg.passes.apply_pass(main, [n for n in names if n not in skipped], fetches=[out])
"""

UNTIDY = """\
x = fluid.data(name="x", shape=[None, 16], dtype="float32")
label = fluid.data(name="label", shape=[None, 1], dtype="int64")
hidden = x
for _ in range({layers}):
    scale = fluid.layers.fill_constant(shape=[1], dtype="float32", value=0.5) * 2.0
    wide = fluid.layers.fc(hidden, size=16, act="relu") * 1.0 + 0.0
    left, right = tg.exp(wide * scale), tg.exp(wide * scale)
    unused = left - right
    mean = (left + right).mean(axis=-1, keepdim=True)
    apart = left + right - mean
    hidden = apart / tg.sqrt((apart * apart).mean(axis=-1, keepdim=True) + 1e-5)
guess = fluid.layers.softmax(fluid.layers.fc(hidden, size=4))
out = fluid.layers.mean(fluid.layers.cross_entropy(guess, label))
fluid.optimizer.Adam(learning_rate=0.01).minimize(out)
"""


def of_small_plan() -> Any:
    """Few values, some written over others, some where others were."""
    x = static.data("x", [None, 16])
    hidden: Any = x
    for size in (32, 16, 8):
        hidden = static.nn.fc(hidden, size, activation="relu")
    shaped = tg.reshape(hidden, [-1, 2, 4])
    loss = (shaped * shaped).mean()
    tg.optimizer.SGD(0.1).minimize(loss)
    main, feed = static.default_main_program(), {"x": np.ones((32, 16), "float32")}
    return tg.show(static.Executor().memory_plan(main, feed, [loss])).log


def of_plan(layers: int) -> Any:
    program, loss = network(layers)
    feed = {"x": np.ones((32, 16), "float32")}
    return tg.show(static.Executor().memory_plan(program, feed, [loss])).log


FASTER = """\
main = fluid.default_main_program()
fast = tg.passes.apply_pass(main, ["identities", "fc_fuse"], fetches=[loss])
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
ones = np.ones((8, 16), "float32")
feed = {"x": ones, "label": ones[:, :1]}
exe.run(fast, feed=feed, fetch_list=[loss])
"""


def traced_passes(layers: int) -> Callable[[], Any]:
    return traced(STATIC_MANY.format(layers=layers) + FASTER)


def of_tensor() -> Any:
    x = tg.to_tensor([[1.0, -2.0], [0.5, 4.0]], stop_gradient=False)
    x.name = "x"
    y = (tg.tanh(x) * x).sum()
    return tg.show(y).log


def of_layer(network: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: tg.show(network()).log


def of_model() -> Any:
    x = static.data("x", [None, 16])
    out = tg.nn.functional.softmax(static.nn.fc(x, 4))
    executor = static.Executor()
    executor.run(static.default_startup_program())
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder) / "net")
        static.save_inference_model(prefix, [x], [out], executor)
        return tg.show(prefix).log


def of_file() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        path.write_text(written(record(EAGER).log))
        return tg.show(path).log


def of_function() -> Any:
    @tg.jit.to_static
    def halved(x: Any) -> Any:
        while x.sum() > 1.0:
            x = x / 2.0
        return x

    halved(tg.ones([3]))
    return tg.show(halved).log


def trained(steps: int) -> Any:
    """A monitor of a training, all steps of it noted."""
    net = tg.nn.Sequential(tg.nn.Linear(8, 16), tg.nn.Tanh(), tg.nn.Linear(16, 1))
    adam = tg.optimizer.Adam(0.01, parameters=net.parameters())
    x = tg.randn([32, 8])
    goal = x.sum(axis=1, keepdim=True)
    watched = tg.monitor([x] * steps, model=net, optimizer=adam, every=0.0, show=False)
    for batch in watched:
        loss = (net(batch) - goal).square().mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
        watched.log(accuracy=1.0 / (1.0 + float(loss)))
    return watched


def of_schedule() -> Any:
    """A long training with a rate that falls, and a loss that is lost at its end."""
    net = tg.nn.Sequential(tg.nn.Linear(8, 16), tg.nn.Tanh(), tg.nn.Linear(16, 1))
    rate = tg.optimizer.lr.CosineAnnealingDecay(0.05, T_max=300)
    adam = tg.optimizer.Adam(rate, parameters=net.parameters())
    x = tg.randn([32, 8])
    goal = x.sum(axis=1, keepdim=True)
    watched = tg.monitor([x] * 600, model=net, optimizer=adam, every=0.0, show=False)
    for step, batch in enumerate(watched):
        loss = (net(batch) - goal).square().mean()
        if step in (410, 411):
            loss = loss * float("nan")
        loss.backward()
        if step not in (410, 411):
            adam.step()
        adam.clear_grad()
        rate.step()
        watched.log(loss=loss, accuracy=1.0 / (1.0 + float(loss)))
        if step == 470:
            break
    return tg.show(watched).log


def of_lenet() -> Any:
    """A profile of three steps of LeNet's training."""
    net = tg.vision.models.LeNet()
    adam = tg.optimizer.Adam(0.001, parameters=net.parameters())
    images, labels = tg.randn([16, 1, 28, 28]), tg.zeros([16, 1], dtype="int64")
    with tg.profiler.Profiler() as profile:
        for _ in range(3):
            loss = tg.nn.functional.cross_entropy(net(images), labels)
            loss.backward()
            adam.step()
            adam.clear_grad()
            profile.step()
    return tg.show(profile).log


def profiled(layers: int) -> Any:
    net = tg.nn.Sequential(*[tg.nn.Linear(32, 32) for _ in range(layers)])
    with tg.profiler.Profiler() as profile:
        net(tg.ones([16, 32])).square().mean().backward()
    return profile


def pictures() -> Any:
    row, column = np.mgrid[0:24, 0:24] / 24.0
    disc = (row - 0.5) ** 2 + (column - 0.5) ** 2 < 0.12
    one = np.stack([row, column, disc.astype(float)])
    return np.stack([one, one[::-1]]).astype("float32")


def tab(title: str) -> str:
    return f".tg-tab:text-is('{title}')"


LAST = ".tg-graph .tg-node"
SCENES: dict[str, Scene] = {
    "eager-4": Scene(traced(EAGER)),
    "layer-called": Scene(
        lambda: tg.show(tg.vision.models.LeNet(), tg.ones([2, 1, 28, 28])).log
    ),
    "names": Scene(traced(NAMES), ["ArrowLeft"] * 3),
    "taught": Scene(traced(EAGER), ["/", *"mul", "Enter", "Escape", "i"]),
    "eager-4-inspected": Scene(traced(EAGER), ["/", *"mul", "Enter", "Escape"]),
    "eager-400": Scene(sized(EAGER_MANY, 66)),
    "eager-10000": Scene(sized(EAGER_MANY, 1666)),
    "network-400": Scene(sized(NETWORK, 6)),
    "network-400-unfolded": Scene(sized(NETWORK, 6), ["e"], [".tg-foldall"]),
    "network-10000": Scene(sized(NETWORK, 120)),
    "static-4": Scene(traced(FOUR_LINES)),
    "static-4-back": Scene(traced(FOUR_LINES), ["ArrowLeft"]),
    "static-4-run": Scene(traced(FOUR_LINES + RUN)),
    "static-4-lit": Scene(traced(FOUR_LINES + RUN), ["Shift+ArrowLeft"] * 14),
    "static-400": Scene(sized(STATIC_MANY, 40)),
    "static-10000": Scene(sized(STATIC_MANY, 1000)),
    "for_test": Scene(traced(FOR_TEST)),
    "blocks": Scene(traced(BLOCKS)),
    "hooks": Scene(traced(HOOKS)),
    "hooked_sum": Scene(traced(HOOKED_SUM)),
    "second": Scene(traced(SECOND)),
    "penalty": Scene(traced(PENALTY)),
    "shared": Scene(traced(SHARED)),
    "long_names": Scene(traced(LONG_NAMES)),
    "long_names-static": Scene(traced(STATIC_NAMES)),
    "foreign": Scene(traced(FOREIGN, Value=Value)),
    "beside": Scene(of_two),
    "beside-marked": Scene(of_two, [], [".tg-differs .tg-tool"]),
    "one_op": Scene(traced(ONE_OP)),
    "no_op": Scene(traced(NO_OP)),
    "scopes": Scene(traced(SCOPES)),
    "scopes-folded": Scene(traced(SCOPES), ["c"], [".tg-foldall"]),
    "eager-400-found": Scene(sized(EAGER_MANY, 66), ["/", *"tanh"]),
    "eager-400-unfolded": Scene(sized(EAGER_MANY, 66), ["e"], [".tg-foldall"]),
    "not_finite": Scene(traced(NOT_FINITE)),
    "failing": Scene(traced(FAILING)),
    "failing-static": Scene(traced(FAILING_STATIC)),
    "weights": Scene(traced(INSPECTED), [], [".tg-graph .tg-chip"]),
    "picture": Scene(traced(PICTURE, pictures=pictures()), [], [".tg-graph .tg-chip"]),
    "waiting": Scene(traced(EAGER), query="&waiting=2"),
    "help": Scene(traced(EAGER), ["?"]),
    "rewritten": Scene(traced(REWRITTEN), [], [tab("to_static")]),
    "rewritten-branch": Scene(
        traced(LOOP_IN_BRANCH),
        ["ArrowDown"] * 6,
        [tab("to_static"), ".tg-rewritten .tg-line"],
        stay=True,
    ),
    "rewritten-failing": Scene(traced(FAILING_REWRITTEN)),
    "rewritten-failing-code": Scene(traced(FAILING_REWRITTEN), [], [tab("to_static")]),
    "stopped": Scene(traced(STOPPED)),
    "losses": Scene(traced(LOSSES), ["/", *"learning", "Enter", "Escape"]),
    "executed-4": Scene(traced_passes(1), [], [tab("Passes")]),
    "passes-ten": Scene(
        traced(UNTIDY.format(layers=8) + TEN_PASSES), [], [tab("Passes")]
    ),
    "passes-ten-last": Scene(
        traced(UNTIDY.format(layers=8) + TEN_PASSES),
        ["Tab", "End"],
        [tab("Passes")],
        stay=True,
    ),
    "passes-4": Scene(lambda: of_passes(1)),
    "passes-400": Scene(lambda: of_passes(30)),
    "passes-10000": Scene(lambda: of_passes(800)),
    "executed-400": Scene(traced_passes(40), [], [tab("Passes")]),
    "plan-small": Scene(
        of_small_plan, ["ArrowRight"] * 3, [".tg-plan .tg-chartbox"], stay=True
    ),
    "plan-4": Scene(lambda: of_plan(1)),
    "plan-400": Scene(lambda: of_plan(40)),
    "plan-10000": Scene(lambda: of_plan(1000)),
    "show-program-4": Scene(lambda: of_program(1)),
    "show-program-400": Scene(lambda: of_program(40)),
    "show-program-10000": Scene(lambda: of_program(1000)),
    "show-tensor": Scene(of_tensor),
    "show-layer": Scene(
        of_layer(lambda: tg.nn.Sequential(tg.nn.Linear(8, 4), tg.nn.Linear(4, 1)))
    ),
    "show-layer-100": Scene(
        of_layer(lambda: tg.nn.Sequential(*[tg.nn.Linear(8, 8) for _ in range(50)]))
    ),
    "show-model": Scene(of_model),
    "show-file": Scene(of_file),
    "show-function": Scene(of_function),
    "training-4": Scene(lambda: tg.show(trained(4)).log),
    "training-400": Scene(lambda: tg.show(trained(400)).log),
    "training-10000": Scene(lambda: tg.show(trained(10_000)).log),
    "training-schedule": Scene(of_schedule),
    "profile-lenet": Scene(of_lenet),
    "profile-4": Scene(lambda: tg.show(profiled(1)).log),
    "profile-400": Scene(lambda: tg.show(profiled(70)).log),
    "profile-10000": Scene(lambda: tg.show(profiled(2000)).log),
    **{f"kind-{name}": Scene(traced(text)) for name, text in KINDS.items()},
}

STILLS = [
    *("static-4", "static-4-run", "static-400", "eager-4", "eager-400", "second"),
    *("failing", "blocks", "passes-4", "plan-4", "rewritten", "training-400"),
    *("profile-400", "show-layer", "weights", "hooks", "not_finite"),
]


def chosen(words: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    yield from (n for n in names if not words or any(map(n.startswith, words)))


def logs(names: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Run each scene in programs of its own; its log goes to a file."""
    folder = TARGET / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        file = folder / f"{name}.json"
        file.write_text(written(alone(SCENES[name].make)), "utf-8")
        yield name, file


def alone(make: Callable[[], Any]) -> Any:
    """Make a log in programs of its own; what it switched on is switched off again."""
    tg.seed(0)
    with static.program_guard(static.Program(), static.Program()), unique_name.guard():
        log = make()
    tg.disable_static()
    return log


def ready(page: Page, scene: Scene) -> None:
    """Do what the scene does."""
    for selector in scene.click:
        found = page.locator(selector)
        if found.count() and found.first.is_visible():
            found.first.click()
    if scene.keys and not scene.stay:
        page.focus(".tg-root")
    for key in scene.keys:
        page.keyboard.press(key)
    page.wait_for_timeout(350)


def photograph(
    browser: Browser, html_file: Path, name: str, log: Path, width: int, theme: str
) -> None:
    scene = SCENES[name]
    page = shoot.open_log(browser, html_file, str(log), width, theme, scene.query)
    ready(page, scene)
    wide: int = page.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        print(f"  {name}: {wide} pixels wide in a window of {width}")
    page.screenshot(path=TARGET / f"{name}-{width}-{theme}.png", full_page=True)
    page.close()


def photograph_stills(browser: Browser, names: Sequence[str]) -> None:
    """What GitHub shows: on a light and on a dark page."""
    for name in names:
        log = tg.show(TARGET / "logs" / f"{name}.json")
        for theme, ground in (("light", "#ffffff"), ("dark", "#0d1117")):
            page = browser.new_page(viewport={"width": 900, "height": 500})
            page.set_content(
                f"<body style='background:{ground};margin:16px'>{log._repr_html_()}"
            )
            page.screenshot(path=TARGET / f"still-{name}-{theme}.png", full_page=True)
            page.close()
        text = summary(log.log)
        (TARGET / f"text-{name}.txt").write_text(text + "\n", "utf-8")
        page = browser.new_page(viewport={"width": 900, "height": 300})
        page.set_content(f"<pre style='font:13px monospace'>{html.escape(text)}</pre>")
        page.screenshot(path=TARGET / f"text-{name}.png", full_page=True)
        page.close()


def photograph_page(browser: Browser, names: Sequence[str]) -> None:
    """The page that `export_html` writes, as it opens."""
    for name in names:
        log = tg.show(TARGET / "logs" / f"{name}.json").log
        file = write_page(log, TARGET / "logs" / f"{name}.html")
        for theme in THEMES:
            for width in WIDTHS:
                page = browser.new_page(viewport={"width": width, "height": 900})
                page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
                page.goto(file.as_uri())
                page.wait_for_timeout(500)
                page.screenshot(
                    path=TARGET / f"page-{name}-{width}-{theme}.png", full_page=True
                )
                page.close()


def draw_figures() -> None:
    """What goes into papers: Graphviz, if there is `dot`, and matplotlib."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    x = tg.to_tensor([[1.0, -2.0]], stop_gradient=False)
    x.name = "x"
    with static.program_guard(static.Program(), static.Program()), unique_name.guard():
        graphs = {"tensor": (tg.tanh(x) * x).sum(), "program": network(1)[0]}
        for name, thing in graphs.items():
            graph = tg.figure(thing)
            (TARGET / f"figure-{name}.dot").write_text(graph.source, "utf-8")
            try:
                graph.render(TARGET / f"figure-{name}", format="png", cleanup=True)
            except Exception as error:  # there may be no `dot`
                print(f"  figure {name}: {re.sub(chr(10), ' ', str(error))[:80]}")
    watched, profile = trained(200), profiled(8)
    for name, thing in [
        ("loss", watched),
        ("learning_rate", watched),
        ("gradient_norms", watched),
        ("timeline", profile),
    ]:
        plt.close("all")
        axes = getattr(tg.plot, name)(thing)
        axes.figure.savefig(TARGET / f"plot-{name}.png", dpi=110)
    plt.close("all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="parts of names; all without one")
    parser.add_argument("--narrow", action="store_true", help="at 900 pixels only")
    parser.add_argument("--dark", action="store_true", help="in the dark only")
    parser.add_argument("--light", action="store_true", help="in the light only")
    arguments = parser.parse_args()
    words = arguments.words
    html_file = shoot.build()
    widths = WIDTHS[:1] if arguments.narrow else WIDTHS
    themes = [t for t in THEMES if not (arguments.dark and t == "light")]
    themes = [t for t in themes if not (arguments.light and t == "dark")]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shoot.CHROMIUM, args=shoot.FLAGS
        )
        for name, log in logs(list(chosen(words, list(SCENES)))):
            print(name, f"{log.stat().st_size / 1e6:.1f} MB")
            for width in widths:
                for theme in themes:
                    photograph(browser, html_file, name, log, width, theme)
        wanted = [n for n in STILLS if not words or "still" in words]
        photograph_stills(browser, wanted)
        if not words or "page" in words:
            photograph_page(browser, ["static-4-run", "eager-400"])
        browser.close()
    if not words or "figures" in words:
        draw_figures()


if __name__ == "__main__":
    main()
