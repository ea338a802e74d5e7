"""Schedules: what they refuse, save, print, and do when an epoch is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import DTypeError, InvalidValueError
from tests.optimizer.cases import SCHEDULES, losses

lr = tg.optimizer.lr


@pytest.mark.parametrize("make", SCHEDULES.values(), ids=SCHEDULES)
def test_a_schedule_goes_on_where_it_was_saved(make: Callable[[Any], Any]) -> None:
    going, resumed = make(lr), make(lr)
    metric = hasattr(going, "cooldown")
    for loss in losses()[:7]:
        going.step(*[loss] * metric)
    resumed.set_state_dict(going.state_dict())
    for loss in losses()[7:]:
        assert resumed() == going()
        going.step(*[loss] * metric)
        resumed.step(*[loss] * metric)


@pytest.mark.parametrize("make", SCHEDULES.values(), ids=SCHEDULES)
def test_an_epoch_can_be_jumped_to(make: Callable[[Any], Any]) -> None:
    walking, jumping = make(lr), make(lr)
    if hasattr(walking, "cooldown"):
        jumping.step(1.0, epoch=7)
        assert jumping.last_epoch == 7
        return
    for _ in range(7):
        walking.step()
    jumping.step(7)
    assert (jumping.last_epoch, jumping()) == (7, walking())


@pytest.mark.parametrize(
    "make",
    [
        lambda: lr.StepDecay(-0.5, 2),
        lambda: lr.StepDecay(0.5, 0),
        lambda: lr.StepDecay(0.5, 2, 1.0),
        lambda: lr.NoamDecay(0, 5),
        lambda: lr.PiecewiseDecay([], [0.1]),
        lambda: lr.PiecewiseDecay([1], [0.1]),
        lambda: lr.NaturalExpDecay(0.5, 0.0),
        lambda: lr.ExponentialDecay(0.5, 1.0),
        lambda: lr.PolynomialDecay(0.5, 0),
        lambda: lr.PolynomialDecay(0.5, 3, power=0.0),
        lambda: lr.LinearWarmup(0.5, 5, 0.5, 0.5),
        lambda: lr.MultiStepDecay(0.5, [3, 3]),
        lambda: lr.ReduceOnPlateau(0.5, "least"),
        lambda: lr.ReduceOnPlateau(0.5, factor=1.0),
        lambda: lr.ReduceOnPlateau(0.5, threshold_mode="part"),
        lambda: lr.OneCycleLR(1.0, 0),
        lambda: lr.OneCycleLR(1.0, 5, phase_pct=1.5),
        lambda: lr.OneCycleLR(1.0, 5, phase_pct=0.6, three_phase=True),
        lambda: lr.OneCycleLR(1.0, 5, anneal_strategy="sin"),
        lambda: lr.OneCycleLR(1.0, 2).step(3),
        lambda: lr.CyclicLR(0.1, -0.5, 3),
        lambda: lr.CyclicLR(0.1, 0.5, 0),
        lambda: lr.CyclicLR(0.1, 0.5, 3, mode="square"),
        lambda: lr.CyclicLR(0.1, 0.5, 3, scale_mode="epoch"),
        lambda: lr.LinearLR(0.5, 5, start_factor=0.0),
        lambda: lr.LinearLR(0.5, 5, end_factor=2.0),
        lambda: lr.CosineAnnealingDecay(0.5, 0),
        lambda: lr.CosineAnnealingWarmRestarts(0.5, 0),
        lambda: lr.CosineAnnealingWarmRestarts(0.5, 3).step(-1),
        lambda: lr.StepDecay(0.5, 2).set_state_dict({"last_epoch": 3}),
    ],
)
def test_what_is_out_of_range(make: Callable[[], Any]) -> None:
    with pytest.raises(InvalidValueError):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: lr.StepDecay("fast", 2),
        lambda: lr.StepDecay(0.5, 2.5),
        lambda: lr.LambdaDecay(0.5, 3),
        lambda: lr.MultiplicativeDecay(0.5, None),
        lambda: lr.MultiStepDecay(0.5, 3),
        lambda: lr.LinearWarmup("fast", 5, 0.0, 0.5),
        lambda: lr.ReduceOnPlateau(0.5).step("loss"),
        lambda: lr.ReduceOnPlateau(0.5).step(np.ones(2)),
    ],
)
def test_what_is_of_the_wrong_kind(make: Callable[[], Any]) -> None:
    with pytest.raises(DTypeError):
        make()


def test_a_metric_may_be_a_tensor() -> None:
    rate = lr.ReduceOnPlateau(1.0, factor=0.5, patience=0)
    for loss in (1.0, 2.0):
        rate.step(tg.to_tensor(loss))
    assert (rate(), rate.best) == (0.5, 1.0)


def test_a_rate_is_told_if_that_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    lr.StepDecay(0.5, 1, 0.5, verbose=True).step()
    assert capsys.readouterr().out == (
        "Epoch 0: StepDecay set learning rate to 0.5.\n"
        "Epoch 1: StepDecay set learning rate to 0.25.\n"
    )


def test_what_a_state_has_too_much_is_told() -> None:
    rate = lr.StepDecay(0.5, 1)
    with pytest.warns(UserWarning, match="'colour'"):
        rate.set_state_dict({"last_epoch": 3, "last_lr": 0.25, "colour": "red"})
    assert (rate.last_epoch, rate()) == (3, 0.25)


def test_a_warm_restart_may_be_asked_for_a_part_of_an_epoch() -> None:
    rate = lr.CosineAnnealingWarmRestarts(1.0, 4)
    rate.step(6.0 + 1e-9)
    np.testing.assert_allclose(rate(), 0.5)
    assert rate.last_epoch == 6
