"""Who loads what when several machines train together: each gets its own batches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

import numpy as np

from teachgraph.core.errors import DataError
from teachgraph.io.checks import positive
from teachgraph.io.sampler import BatchSampler

__all__ = ["DistributedBatchSampler"]


class DistributedBatchSampler(BatchSampler):
    """The batches of one of several trainers; together they visit every sample.

    The order of visit is made as long as a multiple of the number of trainers by
    beginning anew, so all have equally much to do. Trainers take batches by turns; what
    remains at the end, less than a batch each, they share out evenly.

    Args:
        dataset: What has a length.
        batch_size: How many sample numbers a list has.
        num_replicas: How many trainers there are, by default as the environment's
            `PADDLE_TRAINERS_NUM` tells, else 1.
        rank: Which of them this is, from 0 on; by default `PADDLE_TRAINER_ID`, else 0.
        shuffle: A new order each epoch, drawn from the epoch's number, not from the one
            generator: all trainers must find the same one.
        drop_last: Whether a shorter last list is left out.

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
        """Say which epoch comes next, so that a resumed run visits in its old order."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[int]]:
        """Cut this trainer's part of the epoch into lists."""
        indices = iter(self._own(self._order_of_epoch()))
        while batch := list(islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        """How many lists this trainer has in an epoch."""
        full, rest = divmod(self.num_samples, self.batch_size)
        return full + (rest > 0 and not self.drop_last)

    def _order_of_epoch(self) -> list[int]:
        """Everybody's order of visit, a multiple of the number of trainers long."""
        n = len(self.dataset)
        order = list(range(n))
        if self.shuffle:
            order = np.random.default_rng(self.epoch).permutation(n).tolist()
            self.epoch += 1
        return list(islice(cycle(order), self.total_size))

    def _own(self, order: list[int]) -> list[int]:
        """Whole batches by turns, then an even share of the rest."""
        size, rank = self.batch_size, self.local_rank
        whole = len(order) - len(order) % (size * self.nranks)
        turns = range(rank * size, whole, size * self.nranks)
        share = (len(order) - whole) // self.nranks
        last = whole + rank * share
        mine = [index for start in turns for index in order[start : start + size]]
        return mine + order[last : last + share]
