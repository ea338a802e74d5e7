"""Worker processes make the same batches, tell what goes wrong, and always end."""

from __future__ import annotations

import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
import teachgraph.core.random
from teachgraph.core.errors import InvalidValueError
from teachgraph.errors import DataError
from teachgraph.io import (
    DataLoader,
    Dataset,
    IterableDataset,
    TensorDataset,
    WorkerError,
    WorkerTimeoutError,
    get_worker_info,
    pool,
)


class Made(Dataset[Any]):
    """Sample i is what a function makes of i."""

    def __init__(self, n: int, make: Callable[[int], Any]) -> None:
        self.n = n
        self.make = make

    def __getitem__(self, index: int) -> Any:
        return self.make(index)

    def __len__(self) -> int:
        return self.n


def children() -> list[Any]:
    gc.collect()  # loaders of earlier tests, held by a traceback
    return multiprocessing.active_children()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


SOON = 20.0
"""Seconds within which a busy machine comes to it; what is not waited for takes 60."""


def none_left(pids: set[int], within: float = SOON) -> bool:
    deadline = time.monotonic() + within
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(is_alive, pids))


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("drop_last", [False, True])
def test_their_number_changes_no_batch_and_no_order(
    workers: int, drop_last: bool
) -> None:
    images = np.random.default_rng(0).normal(size=(23, 3, 2)).astype("float32")
    dataset = TensorDataset([images, np.arange(23)])

    def epochs(num_workers: int) -> list[Any]:
        teachgraph.core.random.seed(5)
        loader = DataLoader(
            dataset,
            batch_size=4,
            shuffle=True,
            drop_last=drop_last,
            num_workers=num_workers,
        )
        return [batch for _ in range(3) for batch in loader]

    expected, found = epochs(0), epochs(workers)
    assert len(found) == len(expected) == 3 * (5 if drop_last else 6)
    for (image, label), (same_image, same_label) in zip(expected, found, strict=True):
        assert isinstance(same_image, tg.Tensor)
        assert (image.dtype, same_label.stop_gradient) == (same_image.dtype, True)
        np.testing.assert_array_equal(image.numpy(), same_image.numpy())
        np.testing.assert_array_equal(label.numpy(), same_label.numpy())


def test_a_slow_worker_does_not_lose_its_turn() -> None:
    def slow_first(index: int) -> int:
        time.sleep(0.1 if index % 2 == 0 else 0)
        return index

    loader = DataLoader(Made(8, slow_first), num_workers=2, prefetch_factor=4)
    assert [batch.item() for batch in loader] == list(range(8))


def test_every_kind_of_batch_comes_through() -> None:
    samples = [
        {"x": tg.to_tensor([i, i]), "name": f"n{i}", "nest": (i, [0.5])}
        for i in range(4)
    ]
    dataset = Made(4, samples.__getitem__)
    for batch_size in (2, None):
        here = list(DataLoader(dataset, batch_size=batch_size))
        there = list(DataLoader(dataset, batch_size=batch_size, num_workers=2))
        assert str(here) == str(there)
    (batch, _) = DataLoader(dataset, batch_size=2, num_workers=1)
    assert batch["x"].tolist() == [[0, 0], [1, 1]]
    assert batch["name"] == ["n0", "n1"]


def test_large_batches_and_long_lists_of_numbers_do_not_block_each_other() -> None:
    dataset = Made(120_000, lambda index: np.full(20, index, "float32"))
    loader = DataLoader(dataset, batch_size=30_000, num_workers=1, prefetch_factor=3)
    sizes = [batch.shape for batch in loader]
    assert sizes == [[30_000, 20]] * 4


def test_workers_work_ahead_but_no_further_than_asked() -> None:
    count = multiprocessing.get_context("fork").Value("i", 0)

    def counted(index: int) -> int:
        with count.get_lock():
            count.value += 1
        return index

    batches = iter(DataLoader(Made(100, counted), num_workers=2, prefetch_factor=3))
    next(batches)
    deadline = time.monotonic() + SOON
    while count.value < 7 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.1)
    assert count.value == 7
    del batches


