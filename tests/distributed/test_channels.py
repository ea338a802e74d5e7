"""Channels among processes: whatever fails there, nothing changes."""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np
import pytest

from teachgraph import distributed as dist
from teachgraph.distributed import ray_channels, ray_transport
from teachgraph.distributed.errors import PeerError
from teachgraph.distributed.ray_channels import Channels, Circle
from teachgraph.distributed.ray_job import new_name, run_on_ray
from teachgraph.distributed.ray_process import Job, reconstructed
from teachgraph.distributed.transport import transport
from tests.distributed.training import (
    CASES,
    LARGE,
    OPTIMIZERS,
    SERVERS,
    Case,
    farthest,
    train,
    with_servers,
)

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("ray"),
]

AT, RESTARTS = 6, 3
"""The step at which something happens; how often a process may be restarted."""

SERVER, TRAINER = "server 10.0.0.1:6174", "trainer 1"


def disturbed(who: str, method: str, what: str) -> Any:
    """Train; in one process a channel fails, or the process dies before or after it.

    Returns:
        The parameters, and for each server how often channels were opened to it; 0 if
        none are open in the end.
    """
    if str(dist.current_role()) == who and not reconstructed():
        whole = getattr(Channels, method)

        def instead(channels: Channels, number: int, *rest: Any) -> Any:
            if number != AT:
                return whole(channels, number, *rest)
            if what == "fails":
                return None
            if what == "dies after":
                whole(channels, number, *rest)
            os.kill(os.getpid(), signal.SIGKILL)
            return None

        setattr(Channels, method, instead)
    return trained()


def trained(case: Case = LARGE) -> Any:
    parameters = train(case, OPTIMIZERS["momentum"], True, {}, 0.05)
    links = getattr(transport(), "links", {}).values()
    opened = [link.channels and 1 + RESTARTS - link.openings for link in links]
    return parameters, opened


def elsewhere() -> Any:
    """Train, with all servers on another machine than the trainers."""
    if dist.current_role().is_server:
        ray_channels.here = lambda: (None, "another")
    return trained()


def unknown() -> Any:
    """Train with a Ray of another major version."""
    ray_channels.MAJOR = "3."
    return trained()


def without_room() -> Any:
    """Train with a server that has no room for channels."""

    def full(*_: Any) -> None:
        raise MemoryError

    if str(dist.current_role()) == SERVER:
        ray_channels.channel_to = full
    return trained()


def small() -> Any:
    """Train with gradients that travel in a message."""
    return trained(CASES["mlp"])


def outcome(target: Any, *arguments: Any) -> tuple[list[Any], float]:
    """Numbers of openings of channels, and the distance of the result from threads'."""
    endpoints = tuple(SERVERS.split(","))
    job = Job(
        *(new_name(), (target, arguments), 2, endpoints), every=3, restarts=RESTARTS
    )
    (one, first), (other, second) = run_on_ray(job)
    threads = with_servers(
        CASES["mlp"] if target is small else LARGE, OPTIMIZERS["momentum"]
    )
    return [first, second], farthest(one, other) + farthest(one, threads)


def test_what_is_large_goes_through_channels() -> None:
    assert outcome(trained) == ([[1, 1], [1, 1]], 0)


@pytest.mark.full
@pytest.mark.parametrize("what", ["fails", "dies before", "dies after"])
@pytest.mark.parametrize("method", ["read", "write"])
def test_whatever_happens_to_a_server_in_a_channel_nothing_changes(
    method: str, what: str
) -> None:
    assert outcome(disturbed, SERVER, method, what) == ([[2, 1], [2, 1]], 0)


@pytest.mark.full
@pytest.mark.parametrize("what", ["fails", "dies before", "dies after"])
@pytest.mark.parametrize("method", ["read", "write"])
def test_whatever_happens_to_a_trainer_in_a_channel_nothing_changes(
    method: str, what: str
) -> None:
    opened = [2, 2] if what == "fails" else [1, 1]
    assert outcome(disturbed, TRAINER, method, what) == ([[1, 1], opened], 0)


@pytest.mark.full
@pytest.mark.parametrize("target", [elsewhere, unknown, small])
def test_without_channels_all_goes_in_calls(target: Any) -> None:
    assert outcome(target) == ([[None, None], [None, None]], 0)


@pytest.mark.full
def test_a_server_without_room_for_channels_is_asked_in_calls() -> None:
    assert outcome(without_room) == ([[None, 1], [None, 1]], 0)


SIZES = 10, 50_000, 50_000, 200_000, 50_000
"""Of sums: small ones, large ones, and one that has no room in the channels."""


def sums(what: str = "") -> Any:
    """Add arrays over the trainers, of whom the second one is somehow in the way."""
    rank = dist.get_rank()
    another, actor = rank == 1, ray_channels.here()[0]
    if what == "another machine" and another:
        ray_transport.here = lambda: (actor, "another")
    if what == "another version" and another:
        ray_channels.MAJOR = "3."
    if what == "no room" and another:
        Circle.write = lambda *_: False  # type: ignore[method-assign]
    found = [
        transport().all_reduce(np.arange(size) * (rank + place))
        for place, size in enumerate(SIZES)
    ]
    return found, transport().circle is not None  # type: ignore[attr-defined]


@pytest.mark.full
@pytest.mark.parametrize(
    ("what", "shared"),
    [
        *(("", True), ("no room", True)),
        *(("another machine", False), ("another version", False)),
    ],
)
def test_a_sum_over_trainers_is_the_same_however_its_parts_travel(
    what: str, shared: bool
) -> None:
    for found, opened in run_on_ray(Job(new_name(), (sums, (what,)), 3)):
        assert opened is shared
        for place, (size, total) in enumerate(zip(SIZES, found, strict=True)):
            np.testing.assert_array_equal(total, np.arange(size) * (3 + 3 * place))


def cut_off() -> None:
    """Add large arrays until a trainer dies between writing and meeting."""
    write = Circle.write

    def written(circle: Circle, part: Any) -> bool:
        done = write(circle, part)
        if dist.get_rank() == 1 and part[0] == AT:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    Circle.write = written  # type: ignore[method-assign]
    for step in range(2 * AT):
        transport().all_reduce(np.full(50_000, step))


def test_who_adds_with_a_trainer_that_dies_is_told() -> None:
    with pytest.raises(PeerError, match="trainer 1"):
        run_on_ray(Job(new_name(), (cut_off, ()), 2, restarts=0))


def test_a_channel_tells_of_what_it_has_not() -> None:
    class Slot:
        """A channel in this process."""

        value: Any = None

        def write(self, value: Any, _: float) -> None:
            self.value = value

        def read(self, _: float) -> Any:
            return self.value

    slot, values = Slot(), {"w": np.ones(1000)}
    channels = Channels(slot, slot, ray_channels.room_for(values))
    assert channels.write(1, values)
    assert channels.read(2) is None
    read = channels.read(1)
    assert read is not None
    assert read["w"] is values["w"]
    assert not channels.write(2, {"w": np.ones(1001)})
    assert slot.value[0] == 1
