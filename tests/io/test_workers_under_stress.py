"""Loaders in several threads, under Ctrl-C, under a recorder; batches of all kinds."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.observe import observers
from teachgraph.errors import DataError
from teachgraph.io import DataLoader, Dataset
from teachgraph.io.collate import default_collate_fn
from teachgraph.utils.observe import Observer, watch
from tests.effort import FULL, TORTURE

EPOCHS = 100 if TORTURE else 25 if FULL else 6
INTERRUPTS = 1000 if TORTURE else 20 if FULL else 3

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers are forked")


class Numbers(Dataset[Any]):
    """Sample i is i."""

    def __init__(self, n: int = 12, slow: float = 0.0) -> None:
        self.n, self.slow = n, slow

    def __getitem__(self, index: int) -> Any:
        time.sleep(self.slow)
        return np.array([index], "float32")

    def __len__(self) -> int:
        return self.n


def sums(loader: DataLoader, epochs: int, into: list[Any]) -> None:
    try:
        for _ in range(epochs):
            total = sum(batch.sum().item() for batch in loader)
            into.append(total)
    except BaseException as error:
        into.append(error)


@pytest.mark.parametrize("shared", [False, True], ids=["own", "one persistent"])
def test_loaders_in_four_threads_leave_each_other_alone(shared: bool) -> None:
    def loader() -> DataLoader:
        return DataLoader(
            Numbers(), batch_size=2, num_workers=2, persistent_workers=shared
        )

    one = loader()
    found: list[list[Any]] = [[] for _ in range(4)]
    threads = [
        threading.Thread(
            target=sums, args=(one if shared else loader(), EPOCHS // 2, into)
        )
        for into in found
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert found == [[66.0] * (EPOCHS // 2)] * 4


def test_workers_end_while_another_thread_reaps_them() -> None:
    done = threading.Event()

    def reap() -> None:
        while not done.is_set():
            multiprocessing.active_children()

    threads = [threading.Thread(target=reap) for _ in range(2)]
    for thread in threads:
        thread.start()
    found: list[Any] = []
    try:
        sums(DataLoader(Numbers(4), num_workers=2), 5 * EPOCHS, found)
    finally:
        done.set()
    for thread in threads:
        thread.join(60)
    assert found == [6.0] * (5 * EPOCHS)


SCRIPT = """
import sys, time
import numpy as np
from teachgraph.io import DataLoader
from tests.io.test_workers_under_stress import Numbers

try:
    for batch in DataLoader(Numbers(1000, slow=0.02), num_workers=4):
        print("going", flush=True)
except KeyboardInterrupt:
    import multiprocessing
    print("left", len(multiprocessing.active_children()), flush=True)
    time.sleep(0.2)
    sys.exit(7)
"""


@pytest.mark.parametrize("gap", [0.0, 0.003, 0.05, 0.3])
def test_a_second_interrupt_leaves_no_worker(gap: float) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "going\n"
    workers = subprocess.run(
        ["pgrep", "-P", str(child.pid)], capture_output=True, text=True, check=False
    ).stdout.split()
    child.send_signal(signal.SIGINT)
    time.sleep(gap)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert len(workers) == 4
    assert not any(Path("/proc", pid).exists() for pid in workers), out


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interrupts_leave_no_worker_and_no_memory() -> None:
    def shared() -> set[str]:
        folder = Path("/dev/shm")  # noqa: S108  where shared memory is
        return {path.name for path in folder.glob("*")}

    before, loader = shared(), DataLoader(Numbers(1000, 0.002), num_workers=2)
    for number in range(INTERRUPTS):
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.02 + 0.001 * (number % 50))
            for _ in loader:
                pass
        except KeyboardInterrupt:
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    deadline = time.monotonic() + 10
    while multiprocessing.active_children() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert multiprocessing.active_children() == []
    assert shared() <= before


class Recording(Observer):
    """Watches."""


class Watched(Dataset[Any]):
    """Sample i is the number of those who watch in its process."""

    def __getitem__(self, index: int) -> Any:
        return len(observers) + (tg.to_tensor([1.0]) * 0.0).item()

    def __len__(self) -> int:
        return 4


def test_nobody_watches_in_a_worker() -> None:
    with watch(Recording()):
        batches = [b.tolist() for b in DataLoader(Watched(), num_workers=2)]
        assert len(observers) == 1
    assert batches == [[0.0]] * 4


@pytest.mark.parametrize(
    "batch",
    [
        ["text", np.ones(2)],
        [np.ones(2), "text"],
        [1.0, "text"],
        [{"x": 1}, [1]],
        [[1], {"x": 1}],
        [(1, "a"), (1, 2)],
        [[1, 2], 3],
    ],
)
def test_a_batch_of_several_kinds_is_refused(batch: list[Any]) -> None:
    with pytest.raises(DataError, match="kind not same among samples"):
        default_collate_fn(batch)


@pytest.mark.parametrize("timeout", ["1", None, True, [1], -1, float("nan")])
def test_a_timeout_is_a_number(timeout: Any) -> None:
    with pytest.raises(DataError, match="timeout should be a"):
        DataLoader(Numbers(), timeout=timeout)
