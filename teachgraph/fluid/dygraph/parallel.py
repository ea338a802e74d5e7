"""Paddle 1.x's data parallelism in dynamic mode, with one process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from teachgraph.core.tensor import Tensor, adopt
from teachgraph.distributed.data_parallel import DataParallel

__all__ = ["BackwardStrategy", "DataParallel", "ParallelEnv", "prepare_context"]


@dataclass
class BackwardStrategy:
    """The order of accumulating gradients, which is fixed here: runs are deterministic.

    In Paddle 1.x this is `fluid.dygraph.BackwardStrategy`.
    """

    sort_sum_gradient: bool = False


@adopt.wrap
def without_strategy(inner: Callable[[Any, Tensor], Tensor]) -> Callable[..., Tensor]:
    """Read the strategy in `loss.backward(strategy)` as no upstream gradient: ones."""

    def adopted(value: Any, beside: Tensor) -> Tensor:
        if isinstance(value, BackwardStrategy):
            return Tensor(np.ones_like(beside.data))
        return inner(value, beside)

    return adopted


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
