"""The cost of training on many processes: `python -m tests.benchmarks.cluster`.

Prints a figure for each bar, and what the machine had free. Both sides of a ratio run
in turn, some rounds; each side counts with its best round, since others use the machine
too. A round is the median of its steps, without the first ones: until Ray's object
store has been all round, each process maps fresh memory. Each process has one thread
for NumPy: set `OPENBLAS_NUM_THREADS=1`, or this does.

A step of two trainers and bare calls alternate in one job, in blocks of a few steps;
the ratio of a job is the median over the ratios of neighbours, for the machine's speed
changes between minutes by more than what is measured; the figure is the mean over jobs.

Bare calls wait for both trainers, as any sync server must, but neither compute a
gradient nor update with it. The same with both, written by hand in NumPy, says what
that adds: an array that comes from another process is in no cache.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import time
from collections.abc import Callable
from contextlib import nullcontext
from itertools import count
from statistics import median
from typing import Any

import numpy as np

import teachgraph as tg
from teachgraph import distributed as dist
from teachgraph import fluid
from teachgraph.distributed.local import LocalCluster, run_in
from teachgraph.distributed.ray_job import new_name, ray_started, run_on_ray
from teachgraph.distributed.ray_process import Job
from teachgraph.distributed.simulation import fitted, server_step
from teachgraph.distributed.transport import transport

SIDE, STEPS, WARM = 512, 100, 40
"""A model of 1 MB: one weight, [512, 512] in float32; steps, and those before them."""

SERVER = "10.0.0.1:6174"

ROUNDS = 5

JOBS, BLOCKS, BLOCK = 12, 10, 8
"""Jobs whose trainers alternate with bare calls, blocks of each, and steps of one. From
job to job the ratio scatters by 4 %, however many blocks: it depends on where memory
lies. Beside other work it is lower, as bare calls keep more processes busy.
"""

EVERY = 5
"""Steps from one checkpoint to the next: few, or the steps that a server remembers for
trainers that are behind take fresh memory all the time."""


def program(layers: int = 1, side: int = SIDE) -> tuple[Any, Any, Any]:
    """A network of square layers, with momentum."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        y = fluid.layers.data("x", [side])
        for _ in range(layers):
            y = fluid.layers.fc(y, side, bias_attr=False)
        loss = fluid.layers.mean(y * y)
        fluid.optimizer.Momentum(0.01, 0.9).minimize(loss)
    return main, startup, loss


def timed(step: Callable[[], Any], count: int = STEPS, warm: int = WARM) -> list[float]:
    """Seconds of each step, without the first few."""
    found = []
    for _ in range(count + warm):
        start = time.perf_counter()
        step()
        found.append(time.perf_counter() - start)
    return found[warm:]


def plain(rows: int, layers: int, side: int = SIDE) -> list[float]:
    """Steps of a program as it is."""
    main, startup, loss = program(layers, side)
    batch = np.ones((rows, side), "float32")
    executor = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        executor.run(startup)
        return timed(lambda: executor.run(main, {"x": batch}, [loss]))


def trainer_step(rows: int, layers: int, side: int = SIDE) -> Any:
    """Build the step of its trainer; a server serves, and returns None."""
    role = dist.current_role()
    main, startup, loss = program(layers, side)
    transpiler = fluid.DistributeTranspiler()
    number = 0 if role.is_server else role.index
    transpiler.transpile(number, main, SERVER, role.trainers, True, startup)
    executor = fluid.Executor()
    if role.is_server:
        server, its_startup = transpiler.get_pserver_programs(SERVER)
        executor.run(its_startup)
        executor.run(server)
        return None
    batch = np.ones((rows, side), "float32")
    trainer = transpiler.get_trainer_program()
    executor.run(startup)
    return lambda: executor.run(trainer, {"x": batch}, [loss])


def transpiled(rows: int, layers: int, side: int = SIDE) -> Any:
    """Steps of its trainer, or what its server does."""
    step = trainer_step(rows, layers, side)
    return None if step is None else timed(step)


