"""Independent parts of an op, computed by as many threads as BLAS may use.

NumPy's products use several threads, its copies and sums one. Where an op falls into
parts, such as blocks of images, each thread takes whole parts instead: NumPy lets the
others run while it computes.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

__all__ = ["add_in_threads", "even", "in_threads"]

Part = TypeVar("Part")
Result = TypeVar("Result")


def in_threads(work: Callable[[Part], Result], parts: Iterable[Part]) -> list[Result]:
    """Apply `work` to each part, and return the results in order.

    As long as several threads work, each computes its products alone. So a limit of
    BLAS, such as OPENBLAS_NUM_THREADS or one of threadpoolctl, limits all of them.

    >>> in_threads(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    parts = list(parts)
    limit = blas_threads() if len(parts) > 1 else 1
    if limit == 1:
        return [work(part) for part in parts]
    results: list[Any] = [None] * len(parts)
    remaining = iter(range(len(parts)))

    def share() -> None:
        """Take one part after the other that no thread has taken."""
        for i in remaining:
            results[i] = work(parts[i])

    others: list[Future[None]] = []
    try:
        limit_blas(1)
        # At the end of the interpreter no thread starts any more: share alone.
        with suppress(RuntimeError):
            while len(others) < min(limit, len(parts)) - 1:
                others.append(pool().submit(copy_context().run, share))
        share()
        for other in others:
            if not other.cancel():
                other.result()
    finally:
        wait(others)
        limit_blas(limit)
    return results


def add_in_threads(
    total: Any, work: Callable[[Part], Any], parts: Iterable[Part]
) -> Any:
    """Add `work` of each part to `total` in order, and return it.

    Each thread holds one summand at a time: all together may take more memory than
    what they are computed from.

    >>> add_in_threads(0, abs, [-1, 2, -3])
    6
    """
    parts = iter(parts)
    while some := list(islice(parts, blas_threads())):
        for summand in in_threads(work, some):
            total += summand
    return total


def even(count: int, step: int) -> int:
    """Reduce the size of blocks so that their number is a multiple of the threads'.

    >>> even(8, 8) == 8 // blas_threads()
    True
    """
    blocks = -(-count // step)
    blocks += -blocks % blas_threads()
    return -(-count // blocks)


def blas_threads() -> int:
    """Number of threads that products use; 1 if NumPy has no OpenBLAS of its own."""
    library = openblas()
    return 1 if library is None else int(library.scipy_openblas_get_num_threads64_())


def limit_blas(threads: int) -> None:
    """Limit the threads of products."""
    openblas().scipy_openblas_set_num_threads64_(threads)


@cache
def openblas() -> Any:
    """Load the OpenBLAS which NumPy's wheels bring, if it can be asked; else None."""
    try:
        library = ctypes.CDLL(import_module("numpy._core._multiarray_umath").__file__)
        library.scipy_openblas_set_num_threads64_  # noqa: B018  looks the name up
        library.scipy_openblas_get_num_threads64_  # noqa: B018
    except (AttributeError, ImportError, OSError):
        return None
    return library


@cache
def pool() -> ThreadPoolExecutor:
    """Create the threads; a forked process has none of them and creates its own."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=pool.cache_clear)
    return ThreadPoolExecutor(os.cpu_count(), "teachgraph-op")
