"""Our numbers beside those of Paddle 2.6.2 and of PyTorch: see `capture.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from tests.optimizer.cases import OPTIMIZERS, SCHEDULES, TWINS, rates, trained

HERE = Path(__file__).parent
PADDLE = json.loads((HERE / "paddle.json").read_text("utf-8"))
TORCH = json.loads((HERE / "torch.json").read_text("utf-8"))


def test_every_question_has_its_answer() -> None:
    assert set(PADDLE["optimizers"]) == set(OPTIMIZERS)
    assert set(PADDLE["schedules"]) == set(SCHEDULES)
    assert set(TORCH["optimizers"]) == set(TWINS)


def test_every_schedule_there_is_was_asked_about() -> None:
    asked = {name.partition(",")[0] for name in SCHEDULES}
    assert asked == set(tg.optimizer.lr.__all__) - {"LRScheduler"}


def same(ours: Any, theirs: Any, **tolerance: float) -> None:
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, **tolerance)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_ten_steps_end_where_paddles_do(name: str) -> None:
    ours = trained(tg, OPTIMIZERS[name])
    same(ours, PADDLE["optimizers"][name], rtol=0, atol=5e-7)


@pytest.mark.parametrize("name", TWINS)
def test_ten_steps_end_where_pytorchs_do(name: str) -> None:
    ours = trained(tg, OPTIMIZERS[name])
    same(ours, TORCH["optimizers"][name], rtol=0, atol=5e-6)


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_gives_paddles_rates(name: str) -> None:
    ours = rates(SCHEDULES[name](tg.optimizer.lr))
    np.testing.assert_allclose(ours, PADDLE["schedules"][name], rtol=1e-7, atol=1e-12)
