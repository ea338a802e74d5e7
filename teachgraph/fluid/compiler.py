"""Paddle 1.x's executors and compiled programs, on one device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from teachgraph import passes
from teachgraph.fluid.aliases import method
from teachgraph.fluid.lod_tensor import LoDTensor
from teachgraph.ops.single import single
from teachgraph.planning import executor
from teachgraph.static import Program, default_main_program
from teachgraph.static.scope import Scope

__all__ = [
    "BuildStrategy",
    "CompiledProgram",
    "ExecutionStrategy",
    "Executor",
    "ParallelExecutor",
]


class BuildStrategy(passes.BuildStrategy):
    """Switches for the passes of a program: `fluid.BuildStrategy`."""


@dataclass
class ExecutionStrategy:
    """Switches for Paddle's own threads, accepted for Paddle's sake.

    In Paddle 1.x this is `fluid.ExecutionStrategy`.
    """

    num_threads: int = 0
    num_iteration_per_drop_scope: int = 100
    num_iteration_per_run: int = 1
    use_thread_barrier: bool = False


class CompiledProgram(passes.CompiledProgram):
    """A program with the passes that an Executor applies before it runs it.

    In Paddle 1.x this is `fluid.CompiledProgram`.
    """

    def with_data_parallel(
        self,
        loss_name: str | None = None,
        build_strategy: BuildStrategy | None = None,
        exec_strategy: ExecutionStrategy | None = None,
        share_vars_from: CompiledProgram | None = None,
        places: Sequence[Any] | None = None,
    ) -> Self:
        """Return the program itself: there is one device, which gets the whole batch.

        Args:
            loss_name: Accepted for Paddle's sake.
            build_strategy: Replaces the earlier one.
            exec_strategy: Accepted for Paddle's sake.
            share_vars_from: Accepted for Paddle's sake: variables are in the scope.
            places: Accepted for Paddle's sake.
        """
        self.build_strategy = build_strategy or self.build_strategy
        return self


class Executor(executor.Executor):
    """Runs programs on the CPU: `fluid.Executor`, with 1.x's arguments."""

    tensor_of = staticmethod(LoDTensor.of)
    array_of = staticmethod(single)

    run = method(
        executor.Executor.run,
        "program=None, feed=None, fetch_list=None, feed_var_name='feed', "
        "fetch_var_name='fetch', scope=None, return_numpy=True, "
        "use_program_cache=False, return_merged=True, use_prune=False",
    )


class ParallelExecutor:
    """An Executor of one program: `fluid.ParallelExecutor`, on one device.

    Args:
        use_cuda: Accepted for Paddle's sake.
        loss_name: Accepted for Paddle's sake.
        main_program: By default the default main program.
        share_vars_from: Accepted for Paddle's sake: variables are in the scope.
        exec_strategy: Accepted for Paddle's sake.
        build_strategy: Switches for the passes.
        num_trainers: Accepted for Paddle's sake.
        trainer_id: Accepted for Paddle's sake.
        scope: Where variables live; by default the scope in use.
    """

    def __init__(
        self,
        use_cuda: bool,
        loss_name: str | None = None,
        main_program: Program | None = None,
        share_vars_from: ParallelExecutor | None = None,
        exec_strategy: ExecutionStrategy | None = None,
        build_strategy: BuildStrategy | None = None,
        num_trainers: int = 1,
        trainer_id: int = 0,
        scope: Scope | None = None,
    ) -> None:
        program = default_main_program() if main_program is None else main_program
        self.program = CompiledProgram(program, build_strategy)
        self.scope, self.executor = scope, Executor()

    @property
    def device_count(self) -> int:
        """Return the number of devices, 1."""
        return 1

    def run(
        self,
        fetch_list: Sequence[Any],
        feed: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        feed_dict: Mapping[str, Any] | None = None,
        return_numpy: bool = True,
    ) -> list[Any]:
        """Run the program once.

        Args:
            fetch_list: What to return: Variables or names.
            feed: Arrays by variable name; or a list of one such dict, a device each.
            feed_dict: The older name of `feed`.
            return_numpy: Return arrays; otherwise LoDTensors.
        """
        feed = feed_dict if feed is None else feed
        results: list[Any] = self.executor.run(
            self.program, feed, fetch_list, scope=self.scope, return_numpy=return_numpy
        )
        return results

    def drop_local_exe_scopes(self) -> None:
        """Do nothing: runs leave no scopes behind."""
