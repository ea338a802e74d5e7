"""Paddle 1.x's data parallelism in dynamic mode, with one process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from teachgraph.distributed.data_parallel import DataParallel

__all__ = ["BackwardStrategy", "DataParallel", "ParallelEnv", "prepare_context"]


@dataclass
class BackwardStrategy:
    """The order of accumulating gradients, which is fixed here: runs are deterministic.

    In Paddle 1.x this is `fluid.dygraph.BackwardStrategy`.
    """

    sort_sum_gradient: bool = False


@dataclass(frozen=True)
class ParallelEnv:
    """The rank and number of processes: `fluid.dygraph.ParallelEnv`."""

    nranks: int = 1
    local_rank: int = 0
    dev_id: int = 0


def prepare_context(strategy: Any = None) -> ParallelEnv:
    """Return the context of `DataParallel`, of one process.

    In Paddle 1.x this is `fluid.dygraph.prepare_context`.
    """
    return ParallelEnv() if strategy is None else strategy
