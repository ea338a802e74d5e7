"""Training on many machines: programs for servers and trainers, and what moves bytes.

The transpiler rewrites one program into those of trainers and servers. Their operators
speak to a transport: threads of one process (`run_local`), or Ray, which needs the
extra `distributed`.

In Paddle this is `paddle.distributed`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.distributed import fleet, ops
from teachgraph.distributed.communication import (
    ParallelEnv,
    ReduceOp,
    all_gather,
    all_reduce,
    alltoall,
    barrier,
    broadcast,
    get_rank,
    get_start_step,
    get_world_size,
    init_parallel_env,
    is_initialized,
    recv,
    reduce,
    reduce_scatter,
    scatter,
    send,
)
from teachgraph.distributed.config import DistributeTranspilerConfig
from teachgraph.distributed.dispatch import HashName, PSDispatcher, RoundRobin
from teachgraph.distributed.errors import DistributedError
from teachgraph.distributed.local import run_local
from teachgraph.distributed.roles import Role, current_role
from teachgraph.distributed.transpiler import DistributeTranspiler
from teachgraph.io.distributed import DistributedBatchSampler

__all__ = [
    "DistributeTranspiler",
    "DistributeTranspilerConfig",
    "DistributedBatchSampler",
    "DistributedError",
    "HashName",
    "PSDispatcher",
    "ParallelEnv",
    "ReduceOp",
    "Role",
    "RoundRobin",
    "all_gather",
    "all_reduce",
    "alltoall",
    "barrier",
    "broadcast",
    "current_role",
    "fleet",
    "get_rank",
    "get_start_step",
    "get_world_size",
    "init_parallel_env",
    "is_initialized",
    "ops",
    "recv",
    "reduce",
    "reduce_scatter",
    "run_local",
    "scatter",
    "send",
    "spawn",
]


def spawn(
    func: Callable[..., Any], args: Sequence[Any] = (), nprocs: int = 1, **options: Any
) -> list[Any]:
    """Call a function in several trainers; see `ray_job.spawn`."""
    from teachgraph.distributed import ray_job  # Ray is optional

    return ray_job.spawn(func, args, nprocs, **options)
