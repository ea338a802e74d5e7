"""Another engine is recorded like ours, from what it announces; a liar harms nobody."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterator
from typing import Any
from weakref import ref

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.utils.observe import announce
from tests.widgets import micrograd
from tests.widgets.recording import Recording, record

USE = """\
x = Value(2.0)
y = x * x
left = y * Value(3.0)
right = y + Value(1.0)
loss = left * right
loss.backward()
"""
ENGINE = inspect.getsource(micrograd)
OFFSET = len(ENGINE.splitlines())


@pytest.fixture(scope="module", params=["imported", "in the same cell"])
def recording(request: pytest.FixtureRequest) -> Recording:
    if request.param == "imported":
        return record(USE, Value=micrograd.Value)
    return record(ENGINE + USE)


def shift(recording: Recording) -> int:
    """The line before the first of `USE`."""
    source = recording.one("cell_begin")["source"]
    return len(source.splitlines()) - len(USE.splitlines())


def number(recording: Recording, name: str) -> int:
    tensor: int = recording.tensor(name)["tensor"]
    return tensor


def test_the_engine_has_35_lines_of_code() -> None:
    lines = inspect.getsource(micrograd.Value).splitlines()
    assert len([line for line in lines if line.strip()]) <= 35


def test_forward_edges_join_the_values(recording: Recording) -> None:
    x, y, left, right, loss = (
        number(recording, n) for n in ["x", "y", "left", "right", "loss"]
    )
    nodes = {e["outputs"][0]: e for e in recording.all("node")}
    assert [(nodes[v]["type"]) for v in (y, left, right, loss)] == [
        "mul",
        "mul",
        "add",
        "mul",
    ]
    assert nodes[y]["inputs"] == [x, x]
    assert nodes[left]["inputs"][0] == nodes[right]["inputs"][0] == y
    assert nodes[loss]["inputs"] == [left, right]
    assert all(e["taped"] and e["engine"] == "Value" for e in nodes.values())


def test_values_are_those_of_the_engine(recording: Recording) -> None:
    values = [recording.value(n)["mean"] for n in ["x", "y", "left", "right", "loss"]]
    assert values == [2.0, 4.0, 12.0, 5.0, 60.0]


def test_gradients_flow_and_are_summed_where_the_engine_adds(
    recording: Recording,
) -> None:
    y, x = number(recording, "y"), number(recording, "x")
    parts = recording.all("grad", tensor=y, total=False)
    assert sorted(e["value"]["mean"] for e in parts) == [12.0, 15.0]
    assert recording.one("grad", tensor=y, total=True)["value"]["mean"] == 27.0
    assert recording.one("grad", tensor=x, total=True)["value"]["mean"] == 108.0
    seed = recording.one("grad", tensor=number(recording, "loss"))
    assert (seed.get("node"), seed["value"]["mean"]) == (None, 1.0)


def test_the_sum_of_y_comes_before_y_passes_it_on(recording: Recording) -> None:
    (total,) = recording.all("grad", tensor=number(recording, "y"), total=True)
    onward = recording.all("grad", tensor=number(recording, "x"), total=False)
    assert total["seq"] < min(e["seq"] for e in onward)


def test_freed_nodes_and_what_they_kept(recording: Recording) -> None:
    nodes = [e["node"] for e in recording.all("node")]
    assert len(nodes) == 4
    assert sorted(e["node"] for e in recording.all("free")) == sorted(nodes)
    kept = {e["type"]: e["saved"] for e in recording.all("node")}
    assert kept == {"mul": ["Y", "X"], "add": []}


def test_events_have_the_line_that_called(recording: Recording) -> None:
    before = shift(recording)
    nodes = [(e["type"], e["line"] - before) for e in recording.all("node")]
    assert nodes == [("mul", 2), ("mul", 3), ("add", 4), ("mul", 5)]
    assert {e["line"] - before for e in recording.all("grad")} == {6}
    steps = [e["line"] - before for e in recording.all("line")]
    assert [line for line in steps if line > 0] == [1, 2, 3, 4, 5, 6]


def test_the_engine_s_own_lines_are_no_steps() -> None:
    recording = record(ENGINE + USE)
    inside = [e["line"] for e in recording.all("line") if e["line"] <= OFFSET]
    # The class statement, its methods' definitions, and the first `__init__`.
    assert len(inside) < 20


def test_a_wrong_engine_is_drawn_as_it_is_wrong() -> None:
    wrong = ENGINE.replace("edge.grad +=", "edge.grad =")
    recording = record(wrong + USE)
    total = recording.one("grad", tensor=number(recording, "y"), total=True)
    assert total["value"]["mean"] in (12.0, 15.0)


def test_a_second_pass_shows_what_has_accumulated() -> None:
    source = "x = Value(3.0)\ny = x.tanh()\ny.backward()\nz = x + x\nz.backward()\n"
    recording = record(source, Value=micrograd.Value)
    x = number(recording, "x")
    slope = 1 - np.tanh(3.0) ** 2
    last = recording.all("grad", tensor=x)[-1]
    assert last["total"]
    assert last["value"]["mean"] == pytest.approx(slope + 2, rel=1e-5)


def test_a_label_is_the_name() -> None:
    with tg.record() as trace:
        value = type("Labelled", (), {"data": 1.0, "label": "the weight"})()
        announce("tensor_created", value)
    assert [e["name"] for e in trace.events if e["kind"] == "tensor"] == ["the weight"]


def test_values_older_than_the_trace_come_with_their_past() -> None:
    x = micrograd.Value(2.0)
    y = x * x
    recording = record("z = y * x\n", y=y, x=x)
    assert [(e["type"], e["line"]) for e in recording.all("node")] == [
        ("mul", 0),
        ("mul", 1),
    ]


def test_an_engine_may_have_values_and_nodes_apart() -> None:
    class Node:
        def __init__(self, op: str, edges: list[Any]) -> None:
            self.op, self.edges, self.saved = op, edges, ["X"]

    class Apart:
        __slots__ = ("data", "node")

        def __init__(self, data: Any, node: Any = None) -> None:
            self.data, self.node = data, node

    with tg.record() as trace:
        x = Apart(np.ones(3))
        announce("tensor_created", x)
        y = Apart(x.data * 2, Node("double", [x]))
        announce("op_end", "double", [x], [y], {"by": 2}, y.node)
        announce("backward_begin", [y])
        announce("grad_ready", y.node, np.ones(3))
        announce("grad_flows", y.node, 0, x, 2 * np.ones(3))
        announce("node_freed", y.node)
        announce("backward_end", [y])
    events: list[Any] = trace.events
    (node,) = [e for e in events if e["kind"] == "node"]
    assert (node["type"], node["attrs"], node["saved"]) == (
        "double",
        {"by": "2"},
        ["X"],
    )
    grads = [(e["tensor"], e.get("node")) for e in events if e["kind"] == "grad"]
    assert grads == [(node["outputs"][0], None), (node["inputs"][0], node["node"])]
    assert [e["node"] for e in events if e["kind"] == "free"] == [node["node"]]


def test_an_operation_may_be_announced_beside_the_values() -> None:
    """A value announces itself with its edges, its operator announces it once more."""
    with tg.record() as trace:
        x = micrograd.Value(2.0)
        y = x.tanh()
        announce("op_end", "tanh", [x], [y], {}, y)
    assert sum(e["kind"] == "node" for e in trace.events) == 1


def test_a_value_changed_in_place_is_a_new_one() -> None:
    with tg.record() as trace:
        x = micrograd.Value(2.0)
        y = x.tanh()
        y.tanh()
        announce("op_end", "clip", [y], [y], {}, None)
    events: list[Any] = trace.events
    (node,) = [e for e in events if e["kind"] == "node" and e["type"] == "clip"]
    assert node["inputs"] != node["outputs"]


def test_values_are_not_kept_alive() -> None:
    with tg.record():
        x = micrograd.Value(2.0)
        gone = ref(x)
        del x
        gc.collect()
        assert gone() is None


def test_ours_and_theirs_in_one_trace() -> None:
    source = "w = tg.to_tensor(2.0, stop_gradient=False)\ny = w * w\nx = Value(3.0)\n"
    source += "z = x.tanh()\ny.backward()\nz.backward()\n"
    recording = record(source, Value=micrograd.Value)
    engines = [e.get("engine") for e in recording.all("node")]
    assert engines == [None, "Value"]
    assert recording.gradient("w")["mean"] == 4.0
    assert not recording.all("dropped")


def test_show_draws_a_value_with_all_it_came_from() -> None:
    x = micrograd.Value(2.0)
    shown = tg.show((x * x).tanh())
    events: list[Any] = shown.log["events"]
    assert [e["type"] for e in events if e["kind"] == "node"] == ["mul", "tanh"]
    assert "mul" in str(shown)


class Liar:
    """Raises when asked for whatever `hidden` names."""

    def __init__(self, **facts: Any) -> None:
        self.facts = facts

    def __getattr__(self, name: str) -> Any:
        fact = object.__getattribute__(self, "facts").get(name)
        if isinstance(fact, BaseException):
            raise fact
        if fact is None:
            raise AttributeError(name)
        return fact() if callable(fact) else fact


class Endless:
    """Each is computed from another one, made as one asks."""

    data = 1.0

    @property
    def edges(self) -> tuple[Endless]:
        return (Endless(),)


class Spiteful:
    """Compares, hashes, prints and counts with an error."""

    data = 1.0
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError

    def __hash__(self) -> int:
        raise ZeroDivisionError

    def __repr__(self) -> str:
        raise ZeroDivisionError

    def __bool__(self) -> bool:
        raise ZeroDivisionError

    def __len__(self) -> int:
        raise ZeroDivisionError


class Sequenceless:
    """Says that it has more elements than anyone can count."""

    def __len__(self) -> int:
        return 1 << 40

    def __getitem__(self, index: int) -> int:
        return index


def circle() -> Liar:
    one = Liar(data=1.0)
    two = Liar(data=2.0, edges=(one,))
    one.facts["edges"] = (two,)
    return one


def forever() -> Iterator[int]:
    while True:
        yield 1


LIARS: dict[str, Any] = {
    "data raises": lambda: Liar(data=ValueError("no")),
    "all raises": lambda: Liar(
        **dict.fromkeys(
            ["data", "label", "edges", "op", "saved", "grad", "node"], OSError()
        )
    ),
    "data is text": lambda: Liar(data="<script>alert(1)</script>"),
    "data is a class": lambda: Liar(data=int),
    "data is itself endless": lambda: Liar(data=Sequenceless()),
    "data is huge": lambda: Liar(data=10**400),
    "nested data": lambda: Liar(data=Liar(data=Liar(data=1.0))),
    "label is no text": lambda: Liar(data=1.0, label=7),
    "label is long": lambda: Liar(data=1.0, label="\ud800" + "a" * 10**6),
    "edges to nothing": lambda: Liar(data=1.0, edges=(None, 3, "x", object())),
    "edges are a generator": lambda: Liar(data=1.0, edges=forever),
    "edges are a number": lambda: Liar(data=1.0, edges=5),
    "many edges": lambda: Liar(data=1.0, edges=(Liar(data=1.0),) * 10**5),
    "a circle": circle,
    "an endless past": Endless,
    "no attributes at all": object,
    "spiteful": Spiteful,
    "op is no text": lambda: Liar(data=1.0, edges=(Liar(data=2.0),), op=[1]),
    "saved is endless": lambda: Liar(data=1.0, saved=forever),
    "node is itself no node": lambda: Liar(data=1.0, node=3),
    "a tuple": lambda: (1, 2),
    "None": lambda: None,
    "a class": lambda: Liar,
}


@pytest.mark.parametrize("kind", LIARS)
def test_a_liar_neither_raises_nor_hangs(kind: str) -> None:
    with tg.record() as trace:
        liar, other = LIARS[kind](), Liar(data=2.0)
        announce("tensor_created", liar)
        announce("op_begin", "f", [liar], {})
        announce("op_end", "f", [liar, other], [other], {"a": liar}, liar)
        announce("op_end", liar, [other], [liar], liar, None)
        announce("op_failed", "f", [liar], {}, ValueError("no"))
        announce("backward_begin", [liar])
        announce("grad_ready", liar, liar)
        announce("grad_begin", liar)
        announce("grad_flows", liar, 0, liar, liar)
        announce("grad_flows", liar, 0, None, 1.0)
        announce("grad_flows", None, 0, other, 1.0)
        announce("hooks_begin", liar, liar)
        announce("node_freed", liar)
        announce("tensor_became", liar, None)
        announce("backward_end", [liar])
        y = tg.to_tensor(1.0, stop_gradient=False) * 2.0
        y.backward()
    tg.show(trace.log)  # checks it against the schema
    assert "scale" in [e["type"] for e in trace.events if e["kind"] == "node"]
    assert len(trace.events) < 10_000
    assert trace.summary()


def test_what_a_liar_hides_is_said_in_words() -> None:
    with tg.record() as trace:
        announce("tensor_created", Liar(data=ValueError("no")))
        announce("tensor_created", circle())
    words = " / ".join(e["why"] for e in trace.events if e["kind"] == "dropped")
    assert "Liar.data raised ValueError when it was read" in words
    assert "a cycle: a value that was computed from itself" in words
