"""`Fetcher`: reads and collates one batch, in this process or in a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from teachgraph.core.observe import announce, observers
from teachgraph.io.dataset import IterableDataset

__all__ = ["EndOfStream", "Fetcher"]


class EndOfStream(Exception):
    """A stream has no further batch."""


@dataclass
class Fetcher:
    """A data set with its collate function: makes the batch of a task.

    Attributes:
        dataset: An indexed data set, or a stream.
        collate: Makes a batch of a list of samples, or of a sample that is a batch.
        batch_size: Samples per batch of a stream; None if its samples are batches.
        drop_last: Leave out a stream's short last batch.

    >>> fetch = Fetcher("abcdef", collate="".join, batch_size=2)
    >>> fetch.start()
    >>> fetch([4, 0])
    'ea'
    """

    dataset: Any
    collate: Callable[[Any], Any]
    batch_size: int | None
    drop_last: bool = False
    stream: Iterator[Any] | None = field(default=None, init=False)

    def start(self) -> None:
        """Begin an epoch."""
        if isinstance(self.dataset, IterableDataset):
            self.stream = iter(self.dataset)

    def __call__(self, task: Any) -> Any:
        """Make the batch of a task.

        Args:
            task: A list of sample numbers, or one number where samples are batches;
                ignored for a stream.

        Raises:
            EndOfStream: The stream has no further batch.
        """
        if not observers:
            return self._batch(task)
        announce("batch_begin", self)
        try:
            return self._batch(task)
        finally:
            announce("batch_end", self)

    def _batch(self, task: Any) -> Any:
        if self.stream is not None:
            return self.collate(self._next(self.stream))
        if isinstance(task, int):
            return self.collate(self.sample(task))
        return self.collate([self.sample(index) for index in task])

    def sample(self, index: Any) -> Any:
        """Read one sample; an error of the data set gets a note with its number."""
        try:
            return self.dataset[index]
        except Exception as error:
            kind = type(self.dataset).__name__
            error.add_note(f"while the DataLoader read sample {index} of a {kind}")
            raise

    def _next(self, stream: Iterator[Any]) -> Any:
        wanted = 1 if self.batch_size is None else self.batch_size
        samples = list(islice(stream, wanted))
        if not samples or (self.drop_last and len(samples) < wanted):
            raise EndOfStream
        return samples[0] if self.batch_size is None else samples
