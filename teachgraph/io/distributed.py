"""Batch sampler for data-parallel training: each trainer visits its own share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

import numpy as np

from teachgraph.errors import DataError
from teachgraph.io.checks import positive
from teachgraph.io.sampler import BatchSampler

__all__ = ["DistributedBatchSampler"]


class DistributedBatchSampler(BatchSampler):
    """Batches of one of several trainers; together they visit every sample.

    The samples are padded from their start to a multiple of the number of trainers, and
    then shuffled, so that all have the same number of samples. Batches are assigned
    round-robin; the remainder, less than a batch each, is divided evenly.

    Args:
        dataset: Any object with a length.
        batch_size: The number of sample numbers in a list.
        num_replicas: The number of trainers; by default the environment's
            `PADDLE_TRAINERS_NUM`, else 1.
        rank: This trainer's number, from 0; by default `PADDLE_TRAINER_ID`, else 0.
        shuffle: A new order each epoch, seeded with the epoch's number and not drawn
            from the global generator: all trainers must draw the same order.
        drop_last: Leave out a shorter last list.

    Raises:
        DataError: A size that is no positive integer, or a rank without a trainer.

    In Paddle this is `paddle.io.DistributedBatchSampler`.

    >>> list(DistributedBatchSampler(range(10), 2, num_replicas=2, rank=0))
    [[0, 1], [4, 5], [8]]
    >>> list(DistributedBatchSampler(range(10), 2, num_replicas=2, rank=1))
    [[2, 3], [6, 7], [9]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = False,
        drop_last: bool = False,
    ) -> None:
        super().__init__(dataset, None, shuffle, batch_size, drop_last)
        self.dataset = dataset
        if num_replicas is None:
            num_replicas = int(os.environ.get("PADDLE_TRAINERS_NUM", "1"))
        if rank is None:
            rank = int(os.environ.get("PADDLE_TRAINER_ID", "0"))
        self.nranks = positive("num_replicas", num_replicas)
        if not 0 <= rank < num_replicas:
            raise DataError(f"rank should be from 0 to {num_replicas - 1}: got {rank}")
        self.local_rank = rank
        self.epoch = 0
        self.num_samples = -(-len(dataset) // num_replicas)
        self.total_size = self.num_samples * num_replicas

    def set_epoch(self, epoch: int) -> None:
        """Set the next epoch's number, so that a resumed run repeats its old order."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[int]]:
        """Yield this trainer's batches of one epoch."""
        indices = iter(self._own(self._order_of_epoch()))
        while batch := list(islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        """Return the number of this trainer's batches in an epoch."""
        full, rest = divmod(self.num_samples, self.batch_size)
        return full + (rest > 0 and not self.drop_last)

    def _order_of_epoch(self) -> list[int]:
        """Compute the order of all trainers, padded to a multiple of their number."""
        order = list(islice(cycle(range(len(self.dataset))), self.total_size))
        if self.shuffle:
            np.random.RandomState(self.epoch).shuffle(order)  # Paddle's generator
            self.epoch += 1
        return order

    def _own(self, order: list[int]) -> list[int]:
        """Select this trainer's share: batches round-robin, then part of the rest."""
        size, rank = self.batch_size, self.local_rank
        whole = len(order) - len(order) % (size * self.nranks)
        turns = range(rank * size, whole, size * self.nranks)
        share = (len(order) - whole) // self.nranks
        last = whole + rank * share
        mine = [index for start in turns for index in order[start : start + size]]
        return mine + order[last : last + share]
