"""Parts of an op in threads: the results of one thread, and the limit stays."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self
from weakref import WeakSet

import numpy as np
import pytest

from teachgraph.ops import products, threads
from teachgraph.ops.threads import blas_threads, in_threads, limit_blas
from teachgraph.ops.windows import steps

needs_openblas = pytest.mark.skipif(
    threads.openblas() is None, reason="NumPy has another BLAS"
)


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = blas_threads()
    limit_blas(2)
    yield
    limit_blas(before)


@needs_openblas
def test_parts_run_in_as_many_threads_as_blas_may_use(two_threads: None) -> None:
    both_came = threading.Barrier(2)

    def meet(part: int) -> tuple[int, int]:
        both_came.wait(10)
        return part, blas_threads()

    assert in_threads(meet, range(4)) == [(0, 1), (1, 1), (2, 1), (3, 1)]
    assert blas_threads() == 2


@needs_openblas
def test_within_a_part_there_is_one_thread(two_threads: None) -> None:
    def names(part: int) -> set[str]:
        return set(in_threads(lambda _: threading.current_thread().name, range(9)))

    assert [len(each) for each in in_threads(names, range(4))] == [1, 1, 1, 1]


@needs_openblas
@pytest.mark.parametrize("wrong", [0, 3])
def test_an_error_reaches_the_caller_and_the_limit_comes_back(
    wrong: int, two_threads: None
) -> None:
    def fail(part: int) -> None:
        if part == wrong:
            raise ValueError(part)

    with pytest.raises(ValueError, match=str(wrong)):
        in_threads(fail, range(4))
    assert blas_threads() == 2


@needs_openblas
def test_parts_see_the_callers_error_state(two_threads: None) -> None:
    with np.errstate(divide="ignore"):
        states = in_threads(lambda _: np.geterr()["divide"], range(4))
    assert states == ["ignore"] * 4


@needs_openblas
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(two_threads: None) -> None:
    in_threads(abs, range(4))
    child = os.fork()
    if child == 0:
        os._exit(0 if in_threads(abs, range(-3, 0)) == [3, 2, 1] else 1)
    assert os.waitpid(child, 0)[1] == 0


@needs_openblas
def test_without_further_threads_the_caller_works_alone(
    two_threads: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = ThreadPoolExecutor(1)
    ended.shutdown()
    monkeypatch.setattr(threads, "pool", lambda: ended)
    assert in_threads(abs, range(-3, 0)) == [3, 2, 1]
    assert blas_threads() == 2


CONVOLUTIONS = {
    "columns": ((16, 24, 60, 60), (24, 24, 2, 2), 2),
    "rows": ((6, 8, 96, 96), (8, 8, 3, 3), 1),
    "merged images": ((256, 6, 14, 14), (16, 6, 5, 5), 1),
    "Winograd": ((8, 64, 32, 32), (64, 64, 3, 3), 1),
}


@needs_openblas
@pytest.mark.parametrize("case", CONVOLUTIONS.values(), ids=CONVOLUTIONS.keys())
def test_a_convolution_has_the_same_bits(case: Any, two_threads: None) -> None:
    image, filters, stride = case
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(shape, np.float32) for shape in (image, filters))
    axes = steps(image[2:], filters[2:], (stride,) * 2, ((1, 1),) * 2, (1, 1))
    g = products.forward(x, w, axes, 1)
    computed: list[Callable[[], Any]] = [
        lambda: products.forward(x, w, axes, 1),
        lambda: products.backward_input(g, w, axes, 1),
        lambda: products.backward_filter(x, g, axes, 1),
    ]
    several = [compute() for compute in computed]
    limit_blas(1)
    for one, other in zip(several, computed, strict=True):
        np.testing.assert_array_equal(one, other())


class Summand:
    """A number whose life can be watched."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __iadd__(self, other: Summand) -> Self:
        self.value += other.value
        return self


def test_summands_are_held_one_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "blas_threads", lambda: 2)
    monkeypatch.setattr(threads, "limit_blas", lambda threads: None)
    held, most = WeakSet[Summand](), []

    def summand(part: int) -> Summand:
        one = Summand(part)
        held.add(one)
        most.append(len(held))
        return one

    total = threads.add_in_threads(Summand(0), summand, range(50))
    assert total.value == sum(range(50))
    assert max(most) <= 4  # two of this round, and two that are being added
