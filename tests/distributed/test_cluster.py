"""Trainings on a real Ray equal those in threads, bit for bit, whoever is killed."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import distributed as dist
from teachgraph.distributed.checkpoint import checkpoint_file, load_state
from teachgraph.distributed.errors import PeerError, TimeLimitError
from teachgraph.distributed.ray_job import Cluster, new_name, run_on_ray
from teachgraph.distributed.ray_process import Job
from tests.distributed.test_collective import EAGER, net, steps
from tests.distributed.test_messages import END, WRONG, applied, case_of, sending, sgd
from tests.distributed.training import (
    CASES,
    LARGE,
    OPTIMIZERS,
    SERVERS,
    STEPS,
    farthest,
    share,
    train,
    with_servers,
)

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("ray"),
]

ENDPOINTS = tuple(SERVERS.split(","))
LIMIT = 60.0


def job(target: Callable[..., Any], *arguments: Any, **settings: Any) -> Job:
    given = {"trainers": 2, "limit": LIMIT, **settings}
    return Job(new_name(), (target, arguments), **given)


def training(network: str, optimizer: str, *rest: Any) -> dict[str, Any]:
    return train(CASES[network], OPTIMIZERS[optimizer], *rest)


class Killer:
    """Kills processes when they have come to a step, each as often as it is named."""

    def __init__(self, *who: tuple[str, int]) -> None:
        self.left, self.killed = list(who), set[int]()

    def __call__(self, cluster: Cluster) -> None:
        for role, status in cluster.statuses.items():
            if status.pid in self.killed:  # what is known of it is from before
                continue
            for name, step in self.left:
                if str(role) == name and status.step >= step:
                    self.left.remove((name, step))
                    self.killed.add(status.pid)
                    os.kill(status.pid, signal.SIGKILL)
                    break


def trained_with_kills(
    *who: tuple[str, int], every: int = 1, sync: bool = True
) -> tuple[list[Any], Cluster]:
    seen: list[Cluster] = []
    kill = Killer(*who)

    def watch(cluster: Cluster) -> None:
        seen.append(cluster)
        kill(cluster)

    given = job(
        training, "mlp", "momentum", sync, {}, 0.1, endpoints=ENDPOINTS, every=every
    )
    results = run_on_ray(given, watch=watch)
    assert not kill.left, "it ended before all were killed"
    return results, seen[-1]


def with_data(data: np.ndarray[Any, Any], pause: float) -> Any:
    return data.sum(), training("mlp", "momentum", True, {}, pause)


@pytest.mark.full
def test_a_restarted_process_finds_its_large_arguments() -> None:
    killer = Killer(("server 10.0.0.2:6174", 4), ("trainer 1", 9))
    given = job(with_data, np.ones(300_000), 0.1, endpoints=ENDPOINTS)
    results = run_on_ray(given, watch=killer)
    assert not killer.left
    for total, trained in results:
        assert total == 300_000
        assert farthest(trained, in_threads()) == 0


def in_threads(optimizer: str = "momentum") -> dict[str, Any]:
    return with_servers(CASES["mlp"], OPTIMIZERS[optimizer])


def test_a_server_and_a_trainer_are_killed_and_nothing_changes() -> None:
    killed = ("server 10.0.0.2:6174", 4), ("trainer 1", 9)
    results, cluster = trained_with_kills(*killed)
    assert {str(role): n for role, n in cluster.deaths.items()} == {
        name: 1 for name, _ in killed
    }
    assert farthest(*results) == 0
    assert farthest(results[0], in_threads()) == 0


@pytest.mark.full
@pytest.mark.parametrize("every", [1, 5])
@pytest.mark.parametrize(
    "killed",
    [
        [],
        [("server 10.0.0.1:6174", 3), ("server 10.0.0.2:6174", 3)],
        [("trainer 0", 6), ("trainer 1", 6)],
        [("trainer 0", 3), ("trainer 0", 9), ("server 10.0.0.1:6174", 6)],
        [("server 10.0.0.1:6174", 4), ("server 10.0.0.1:6174", 10)],
        [("trainer 1", 8), ("server 10.0.0.1:6174", 9)],
    ],
    ids=[
        *("none", "both servers", "both trainers", "trainer twice", "server twice"),
        "server after trainer",
    ],
)
def test_whoever_is_killed_nothing_changes(
    killed: list[tuple[str, int]], every: int
) -> None:
    results, _ = trained_with_kills(*killed, every=every)
    assert farthest(*results) == 0
    assert farthest(results[0], in_threads()) == 0


@pytest.mark.full
@pytest.mark.parametrize(
    ("network", "optimizer"),
    [
        *(("mlp", "sgd"), ("mlp", "adam"), ("mlp", "scheduled")),
        *(("conv", "sgd"), ("conv", "momentum"), ("conv", "adam")),
        *(("words", "sgd"), ("words", "momentum"), ("words", "adam")),
    ],
)
def test_ray_equals_threads_bit_for_bit(
    network: str, optimizer: str, tmp_path: Path
) -> None:
    given = job(training, network, optimizer, endpoints=ENDPOINTS, folder=str(tmp_path))
    first, second = run_on_ray(given)
    assert farthest(first, second) == 0
    threads = with_servers(CASES[network], OPTIMIZERS[optimizer])
    assert farthest({**first, **tables_of(tmp_path)}, threads) == 0


def tables_of(folder: Path) -> dict[str, Any]:
    """The table that stays on the servers, from their last checkpoints."""
    states = [load_state(checkpoint_file(folder, endpoint)) for endpoint in ENDPOINTS]
    values = {n: v for state in states if state for n, v in state.values.items()}
    slices = sorted(n for n in values if re.fullmatch(r"embedding_0\.w_0\.block\d", n))
    parts = [values[name] for name in slices]
    return {"embedding_0.w_0": np.concatenate(parts)} if parts else {}


@pytest.mark.full
def test_async_with_one_trainer_equals_sync_and_survives() -> None:
    given = job(
        *(training, "mlp", "momentum", False, {}, 0.15),
        endpoints=ENDPOINTS,
        trainers=1,
    )
    killer = Killer(("server 10.0.0.1:6174", 5))
    (result,) = run_on_ray(given, watch=killer)
    assert not killer.left
    sync = with_servers(CASES["mlp"], OPTIMIZERS["momentum"], trainers=1)
    assert farthest(result, sync) == 0


def parallel(optimizer: str) -> Any:
    rank, count = dist.get_rank(), dist.get_world_size()
    mine = dist.Role(index=rank, trainers=count)
    model = tg.DataParallel(net(), None, 1e-5, 1e-5)
    batches = [share(batch, mine) for batch in CASES["mlp"].batches]
    trained = steps(model, EAGER[optimizer](model.parameters()), batches)
    return trained, exchanged(rank)


def exchanged(rank: int) -> list[float]:
    """Results of the functions between trainers, on small and large arrays."""
    large = tg.to_tensor(np.full(40_000, rank + 1.0, "float32"))
    dist.all_reduce(large)
    small = tg.to_tensor([float(rank)])
    if rank == 0:
        dist.send(tg.to_tensor([7.0]), dst=1)
    else:
        dist.recv(small, src=0)
    dist.barrier()
    return [large[-1].item(), small.item()]


def test_data_parallel_equals_threads_bit_for_bit() -> None:
    (first, one), (second, two) = run_on_ray(job(parallel, "adam"))
    assert farthest(first, second) == 0
    assert (one, two) == ([3.0, 0.0], [3.0, 7.0])
    (threads, _), _ = dist.run_local(lambda role: parallel("adam"), trainers=2)
    assert farthest(first, threads) == 0


def environment(greeting: str) -> Any:
    """What a process sees that `spawn` has started."""
    env = dist.init_parallel_env()
    assert (env.rank, env.nranks) == (dist.get_rank(), dist.get_world_size())
    dist.all_gather(ranks := [], tg.to_tensor([env.rank]))
    return greeting, env.rank, env.world_size, [rank.item() for rank in ranks]


def test_spawn_calls_a_function_in_each_trainer() -> None:
    found = dist.spawn(environment, ("hello",), nprocs=2)
    assert found == [("hello", 0, 2, [0, 1]), ("hello", 1, 2, [0, 1])]


def waiting() -> None:
    for _ in range(1000):
        tg.DataParallel(net())
        time.sleep(0.02)


@pytest.mark.full
def test_without_servers_the_death_of_one_ends_all_at_once() -> None:
    def kill(cluster: Cluster) -> None:
        if len(cluster.statuses) == 2 and not killed:
            time.sleep(3.0)
            killed.append(time.monotonic())
            (pid,) = (s.pid for r, s in cluster.statuses.items() if r.index == 1)
            os.kill(pid, signal.SIGKILL)

    killed: list[float] = []
    with pytest.raises(PeerError, match=r"trainer 1 died at step 0; without servers"):
        run_on_ray(job(waiting), watch=kill)
    assert time.monotonic() - killed[0] < LIMIT / 2


@pytest.mark.full
def test_who_dies_too_often_ends_the_job() -> None:
    killer = Killer(("server 10.0.0.1:6174", 2), ("server 10.0.0.1:6174", 4))
    given = job(
        *(training, "mlp", "sgd", True, {}, 0.15), endpoints=ENDPOINTS, restarts=1
    )
    told = r"server 10.0.0.1:6174 died at step \d+, after 1 restarts"
    with pytest.raises(PeerError, match=told):
        run_on_ray(given, watch=killer)


def last_words(fails: bool) -> Any:
    """Train; the server goes on for a while, and nobody ends the last line."""
    if dist.current_role().is_server:
        training("mlp", "sgd")
        time.sleep(1.0)
    elif not fails:
        return training("mlp", "sgd")
    print("the last line", end="")
    if fails:
        raise ValueError("on purpose")
    return None


def listener(said: dict[str, list[str]]) -> Callable[[Cluster], None]:
    """Build what collects the lines of each process."""

    def watch(cluster: Cluster) -> None:
        for role, status in cluster.statuses.items():
            said.setdefault(str(role), []).extend(status.lines)
            status.lines.clear()

    return watch


@pytest.mark.full
def test_what_a_process_says_last_is_shown() -> None:
    said: dict[str, list[str]] = {}
    run_on_ray(job(last_words, False, endpoints=ENDPOINTS), watch=listener(said))
    assert said["server 10.0.0.1:6174"] == ["the last line"]
    failing: dict[str, list[str]] = {}
    with pytest.raises(PeerError, match="on purpose"):
        run_on_ray(job(last_words, True, trainers=1), watch=listener(failing))
    assert failing == {"trainer 0": ["the last line"]}


def lazy() -> Any:
    """Trainer 1 does not come to its second step."""
    if dist.current_role().is_server or dist.get_rank() == 0:
        return training("mlp", "sgd")
    case = CASES["mlp"]._replace(batches=CASES["mlp"].batches[:1])
    train(case, OPTIMIZERS["sgd"])
    time.sleep(60.0)
    return None


@pytest.mark.full
def test_no_wait_is_without_a_limit() -> None:
    told = r"step 2 did not come within 4 s; no gradients from trainers \[1\]"
    with pytest.raises(PeerError, match=told):
        run_on_ray(job(lazy, endpoints=ENDPOINTS, limit=4.0))


def too_large() -> float:
    dist.all_reduce(ones := tg.ones([32 * 2**20]))
    return float(ones[-1].item())


@pytest.mark.full
def test_what_is_too_large_for_the_object_store_goes_over_the_disk() -> None:
    assert run_on_ray(job(too_large)) == [2.0, 2.0]


@pytest.mark.full
def test_what_is_large_survives_a_kill_too() -> None:
    """Gradients and parameters of more than 100 kB go through the object store."""
    killer = Killer(("server 10.0.0.2:6174", 4), ("trainer 1", 9))
    given = job(large, 0.15, endpoints=ENDPOINTS)
    results = run_on_ray(given, watch=killer)
    assert not killer.left
    threads = with_servers(LARGE, OPTIMIZERS["momentum"])
    assert farthest(*results) == farthest(results[0], threads) == 0


@pytest.mark.full
def test_in_async_a_slow_trainer_holds_up_nobody() -> None:
    given = job(hurried, endpoints=ENDPOINTS[:1])
    (quick, first), (slow, last) = run_on_ray(given)
    assert quick < slow / 2
    assert abs(last - applied(STEPS)).max() < 1e-5
    assert abs(first - applied(STEPS)).max() > 1e-3, "it was done before"


@pytest.mark.full
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_message_ends_the_job_soon(wrong: str) -> None:
    begin = time.monotonic()
    with pytest.raises(
        PeerError, match=f"trainer 1 failed at step .*{WRONG[wrong][2]}"
    ):
        run_on_ray(job(sending, wrong, endpoints=(END,)))
    assert time.monotonic() - begin < LIMIT


@pytest.mark.full
def test_other_versions_on_a_machine_are_refused() -> None:
    given = job(waiting)
    given.versions = "Python 3.9, numpy 1.0, teachgraph 0.0, ray 2.0"
    with pytest.raises(
        PeerError, match=r"VersionMismatch.*started the job has Python 3.9"
    ):
        run_on_ray(given)


def large(pause: float) -> Any:
    return train(LARGE, OPTIMIZERS["momentum"], True, {}, pause)


def hurried() -> Any:
    """Seconds of this trainer, and its parameter in the end; trainer 1 is slow."""
    begin = time.monotonic()
    pause = 0.0 if dist.current_role().is_server else 0.3 * dist.get_rank()
    trained = train(case_of(STEPS), sgd, False, {}, pause)
    return time.monotonic() - begin, trained.get("w")


def test_limits_are_errors_of_pythons_own_kind() -> None:
    assert issubclass(TimeLimitError, TimeoutError)
