"""Simulation of one step of many trainers, message by message.

A machine sends one message at a time and receives one at a time, each at its bandwidth
and with an overhead, in which both are busy; a message needs a latency besides:

    free(sender), free(receiver) -> + overhead + bytes / bandwidth -> + latency

Where all processes are on one machine there is no line: bytes are copied, by as many
processors at once as there are. The overhead is Python's, which takes its turns.

With servers each trainer sends its gradient and fetches the parameters, so the servers'
lines are full for 2 N M / (S B) seconds. In a ring each machine passes 2 (N - 1) parts
of M / N bytes on, so its line is full for 2 M / B, however many there are, but the
latency counts 2 (N - 1) times.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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
        copies: Messages whose bytes a machine moves at once, in each direction: 1 over
            a network; between processes of one machine its number of processors.
    """

    bandwidth: float = 1.25e9
    latency: float = 50e-6
    update: float = 0.0
    overhead: float = 0.0
    copies: int = 1


class Simulation:
    """Events in the order of their time.

    Attributes:
        now: The time.
    """

    def __init__(self, network: Network) -> None:
        self.network, self.now = network, 0.0
        self.events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self.numbers = count()
        self.busy: dict[Any, float] = {}
        self.moving: dict[Any, list[float]] = {}

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
        """Send a message, let something happen when it has come.

        Returns the time at which its sender is free for another: what is sent before
        would hold up others at the receiver.
        """
        ends = ("out", source), ("in", target)
        lanes = [self.moving.setdefault(e, [0.0] * self.network.copies) for e in ends]
        free = [self.busy.get(end, 0.0) for end in ends]
        talked = max(self.now, *free, *map(min, lanes)) + self.network.overhead
        left = talked + size / self.network.bandwidth
        self.busy.update(dict.fromkeys(ends, talked))
        for lane in lanes:
            heapq.heapreplace(lane, left)
        self.at(left + self.network.latency, event, *rest)
        return max(talked, min(lanes[0]))

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
            free = self.send(source, first, size, event, first)
            self.at(free, self.send_each, source, others, size, event)

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


def fitted(points: Mapping[tuple[int, float], float], copies: int = 1) -> Network:
    """Find the network that explains measured steps with one server best.

    Simulated times are linear in overhead, time a byte and latency, as long as the
    messages come in the same order: a few steps of least squares find the three.

    Args:
        points: Seconds of a step without its computing, by (N, M); with two numbers of
            trainers and two sizes, at least.
        copies: Messages whose bytes are moved at once.

    >>> truth = Network(bandwidth=1e9, latency=1e-3, overhead=2e-3)
    >>> steps = [(1, 1e6), (1, 4e6), (2, 1e6)]
    >>> found = fitted({(n, m): server_step(n, m, network=truth) for n, m in steps})
    >>> [round(1e9 / found.bandwidth, 3), round(found.overhead, 4)]
    [1.0, 0.002]
    """
    seconds = np.array([*points.values()])
    scale = np.array([1e-9, 1e-3, 1e-3])  # a nanosecond a byte, milliseconds
    found = np.ones(3)
    for _ in range(FITTING_STEPS):
        told = simulated(points, found * scale, copies)
        slopes = [
            simulated(points, (found + one) * scale, copies) - told
            for one in SMALL * np.eye(3)
        ]
        change, *_ = np.linalg.lstsq(np.array(slopes).T / SMALL, seconds - told)
        found = np.maximum(found + change, SMALL)
    return network_of(found * scale, copies)


FITTING_STEPS, SMALL = 8, 1e-6


def network_of(values: Any, copies: int) -> Network:
    """The network of these seconds a byte, of overhead and of latency."""
    per_byte, overhead, latency = values.tolist()
    return Network(1 / per_byte, latency, overhead=overhead, copies=copies)


def simulated(points: Iterable[tuple[int, float]], values: Any, copies: int) -> Any:
    """Seconds of steps in the network of these values."""
    network = network_of(values, copies)
    return np.array([server_step(n, m, network=network) for n, m in points])


def nothing(*_: Any) -> None:
    """Let a message arrive."""
