"""Programs of many operators: the work to read one grows as their number."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest

from teachgraph import static
from tests.static.fresh import fresh

Read = Callable[[bytes, Path], Any]


def saved(count: int, folder: Path) -> bytes:
    """A program of so many operators as bytes, and as a model in the folder."""
    with fresh() as programs:
        x = y = static.data("x", [2])
        for _ in range(count):
            y = y + 1.0
        static.save_inference_model(folder / "model", [x], [y], static.Executor())
        return programs.main.serialize_to_string()


def parsed(document: bytes, folder: Path) -> Any:
    return static.Program.parse_from_string(document)


def loaded(document: bytes, folder: Path) -> Any:
    return static.load_inference_model(folder / "model", static.Executor())


def cloned(document: bytes, folder: Path) -> Any:
    return parsed(document, folder).clone(for_test=True)


def first_run(document: bytes, folder: Path) -> Any:
    program, names, fetched = loaded(document, folder)
    feed = {names[0]: np.zeros(2, "float32")}
    (value,) = static.Executor().run(program, feed=feed, fetch_list=fetched)
    return value


def steps(work: Callable[[], Any]) -> int:
    """The number of calls, of Python's and of C's functions, that some work makes."""
    count = 0

    def watch(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("read", [parsed, loaded, cloned, first_run])
def test_the_work_grows_as_the_operators(read: Read, tmp_path: Path) -> None:
    counts = []
    for size in (40, 40, 400):  # the first time imports what it uses
        document = saved(size, tmp_path)
        with fresh():
            counts.append(steps(lambda d=document: read(d, tmp_path)))
    assert counts[2] < 10.5 * counts[1]


@pytest.mark.full
def test_a_hundred_thousand_operators_are_read_in_ten_times_the_time_of_a_tenth(
    tmp_path: Path,
) -> None:
    times = []
    for size in (10_000, 100_000):
        folder = tmp_path / str(size)
        document = saved(size, folder)
        begin = process_time()
        with fresh():
            value = first_run(document, folder)
        times.append(process_time() - begin)
        assert value.tolist() == [size, size]
    assert times[1] < 16.0 * times[0]