def in_threads() -> tuple[float, float]:
    """A step with LocalTransport and one trainer, over the plain one; bytes a step."""
    rows, layers = 256, 4
    alone, found = list[float](), list[float]()
    for _ in range(ROUNDS):
        alone.append(median(plain(rows, layers)))
        cluster = LocalCluster(1, [SERVER])
        (steps,) = run_in(cluster, lambda role: transpiled(rows, layers))
        found.append(median(steps))
    return min(found) / min(alone), cluster.bytes_sent / (STEPS + WARM)


class Bare:
    """An actor that answers as a server does, and computes next to nothing."""

    def __init__(self) -> None:
        from threading import Condition

        self.changed, self.step, self.here = Condition(), 0, list[Any]()
        self.value = np.zeros((SIDE, SIDE), "float32")
        self.velocity = np.zeros_like(self.value)

    def exchange(self, step: int, gradient: Any) -> Any:
        """Wait for the other, then return as many bytes."""
        with self.changed:
            self.here.append(gradient)
            if len(self.here) == 2:
                self.apply(*self.here)
                self.here, self.step = [], step
                self.changed.notify_all()
            self.changed.wait_for(lambda: self.step >= step)
            return self.value

    def apply(self, one: Any, other: Any) -> None:
        """Make another value of it."""
        self.value = self.value + other


class ByHand(Bare):
    """An actor that updates as a server does, by momentum."""

    def apply(self, one: Any, other: Any) -> None:
        """Take a step along the mean of two gradients."""
        self.velocity = 0.9 * self.velocity + 0.5 * (one + other)
        self.value = self.value - 0.01 * self.velocity


def bare_step(name: str, kind: type[Bare]) -> Callable[[], None]:
    """Build a step that moves the same bytes by calls, and computes by hand or not."""
    import ray

    actor = (
        ray.remote(kind)
        .options(
            name=name,
            namespace="teachgraph",
            get_if_exists=True,
            num_cpus=0,
            max_concurrency=8,
        )
        .remote()
    )
    steps, x = count(1), np.ones((8, SIDE), "float32")
    weight = gradient = np.zeros((SIDE, SIDE), "float32")

    def step() -> None:
        nonlocal weight, gradient
        if kind is ByHand:  # of the mean of the squares of x W
            y = x @ weight
            gradient = x.T @ (2.0 / y.size * y)
        weight = np.array(ray.get(actor.exchange.remote(next(steps), gradient)))

    return step


def compared(name: str) -> Any:
    """Seconds of a step in each block: ours, bare, by hand; and bytes of a step."""
    ours = trainer_step(8, 1)
    if ours is None:
        return None
    kinds = (("bare", Bare), ("by hand", ByHand))
    ways = [ours, *(bare_step(f"{name} {what}", kind) for what, kind in kinds)]
    for step in ways:
        timed(step, 0)
    moved: Any = transport()
    before = moved.bytes_sent + moved.bytes_received
    blocks = [[median(timed(step, BLOCK, 2)) for step in ways] for _ in range(BLOCKS)]
    bytes_moved = moved.bytes_sent + moved.bytes_received - before
    dist.barrier()  # Ray ends an actor when the last who knows it lets it go
    return blocks, bytes_moved / (BLOCKS * (BLOCK + 2))


def parallel(work: float, exchange: bool = True) -> list[float]:
    """Steps of DataParallel: a model of 1 MB, with so many seconds of compute."""
    net = tg.DataParallel(tg.nn.Linear(SIDE, SIDE))
    optimizer = tg.optimizer.SGD(0.01, parameters=net.parameters())
    x, noise = tg.ones([8, SIDE]), np.ones((200, 200))

    def step() -> None:
        end = time.process_time() + work / dist.get_world_size()
        while time.process_time() < end:
            noise @ noise
        with nullcontext() if exchange else net.no_sync():
            net(x).mean().backward()
        optimizer.step()
        optimizer.clear_grad()

    return timed(step, 15, 5)


