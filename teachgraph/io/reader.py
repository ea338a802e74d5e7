"""`paddle.batch`: batches from a reader, a function that returns an iterator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from teachgraph.io.checks import positive

__all__ = ["batch"]

Sample = TypeVar("Sample")


def batch(
    reader: Callable[[], Iterable[Sample]], batch_size: int, drop_last: bool = False
) -> Callable[[], Iterator[list[Sample]]]:
    """Create a reader of lists of `batch_size` samples from a reader of samples.

    Args:
        reader: Called without arguments, starts an epoch.
        batch_size: Samples per list.
        drop_last: Leave out a last list that is shorter.

    Raises:
        DataError: `batch_size` is no positive integer.

    In Paddle this is `paddle.batch`, in 1.x `fluid.io.batch`.

    >>> pairs = batch(lambda: range(5), batch_size=2)
    >>> list(pairs())
    [[0, 1], [2, 3], [4]]
    """
    positive("batch_size", batch_size)

    def batched() -> Iterator[list[Sample]]:
        samples = iter(reader())
        while part := list(islice(samples, batch_size)):
            if len(part) < batch_size and drop_last:
                return
            yield part

    return batched
