"""The log of a cluster: programs of every process, their messages, on one clock."""

from __future__ import annotations

import re
import time
from collections import Counter
from typing import Any

import pytest
from teachgraph_widgets.events import Log
from teachgraph_widgets.folded import fold
from teachgraph_widgets.processes import RayProcess, merged
from teachgraph_widgets.still import still
from teachgraph_widgets.still_cluster import last_step, timeline
from teachgraph_widgets.summary import summary
from teachgraph_widgets.validate import validate

from teachgraph import distributed as dist
from teachgraph.distributed.record import announce_since, as_process
from tests.distributed.training import CASES, OPTIMIZERS, farthest, share, train
from tests.widgets.recording import Recording, record

TEXT = """\
def work(role):
    return train(case, minimize)
results = dist.run_local(work, trainers=2, pservers="a:1")
"""
STEPS = 4
SENDS = 4 * STEPS


def recorded(text: str = TEXT, **names: Any) -> Recording:
    case = CASES["mlp"]._replace(batches=CASES["mlp"].batches[:STEPS])
    given = {"dist": dist, "train": train, "case": case, "share": share}
    return record(text, **given, minimize=OPTIMIZERS["momentum"], **names)


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded()


def test_each_process_has_its_programs_and_its_name(recording: Recording) -> None:
    titles = {e["process"]: e["title"] for e in recording.all("process")}
    assert titles == {0: "trainer 0", 1: "trainer 1", 2: "server a:1"}
    programs = recording.all("program")
    for number, title in titles.items():
        own = [e["title"] for e in programs if e.get("process") == number]
        assert own
        assert all(text.startswith(f"{title}: ") for text in own)


def test_a_trainer_sends_and_receives_in_each_step(recording: Recording) -> None:
    for trainer in (0, 1):
        sent = recording.all("message", process=trainer)
        counts = Counter((e["what"], e["step"]) for e in sent)
        for step in range(1, STEPS + 1):
            assert (counts["send", step], counts["recv", step]) == (4, 4)
        assert (counts["send", 0], counts["recv", 0]) == (0, 4)
    updates = recording.all("message", process=2, what="update")
    assert [e["step"] for e in updates] == [1, 2, 3, 4]


def test_messages_lie_within_the_trace_and_after_one_another(
    recording: Recording,
) -> None:
    for process in (0, 1):
        messages = recording.all("message", process=process)
        ends = [e["start"] + e["duration"] for e in messages]
        starts = [e["start"] for e in messages]
        assert all(a <= b + 1e-5 for a, b in zip(ends, starts[1:], strict=False))
        assert all(end <= e["t"] + 1e-4 for end, e in zip(ends, messages, strict=True))


def test_the_server_draws_its_own_program_and_no_copies(recording: Recording) -> None:
    programs = [e["program"] for e in recording.all("program", process=2)]
    serving = [e for e in recording.all("op") if e["type"] == "listen_and_serv"]
    assert [e["program"] in programs for e in serving] == [True]


def test_whoever_watches_changes_nothing(recording: Recording) -> None:
    case = recording.names["case"]
    alone = dist.run_local(lambda role: train(case, OPTIMIZERS["momentum"]), 2, "a:1")
    for found, expected in zip(recording.names["results"], alone, strict=True):
        assert farthest(found, expected) == 0


def test_the_text_says_who_took_part(recording: Recording) -> None:
    assert "2 trainers, 1 server: 4 steps" in summary(recording.log)


def test_the_still_has_a_lane_for_each_and_a_bar_for_each_call(
    recording: Recording,
) -> None:
    step, messages = last_step(fold(recording.log))
    assert step == STEPS
    counts = Counter(m["what"] for m in messages)
    assert counts == {"send": 8, "recv": 8, "barrier": 4, "update": 1}
    bars, _ = timeline(fold(recording.log), 0, 0, 800)
    assert sum('rx="2"' in part for part in bars) == sum(counts.values())
    picture = still(recording.log)
    for title in ("trainer 0", "trainer 1", "server a:1"):
        assert f">{title}<" in picture


def test_a_checkpoint_that_takes_longer_does_not_stretch_the_step(
    recording: Recording,
) -> None:
    folded = fold(recording.log)
    before, _ = timeline(folded, 0, 0, 800)
    _, messages = last_step(folded)
    end = max(m["start"] + m["duration"] for m in messages)
    update = next(m for m in messages if m["what"] == "update")
    save: Any = {**update, "what": "save", "start": end - 1e-4, "duration": 5.0}
    folded.messages.append(save)
    after, _ = timeline(folded, 0, 0, 800)
    assert after[:-1] == before
    found = re.search(r'x="([\d.]+)" y="\d+" width="([\d.]+)"', after[-1])
    assert found is not None
    assert float(found[1]) + float(found[2]) <= 802


