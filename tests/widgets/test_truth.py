"""What a log says of leaves, gradients that are read, names, buffers, counts."""

from __future__ import annotations

from typing import Any

import pytest
from teachgraph_widgets.folded import fold
from teachgraph_widgets.still import still
from teachgraph_widgets.summary import summary

import teachgraph as tg
from tests.widgets.recording import Recording, record


def changes(recording: Recording, name: str, attr: str) -> list[str]:
    """What was written of a tensor's attribute, oldest first."""
    number = recording.tensor(name)["tensor"]
    return [e["value"] for e in recording.all("attr", tensor=number, attr=attr)]


@pytest.mark.parametrize(
    ("made", "role"),
    [
        ("w = tg.randn([3]); w.stop_gradient = False", "T"),
        ("w = tg.to_tensor([1.0, 2.0, 3.0])\nw.stop_gradient = False", "D"),
        ("v = tg.ones([3])\nw = v.detach()\nw.stop_gradient = False", "leaf"),
        ("w = tg.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)", "leaf"),
    ],
)
def test_a_leaf_is_one_with_a_gradient_whoever_made_it(made: str, role: str) -> None:
    run = record(made + "\nloss = (w * w).sum()\nloss.backward()\n")
    assert run.error is None
    leaf = run.tensor("w")
    assert leaf["role"] == role
    assert changes(run, "w", "stop_gradient") == ([] if role == "leaf" else ["False"])
    norms = run.names["w"].grad.square().sum().sqrt()
    assert run.gradient("w")["norm"] == pytest.approx(norms.item(), rel=1e-5)
    (told,) = [t for t in fold(run.log).leaves() if t.name == "w"]
    assert told.letter == "∇"
    assert told.gradient is not None


def test_a_leaf_that_is_closed_is_data_from_its_next_use_on() -> None:
    run = record(
        "w = tg.to_tensor([1.0], stop_gradient=False)\ny = w * 2.0\n"
        "w.stop_gradient = True\nz = w * 3.0\n"
    )
    assert changes(run, "w", "stop_gradient") == ["True"]
    assert "D w [1]" in summary(run.log)


def test_what_an_op_makes_from_leaves_is_none() -> None:
    run = record("x = tg.to_tensor([1.0], stop_gradient=False)\ny = x * x\nz = y * y\n")
    assert not run.all("attr", attr="stop_gradient")


READ: dict[str, str] = {
    "by hand": "with tg.no_grad():\n    u = w - 0.1 * w.grad\n",
    "clipped by norm": (
        "clip = tg.nn.ClipGradByGlobalNorm(0.1)\n"
        "opt = tg.optimizer.SGD(0.1, parameters=[w], grad_clip=clip)\nopt.step()\n"
    ),
    "clipped by value": (
        "clip = tg.nn.ClipGradByValue(0.1)\n"
        "opt = tg.optimizer.SGD(0.1, parameters=[w], grad_clip=clip)\nopt.step()\n"
    ),
    "detached": "u = w.grad.detach() * 2.0\n",
    "of another pass": "(g,) = tg.grad((w * w).sum(), w)\nu = g * 2.0\n",
}


@pytest.mark.parametrize("read", READ.values(), ids=READ)
def test_a_gradient_that_is_read_says_whose_it_is(read: str) -> None:
    run = record(
        "w = tg.to_tensor([1.0, 2.0], stop_gradient=False)\n"
        "loss = (w * w).sum()\nloss.backward()\n" + read
    )
    assert run.error is None
    (gradient,) = run.all("tensor", role="g", grad_of=run.tensor("w")["tensor"])
    names = run.all("attr", attr="name", tensor=gradient["tensor"])
    expected = "g" if "tg.grad" in read else "w.grad"
    assert (gradient["name"] or names[-1]["value"]) == expected
    assert any(gradient["tensor"] in e["inputs"] for e in run.all("node"))
    assert not run.all("tensor", role="D")


