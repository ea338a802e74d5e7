"""Servers that die with steps they have answered, but not saved: nothing changes."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from teachgraph import distributed as dist
from teachgraph.distributed.checkpoint import checkpoint_file, load_state
from teachgraph.distributed.ray_channels import ChannelServing
from teachgraph.distributed.ray_job import Cluster, new_name, run_on_ray
from teachgraph.distributed.ray_process import Job, reconstructed
from tests.distributed.test_cluster import tables_of
from tests.distributed.training import (
    CASES,
    OPTIMIZERS,
    SERVERS,
    STEPS,
    farthest,
    train,
    with_servers,
)

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("ray"),
]

ONE, TWO = SERVERS.split(",")


def die() -> None:
    time.sleep(0.5)  # answers to others are on their way
    os.kill(os.getpid(), signal.SIGKILL)


def replace(method: str, other: Callable[..., Any]) -> None:
    """Let this server answer in another way."""
    setattr(ChannelServing, method, other)


def forget_from(step: int) -> None:
    """Let this server save nothing of a step and those after it."""
    save = ChannelServing.save

    def save_before(self: Any, state: Any) -> None:
        if state.step >= step:
            threading.Event().wait()
        save(self, state)

    replace("save", save_before)


def answer_only(trainer: int, step: int) -> Callable[[], None]:
    """Build what lets a server die with the answer of a step to the other trainers."""

    def prepare() -> None:
        exchange = ChannelServing.exchange

        def exchange_or_die(self: Any, sender: int, number: int, *rest: Any) -> Any:
            reply = exchange(self, sender, number, *rest)
            if number == step and sender != trainer:
                die()
            return reply

        forget_from(step)
        replace("exchange", exchange_or_die)

    return prepare


def answer_until(method: str, step: int) -> Callable[[], None]:
    """Build what lets a server die in a method once a step is applied."""

    def prepare() -> None:
        original = getattr(ChannelServing, method)

        def called_or_die(self: Any, *rest: Any) -> Any:
            if self.server.step == step:
                die()
            return original(self, *rest)

        forget_from(step)
        replace(method, called_or_die)

    return prepare


class Deaths(NamedTuple):
    """A network, and how servers die by their address."""

    network: str
    of: dict[str, Callable[[], None]]


DEATHS = {
    "one trainer has its answer": Deaths("mlp", {TWO: answer_only(0, 4)}),
    "each has that of another server": Deaths(
        "mlp", {ONE: answer_only(1, 4), TWO: answer_only(0, 4)}
    ),
    "rows are asked for": Deaths("words", {TWO: answer_until("pull", 4)}),
    "the trainers end": Deaths("mlp", {TWO: answer_until("bye", STEPS)}),
}


def train_until(deaths: Deaths) -> Any:
    role = dist.current_role()
    if role.is_server and role.endpoint in deaths.of and not reconstructed():
        deaths.of[role.endpoint]()
    return train(CASES[deaths.network], OPTIMIZERS["momentum"])


REPRESENTATIVE = "each has that of another server"
"""The one that always runs: the others are told of by the same calls."""


@pytest.mark.parametrize(
    "when",
    [
        pytest.param(n, marks=pytest.mark.full if n != REPRESENTATIVE else ())
        for n in DEATHS
    ],
)
def test_a_server_dies_with_a_step_it_has_answered(when: str, tmp_path: Path) -> None:
    deaths, seen = DEATHS[when], list[Cluster]()
    given = Job(
        new_name(),
        (train_until, (deaths,)),
        *(2, (ONE, TWO)),
        folder=str(tmp_path),
        limit=60.0,
    )
    first, second = run_on_ray(given, watch=seen.append)
    died = {role.endpoint: many for role, many in seen[-1].deaths.items()}
    assert died == dict.fromkeys(deaths.of, 1)
    states = [load_state(checkpoint_file(tmp_path, end)) for end in (ONE, TWO)]
    assert [state and state.step for state in states] == [STEPS, STEPS]
    threads = with_servers(CASES[deaths.network], OPTIMIZERS["momentum"])
    assert farthest(first, second) == 0
    assert farthest({**first, **tables_of(tmp_path)}, threads) == 0