def test_trainers_without_servers_are_recorded_too() -> None:
    text = """\
def work(role):
    x = tg.to_tensor([float(role.index)])
    dist.all_reduce(x)
    return x.item()
results = dist.run_local(work, trainers=3)
"""
    sums = recorded(text).all("message", what="all_reduce")
    assert [e["process"] for e in sums] == [2, 0, 1]  # as they end


def test_tensors_of_each_process_are_recorded_inside_of_its_name() -> None:
    text = """\
def work(role):
    model = tg.DataParallel(tg.nn.Linear(2, 1))
    for step in range(20):
        loss = model(tg.ones([1, 2])).mean()
        loss.backward()
    return model.parameters()[0].grad.numpy()
sums = dist.run_local(work, trainers=2)
"""
    recording = recorded(text)
    nodes = recording.all("node")
    outer = {e["scope"].split("/")[0] for e in nodes}
    assert outer == {"trainer 0", "trainer 1"}
    assert "trainer 1/model/_layers" in {e["scope"] for e in nodes}
    for trainer in ("trainer 0", "trainer 1"):
        own = [e for e in nodes if e["scope"].startswith(trainer)]
        steps = Counter(e["type"] for e in own)["reduce_mean"]
        assert steps == 11, "the first 10 and the 16th"
    skipped = [e["count"] for e in recording.all("dropped", what="training steps")]
    assert sum(skipped) == 2 * 9
    sizes = [e["node"] for e in nodes]
    assert len({*sizes}) == len(sizes)
    first, second = recording.names["sums"]
    assert (first == second).all()


class Clock:
    """The log of a process whose clock is ahead, as a launcher gets it."""

    def __init__(self, role: dist.Role, ahead: float) -> None:
        self.log, self.ahead = RayProcess(__file__, role), ahead

    def events(self) -> tuple[list[Any], float]:
        events = self.log.take()
        for event in events:
            event["t"] += self.ahead
            if "start" in event:
                event["start"] += self.ahead
        return events, self.ahead


def merged_on_clocks(*ahead: float) -> Log:
    roles = [dist.Role(index=i, trainers=2) for i in range(2)]
    clocks = [Clock(role, seconds) for role, seconds in zip(roles, ahead, strict=True)]
    for clock in clocks:
        clock.log.begin()
    try:
        dist.run_local(lambda role: train(CASES["mlp"], OPTIMIZERS["sgd"]), 2, "a:1")
    finally:
        for clock in clocks:
            clock.log.end()
    return validate(merged("two", "text", [clock.events() for clock in clocks]))


def test_the_still_says_who_died(recording: Recording) -> None:
    folded = fold(recording.log)
    _, height = timeline(folded, 0, 0, 800)
    last = folded.messages[-1]
    folded.messages.append({**last, "process": 2, "what": "restart", "step": 3})
    parts, taller = timeline(folded, 0, 0, 800)
    assert ">server a:1 died and was restarted from step 3<" in "".join(parts)
    assert taller > height


def test_who_died_is_told_whatever_the_step_and_drawn() -> None:
    """The log of a server that took another's place, as a launcher gets it."""
    role = dist.Role("PSERVER", 0, trainers=2, endpoints=("a:1",))
    clock = Clock(role, 0.0)
    clock.log.begin()
    try:
        with as_process(role):
            announce_since(time.perf_counter() - 2.0, role, 1234, "restart")
    finally:
        clock.log.end()
    log = validate(merged("one", "text", [clock.events()]))
    (message,) = (e for e in log["events"] if e["kind"] == "message")
    assert (message["what"], message["process"]) == ("restart", 2)
    assert message["duration"] == pytest.approx(2.0, abs=0.5)
    assert "server a:1 died and was restarted from step 1234" in summary(log)


def test_logs_of_processes_are_put_on_one_clock() -> None:
    events: list[Any] = merged_on_clocks(1000.0, -3.0)["events"]
    messages = [e for e in events if e["kind"] == "message"]
    starts = sorted(e["start"] for e in messages)  # both watched the same calls
    assert starts[::2] == pytest.approx(starts[1::2], abs=1e-4)
    assert [e["t"] for e in events] == sorted(e["t"] for e in events)
    assert events[-1]["t"] < 60
    numbers = [e["op"] for e in events if e["kind"] == "op"]
    assert len({*numbers}) == len(numbers)
