"""Training on many machines: programs for servers and trainers, and what moves bytes.

The transpiler rewrites one program into those of trainers and servers. Their operators
speak to a transport: threads of one process (`run_local`), or Ray.
"""

from teachgraph.distributed import ops
from teachgraph.distributed.config import DistributeTranspilerConfig
from teachgraph.distributed.dispatch import HashName, PSDispatcher, RoundRobin
from teachgraph.distributed.local import Role, run_local
from teachgraph.distributed.transpiler import DistributeTranspiler

__all__ = [
    "DistributeTranspiler",
    "DistributeTranspilerConfig",
    "HashName",
    "PSDispatcher",
    "Role",
    "RoundRobin",
    "ops",
    "run_local",
]
