"""A log, replayed, is what the kernel holds: tapes, programs, values and gradients."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import teachgraph as tg
from teachgraph.core.tape import Output
from tests.effort import examples
from tests.widgets.recording import Recording, record

BEGIN = """\
a = tg.to_tensor([0.3, -0.7, 1.1], stop_gradient=False)
b = tg.to_tensor([1.5, 0.2, -0.4], stop_gradient=False)
d = tg.to_tensor([0.9, -1.2, 0.6])
u = a * b
v = tg.tanh(u)
w = v + d
"""
LEAVES = ("a", "b")
MADE = ("u", "v", "w")
STATEMENTS = (
    "{0} = {1} * {2}",
    "{0} = {1} * 0.5 - {2}",
    "{0} = tg.tanh({1})",
    "{0} = tg.nn.functional.relu({1} + {2}) * {1}",
    "u, v, w = tg.unbind(tg.stack([{1}, {2}, a]))",
    "{0} = {0}.scale_(0.5)",
    "{0}.add_({2})",
    "({1} * 2.0).exp_()",
    "{0}[1] = 0.25",
    "{0}[0] = {0}[2] * {2}[1]",
    "d.scale_(0.9)",
    "with tg.no_grad():\n    {0}.scale_(1.1)",
    "with tg.no_grad():\n    a.scale_(1.1)",
    "with tg.no_grad():\n    d = {1} + {2}",
    "b.set_value(b.numpy() * 0.7)",
    "handle = {0}.register_hook(lambda g: g * 2.0) if {0}.node else None",
)
statement = st.builds(
    lambda text, made, *read: text.format(made, *read),
    st.sampled_from(STATEMENTS),
    st.sampled_from(MADE),
    *[st.sampled_from((*LEAVES, "d", *MADE))] * 2,
)
programs = st.lists(statement, min_size=1, max_size=8).map("\n".join)

Numbering = dict[Any, int]


def known_as(numbering: Numbering, what: Any) -> int:
    """The same number for the same computation, whoever describes it."""
    return numbering.setdefault(what, len(numbering))


def on_tape(tensor: Any, leaves: dict[int, str], numbering: Numbering) -> int:
    """What led to a tensor, as the kernel's own tape has it."""

    def of(edge: Any) -> int:
        if isinstance(edge, tg.Tensor):
            return known_as(numbering, leaves.get(id(edge), "a constant"))
        node, index = (edge.node, edge.index) if isinstance(edge, Output) else (edge, 0)
        read = tuple(of(e) for e in node.edges if e is not None)
        return known_as(numbering, (node.op.type, index, read))

    return of(tensor.edge)


def in_log(recording: Recording, tensor: int, numbering: Numbering) -> int:
    """What led to a tensor, as the log tells it."""
    made = {
        number: (node, index)
        for node in recording.all("node", taped=True)
        for index, number in enumerate(node["outputs"])
    }
    wanted = {e["tensor"] for e in recording.all("tensor", stop_gradient=False)}
    names = {e["tensor"]: e["value"] for e in recording.all("attr", attr="name")}

    def of(number: int) -> int:
        if number not in made:
            return known_as(numbering, names.get(number, "a constant"))
        node, index = made[number]
        read = tuple(of(i) for i in node["inputs"] if i in wanted)
        return known_as(numbering, (node["type"], index, read))

    return of(tensor)


def last(recording: Recording, name: str) -> int:
    """The number of what a variable held at the end."""
    named = recording.all("attr", attr="name", value=name)
    return int(named[-1]["tensor"])


def same_tape(recording: Recording, names: tuple[str, ...]) -> None:
    leaves = {id(recording.names[name]): name for name in LEAVES}
    for name in names:
        numbering: Numbering = {}
        held = on_tape(recording.names[name], leaves, numbering)
        told = in_log(recording, last(recording, name), numbering)
        assert told == held, f"{name} was made otherwise than it is told"


def same_values(recording: Recording, names: tuple[str, ...]) -> None:
    for name in names:
        told = recording.all("value", tensor=last(recording, name))[-1]["value"]
        array = recording.names[name].numpy()
        assert told["shape"] == [*array.shape]
        assert told["first"] == pytest.approx(array.ravel(), rel=1e-5, abs=1e-5), name


@settings(max_examples=examples(60), deadline=None)
@given(programs)
def test_the_log_of_eager_code_is_its_tape(text: str) -> None:
    recording = record(BEGIN + text)
    assert recording.error is None
    same_tape(recording, tuple(n for n in MADE if recording.names[n].node))
    same_values(recording, (*LEAVES, "d", *MADE))


@settings(max_examples=examples(40), deadline=None)
@given(programs)
def test_gradients_that_are_told_are_those_there_are(text: str) -> None:
    recording = record(f"{BEGIN}{text}\nloss = ((u + v) * w).sum()\nloss.backward()")
    assert recording.error is None or isinstance(
        recording.error, tg.errors.InPlaceError
    )
    for name in LEAVES:
        gradient = recording.names[name].grad
        told = recording.all("grad", tensor=last(recording, name))
        assert bool(told) == (gradient is not None)
        if told:
            assert told[-1]["value"]["first"] == pytest.approx(
                gradient.numpy(), rel=1e-4, abs=1e-5
            )
    if recording.error is None:
        freed = [event["node"] for event in recording.all("free")]
        assert len(freed) == len(set(freed))
        assert set(freed) <= {e["node"] for e in recording.all("node", taped=True)}