def ray_job(target: Callable[..., Any], *rest: Any, **settings: Any) -> list[Any]:
    """Run a function on processes."""
    job = Job(new_name(), (target, rest), **{"trainers": 2, "every": EVERY, **settings})
    return run_on_ray(job)


def line(what: str, value: float, bar: str) -> None:
    """Print one figure."""
    print(f"{what:58} {value:8.3f}   {bar}")


def bare_calls() -> tuple[float, float, float, float]:
    """Seconds of a step; it, and one by hand, over bare calls; its bytes over 4 MB."""
    found = []
    for _ in range(JOBS):
        results = ray_job(compared, new_name(), endpoints=(SERVER,))
        ours, bare, hand = np.mean([blocks for blocks, _ in results], 0).T
        found.append([np.median(each) for each in (ours, ours / bare, hand / bare)])
    steps, ratio, by_hand = np.mean(found, 0)
    share = sum(moved for _, moved in results) / (4 * 4 * SIDE**2)
    return float(steps), float(ratio), float(by_hand), share


def speed_up() -> tuple[float, float]:
    """Speed of two processes of DataParallel over one; the same without exchange.

    The second is what the machine had free: no exchange can be faster.
    """
    one, two, free = list[float](), list[float](), list[float]()
    for _ in range(ROUNDS):
        one.append(median(ray_job(parallel, 0.2, trainers=1)[0]))
        two.append(median(ray_job(parallel, 0.2)[0]))
        free.append(median(ray_job(parallel, 0.2, False)[0]))
    return min(one) / min(two), min(one) / min(free)


def step_of(side: int, trainers: int) -> float:
    """Seconds of a step on Ray without its computing: the best of a few rounds."""
    found = list[float]()
    for _ in range(2):
        results = ray_job(
            transpiled, 8, 1, side, endpoints=(SERVER,), trainers=trainers
        )
        found.append(min(map(median, results)))
    return min(found) - min(plain(8, 1, side))


def simulated() -> None:
    """Fit the simulation to five points, and print what it foretells of the others."""
    sizes = {side: 4.0 * side * side for side in (256, 512, 1024)}
    found = {
        (trainers, size): step_of(side, trainers)
        for trainers in (1, 2, 3)
        for side, size in sizes.items()
    }
    ends = {(2, min(sizes.values())), (2, max(sizes.values()))}
    fit = {point for point in found if point[0] == 1} | ends
    network = fitted({point: found[point] for point in fit})
    line("fitted to five points: MB a second", network.bandwidth / 1e6, "")
    line("  milliseconds of overhead a message", 1e3 * network.overhead, "")
    line("  milliseconds of latency", 1e3 * network.latency, "")
    for (trainers, size), seconds in found.items():
        told = server_step(trainers, size, network=network)
        what = f"{trainers} trainers, {size / 2**20:g} MB: milliseconds"
        kind = "fitted" if (trainers, size) in fit else "simulated"
        line(what, 1e3 * seconds, f"{kind} {1e3 * told:.1f}: {told / seconds:.2f}")


def main() -> None:
    """Measure and print."""
    ratio, moved = in_threads()
    line("LocalTransport, one trainer, over the plain program", ratio, "<= 1.15")
    share = moved / (2 * 4 * SIDE * SIDE * 4)
    line("bytes a step over 2 x model x trainers", share, "1 +- 0.05")
    free = f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"
    print(f"clusters on one machine with {free}:")
    with ray_started():
        steps, ratio, hand, share = bare_calls()
        line("a step of 2 trainers and 1 server, seconds", steps, "")
        line("  over the same bytes by bare Ray calls", ratio, "<= 1.3")
        line("  the same step written by hand, over bare Ray calls", hand, "")
        line("  bytes over 2 x model x trainers", share, "1 +- 0.05")
        faster, free = speed_up()
        what = "DataParallel, 2 processes, 200 ms: faster than one by"
        line(what, faster, ">= 1.6")
        line("  two that exchange nothing: what was free", free, "")
        simulated()
    print(f"load in the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
