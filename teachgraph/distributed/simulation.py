"""Simulation of one step of many trainers, message by message.

A machine sends one message at a time and receives one at a time, each at its bandwidth
and with an overhead, in which both are busy; a message needs a latency besides:

    free(sender), free(receiver) -> + overhead + bytes / bandwidth -> + latency

With servers each trainer sends its gradient and fetches the parameters, so the servers'
lines are full for 2 N M / (S B) seconds. In a ring each machine passes 2 (N - 1) parts
of M / N bytes on, so its line is full for 2 M / B, however many there are, but the
latency counts 2 (N - 1) times.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

__all__ = ["Network", "fitted", "ring_step", "server_step"]


@dataclass(frozen=True)
class Network:
    """Speeds of machines and of the lines between them.

    Attributes:
        bandwidth: Bytes a second, of each machine in each direction.
        latency: Seconds that a message is on its way besides.
        overhead: Seconds that sender and receiver are busy with a message, however
            small: Python, and the copying that Ray does.
        update: Seconds that a server computes for each byte it keeps.
    """

    bandwidth: float = 1.25e9
    latency: float = 50e-6
    update: float = 0.0
    overhead: float = 0.0


class Simulation:
    """Events in the order of their time.

    Attributes:
        now: The time.
    """

    def __init__(self, network: Network) -> None:
        self.network, self.now = network, 0.0
        self.events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self.numbers = count()
        self.out_free: dict[Any, float] = {}
        self.in_free: dict[Any, float] = {}

    def at(self, time: float, event: Callable[..., None], *rest: Any) -> None:
        """Let something happen at a time."""
        heapq.heappush(self.events, (time, next(self.numbers), event, rest))

    def send(
        self,
        source: Any,
        target: Any,
        size: float,
        event: Callable[..., None],
        *rest: Any,
    ) -> float:
        """Send a message, let something happen when it has come; tell when it has left.

        What is sent before its sender is free would hold up others at the receiver.
        """
        out, into = self.out_free.get(source, 0.0), self.in_free.get(target, 0.0)
        busy = self.network.overhead + size / self.network.bandwidth
        left = max(self.now, out, into) + busy
        self.out_free[source] = self.in_free[target] = left
        self.at(left + self.network.latency, event, *rest)
        return left

    def send_each(
        self,
        source: Any,
        targets: Sequence[Any],
        size: float,
        event: Callable[..., None],
    ) -> None:
        """Send a message to each of several receivers, one after the other."""
        if targets:
            first, *others = targets
            left = self.send(source, first, size, event, first)
            self.at(left, self.send_each, source, others, size, event)

    def run(self) -> float:
        """Let everything happen; return the time of the last event."""
        while self.events:
            self.now, _, event, rest = heapq.heappop(self.events)
            event(*rest)
        return self.now


def server_step(
    trainers: int,
    model: float,
    compute: float = 0.0,
    servers: int = 1,
    network: Network | None = None,
) -> float:
    """Seconds of one synchronous step with parameter servers.

    Args:
        trainers: Their number N.
        model: The size of all parameters in bytes, M.
        compute: Seconds of forward and backward.
        servers: Their number S; each keeps M / S bytes.
        network: The machines and lines.

    >>> one, ten = (server_step(n, 100e6) for n in (1, 10))
    >>> round(one, 2), round(ten, 2)
    (0.16, 1.6)
    """
    simulation = Simulation(network or Network())
    part, arrived = model / servers, Counter[Any]()
    everybody = [("trainer", trainer) for trainer in range(trainers)]
    serving = [("server", server) for server in range(servers)]

    def computed(trainer: int) -> None:
        first = trainer % servers  # begin with different ones, so that none waits
        targets = serving[first:] + serving[:first]
        simulation.send_each(everybody[trainer], targets, part, received)

    def received(server: Any) -> None:
        arrived[server] += 1
        if arrived[server] == trainers:
            done = simulation.now + part * simulation.network.update
            simulation.at(done, updated, server)

    def updated(server: Any) -> None:
        first = server[1] * trainers // servers
        targets = everybody[first:] + everybody[:first]
        simulation.send_each(server, targets, part, nothing)

    for trainer in range(trainers):
        simulation.at(compute, computed, trainer)
    return simulation.run()


def ring_step(
    trainers: int, model: float, compute: float = 0.0, network: Network | None = None
) -> float:
    """Seconds of one step in which a ring of trainers sums the gradients.

    Args:
        trainers: Their number N.
        model: The size of all gradients in bytes, M.
        compute: Seconds of forward and backward.
        network: The machines and lines.

    >>> two, ten = (ring_step(n, 100e6) for n in (2, 10))
    >>> round(two, 2), round(ten, 2)
    (0.08, 0.14)
    """
    simulation = Simulation(network or Network())
    part, rounds = model / trainers, 2 * (trainers - 1)

    def pass_on(trainer: int, number: int) -> None:
        if number < rounds:
            neighbour = (trainer + 1) % trainers
            simulation.send(trainer, neighbour, part, pass_on, neighbour, number + 1)

    for trainer in range(trainers):
        simulation.at(compute, pass_on, trainer, 0)
    return simulation.run()


def fitted(points: Mapping[tuple[int, float], float]) -> Network:
    """Find the network that explains measured steps with one server best.

    A step of N trainers and M bytes keeps the server's line busy with 2 N messages:

        2 N (overhead + M / bandwidth) + 2 latency

    Args:
        points: Seconds of a step without its computing, by (N, M); with two numbers of
            trainers and two sizes, at least.

    >>> truth = Network(bandwidth=1e9, latency=1e-3, overhead=2e-3)
    >>> steps = [(1, 1e6), (1, 4e6), (2, 1e6)]
    >>> found = fitted({(n, m): server_step(n, m, network=truth) for n, m in steps})
    >>> [round(1e9 / found.bandwidth, 3), round(found.overhead, 4)]
    [1.0, 0.002]
    """
    terms = [[2 * n * m, 2 * n, 2] for n, m in points]
    seconds = np.array([*points.values()])
    solution, *_ = np.linalg.lstsq(np.array(terms), seconds)
    per_byte, overhead, latency = solution.tolist()
    return Network(1 / per_byte, max(latency, 0.0), overhead=max(overhead, 0.0))


def nothing(*_: Any) -> None:
    """Let a message arrive."""
