"""What is recorded of eager code: ops, names, gradients, and what is let go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from teachgraph_widgets.budget import Budget
from teachgraph_widgets.lines import Cursor, Source
from teachgraph_widgets.log import EventLog
from teachgraph_widgets.still import still
from teachgraph_widgets.summary import summary
from teachgraph_widgets.tape import TapeRecorder

import teachgraph as tg
from teachgraph.core import unique_name
from tests.widgets.recording import record

DIAMOND = """\
x = tg.to_tensor(2.0, stop_gradient=False)
y = x * x
left = y * 3.0
right = y + 1.0
loss = left * right
loss.backward()
"""
STEP = """\
inputs = tg.to_tensor(batch)
fc1 = tg.nn.Linear(3, 5)
fc2 = tg.nn.Linear(5, 2)
opt = tg.optimizer.SGD(0.5, parameters=[*fc1.parameters(), *fc2.parameters()])
before = {p.name: p.numpy().copy() for p in opt.parameters}
hidden = tg.nn.functional.relu(fc1(inputs))
loss = tg.mean(fc2(hidden))
loss.backward()
opt.step()
"""


@pytest.fixture
def batch() -> np.ndarray:
    return np.random.default_rng(3).standard_normal((4, 3)).astype("float32")


def test_gradients_meet_and_are_summed() -> None:
    recording = record(DIAMOND)
    y = recording.tensor("y")["tensor"]
    parts = recording.all("grad", tensor=y, total=False)
    assert sorted(e["value"]["mean"] for e in parts) == [12.0, 15.0]
    assert recording.one("grad", tensor=y, total=True)["value"]["mean"] == 27.0
    assert recording.gradient("x")["mean"] == 108.0
    assert {e["line"] for e in recording.all("grad")} == {6}


def test_the_pass_starts_with_a_seed_and_frees_node_after_node() -> None:
    recording = record(DIAMOND)
    loss = recording.tensor("loss")["tensor"]
    seed = recording.one("grad", tensor=loss)
    assert "node" not in seed
    assert seed["value"]["mean"] == 1.0
    nodes = {e["node"]: e["type"] for e in recording.all("node")}
    freed = [nodes[e["node"]] for e in recording.all("free")]
    assert freed == ["elementwise_mul", "scale", "scale", "elementwise_mul"]
    assert recording.one("backward", phase="begin")["roots"] == [loss]


def test_a_leaf_in_one_piece_is_not_called_a_sum() -> None:
    recording = record(
        "x = tg.to_tensor([1.0, 2.0], stop_gradient=False)\n(x * 2.0).backward()"
    )
    x = recording.tensor("x")["tensor"]
    assert recording.all("grad", tensor=x, total=True) == []
    assert recording.gradient("x")["mean"] == 2.0


HOOKED = """\
x = tg.to_tensor([3.0, 4.0], stop_gradient=False)
x.register_hook(lambda dx: dx * 0.5)
y = x * 1.0
y.register_hook(lambda dy: dy * 2.0)
"""


def norms_of(recording: Any, name: str) -> list[tuple[bool, float]]:
    """Each gradient of a tensor that was told: whether as a whole, and its norm."""
    number = recording.tensor(name)["tensor"]
    told = recording.all("grad", tensor=number)
    return [(e["total"], e["value"]["norm"]) for e in told]


def test_a_gradient_is_told_before_and_after_a_hook_changes_it() -> None:
    recording = record(HOOKED + "(y * y * 0.5).sum().backward()")
    x = recording.names["x"]
    parts = [(False, 2.5), (False, 2.5), (True, 5.0)]
    assert norms_of(recording, "y") == [*parts, (True, 10.0)]
    assert norms_of(recording, "x") == [(False, 10.0), (True, 5.0)]
    assert np.linalg.norm(x.grad.numpy()) == 5.0


def test_a_hook_where_the_pass_starts_is_told_after_the_seed() -> None:
    recording = record(HOOKED + "y.backward()")
    assert norms_of(recording, "y") == [(False, 1.41421), (True, 2.82843)]
    assert norms_of(recording, "x") == [(False, 2.82843), (True, 1.41421)]


def test_what_a_hook_is_given_is_called_a_gradient() -> None:
    recording = record(HOOKED + "y.backward()")
    inputs = [e["inputs"][0] for e in recording.all("node", type="scale", order=2)]
    given = [recording.one("tensor", tensor=number) for number in inputs]
    assert [(e["role"], e["name"]) for e in given] == [("g", "y.grad"), ("g", "x.grad")]


ASKED = """\
x = tg.to_tensor(3.0, stop_gradient=False)
w = tg.to_tensor([2.0, 5.0], stop_gradient=False)
y = (w * x * x).sum()
dx, dw = tg.grad(y, [x, w], create_graph={create_graph})
both = dx + dw.sum()
"""


@pytest.mark.parametrize("create_graph", [False, True])
def test_what_grad_returns_has_its_name_and_value_and_is_no_grad(
    create_graph: bool,
) -> None:
    recording = record(ASKED.format(create_graph=create_graph))
    meanings: dict[str, int] = {}
    for event in recording.all("names"):
        meanings |= event["tensors"]
    for name, owner in (("dx", "x"), ("dw", "w")):
        value = recording.all("value", tensor=meanings[name])[-1]["value"]
        expected = recording.names[name].numpy()
        assert value["first"] == expected.reshape(-1).tolist()
        assert recording.one("tensor", tensor=meanings[name])["role"] == "g"
        leaf = recording.tensor(owner)["tensor"]
        result = int(recording.one("attr", tensor=leaf, attr="asked")["value"])
        made = recording.all("attr", tensor=result, attr="same")
        assert [int(e["value"]) for e in made] == [meanings[name]] * create_graph
        assert create_graph or result == meanings[name]
        assert recording.names[owner].grad is None
    reads = recording.all("node", type="elementwise_add")[-1]["inputs"]
    assert reads[0] == meanings["dx"]


def test_the_text_and_the_still_call_what_grad_returns_by_its_name() -> None:
    for create_graph in (False, True):
        log = record(ASKED.format(create_graph=create_graph)).log
        told = summary(log)
        assert "g dx [], norm 42, g dw [2], norm 12.73" in told
        assert "∇ x []\n" in told
        picture = still(log)
        assert "dw  ‖g‖ 12.73" in picture
        assert "x.grad" not in picture


def test_what_grad_does_not_return_is_not_told() -> None:
    recording = record(
        "x = tg.to_tensor(2.0, stop_gradient=False)\n"
        "z = tg.to_tensor(1.0, stop_gradient=False)\n"
        "dx, dz = tg.grad(x * x, [x, z], allow_unused=True)\n"
    )
    assert recording.names["dz"] is None
    told = summary(recording.log)
    assert "g dx [], norm 4\n" in told
    assert "grad of z" not in told


def test_tensors_get_the_names_the_code_gives_them() -> None:
    recording = record(
        """\