def test_gradients_of_more_than_a_hundred_leaves_are_known() -> None:
    run = record(
        "ws = [tg.to_tensor([float(i)], stop_gradient=False) for i in range(150)]\n"
        "loss = tg.add_n([w * w for w in ws]).sum()\nloss.backward()\n"
        "us = [w.grad * 2.0 for w in ws]\n"
    )
    owners = {e["grad_of"] for e in run.all("tensor", role="g")}
    assert len(owners) == 150


def test_what_a_hook_is_given_says_whose_gradient_it_is() -> None:
    run = record(
        "x = tg.to_tensor([3.0], stop_gradient=False)\n"
        "x.register_hook(lambda grad: grad * 0.5)\nloss = (x * x).sum()\n"
        "loss.backward()\n"
    )
    given = [e["grad_of"] for e in run.all("tensor", role="g") if "grad_of" in e]
    assert given == [run.tensor("x")["tensor"]]


NETWORK = """\
class Net(tg.nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = tg.nn.LayerList([tg.nn.Linear(3, 3), tg.nn.Linear(3, 3)])
        self.norm = tg.nn.BatchNorm1D(3)
        self.register_buffer("shift", tg.ones([3]))
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) + self.shift
net = Net()
loss = net(tg.randn([4, 3])).sum()
loss.backward()
"""


def names(run: Recording) -> dict[str, Any]:
    """The last names of all tensors, with their letters."""
    return {t.name: t.letter for t in fold(run.log).tensors.values() if t.name}


def test_a_parameter_is_called_by_its_path_and_a_statistic_is_a_buffer() -> None:
    letters = names(record(NETWORK))
    assert letters["net.layers.0.weight"] == letters["net.layers.1.bias"] == "P"
    assert letters["net.norm.weight"] == "P"
    assert letters["net.norm._mean"] == letters["net.norm._variance"] == "B"
    assert letters["net.shift"] == "B"


def test_a_parameter_older_than_the_trace_is_called_by_its_path_too() -> None:
    net = tg.nn.Sequential(tg.nn.Linear(2, 2), tg.nn.BatchNorm1D(2))
    net[0].weight.stop_gradient = True
    letters = names(record("y = net(tg.ones([4, 2]))\n", net=net))
    assert letters["net.0.weight"] == "P", "a frozen parameter is one"
    assert letters["net.1._mean"] == "B"


def test_running_statistics_of_a_program_are_buffers() -> None:
    run = record(
        'x = fluid.data(name="x", shape=[None, 3, 4, 4], dtype="float32")\n'
        "y = fluid.layers.batch_norm(x)\n"
    )
    main = run.all("var", program=run.program("main"), persistable=True)
    assert [v["role"] for v in main] == ["P", "P", "B", "B"]


def test_a_line_is_counted_once_a_start_however_often_it_ran() -> None:
    run = record("n = 0; m = 0\nfor i in range(300):\n    n += 1\n    m += n\n")
    ran = fold(run.log).ran
    assert ran == {1: 1, 2: 1, 3: 300, 4: 300}
    told = [e for e in run.all("line", line=3) if "starts" in e]
    assert [e["starts"] for e in told] == sorted(e["starts"] for e in told)


def test_counts_of_a_loop_that_is_sampled_say_that_they_are_bounds() -> None:
    run = record(
        "w = tg.to_tensor([1.0], stop_gradient=False)\nfor i in range(40):\n"
        "    loss = (w * w).sum()\n    loss.backward()\n    w.clear_gradient()\n"
    )
    assert run.all("dropped", what="training steps")
    text = summary(run.log)
    assert "loss = (w * w).sum()  (x40)" in text
    assert "reduce_sum(·) -> loss []  keeps X.shape  (at least x" in text


MASKED = """\
x = tg.ones([2])
y = tg.where(x > 0.0, tg.full([2], float("-inf")), x)
z = tg.exp(y)
"""


