"""The record of a run: who sends what to whom, and who waits."""

from collections import Counter
from functools import cache
from typing import Any

from teachgraph import distributed as dist
from teachgraph.distributed.ray_job import Cluster
from teachgraph.distributed.record import Message
from teachgraph.utils.observe import Observer, watch
from tests.distributed.training import CASES, OPTIMIZERS, STEPS, train


class Messages(Observer):
    def __init__(self) -> None:
        self.found: list[Message] = []

    def message(self, message: Message) -> None:
        self.found.append(message)


@cache
def recorded() -> list[Message]:
    with watch(Messages()) as watcher:
        dist.run_local(lambda role: train(CASES["mlp"], OPTIMIZERS["sgd"]), 2, "a:1")
    return watcher.found


def test_each_step_sends_all_gradients_and_receives_all_parameters() -> None:
    counts = Counter((m.who, m.what) for m in recorded())
    for trainer in ("trainer 0", "trainer 1"):
        assert counts[trainer, "send"] == 4 * STEPS
        assert counts[trainer, "recv"] == 4 * (STEPS + 1)
        assert counts[trainer, "barrier"] == 2 * STEPS + 1
    assert counts["server a:1", "serve"] == 1


def test_what_is_received_was_sent_before_by_both() -> None:
    messages = recorded()
    first = next(m for m in messages if m.what == "recv" and m.step == 1)
    sent = [m for m in messages if m.what == "send" and m.end <= first.end]
    assert {m.who for m in sent} == {"trainer 0", "trainer 1"}
    assert first.nbytes in {5 * 4, 30 * 4, 4}


def test_bytes_a_step_are_two_models_for_each_trainer() -> None:
    model = 4 * (6 * 5 + 5 + 5 + 1)
    moved = sum(m.nbytes for m in recorded() if m.what in {"send", "recv"} and m.step)
    received_first = 2 * model  # by the startup programs, at step 0
    sent_first = 2 * model  # before the first barrier
    assert moved + sent_first == 2 * 2 * model * STEPS
    assert received_first == sent_first


def test_clocks_of_one_machine_are_the_same() -> None:
    """An answer that took 4 ms may be wrong by 2 ms: process 1 has the same clock."""
    cluster: Any = Cluster.__new__(Cluster)
    cluster.records = {1: ["one"], 2: ["two"], 3: ["three"]}
    cluster.offsets = {1: (0.004, -0.0019), 2: (0.004, 0.0021), 3: (0.001, -50.0)}
    assert cluster.recordings() == [(["one"], 0.0), (["two"], 0.0021), (["three"], -50)]
