"""Where things belong: ops to layers, hooks to tensors, failures to blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.errors import ConversionError
from tests.widgets.recording import record

NET = """\
class Block(tg.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = tg.nn.Linear(2, 2)
        self.again = tg.nn.LayerList([tg.nn.Linear(2, 2), tg.nn.Tanh()])
    def forward(self, x):
        x = self.fc(x) + 1.0
        for layer in self.again:
            x = layer(x)
        return x
"""


def scopes(events: list[Any]) -> list[tuple[str, str | None]]:
    return [(event["type"], event.get("scope")) for event in events]


def test_each_op_of_a_net_says_which_layer_ran_it() -> None:
    run = record(f"{NET}net = Block()\nx = tg.ones([1, 2])\ny = net(x) * 2.0\n")
    assert run.error is None
    ran = scopes(run.all("node"))
    assert [scope for scope in ran if scope[0] != "fill_constant"] == [
        ("matmul_v2", "net/fc"),
        ("elementwise_add", "net/fc"),
        ("scale", "net"),
        ("matmul_v2", "net/again/Linear_0"),
        ("elementwise_add", "net/again/Linear_0"),
        ("tanh", "net/again/Tanh_1"),
        ("scale", None),
    ]


def test_a_layer_in_a_program_gives_its_operators_the_same_scopes() -> None:
    net = "net = tg.nn.Sequential(tg.nn.Linear(2, 2), tg.nn.Tanh())\n"
    run = record(
        f"tg.enable_static()\n{net}"
        'x = tg.static.data("x", [None, 2])\ny = net(x)\ntg.disable_static()\n'
    )
    ops = run.all("op", program=run.program("main"))
    scope = "net/Linear_0"
    assert scopes(ops)[:1] == [("matmul_v2", scope)]
    assert scopes(ops)[-1:] == [("tanh", "net/Tanh_1")]


def test_a_layer_that_raises_is_left() -> None:
    run = record(
        f"{NET}net = Block()\n"
        "try:\n    net(tg.ones([1, 3]))\nexcept Exception:\n    pass\n"
        "y = tg.ones([2]) * 2.0\n"
    )
    assert run.error is None
    assert scopes(run.all("node"))[-1] == ("scale", None)


def test_steps_told_after_a_nap_still_know_their_layers() -> None:
    run = record(
        f"""\
{NET}net = Block()
x = tg.ones([1, 2])
for i in range(20):
    loss = net(x).sum()
    loss.backward()
"""
    )
    first, *_, last = [e for e in run.all("node") if e["type"] == "tanh"]
    assert last["t"] > first["t"]
    assert {e.get("scope") for e in run.all("node", type="tanh")} == {
        "net/again/Tanh_1"
    }
    assert run.all("dropped", what="training steps")


def test_hooks_come_and_go_with_their_names() -> None:
    run = record(
        """\
def double(g):
    return g * 2.0
x = tg.ones([2])
x.stop_gradient = False
handle = x.register_hook(double)
y = x * 3.0
y.retain_grads()
handle.remove()
handle.remove()
"""
    )
    assert run.error is None
    hooks = [(e["line"], e["value"]) for e in run.all("attr", attr="hook")]
    assert hooks == [(5, "double"), (7, "retain_grads"), (8, "")]
    x = run.tensor("x")["tensor"]
    assert run.all("attr", attr="hook")[0]["tensor"] == x


def test_an_error_inside_a_branch_is_told_of_its_operator_and_block() -> None:
    run = record(
        """\
def broken(x):
    raise ValueError("no")
x = fluid.data(name="x", shape=[1], dtype="float32")
def then():
    out = tg.static.default_main_program().current_block().create_var(
        name="out", shape=[1], dtype="float32")
    fluid.layers.py_func(broken, x, out)
    return out
y = fluid.layers.cond(x > 0.0, then, lambda: x * 2.0)
fluid.Executor().run(feed={"x": np.ones((1,), "float32")}, fetch_list=[y])
"""
    )
    failed = run.one("op_failed")
    operator = run.one("op", op=failed["op"])
    assert (operator["type"], failed["type"]) == ("py_func", "py_func")
    assert failed["block"] == operator["block"] > 0


@tg.jit.to_static
def doubled(x: Any) -> Any:
    y = x * 2.0
    if y.sum() > 1.0:
        y = y + 1.0
    return y


def test_a_function_of_to_static_is_told_with_its_lines_and_operators() -> None:
    run = record("y = f(tg.ones([2]))\n", f=doubled)
    assert run.error is None
    told = run.one("ast")
    source = told["source"].splitlines()
    transformed = told["transformed"].splitlines()
    assert told["function"] == "doubled"
    assert source[0] == "@tg.jit.to_static"
    assert len(told["lines"]) == len(transformed)
    for line, origin in zip(transformed, told["lines"], strict=True):
        if line.strip() in ("y = x * 2.0", "y = y + 1.0", "return y"):
            assert source[origin - 1].strip() == line.strip()
    made = {op["text"].split(" = ")[1].split("(")[0]: op for op in told["ops"]}
    scales = [op["line"] for op in told["ops"] if " = scale(" in op["text"]]
    lines = [transformed[line - 1].strip() for line in scales]
    assert lines == ["y = x * 2.0", "y = y + 1.0"]
    operator = run.one("op", op=made["conditional_block"]["op"])
    assert operator["type"] == "conditional_block"
    assert "if y.sum()" in source[told["lines"][made["reduce_sum"]["line"] - 1] - 1]


@tg.jit.to_static
def of_two_kinds(x: Any) -> Any:
    y = x * 2.0
    while y.sum() > 1.0:
        y = "two"
    return y


def test_what_to_static_made_before_an_error_is_told() -> None:
    run = record("y = f(tg.ones([2]))\n", f=of_two_kinds)
    assert isinstance(run.error, ConversionError)
    told = run.one("ast")
    assert "y = x * 2.0" in told["transformed"]
    first = next(op for op in told["ops"] if " = scale(" in op["text"])
    assert told["transformed"].splitlines()[first["line"] - 1].strip() == "y = x * 2.0"


def test_of_a_function_without_source_there_is_only_the_error() -> None:
    nowhere = eval("lambda x: x * 2.0")  # noqa: S307
    run = record("y = f(tg.ones([2]))\n", f=tg.jit.to_static(nowhere))
    assert run.error is not None
    assert run.all("ast") == run.all("dropped") == []


@tg.jit.to_static
def settled(x: Any) -> Any:
    if x.sum() > 2.0:
        while x.sum() > 2.0:
            x = x / 2.0
    return x


def test_what_a_loop_in_a_branch_runs_stands_below_it_one_deeper() -> None:
    run = record("y = f(tg.ones([4]))\n", f=settled)
    ops = run.one("ast")["ops"]
    types = [(op["text"].split(" = ")[-1].split("(")[0], depth(op)) for op in ops]
    branch = types.index(("conditional_block", 0))
    loop = types.index(("while", 1))
    assert branch < loop
    assert types[loop + 1][1] == 2, "the loop's body follows the loop"
    halved = next(op for op in ops if op["line"] and depth(op) == 2)
    lines = run.one("ast")["transformed"].splitlines()
    assert lines[halved["line"] - 1].strip() == "x = x / 2.0"


def test_a_function_within_another_is_told_as_if_it_stood_alone() -> None:
    @tg.jit.to_static
    def halved(x: Any) -> Any:
        return x / 2.0

    told = record("y = f(tg.ones([2]))\n", f=halved).one("ast")
    assert told["function"] == "halved"
    source = told["source"].splitlines()
    assert source[:2] == ["@tg.jit.to_static", "def halved(x: Any) -> Any:"]
    (op,) = told["ops"]
    assert source[told["lines"][op["line"] - 1] - 1] == "    return x / 2.0"


def depth(op: Any) -> int:
    return (len(op["text"]) - len(op["text"].lstrip())) // 4


def test_a_function_of_to_static_is_shown_and_told_as_text() -> None:
    doubled(tg.ones([2]))
    shown = tg.show(doubled)
    assert repr(shown).splitlines()[0] == "def doubled(x):"
    (told,) = [e for e in shown.log["events"] if e["kind"] == "ast"]
    numbers = {e["op"] for e in shown.log["events"] if e["kind"] == "op"}
    assert {op["op"] for op in told["ops"]} == numbers
    with pytest.raises(tg.errors.InvalidValueError, match="function of to_static"):
        tg.show(object())


def test_a_call_of_a_function_of_to_static_is_an_op_on_its_line() -> None:
    with tg.unique_name.guard():
        net = tg.nn.Linear(2, 2)
    f = tg.jit.to_static(lambda x: net(x) * 1.0)
    run = record(
        """\
x = tg.ones([3, 2])
y = f(x)
loss = y.sum()
loss.backward()
with tg.no_grad():
    z = f(x * 2.0)
""",
        f=f,
    )
    assert run.error is None
    y, z = run.tensor("y"), run.tensor("z")
    calls = {e["outputs"][0]: e for e in run.all("node") if e["inputs"][1:]}
    call = calls[y["tensor"]]
    names = [run.one("tensor", tensor=n)["name"] for n in call["inputs"]]
    assert (call["line"], names[1:]) == (2, ["Linear.weight", "Linear.bias"])
    assert call["inputs"][0] == run.tensor("x")["tensor"]
    assert (y["line"], z["line"], call["taped"]) == (2, 6, True)
    assert not calls[z["tensor"]]["taped"]
    for name in ("y", "z"):
        value = run.names[name].numpy()
        assert run.value(name)["mean"] == pytest.approx(value.mean(), rel=1e-5)
    parts = run.all("grad", node=call["node"])
    assert {e["tensor"] for e in parts} == set(call["inputs"][1:])
    weight = net.weight.grad.numpy()
    assert parts[0]["value"]["norm"] == pytest.approx(np.linalg.norm(weight), rel=1e-5)
    assert {"x"} < {*call["saved"]}, "under the program's own names"
    assert not run.all("dropped")


def test_results_of_a_traced_function_are_told_in_the_order_of_its_node() -> None:
    f = tg.jit.to_static(lambda x: (x.argmax(), x * 3.0, x.sum()))
    run = record(
        """\
x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
where, tripled, total = f(x)
(tripled * tripled).sum().backward()
""",
        f=f,
    )
    tripled = run.tensor("tripled")["tensor"]
    (part,) = run.all("grad", tensor=tripled, total=True)
    assert part["value"]["first"] == [6.0, 12.0]
    assert run.gradient("x")["first"] == [18.0, 36.0]


def test_what_fails_in_a_pylayer_is_told_with_what_it_was_given() -> None:
    run = record(
        """\
class Odd(tg.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        raise ValueError("no such number")
x = tg.ones([2], dtype="float32")
y = Odd.apply(x)
"""
    )
    assert isinstance(run.error, ValueError)
    failed = run.one("op_failed")
    assert (failed["type"], failed["line"]) == ("Odd", 6)
    assert failed["message"] == "ValueError: no such number"
    assert failed["inputs"][0]["tensor"] == run.tensor("x")["tensor"]