class Stream(IterableDataset[int]):
    def __init__(self, n: int, shared: bool) -> None:
        self.n = n
        self.shared = shared

    def __iter__(self) -> Iterator[int]:
        worker = get_worker_info()
        if worker is None or not self.shared:
            return iter(range(self.n))
        assert worker.dataset is self
        return iter(range(worker.id, self.n, worker.num_workers))


def test_a_stream_is_shared_out_by_those_who_ask_which_worker_they_are() -> None:
    loader = DataLoader(Stream(11, shared=True), batch_size=2, num_workers=3)
    batches = [batch.tolist() for batch in loader]
    assert batches[:3] == [[0, 3], [1, 4], [2, 5]]
    assert sorted(i for batch in batches for i in batch) == list(range(11))
    whole = DataLoader(Stream(3, shared=True), batch_size=None, num_workers=2)
    assert sorted(whole) == [0, 1, 2]


def test_otherwise_each_worker_hands_out_the_whole_stream() -> None:
    loader = DataLoader(Stream(5, shared=False), 2 * [None], batch_size=2)
    assert len(list(loader)) == 3
    loader = DataLoader(
        Stream(5, shared=False), batch_size=2, drop_last=True, num_workers=2
    )
    assert [batch.tolist() for batch in loader] == [[0, 1], [0, 1], [2, 3], [2, 3]]


def test_each_worker_is_initialised_once_and_knows_who_it_is(tmp_path: Path) -> None:
    def start(worker: int) -> None:
        info = get_worker_info()
        assert info is not None
        with (tmp_path / "started").open("a") as file:
            file.write(f"{worker} {info.id} of {info.num_workers}\n")

    loader = DataLoader(
        range(8), num_workers=2, worker_init_fn=start, persistent_workers=True
    )
    assert len(list(loader)) == len(list(loader)) == 8
    lines = sorted((tmp_path / "started").read_text().splitlines())
    assert lines == ["0 0 of 2", "1 1 of 2"]
    assert get_worker_info() is None


def drawn(index: int) -> list[float]:
    return [
        float(teachgraph.core.random.generator().random()),
        float(np.random.random()),  # noqa: NPY002  what others' data sets draw from
        random.random(),  # noqa: S311  as above
    ]


@pytest.mark.parametrize("persistent", [False, True])
def test_random_numbers_repeat_with_the_seed_and_differ_otherwise(
    persistent: bool,
) -> None:
    def draw(seed: int) -> np.ndarray:
        teachgraph.core.random.seed(seed)
        loader = DataLoader(
            Made(6, drawn), num_workers=2, persistent_workers=persistent
        )
        return np.array(
            [[field.item() for field in b] for _ in range(2) for b in loader]
        )

    first = draw(1)
    assert first.shape == (12, 3)
    assert len(np.unique(first)) == 36
    np.testing.assert_array_equal(draw(1), first)
    assert (draw(2) != first).all()


def fails_at(bad: int, error: Exception) -> Callable[[int], int]:
    def sample_that_fails(index: int) -> int:
        if index == bad:
            raise error
        return index

    return sample_that_fails