def layer(x):
    inner = x * 2.0
    return inner + 1.0
x = tg.to_tensor([1.0, 2.0])
for _ in range(2):
    x = layer(x)
first, second = x * 1.0, x * 3.0
"""
    )
    named = [e["value"] for e in recording.all("attr", attr="name")]
    assert named == ["x", "inner", "x", "inner", "x", "first", "second"]
    lines = [e["line"] for e in recording.all("node")]
    assert lines == [2, 3, 2, 3, 7, 7], "an op in a function is on its own line"


def test_a_tensor_that_came_out_of_a_list_has_its_loops_name() -> None:
    recording = record(
        """\
batches = [tg.ones([1, i + 1]) for i in range(3)]
pair = tg.ones([2]), tg.zeros([2])
for x in batches:
    y = x * 2.0
second = pair[1]
"""
    )
    read = [e["inputs"][0] for e in recording.all("node", type="scale")]
    named = {e["tensor"]: e["value"] for e in recording.all("attr", attr="name")}
    assert [named[number] for number in read] == ["x", "x", "x"]
    assert recording.tensor("second")["tensor"] in named


def test_what_a_function_returns_gets_the_name_that_its_caller_gives_it() -> None:
    recording = record(
        """\
def double(x):
    inner = x * 2.0
    return inner
def quadruple(x):
    half = double(x)
    return double(half)
