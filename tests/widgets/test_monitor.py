"""A plain loop, watched from where its batches come from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from teachgraph_widgets.still import still
from teachgraph_widgets.summary import summary
from teachgraph_widgets.validate import validate

import teachgraph as tg
from teachgraph import static
from teachgraph.core import unique_name
from teachgraph.core.observe import observers


@pytest.fixture(autouse=True)
def nobody_watches_afterwards() -> Iterator[None]:
    yield
    assert observers == []


def batches(count: int) -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(count, 8, 2)).astype("float32")
    return [(tg.to_tensor(part), tg.to_tensor(part[:, :1] * 3.0)) for part in x]


def trained(watched: Any, net: Any, optimizer: Any) -> list[float]:
    losses = []
    for x, y in watched:
        loss = (net(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses


def a_net() -> tuple[Any, Any]:
    tg.seed(0)
    net = tg.nn.Sequential(tg.nn.Linear(2, 4), tg.nn.Linear(4, 1))
    return net, tg.optimizer.SGD(0.05, net.parameters())


def test_a_loop_that_says_nothing_is_seen_whole(
    capsys: pytest.CaptureFixture[str],
) -> None:
    net, optimizer = a_net()
    watched = tg.monitor(
        batches(10), model=net, optimizer=optimizer, epochs=2, every=0.0
    )
    losses = trained(watched, net, optimizer)
    assert [p["loss"] for p in watched.history] == pytest.approx(losses)
    assert [p["epoch"] for p in watched.history] == [1] * 10 + [2] * 10
    log = validate(watched.events)
    steps: list[Any] = [e for e in log["events"] if e["kind"] == "train"]
    assert [e["step"] for e in steps] == list(range(1, 21))
    assert {e["steps"] for e in steps} == {20}
    assert {e["samples"] for e in steps} == {8}
    assert {e["rate"] for e in steps} == {0.05}
    bar = capsys.readouterr().err
    assert "20/20" in bar
    assert "loss=" in bar


def test_the_bar_ends_with_the_last_steps_figures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    watched = tg.monitor(range(20), every=3600)
    for n in watched:
        watched.log(loss=n, half=n / 2)
    end = capsys.readouterr().err.rstrip().splitlines()[-1]
    assert "loss=19" in end
    assert "half=9.5" in end


def test_norms_are_those_of_the_layers_gradients() -> None:
    net, _ = a_net()
    ((x, y),) = batches(1)
    watched = tg.monitor([(x, y)], model=net, every=0.0)
    for a, b in watched:
        (net(a) - b).square().mean().backward()
    (point,) = watched.history
    first = np.concatenate([p.grad.numpy().ravel() for p in net[0].parameters()])
    assert point["norms"]["0"] == pytest.approx(float(np.linalg.norm(first)), rel=1e-5)
    assert list(point["norms"]) == ["0", "1"]


def test_a_program_tells_its_loss_itself() -> None:
    with static.program_guard(static.Program(), static.Program()), unique_name.guard():
        x = static.data("x", [None, 2])
        loss = x.mean()
        executor = static.Executor()
        with tg.monitor(range(3), every=0.0) as watched:
            for n in watched:
                feed = {"x": np.full((4, 2), n, "float32")}
                (value,) = executor.run(feed=feed, fetch_list=[loss])
                watched.log(loss=value, twice=2 * n)
    assert [p["loss"] for p in watched.history] == [0.0, 1.0, 2.0]
    assert [p["metrics"]["twice"] for p in watched.history] == [0.0, 2.0, 4.0]
    with pytest.raises(tg.errors.InvalidValueError, match=r"shape \[2\]"):
        watched.log(loss=np.zeros(2))


def test_a_loop_that_is_left_or_raises_leaves_nobody_watching() -> None:
    watched = tg.monitor(range(10), every=0.0)
    with watched:
        for n in watched:
            if n == 3:
                break
    assert observers == []
    failing = tg.monitor(range(10))

    def fail() -> None:
        with failing:
            for n in failing:
                1 / n

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not failing.events["events"][-1]["ok"]


def test_the_text_has_the_curve_in_one_line() -> None:
    net, optimizer = a_net()
    watched = tg.monitor(batches(30), model=net, every=0.0)
    trained(watched, net, optimizer)
    text = summary(watched.events)
    assert "step 30 of 30, epoch 1" in text
    (line,) = (line for line in text.splitlines() if line.startswith("  loss "))
    assert "█" in line
    assert "▁" in line
    assert "gradient norms by layer: 0: " in text
    assert "<svg" in still(watched.events)


def test_a_loss_that_is_not_finite_is_told_as_none() -> None:
    watched = tg.monitor(range(2), every=0.0)
    for _ in watched:
        watched.log(loss=float("nan"))
    steps = [e for e in validate(watched.events)["events"] if e["kind"] == "train"]
    assert [e["loss"] for e in steps] == [None, None]


def test_a_long_training_stays_a_small_log() -> None:
    watched = tg.monitor(range(20_000), every=1e9)
    for _ in watched:
        pass
    assert len(watched.history) < 10_000
    assert watched.history[-1]["step"] > 19_000


def test_without_tqdm_there_are_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    for _ in tg.monitor(range(20), title="Mine"):
        pass
    assert "Mine: 20/20 steps" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"batches": 3}, "batches is what the loop goes over, got 3"),
        ({"model": 3}, "model is a Layer, got 3"),
        ({"optimizer": "sgd"}, "optimizer is one of tg.optimizer, got 'sgd'"),
        ({"epochs": "a"}, "epochs counts from 1, got 'a'"),
        ({"every": "often"}, "every is a number of seconds, got 'often'"),
    ],
)
def test_what_cannot_be_watched_is_refused_before_the_training(
    wrong: dict[str, Any], told: str
) -> None:
    given = {"batches": [1, 2], **wrong}
    with pytest.raises(tg.errors.InvalidValueError, match=told):
        tg.monitor(given.pop("batches"), show=False, **given)


def test_a_figure_that_is_no_number_is_refused_by_its_name() -> None:
    watched = tg.monitor([1], show=False)
    with pytest.raises(tg.errors.InvalidValueError, match="accuracy is a single"):
        watched.log(accuracy="high")