class Odd(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (KeyError("lost"), "'lost'"),
        (FileNotFoundError(2, "No such file", "x.png"), "x.png"),
        (InvalidValueError("an op said no"), "an op said no"),
    ],
)
def test_errors_keep_their_type_and_bring_the_workers_traceback(
    error: Exception, says: str
) -> None:
    batches = iter(DataLoader(Made(9, fails_at(4, error)), num_workers=2))
    assert [next(batches).item() for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(type(error)) as caught:
        next(batches)
    assert type(caught.value) is type(error)
    assert says in str(caught.value)
    sample, note = caught.value.__notes__
    assert sample == "while the DataLoader read sample 4 of a Made"
    assert note.startswith("raised in DataLoader worker 0:\nTraceback (most recent")
    assert "in sample_that_fails" in note
    assert children() == []


def test_errors_that_cannot_travel_are_told_in_words() -> None:
    loader = DataLoader(Made(3, fails_at(0, Odd(1, 2))), num_workers=1)
    with pytest.raises(WorkerError, match=r"(?s)in sample_that_fails.*Odd: 1 and 2"):
        list(loader)


def test_what_cannot_be_pickled_is_an_error_and_no_silence() -> None:
    loader = DataLoader([1], collate_fn=lambda samples: lambda: 0, num_workers=1)
    with pytest.raises((AttributeError, TypeError, WorkerError), match="pickle"):
        list(loader)


def test_errors_at_the_start_are_raised_too() -> None:
    def start(worker: int) -> None:
        raise OSError(f"worker {worker} finds no disk")

    with pytest.raises(OSError, match="worker 0 finds no disk"):
        list(DataLoader(range(5), num_workers=2, worker_init_fn=start))


def test_samples_that_do_not_fit_are_a_typed_error_at_once() -> None:
    ragged = Made(4, lambda index: np.zeros(3 + (index == 2)))
    began = time.monotonic()
    with pytest.raises(DataError, match="shape not same among samples in a batch"):
        list(DataLoader(ragged, batch_size=4, num_workers=2))
    assert time.monotonic() - began < SOON


def test_after_an_error_persistent_workers_are_replaced() -> None:
    broken = [True]

    def sometimes(index: int) -> int:
        if broken:
            raise ValueError("broken")
        return index

    loader = DataLoader(Made(3, sometimes), num_workers=1, persistent_workers=True)
    with pytest.raises(ValueError, match="broken"):
        list(loader)
    broken.clear()
    assert [batch.item() for batch in loader] == [0, 1, 2]


@pytest.mark.parametrize(
    ("end", "how"),
    [
        (lambda: os._exit(3), "exit code 3"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "killed by signal 9"),
        (lambda: sys.exit(4), "exit code 4"),
    ],
    ids=["exit", "kill", "sys.exit"],
)
def test_a_worker_that_dies_is_noticed_while_another_is_busy(
    end: Callable[[], None], how: str
) -> None:
    def deadly(index: int) -> int:
        if index == 3:
            time.sleep(0.2)  # for batch 1 to leave
            end()
        if index == 2:
            time.sleep(60)
        return index

    batches = iter(DataLoader(Made(9, deadly), num_workers=2))
    assert [next(batches).item() for _ in range(2)] == [0, 1]
    began = time.monotonic()
    with pytest.raises(WorkerError, match=rf"worker 1 .*exited unexpectedly: {how}"):
        next(batches)
    assert time.monotonic() - began < SOON
    assert children() == []


def test_a_worker_killed_while_the_loop_is_elsewhere_is_noticed() -> None:
    batches = iter(DataLoader(Made(50, lambda i: os.getpid()), num_workers=1))
    pid = next(batches).item()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(WorkerError, match="killed by signal 9"):
        list(batches)
    assert none_left({pid})


def test_waiting_can_be_limited() -> None:
    slow = Made(2, lambda index: time.sleep(60))
    began = time.monotonic()
    with pytest.raises(WorkerTimeoutError, match=r"no batch within 0\.3 seconds"):
        list(DataLoader(slow, num_workers=1, timeout=0.3))
    assert time.monotonic() - began < SOON
    assert issubclass(WorkerTimeoutError, TimeoutError)
    assert children() == []


def pids_of(batches: Iterator[Any], count: int) -> set[int]:
    return {batch.item() for batch in islice(batches, count)}


def test_after_an_epoch_no_worker_is_left() -> None:
    pids = {b.item() for b in DataLoader(Made(6, lambda i: os.getpid()), num_workers=3)}
    assert len(pids) == 3
    assert os.getpid() not in pids
    assert none_left(pids)


def test_an_epoch_broken_off_ends_its_workers() -> None:
    loader = DataLoader(Made(50, lambda i: os.getpid()), num_workers=2)
    batches = iter(loader)
    pids = pids_of(batches, 4)
    assert len(pids) == 2
    assert all(map(is_alive, pids))
    del batches
    gc.collect()
    assert none_left(pids)


def test_a_worker_in_the_middle_of_a_sample_is_not_waited_for() -> None:
    def long(index: int) -> int:
        time.sleep(60 if index else 0)
        return os.getpid()

    batches = iter(DataLoader(Made(9, long), num_workers=1))
    pids = pids_of(batches, 1)
    began = time.monotonic()
    del batches
    gc.collect()
    assert time.monotonic() - began < SOON
    assert none_left(pids)


def test_persistent_workers_stay_until_their_loader_goes() -> None:
    loader = DataLoader(
        Made(6, lambda i: os.getpid()), num_workers=2, persistent_workers=True
    )
    epochs = [{batch.item() for batch in loader} for _ in range(3)]
    assert epochs[0] == epochs[1] == epochs[2]
    assert all(map(is_alive, epochs[0]))
    del loader
    gc.collect()
    assert none_left(epochs[0])


def test_a_new_epoch_of_persistent_workers_starts_afresh() -> None:
    loader = DataLoader(range(20), num_workers=2, persistent_workers=True)
    old = iter(loader)
    assert [next(old).item() for _ in range(3)] == [0, 1, 2]
    new = iter(loader)
    assert next(new).item() == 0
    with pytest.raises(WorkerError, match="a new epoch of this DataLoader has begun"):
        next(old)
    assert [batch.item() for batch in new] == list(range(1, 20))


def test_two_loaders_at_once_do_not_disturb_each_other() -> None:
    one = iter(DataLoader(range(10), num_workers=2))
    two = iter(DataLoader(range(10, 20), num_workers=2))
    pairs = [(a.item(), b.item()) for a, b in islice(zip(one, two, strict=True), 3)]
    assert pairs == [(0, 10), (1, 11), (2, 12)]
    one.close()
    assert [batch.item() for batch in two] == [13, 14, 15, 16, 17, 18, 19]


def time_to_close() -> float:
    """Seconds that it takes to end a loader's workers."""
    batches = iter(DataLoader(range(10), num_workers=2))
    next(batches)
    began = time.monotonic()
    batches.close()
    return time.monotonic() - began


def test_a_loader_is_closed_at_once() -> None:
    """The least of five: others use the machine too."""
    assert min(time_to_close() for _ in range(5)) < 0.45


SCRIPT = """
import os, sys, time
from teachgraph.io import DataLoader, Dataset
class Slow(Dataset):
    def __getitem__(self, index):
        time.sleep(60 if index > 3 else 0)
        return os.getpid()
    def __len__(self):
        return 100
seen = set()
for batch in DataLoader(Slow(), num_workers=2):
    seen.add(batch.item())
    if len(seen) == 2:
        print(*seen, flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent_however_it_ends(number: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as parent:
        assert parent.stdout is not None
        pids = {int(pid) for pid in parent.stdout.readline().split()}
        assert len(pids) == 2
        parent.send_signal(number)
        parent.wait(SOON)
        assert parent.returncode == -number
        assert none_left(pids)


def test_started_anew_instead_of_forked_they_do_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool, "START", "spawn")
    dataset = TensorDataset([np.arange(6)])
    loader = DataLoader(dataset, batch_size=3, num_workers=1)
    assert [batch[0].tolist() for batch in loader] == [[0, 1, 2], [3, 4, 5]]
    local = DataLoader(Made(3, lambda index: index), num_workers=1)
    with pytest.raises(WorkerError, match="at the top level of a module"):
        list(local)
    assert children() == []