@settings(max_examples=examples(20), deadline=None)
@given(
    st.sampled_from(("u * a", "tg.tanh(v) * b", "w * w * a", "a * a / (b * b + 1.0)"))
)
def test_the_tape_of_each_gradient_is_told_one_order_up(formula: str) -> None:
    recording = record(
        f"{BEGIN}y = ({formula}).sum()\n(g,) = tg.grad(y, [a], create_graph=True)\n"
        "z = g * g\n(h,) = tg.grad(z.sum(), [a], create_graph=True)\n"
    )
    assert recording.error is None
    same_tape(recording, ("y", "g", "z", "h"))
    same_values(recording, ("y", "g", "z", "h"))
    assert {e["order"] for e in recording.all("node")} == {1, 2, 3}


STATIC_BEGIN = """\
x = tg.static.data("x", [3, 4])
h = x
n = tg.mean(x) * 0.0
turn = lambda n, h: [n + 1.0, tg.tanh(h)]
"""
STATIC_STATEMENTS = (
    "h = fluid.layers.fc(h, {0})",
    "h = tg.nn.functional.relu(h) * {0}.0",
    "h = tg.static.nn.cond(n < {0}.0, lambda: h * 2.0, lambda: h - 1.0)",
    "n, h = tg.static.nn.while_loop(lambda n, h: n < {0}.0, turn, [n, h])",
    "test = tg.static.default_main_program().clone(for_test=True)",
    "h.stop_gradient = False",
)
static_statement = st.builds(
    lambda text, size: text.format(size),
    st.sampled_from(STATIC_STATEMENTS),
    st.integers(1, 3),
)
static_programs = st.lists(static_statement, max_size=5).map("\n".join)


def replayed(recording: Recording, program: int) -> dict[str, Any]:
    """Blocks, operators and variables of a program, put together from its events."""
    blocks: dict[int, list[Any]] = {}
    variables: dict[tuple[int, str], list[Any]] = {}
    for event in recording.events:
        if event["kind"] == "op_removed":
            for ops in blocks.values():
                ops[:] = [op for op in ops if op["op"] != event["op"]]
        if event.get("program") != program:
            continue
        if event["kind"] == "block":
            blocks[event["block"]] = []
        elif event["kind"] == "op":
            blocks[event["block"]].insert(event["index"], event)
        elif event["kind"] == "var":
            key = event["block"], event["name"]
            variables[key] = event["shape"]
        elif event["kind"] == "attr" and event["attr"] == "shape":
            key = max(key for key in variables if key[1] == event["name"])
            variables[key] = [
                int(n) for n in event["value"].strip("[]").split(",") if n
            ]
    twins = {e["op"]: e for e in recording.all("op")}
    return {
        "variables": variables,
        "ops": {
            block: [
                (op["type"], op["inputs"], op["outputs"], twin_type(op, twins))
                for op in ops
            ]
            for block, ops in blocks.items()
        },
    }


def twin_type(op: Any, ops: dict[int, Any]) -> str | None:
    return ops[op["twin"]]["type"] if "twin" in op else None


def there_is(program: Any) -> dict[str, Any]:
    """The same, of the program itself."""
    return {
        "variables": {
            (block.idx, name): [*variable.shape]
            for block in program.blocks
            for name, variable in block.vars.items()
        },
        "ops": {
            block.idx: [
                (
                    op.type,
                    {slot: [*names] for slot, names in op.inputs.items()},
                    {slot: [*names] for slot, names in op.outputs.items()},
                    None if op.twin is None or op.type == "sum" else op.twin.type,
                )
                for op in block.ops
            ]
            for block in program.blocks
        },
    }


@settings(max_examples=examples(30), deadline=None)
@given(static_programs, st.booleans())
def test_the_log_of_static_code_is_its_programs(text: str, learns: bool) -> None:
    end = "\nloss = tg.mean(fluid.layers.fc(h, 2))\n"
    end += "tg.optimizer.SGD(0.1).minimize(loss)\n" if learns else ""
    programs = "main = tg.static.default_main_program()\n"
    programs += "startup = tg.static.default_startup_program()\n"
    recording = record(programs + STATIC_BEGIN + text + end)
    assert recording.error is None
    for role, name in (("main", "main"), ("startup", "startup")):
        told = replayed(recording, recording.program(role))
        assert told == there_is(recording.names[name])
    for event in recording.all("program", role="test")[-1:]:
        told = replayed(recording, event["program"])
        assert told == there_is(recording.names["test"])


LOOP = "n, h = tg.static.nn.while_loop(lambda n, h: n < 1.0, turn, [n, h])"


@settings(max_examples=examples(15), deadline=None)
@given(static_programs)
@example(f"{LOOP}\n{LOOP}")
def test_the_values_told_of_a_run_are_those_fetched(text: str) -> None:
    recording = record(
        f"{STATIC_BEGIN}{text}\n"
        "out = fluid.layers.fc(h, 2)\nexe = tg.static.Executor()\n"
        "exe.run(tg.static.default_startup_program())\n"
        "got = exe.run(feed={'x': np.ones((3, 4), 'float32')}, fetch_list=[n, out])\n"
    )
    assert recording.error is None
    held: dict[str, Any] = {}
    for event in recording.all("run_op"):
        held.update(event["values"])
    for name, got in zip(("n", "out"), recording.names["got"], strict=True):
        told = held[recording.names[name].name]
        assert told["shape"] == [*got.shape]
        assert told["first"] == pytest.approx(got.ravel()[:8], rel=1e-5)
