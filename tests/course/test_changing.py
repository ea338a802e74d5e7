"""Lesson 15: the game is Gymnasium's, step by step, and what is built there learns."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from teachgraph.course import deep
from teachgraph.course.cartpole import CartPole, learn
from teachgraph.course.rehearse import solved
from teachgraph.course.source import read
from teachgraph.course.table import find


@pytest.mark.parametrize("skill", [0.0, 0.3], ids=["at random", "with skill"])
def test_a_game_is_that_of_gymnasium(skill: float) -> None:
    """Equality of states to the last bit, and of the end: lost, or won after 500."""
    gymnasium = pytest.importorskip("gymnasium")
    theirs, ours = gymnasium.make("CartPole-v1"), CartPole()
    draw, ends = np.random.default_rng(0), set()
    for seed in range(8):
        state, _ = theirs.reset(seed=seed)
        np.testing.assert_array_equal(ours.reset(seed)[0], state)
        over = False
        while not over:
            lean = state[2] + skill * state[3] > 0
            action = int(lean if skill else draw.integers(2))
            state, reward, lost, won, _ = theirs.step(action)
            found = ours.step(action)
            np.testing.assert_array_equal(found[0], state)
            assert found[1:4] == (reward, lost, won)
            over = lost or won
        ends.add((lost, won))
    assert ends == ({(False, True)} if skill else {(True, False)})


@pytest.mark.full
def test_what_the_lesson_builds_balances_the_pole() -> None:
    """A mean of 195 steps over a hundred games, within 300."""
    with solved(read(find("15"))) as names:
        lengths = learn(names["to_go"], names["policy_loss"], games=300, seed=2)
    assert len(lengths) < 300
    assert np.mean(lengths[-100:]) >= 195


def test_what_the_lesson_trains_can_be_cut() -> None:
    """With layer drop three layers of six do; early exits read as well as all six."""
    with solved(read(find("15"))) as names:
        drop, early_exit = names["layer_drop"], names["early_exit"]
        whole, dropped = (deep.trained(drop, rate) for rate in (0.0, 0.25))
        assert share_with(dropped, drop, 3) > share_with(whole, drop, 3) + 0.2
        assert share_with(dropped, drop, 6) > 0.92
        read_well, layers = figures(deep.with_exits(dropped, early_exit, 0.9))
    assert read_well > 100 * share_with(dropped, drop, 6) - 1.0
    assert layers < 5.0


def share_with(net: deep.Deep, drop: Any, count: int) -> float:
    """The share that a network reads with so many layers."""
    shares = dict(re.findall(r"(\d) (\d+)%", deep.shares(net, drop)))
    return int(shares[str(count)]) / 100


def figures(text: str) -> list[float]:
    """The numbers in a text."""
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]
