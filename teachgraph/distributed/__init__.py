"""Training on many machines: programs for servers and trainers, and what moves bytes.

The transpiler rewrites one program into those of trainers and servers. Their operators
speak to a transport: threads of one process (`run_local`), or Ray, which needs the
extra `distributed`.

In Paddle this is `paddle.distributed`.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from teachgraph.distributed import communication, fleet, ops
from teachgraph.distributed.communication import *  # noqa: F403
from teachgraph.distributed.config import DistributeTranspilerConfig
from teachgraph.distributed.data_parallel import DataParallel
from teachgraph.distributed.dispatch import HashName, PSDispatcher, RoundRobin
from teachgraph.distributed.errors import DistributedError
from teachgraph.distributed.local import run_local
from teachgraph.distributed.roles import Role, current_role
from teachgraph.distributed.transpiler import DistributeTranspiler
from teachgraph.io.distributed import DistributedBatchSampler
from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as

__all__ = [
    "DataParallel",
    "DistributeTranspiler",
    "DistributeTranspilerConfig",
    "DistributedBatchSampler",
    "DistributedError",
    "HashName",
    "PSDispatcher",
    "Role",
    "RoundRobin",
    "current_role",
    "fleet",
    "launch",
    "ops",
    "run_local",
    "spawn",
]
__all__ += communication.__all__


def spawn(
    func: Callable[..., Any], args: Sequence[Any] = (), nprocs: int = 1, **options: Any
) -> list[Any]:
    """Call a function in several trainers; see `ray_job.spawn`."""
    from teachgraph.distributed import ray_job  # Ray is optional

    return ray_job.spawn(func, args, nprocs, **options)


def launch() -> None:
    """Run the script of the command line on many processes, and exit.

    See `teachgraph.cli.paddle_launch`.
    """
    from teachgraph.cli import paddle_launch

    paddle_launch.launch()


if not TYPE_CHECKING:
    __getattr__ = absent("distributed")

known_as("distributed")