x = tg.ones([2])
y = quadruple(x)
z = y
"""
    )
    x, y = recording.names["x"], recording.names["y"]
    told = [(e["tensor"], e["value"]) for e in recording.all("attr", attr="name")]
    names = [[name for n, name in told if n == number] for number in range(3)]
    assert names == [["x"], ["inner"], ["inner", "y"]]
    assert recording.value("y")["mean"] == y.numpy().mean() == 4.0 * x.numpy().mean()


def test_what_comes_from_another_cell_has_the_name_it_is_read_by() -> None:
    leaf, made = tg.ones([2]), tg.to_tensor([1.0, 2.0], stop_gradient=False) * 3.0
    recording = record(
        "leaf = leaf * made\nz = (made +\n     made)\nt = made", leaf=leaf, made=made
    )
    product = recording.one("node", type="elementwise_mul", line=1)
    names = {e["tensor"]: e["value"] for e in recording.all("attr", attr="name")}
    assert [names[number] for number in product["inputs"]] == ["leaf", "made"]
    assert names[product["outputs"][0]] == "leaf"
    assert recording.value("z")["first"] == [6.0, 12.0]


def test_what_fails_names_what_came_from_another_cell() -> None:
    recording = record(
        "def f(a):\n    return a @ tg.ones([7, 7])\nf(c)", c=tg.ones([2, 3])
    )
    (first, _) = recording.one("op_failed")["inputs"]
    assert (first["name"], first["shape"]) == ("a", [2, 3])


def test_names_of_what_is_gone_are_not_looked_for() -> None:
    source = Source("")
    log = EventLog("")
    recorder = TapeRecorder(log, Cursor(source, log), Budget())
    for _ in range(5000):
        recorder.tensor_created(tg.ones([1]))
        recorder.find_named({"x": None}, ("x",))
    assert len(recorder._unnamed) < 2500


def test_one_step_of_a_network(batch: np.ndarray) -> None:
    with unique_name.guard():
        recording = record(STEP, batch=batch)
    steps = [(e["type"], e["line"], e["taped"]) for e in recording.all("node")]
    assert steps == [
        *[("matmul_v2", 6, True), ("elementwise_add", 6, True), ("relu", 6, True)],
        *[
            ("matmul_v2", 7, True),
            ("elementwise_add", 7, True),
            ("reduce_mean", 7, True),
        ],
        *[("sgd", 9, False)] * 4,
    ]
    kept = {e["type"]: e["saved"] for e in recording.all("node")}
    assert kept["relu"] == ["Out"]
    assert kept["matmul_v2"] == ["X", "Y"]
    assert kept["elementwise_add"] == ["X.shape", "Y.shape"]
    roles = {e["name"]: e["role"] for e in recording.all("tensor") if e["name"]}
    assert roles["linear_0.w_0"] == "P"
    assert roles["fc1.weight.grad"] == "g"
    names, before = recording.names, recording.names["before"]
    weight = names["fc1"].weight
    gradient = (before[weight.name] - weight.numpy()) / 0.5
    recorded = recording.gradient(weight.name)
    assert recorded["norm"] == pytest.approx(np.linalg.norm(gradient), rel=1e-4)
    assert recording.value(weight.name)["mean"] == pytest.approx(
        weight.numpy().mean(), rel=1e-4
    )


def test_gradients_of_gradients_are_one_order_up() -> None:
    recording = record(
        """\
x = tg.to_tensor(3.0, stop_gradient=False)
y = x * x * x
(dx,) = tg.grad(y, x, create_graph=True)
(ddx,) = tg.grad(dx, x)
"""
    )
    assert {e["order"] for e in recording.all("node", line=2)} == {1}
    second = recording.all("node", line=3)
    assert second
    assert {e["order"] for e in second} == {2}
    assert recording.names["ddx"].item() == 18.0
    assert recording.value("dx")["mean"] == 27.0


def test_a_tape_from_before_is_told_with_what_is_still_known() -> None:
    x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    hidden = tg.nn.functional.relu(x * 3.0)
    loss = (hidden * hidden).sum()
    recording = record("loss.backward()", x=x, loss=loss)
    old = recording.all("node")
    assert [(e["type"], e["line"]) for e in old] == [
        *[("scale", 0), ("relu", 0), ("elementwise_mul", 0), ("reduce_sum", 0)]
    ]
    shapes = {e["tensor"]: e["shape"] for e in recording.all("tensor")}
    assert shapes[old[1]["outputs"][0]] == [2], "relu kept its output"
    leaf = old[0]["inputs"][0]
    assert recording.all("grad", tensor=leaf)[-1]["value"]["norm"] == pytest.approx(
        float(np.linalg.norm([18.0, 36.0]))
    )
    assert recording.one("backward", phase="begin")["line"] == 1


def test_an_op_that_raises_is_recorded_with_its_inputs() -> None:
    recording = record(
        "a = tg.ones([2, 3])\nb = a * 2.0\nc = tg.matmul(b, b)\nd = c + 1.0"
    )
    failed = recording.one("op_failed")
    assert (failed["type"], failed["line"]) == ("matmul_v2", 3)
    assert "program" not in failed
    assert failed["message"].startswith("ShapeError: matmul_v2 cannot take")
    assert "\n" not in failed["message"]
    b = recording.tensor("b")["tensor"]
    assert failed["inputs"] == [
        {"slot": slot, "name": "b", "shape": [2, 3], "dtype": "float32", "tensor": b}
        for slot in ("X", "Y")
    ]
    assert [e["line"] for e in recording.all("line")] == [1, 2, 3]


def test_infinity_and_nan_are_counted() -> None:
    recording = record(
        "x, zero = tg.to_tensor([1.0, 0.0]), tg.to_tensor([0.0, 0.0])\n"
        "with np.errstate(all='ignore'):\n"
        "    y = x / zero"
    )
    value = recording.value("y")
    assert (value["inf"], value["nan"], value["first"]) == (1, 1, [None, None])


def test_a_loop_is_thinned_out_and_ends_with_the_last_value() -> None:
    recording = record(
        "x = tg.to_tensor([1.0, 1.0])\nfor _ in range(200):\n    x = x + 1.0"
    )
    assert len(recording.all("node")) == 200
    assert len(recording.all("value")) < 60
    assert recording.value("x")["mean"] == 201.0
    assert recording.one("dropped", what="values")["count"] > 100


def test_after_a_training_the_parameters_are_told_whole_and_exactly() -> None:
    with unique_name.guard():
        recording = record(
            """\
