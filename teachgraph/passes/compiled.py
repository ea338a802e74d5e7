"""`BuildStrategy` and `CompiledProgram`: Paddle's way to choose passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from teachgraph.passes.registry import Optimised, apply_pass
from teachgraph.static.program import Program

__all__ = ["BuildStrategy", "CompiledProgram"]


class ReduceStrategy(Enum):
    """The reduction of gradients over devices, of which there is one here."""

    AllReduce = 0
    Reduce = 1


class GradientScaleStrategy(Enum):
    """The scale of the loss's gradient, which is 1 on one device."""

    CoeffNumDevice = 0
    One = 1
    Customized = 2


@dataclass
class BuildStrategy:
    """Switches for the passes that rewrite a program before it runs.

    Attributes:
        fuse_elewise_add_act_ops: Join chains of elementwise operators.
        fuse_gemm_epilogue: Join product, bias and activation, and their gradients.
        fused_attention: Join the parts of attention, and their gradients.
        enable_auto_fusion: All of these, and normalisations, losses and updates.
        memory_optimize: Remove operators whose results are unused.
        fuse_all_optimizer_ops: Update small parameters of a kind by one operator.
        fuse_all_reduce_ops: Accepted; there is one device, so nothing is reduced.
        fuse_bn_act_ops: Accepted; batch_norm keeps its input and relu its result, so
            that no array would be saved, and of 7.6 ms for both relu is 0.9 either way.
        fuse_broadcast_ops: Accepted; there is one device, so nothing is sent.
        fuse_relu_depthwise_conv: Accepted; relu takes a fiftieth of such a convolution,
            which copies patches of its input: relu of these would take longer.
        enable_inplace: Accepted; the Executor frees and reuses arrays in any case.
        sync_batch_norm: Accepted; there is one device, which sees the whole batch.
        reduce_strategy: Accepted; there is one device, so nothing is reduced.
        gradient_scale_strategy: Accepted; on one device the scale is 1.

    In Paddle this is `paddle.static.BuildStrategy`.

    >>> BuildStrategy(fuse_elewise_add_act_ops=True).passes
    ['elementwise_fusion']
    """

    fuse_elewise_add_act_ops: bool = False
    fuse_gemm_epilogue: bool = False
    fused_attention: bool = False
    enable_auto_fusion: bool = False
    memory_optimize: bool = False
    fuse_all_optimizer_ops: bool = False
    fuse_all_reduce_ops: bool = False
    fuse_bn_act_ops: bool = False
    fuse_broadcast_ops: bool = False
    fuse_relu_depthwise_conv: bool = False
    enable_inplace: bool = False
    sync_batch_norm: bool = False
    reduce_strategy: ReduceStrategy = ReduceStrategy.AllReduce
    gradient_scale_strategy: GradientScaleStrategy = (
        GradientScaleStrategy.CoeffNumDevice
    )

    ReduceStrategy: ClassVar = ReduceStrategy
    GradientScaleStrategy: ClassVar = GradientScaleStrategy

    @property
    def passes(self) -> list[str]:
        """The names of the switched passes, in the order in which they run."""
        every = self.enable_auto_fusion
        switches = {
            "dead_code": self.memory_optimize,
            "identities": every or self.fused_attention,  # a dropout in a test
            "attention_fuse": every or self.fused_attention,
            "layer_norm": every,
            "softmax_cross_entropy": every,
            "fc_fuse": every or self.fuse_gemm_epilogue,
            "elementwise_fusion": every or self.fuse_elewise_add_act_ops,
            "optimizer_fuse": every or self.fuse_all_optimizer_ops,
        }
        return [name for name, on in switches.items() if on]


class CompiledProgram:
    """A program with the passes that an Executor applies before it runs it.

    Args:
        program_or_graph: The program, which stays as it is.
        build_strategy: The switches; by default all off.

    Raises:
        TypeError: It is no Program.

    In Paddle this is `paddle.static.CompiledProgram`.
    """

    def __init__(
        self, program_or_graph: Program, build_strategy: BuildStrategy | None = None
    ) -> None:
        if not isinstance(program_or_graph, Program):
            raise TypeError(
                "The type of 'program_to_graph' in paddle.static.CompiledProgram must "
                f"be {Program}, but received {type(program_or_graph)}."
            )
        self.program = program_or_graph
        self.build_strategy = build_strategy or BuildStrategy()
        self._made: dict[tuple[Any, ...], Optimised] = {}

    def optimised(self, fetches: Sequence[str]) -> Optimised:
        """Return the rewritten program for these fetches, from a cache."""
        passes = self.build_strategy.passes
        key = (self.program.version, tuple(fetches), tuple(passes))
        if key not in self._made:
            # Rewrites of an older version of the program are dropped.
            self._made = {k: v for k, v in self._made.items() if k[0] == key[0]}
            self._made[key] = apply_pass(
                self.program, passes, fetches=fetches, checked=False
            )
        return self._made[key]