@pytest.mark.parametrize(
    ("text", "alarms"),
    [
        ('mask = tg.full([2, 2], float("-inf"))\ny = mask + tg.ones([2, 2])\n', []),
        ("x = tg.to_tensor([1.0, 0.0])\ny = tg.log(x)\n", ["✕ Inf"]),
        ('x = tg.full([1], float("inf"))\ny = x - x\n', ["✕ NaN"]),
        (MASKED, []),
    ],
)
def test_an_infinity_on_purpose_is_no_alarm(text: str, alarms: list[str]) -> None:
    run = record(text)
    assert run.error is None
    assert [step.bad for step in fold(run.log).steps if step.bad] == alarms


def test_the_still_shows_small_values_with_their_gradients() -> None:
    svg = still(
        record(
            "x = tg.to_tensor(3.0, stop_gradient=False)\ny = x ** 3\nz = y * 4.0\n"
            "z.backward()\n"
        ).log
    )
    assert "= 3 | 108" in svg
    assert "→ y = 27 | 4" in svg
    assert "→ z = 108 | 1" in svg


def test_a_clipped_gradient_changes_no_parameter() -> None:
    run = record(
        "w = tg.to_tensor([3.0, 4.0], stop_gradient=False)\nloss = (w * w).sum()\n"
        "loss.backward()\nclip = tg.nn.ClipGradByGlobalNorm(1.0)\n"
        "opt = tg.optimizer.SGD(0.1, parameters=[w], grad_clip=clip)\nopt.step()\n"
    )
    changing = [step.type for step in fold(run.log).steps if step.letter == "Δ"]
    assert changing == ["sgd"]


CLIPPED = """\
lstm = tg.nn.LSTM(3, 4, num_layers=2, direction="bidirect")
clip = tg.nn.ClipGradByGlobalNorm(1.0)
sgd = tg.optimizer.SGD(0.1, parameters=lstm.parameters(), grad_clip=clip)
loss = lstm(tg.randn([2, 5, 3]))[0].mean()
loss.backward()
sgd.step()
"""


def test_what_a_network_s_layer_and_a_clipping_do_is_their_own() -> None:
    run = record(CLIPPED)
    scopes = [(e["type"], e.get("scope")) for e in run.all("node")]
    assert [scope for op, scope in scopes if op == "rnn_lstm"] == [
        *("lstm/LSTM_0", "lstm/LSTM_0", "lstm/LSTM_1", "lstm/LSTM_1")
    ]
    norms = {scope for op, scope in scopes if op == "squared_l2_norm"}
    assert norms == {"ClipGradByGlobalNorm"}
    assert {scope for op, scope in scopes if op == "sgd"} == {None}


def test_a_clipping_that_raises_is_over() -> None:
    class Faulty(tg.nn.ClipGradByNorm):
        def clip(self, pairs: Any) -> Any:
            raise ValueError("no")

    text = "try:\n    clip([(w, w)])\nexcept ValueError:\n    y = w * 2.0\n"
    w = tg.to_tensor([1.0], stop_gradient=False)
    (scale,) = record(text, clip=Faulty(1.0), w=w).all("node")[-1:]
    assert scale["type"] == "scale"
    assert "scope" not in scale


def test_a_method_of_to_static_is_called_by_its_class() -> None:
    class Net(tg.nn.Layer):
        @tg.jit.to_static
        def forward(self, x: Any) -> Any:
            return x * 2.0

    run = record("y = net(tg.ones([2]))\n", net=Net())
    assert "Net.forward" in [e["type"] for e in run.all("node")]


OVERWRITTEN = {
    "by set_value": "w.set_value(tg.to_tensor([5.0, 5.0]))\n",
    "through its view": "w.detach().set_value(tg.to_tensor([5.0, 5.0]))\n",
    "by an op on its view": "w.detach()[:] = 5.0\n",
}


