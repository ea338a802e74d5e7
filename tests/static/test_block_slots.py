"""A document may hold any nonsense in what runs a block: it is refused in our words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.control_flow.block_slots import FITS
from teachgraph.control_flow.static_rnn import StaticRNN
from teachgraph.core.errors import ProgramError, TeachgraphError
from teachgraph.errors import DataError
from teachgraph.planning.executor import Executor
from teachgraph.static import Program, nn
from tests.static.fresh import Fresh

pytestmark = pytest.mark.further

Document = dict[str, Any]
FEED = {"x": np.ones((4, 2, 3), "float32")}


def everything() -> list[str]:
    """A network in a loop with a branch, and the gradient of all; what to fetch."""
    x = static.data("x", [4, 2, 3])
    x.stop_gradient = False
    rnn = StaticRNN()
    with rnn.step():
        now = rnn.step_input(x)
        before = rnn.memory(shape=[-1, 3], batch_ref=now)
        state = tg.tanh(now + before)
        rnn.update_memory(before, state)
        rnn.step_output(state)

    def body(k: Any, y: Any) -> Any:
        positive = tg.sum(y) > 0.0
        return [k + 1, nn.cond(positive, lambda: y * 2.0, lambda: y + 1.0)]

    y = nn.while_loop(lambda k, y: k < 2, body, [tg.zeros([1], "int64"), rnn()])[1]
    (grad,) = static.gradients([tg.sum(y)], [x])
    return [y.name, grad.name]


def operators(document: Document, type: str) -> Iterator[Document]:
    for block in document["blocks"]:
        yield from (op for op in block["ops"] if op["type"] == type)


def damaged(content: bytes, type: str) -> Iterator[Document]:
    """The document with one slot or attribute after the other spoilt."""
    for part in ("attrs", "inputs", "outputs"):
        (first, *_) = operators(json.loads(content), type)
        for name in first[part]:
            for value in (5, "n", None, [], ["zz"], ["x"], ["@EMPTY@"], ["x"] * 9):
                document = json.loads(content)
                next(operators(document, type))[part][name] = value
                yield document
            document = json.loads(content)
            del next(operators(document, type))[part][name]
            yield document


@pytest.mark.parametrize("type", FITS)
def test_spoilt_slots_are_refused_in_our_words(type: str, programs: Fresh) -> None:
    fetches = everything()
    refused = 0
    for document in damaged(programs.main.serialize_to_string(), type):
        try:
            program = Program.parse_from_string(json.dumps(document).encode())
        except DataError:
            refused += 1
            continue
        for interpret in (False, True):
            try:
                Executor(interpret=interpret).run(program, FEED, fetches)
            except TeachgraphError:
                refused += 1
    assert refused > 20


def test_an_operator_made_by_hand_is_refused_at_its_own_line(programs: Fresh) -> None:
    loop = everything() and next(
        op for op in programs.main.global_block().ops if op.type == "while"
    )
    loop.inputs["Condition"] = []
    with pytest.raises(
        ProgramError, match=r"while: Condition holds one name, not \[\]"
    ):
        Executor().run(programs.main, FEED)
