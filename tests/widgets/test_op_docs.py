"""What a log says of the ops in it: their own words, and their rules."""

from __future__ import annotations

import inspect

import pytest
from teachgraph_widgets.op_docs import about

import teachgraph as tg
from teachgraph.core.op import find
from tests.widgets.recording import FOUR_LINES, record

TAPE = """\
x = tg.to_tensor(2.0, stop_gradient=False)
y = tg.tanh(x) * x
y.backward()
"""


def test_each_op_is_told_of_once_in_its_own_words() -> None:
    events = {e["type"]: e for e in record(TAPE * 2).all("about")}
    assert set(events) == {"tanh", "elementwise_mul"}
    assert events["tanh"]["text"] == inspect.cleandoc(find("tanh").__doc__ or "")
    assert events["tanh"]["rule"] == "return dout * (1.0 - out * out)"
    assert events["tanh"]["takes"] == ["dout", "out"]


def test_operators_of_programs_and_what_is_shown_are_told_of() -> None:
    types = [e["type"] for e in record(FOUR_LINES).all("about")]
    assert {"mul", "elementwise_add", "sgd"} <= set(types)
    assert len(types) == len(set(types))
    x = tg.to_tensor(2.0, stop_gradient=False)
    events = tg.show(tg.tanh(x)).log["events"]
    assert [e["type"] for e in events if e["kind"] == "about"] == ["tanh"]


def test_an_op_that_is_not_registered_has_nothing_to_say() -> None:
    assert about("no such op") is None
    source = (
        "from tests.widgets.micrograd import Value\n(Value(1.0) + Value(2.0)).tanh()"
    )
    assert "add" not in [e["type"] for e in record(source).all("about")]


@pytest.mark.parametrize("name", ["matmul_v2", "softmax_with_cross_entropy", "conv2d"])
def test_a_rule_is_shown_as_it_is_written(name: str) -> None:
    facts = about(name)
    assert facts is not None
    rule = find(name).rule
    assert rule is not None
    written = inspect.getsource(rule.function)
    for line in facts[4].splitlines():
        assert line.strip() in written