@pytest.mark.parametrize("how", OVERWRITTEN)
def test_what_an_op_computed_is_told_though_it_is_overwritten(how: str) -> None:
    run = record(
        "x = tg.to_tensor([3.0, 4.0], stop_gradient=False)\n"
        f"w = x - 2.0\n{OVERWRITTEN[how]}y = w * 2.0\n"
    )
    assert run.error is None
    assert run.names["w"].tolist() == [5.0, 5.0]
    number = run.tensor("w")["tensor"]
    assert changes(run, "w", "overwritten") == [""]
    mark = run.one("attr", tensor=number, attr="overwritten")
    before, after = run.all("value", tensor=number)
    assert before["value"]["first"] == [1.0, 2.0]
    assert after["value"]["first"] == [5.0, 5.0]
    assert before["seq"] < mark["seq"] < after["seq"]
    assert mark["line"] == after["line"] == 3
    assert "w [2] overwritten in place" in summary(run.log)
    assert "w = [1, 2]" in still(run.log)


def test_an_overwritten_parameter_is_told_and_has_its_new_value() -> None:
    run = record(
        "net = tg.nn.Linear(2, 1)\n"
        "for _ in range(3):\n    net.weight.set_value(tg.ones([2, 1]))\n"
        "y = net(tg.ones([1, 2]))\n"
    )
    number = run.tensor("net.weight")["tensor"]
    assert len(run.all("attr", tensor=number, attr="overwritten")) == 3
    assert "net.weight [2, 1] overwritten in place  (x3)" in summary(run.log)
    leaf = fold(run.log).tensors[number].value
    assert leaf is not None
    assert leaf["first"] == [1.0, 1.0]


def test_an_op_is_not_to_blame_for_what_was_written_over_its_result() -> None:
    nan = "tg.to_tensor([float('nan')])"
    run = record(f"x = tg.to_tensor([1.0])\ny = x * 2.0\ny.set_value({nan})\n")
    assert [step.bad for step in fold(run.log).steps] == [""]


@pytest.mark.parametrize(
    ("stops", "root"), [(True, "y.sum()"), (False, "y.sum().detach()")]
)
def test_a_backward_that_had_nothing_to_do_is_told(stops: bool, root: str) -> None:
    text = f"x = tg.to_tensor([1.0, 2.0], stop_gradient={stops})\ny = x * x\n"
    with pytest.warns(UserWarning, match="does nothing"):
        run = record(f"{text}loss = {root}\nloss.backward()\n")
    phases = [event["phase"] for event in run.all("backward", line=4)]
    assert phases == ["begin", "end"]
    assert not run.all("grad")
    assert "no gradient: loss requires none" in summary(run.log)


def test_a_backward_that_did_something_is_told_as_before() -> None:
    run = record("x = tg.to_tensor([1.0], stop_gradient=False)\n(x * x).backward()\n")
    assert "no gradient" not in summary(run.log)


@pytest.mark.parametrize("of", ["net", "lambda x: net(x).tanh()", "tg.tanh"])
def test_what_recompute_runs_again_is_told_as_that(of: str) -> None:
    run = record(
        "from teachgraph.autograd import recompute\nnet = tg.nn.Linear(2, 2)\n"
        "x = tg.to_tensor([[1.0, 2.0]], stop_gradient=False)\n"
        f"loss = recompute({of}, x).sum()\nloss.backward()\n"
    )
    assert run.error is None
    first, again = (
        [(e["type"], e.get("scope", "")) for e in run.all("node", order=order)]
        for order in (1, 2)
    )
    assert [op for op, _ in again] == [op for op, _ in first if op != "reduce_sum"]
    assert all(scope.startswith("forward again") for _, scope in again)
    assert not any("again" in scope for _, scope in first)


def test_gradients_of_gradients_are_no_forward_again() -> None:
    run = record(
        "x = tg.to_tensor([1.0, 2.0], stop_gradient=False)\n"
        "(g,) = tg.grad((x * x * x).sum(), x, create_graph=True)\n"
    )
    nodes = run.all("node", order=2)
    assert nodes
    assert not any("scope" in node for node in nodes)
