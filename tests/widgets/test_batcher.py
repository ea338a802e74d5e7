"""Sending: what the outlet gets, also when it fails."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from threading import Event
from typing import Any

from teachgraph_widgets.batcher import Batcher
from teachgraph_widgets.lines import Source
from teachgraph_widgets.recorder import Recorder

import teachgraph as tg


class Shelf:
    """An outlet that puts everything on a shelf."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.state: dict[str, Any] = {}
        self.came = Event()

    def post(self, message: Mapping[str, Any]) -> None:
        self.messages.append(message)
        self.came.set()

    def keep(self, **state: Any) -> None:
        self.state |= state


class Broken(Shelf):
    """An outlet that nobody reads any more."""

    def post(self, message: Mapping[str, Any]) -> None:
        self.came.set()
        raise ConnectionError("the page is gone")


def chain(count: int) -> None:
    x = tg.ones([64])
    for _ in range(count):
        x = x * 1.01


def test_pieces_stay_under_a_megabyte_and_join_to_the_whole() -> None:
    recorder, shelf = Recorder(Source("")), Shelf()
    batcher = Batcher(recorder.log, shelf)
    recorder.begin()
    chain(2000)
    recorder.end()
    batcher.receive({"type": "gap", "first": 0, "last": len(recorder.log) - 1})
    sizes = [len(json.dumps(message)) for message in shelf.messages]
    assert len(sizes) > 1
    assert max(sizes) < 1_000_000
    joined = [event for message in shelf.messages for event in message["events"]]
    assert joined == recorder.log.events()


def test_what_was_not_sent_is_in_the_snapshot() -> None:
    recorder, shelf = Recorder(Source("")), Shelf()
    batcher = Batcher(recorder.log, shelf)
    recorder.begin()
    batcher.open()
    chain(10)
    assert shelf.came.wait(10), "the timer sends without being asked"
    chain(1000)
    recorder.end()
    batcher.close()
    log = json.loads(gzip.decompress(shelf.state["snapshot"]))
    assert log["events"] == recorder.log.events()
    assert shelf.state["head"] == {}


def test_a_timer_that_wakes_after_the_end_leaves_the_state_as_it_is() -> None:
    recorder, shelf = Recorder(Source("")), Shelf()
    batcher = Batcher(recorder.log, shelf)
    recorder.begin()
    chain(10)
    recorder.end()
    batcher.close()
    kept = dict(shelf.state)
    batcher.flush()
    assert shelf.state == kept
    assert kept["head"] == {}


def test_a_page_that_is_there_gets_the_rest_before_the_whole_is_packed() -> None:
    recorder, shelf = Recorder(Source("")), Shelf()
    batcher = Batcher(recorder.log, shelf)
    recorder.begin()
    batcher.receive({"type": "ready", "next": 0})
    chain(10)
    recorder.end()
    batcher.close()
    sent = [event for message in shelf.messages for event in message["events"]]
    assert sent == recorder.log.events()
    assert sent[-1]["kind"] == "cell_end"


def test_an_outlet_that_fails_is_given_up_and_said_so() -> None:
    recorder, broken = Recorder(Source("")), Broken()
    batcher = Batcher(recorder.log, broken)
    recorder.begin()
    batcher.open()
    chain(10)
    assert broken.came.wait(10)
    batcher._timer.join(10)  # it ends when it gives up
    chain(10)
    recorder.end()
    batcher.close()
    events: list[Any] = recorder.log.events()
    (dropped,) = (e for e in events if e["kind"] == "dropped")
    assert dropped["what"] == "messages"
    assert "the page is gone" in dropped["why"]
    assert sum(e["kind"] == "node" for e in events) == 22
    assert "snapshot" in broken.state