net = tg.nn.Linear(70, 70)
opt = tg.optimizer.Momentum(0.1, parameters=net.parameters())
x = tg.randn([4, 70])
for _ in range(12):
    loss = net(x).square().mean()
    loss.backward()
    opt.step()
    opt.clear_grad()
"""
        )
    weight = recording.names["net"].weight.numpy()
    told = recording.value("linear_0.w_0")
    figures = [told[name] for name in ("min", "max", "mean", "norm")]
    known = [weight.min(), weight.max(), weight.mean(), np.linalg.norm(weight)]
    assert figures == pytest.approx(known, rel=1e-4)
    assert len(told["hist"]) == 32
    assert recording.all("dropped", what="training steps")


def test_a_gradient_that_is_added_to_is_told_as_it_is_after_each_pass() -> None:
    recording = record(
        """\
x = tg.to_tensor([3.0, 4.0], stop_gradient=False)
for _ in range(3):
    (x * x * 0.5).sum().backward()
x.clear_grad()
(x * 2.0).sum().backward()
(dx,) = tg.grad((x * x).sum(), x)
"""
    )
    number = recording.tensor("x")["tensor"]
    told = recording.all("grad", tensor=number, total=True)
    norms = [e["value"]["norm"] for e in told]
    assert norms == pytest.approx([5.0, 5.0, 10.0, 5.0, 15.0, 10.0]), (
        "a sum, then `.grad`"
    )
    assert [e["line"] for e in told] == [3, 3, 3, 3, 3, 6]
    (once,) = recording.all("grad", tensor=number, line=5)
    assert once["value"]["first"] == [2.0, 2.0] == recording.names["x"].grad.tolist()


def test_nothing_of_the_users_is_kept_alive() -> None:
    import weakref

    recording = record(
        "x = tg.to_tensor([1.0])\ny = x * 2.0\nalive = ref(x)\ndel x, y",
        ref=weakref.ref,
    )
    assert recording.names["alive"]() is None


def test_an_update_tells_the_learning_rate_that_it_went_by() -> None:
    seen = record(
        "w = tg.nn.Linear(2, 1)\n"
        "rate = tg.optimizer.lr.StepDecay(0.1, 1)\n"
        "opt = tg.optimizer.SGD(rate, parameters=w.parameters())\n"
        "for step in range(2):\n"
        "    w(tg.ones([1, 2])).sum().backward()\n"
        "    opt.step()\n"
        "    opt.clear_grad()\n"
        "    rate.step()\n"
    )
    updates = [node["attrs"] for node in seen.all("node", type="sgd")]
    assert updates == [{"LearningRate": r} for r in ("0.1", "0.1", "0.01", "0.01")]


def test_what_is_detached_names_its_source_when_it_is_first_read() -> None:
    recording = record(
        "x = tg.to_tensor([1.0, 2.0], stop_gradient=False)\n"
        "h = x * 3.0\n"
        "y = h.detach()\n"
        "with tg.no_grad():\n"
        "    still = h.reshape([1, 2])\n"
        "loss = (h * y).sum() + still.sum() + x.clone().sum()\n"
    )
    (told,) = recording.all("attr", attr="detached")
    y, h = (recording.tensor(name)["tensor"] for name in "yh")
    assert told["tensor"] == y
    assert told["value"] == str(h)


def test_each_of_two_parameters_with_one_gradient_array_reads_its_own() -> None:
    net = tg.nn.LSTM(2, 3)  # both biases are added to the same sums
    optimizer = tg.optimizer.SGD(0.1, parameters=net.parameters())
    with tg.record() as trace:
        net(tg.ones([1, 4, 2]))[0].sum().backward()
        optimizer.step()
    first, second = net.bias_ih_l0.grad, net.bias_hh_l0.grad
    assert first is not None
    assert second is not None
    assert first.data is second.data
    updates = [row for row in trace.summary().splitlines() if "sgd(" in row]
    assert len(updates) == 4
    for row in updates:
        parameter, gradient = row.split("sgd(")[1].split(")")[0].split(", ")
        assert gradient == f"{parameter}.grad"
