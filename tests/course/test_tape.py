"""The single steps that lesson 02 gives its learner."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import BackwardTwiceError
from teachgraph.core.observe import watch
from teachgraph.core.tape import Node
from teachgraph.course.checks import CheckFailed
from teachgraph.course.tape import free, is_leaf, pull, waits_for_all, watched
from teachgraph.utils.observe import Observer


def test_pull_gives_each_input_its_gradient() -> None:
    x = tg.to_tensor([2.0, 3.0], stop_gradient=False)
    y = tg.to_tensor([5.0, 7.0], stop_gradient=False)
    (to_x, dx), (to_y, dy) = pull((x * y).node, np.array([1.0, 10.0], "float32"))
    assert (to_x, to_y) == (x, y) or (to_x is x and to_y is y)
    assert dx.tolist() == [5.0, 70.0]
    assert dy.tolist() == [2.0, 30.0]


def test_pull_leaves_out_what_wants_no_gradient() -> None:
    x = tg.to_tensor(2.0, stop_gradient=False)
    pairs = pull((x * tg.to_tensor(3.0)).node, np.float32(1.0))
    assert [(edge is x, dx.item()) for edge, dx in pairs] == [(True, 3.0)]


def test_a_freed_node_cannot_be_pulled() -> None:
    x = tg.to_tensor(2.0, stop_gradient=False)
    node = (x * x).node
    free(node)
    with pytest.raises(BackwardTwiceError, match="elementwise_mul was freed"):
        pull(node, np.float32(1.0))


def test_only_tensors_are_leaves() -> None:
    x = tg.to_tensor(2.0, stop_gradient=False)
    assert is_leaf(x.edge)
    assert not is_leaf((x * x).edge)


class Diary(Observer):
    """What was announced, in order."""

    def __init__(self) -> None:
        self.entries: list[str] = []

    def backward_begin(self, roots: Any) -> None:
        self.entries.append("begin")

    def grad_ready(self, target: Any, grad: Any) -> None:
        self.entries.append(f"whole: {grad.item():g}")

    def grad_begin(self, node: Any) -> None:
        self.entries.append(node.op.type)

    def grad_flows(self, node: Any, index: int, target: Any, grad: Any) -> None:
        self.entries.append(f"input {index}: {grad.item():g}")

    def node_freed(self, node: Any) -> None:
        self.entries.append("freed")

    def backward_end(self, roots: Any) -> None:
        self.entries.append("end")


def test_a_pass_of_ones_own_is_announced_like_the_frameworks() -> None:
    def own(loss: tg.Tensor) -> dict[Any, Any]:
        (leaf, left), (_, right) = pull(loss.node, np.float32(1.0))
        free(loss.node)
        return {leaf: left + right}

    def record(run: Any) -> list[str]:
        x = tg.to_tensor(3.0, stop_gradient=False)
        loss = x * x
        with watch(Diary()) as diary:
            run(loss)
        return diary.entries

    mine = record(lambda loss: watched(own, loss))
    assert mine == record(lambda loss: loss.backward())
    assert mine == [
        "begin",
        "whole: 1",
        "elementwise_mul",
        "input 0: 3",
        "input 1: 3",
        "freed",
        "whole: 6",
        "end",
    ]


def test_a_pass_that_raises_ends_all_the_same() -> None:
    def broken(loss: tg.Tensor) -> dict[Any, Any]:
        raise KeyError("edge")

    with watch(Diary()) as diary, pytest.raises(KeyError):
        watched(broken, tg.to_tensor(1.0, stop_gradient=False))
    assert diary.entries == ["begin", "end"]


def test_a_node_that_did_not_wait_is_named_even_when_the_pass_raises() -> None:
    x = tg.to_tensor(2.0, stop_gradient=False)
    y = x * x
    loss = y + y

    def hasty() -> None:
        pull(y.node, np.float32(1.0))
        raise ZeroDivisionError

    too_early = "elementwise_mul ran too early: 2 of the 2"
    with pytest.raises(CheckFailed, match=too_early), waits_for_all(loss):
        hasty()


def test_a_rule_that_runs_again_is_named() -> None:
    x = tg.to_tensor(2.0, stop_gradient=False)
    loss = x * x

    def twice(nodes: list[Node]) -> None:
        for node in [*nodes, *nodes]:
            pull(node, np.float32(1.0))

    again = "elementwise_mul ran 2 times"
    with pytest.raises(CheckFailed, match=again), waits_for_all(loss) as nodes:
        twice(nodes)
