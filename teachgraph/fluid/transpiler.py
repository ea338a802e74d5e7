"""Paddle 1.x's `fluid.transpiler`: distributed programs, and memory optimizations.

The latter are without effect since 1.8: the Executor frees and reuses arrays by itself,
there as here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from teachgraph.distributed import collective
from teachgraph.distributed.config import DistributeTranspilerConfig
from teachgraph.distributed.dispatch import HashName, RoundRobin
from teachgraph.distributed.transpiler import DistributeTranspiler
from teachgraph.ops.paddle_modules import known_as
from teachgraph.static import Program

__all__ = [
    "DistributeTranspiler",
    "DistributeTranspilerConfig",
    "HashName",
    "RoundRobin",
    "collective",
    "memory_optimize",
    "release_memory",
]


def memory_optimize(
    input_program: Program,
    skip_opt_set: Iterable[Any] | None = None,
    print_log: bool = False,
    level: int = 0,
    skip_grads: bool = True,
) -> None:
    """Leave the program as it is, as Paddle 1.8 does."""


def release_memory(
    input_program: Program, skip_opt_set: Iterable[Any] | None = None
) -> None:
    """Leave the program as it is, as Paddle 1.8 does."""


known_as("fluid.transpiler")
