"""Collective transpilers: programs of trainers that need no servers.

`GradAllReduce` sums gradients over the trainers before each update; `LocalSGD` lets
each trainer update by itself, and takes the mean of the changes. Both begin with the
parameters of trainer 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core.program import OpRole
from teachgraph.distributed.errors import TranspilerError
from teachgraph.distributed.rewrite import insert as insert_op
from teachgraph.static.block import Block
from teachgraph.static.operator import Operator
from teachgraph.static.program import (
    Program,
    default_main_program,
    default_startup_program,
)

__all__ = ["Collective", "GradAllReduce", "LocalSGD"]

FORWARD, BACKWARD, OPTIMIZE = map(int, (0, OpRole.BACKWARD, OpRole.OPTIMIZE))


def insert(
    block: Block, at: int, type: str, inputs: Any, out: str, **attrs: Any
) -> None:
    """Insert an operator with one output."""
    slots = inputs if isinstance(inputs, dict) else {"X": [inputs]}
    insert_op(block, at, type, slots, {"Out": [out]}, **attrs)


class Collective:
    """Base of collective transpilers.

    Args:
        nrings: The number of rings, over which messages are spread.

    In Paddle this is `fluid.transpiler.collective.Collective`. Its operators
    `c_gen_nccl_id` and `c_comm_init`, which connect GPUs, have no place here.
    """

    def __init__(self, nrings: int = 2) -> None:
        self.nrings = nrings

    def transpile(
        self,
        startup_program: Program | None,
        main_program: Program | None,
        rank: int,
        endpoints: Sequence[str] | str,
        current_endpoint: str,
        wait_port: bool = True,
    ) -> None:
        """Rewrite both programs for one trainer.

        Args:
            startup_program: By default the default one.
            main_program: By default the default one.
            rank: The number of this trainer, from 0.
            endpoints: The addresses of all trainers.
            current_endpoint: The address of this one.
            wait_port: Accepted for Paddle's sake.

        Raises:
            TranspilerError: There is one trainer only, the rank or address is none of
                theirs, or the program has no optimizer.
        """
        if isinstance(endpoints, str):
            endpoints = endpoints.split(",")
        if len(endpoints) < 2:
            raise TranspilerError(
                f"collective training takes several trainers, got {list(endpoints)}"
            )
        if not 0 <= rank < len(endpoints):
            raise TranspilerError(f"rank is 0 to {len(endpoints) - 1}, got {rank}")
        if current_endpoint not in endpoints:
            raise TranspilerError(
                f"{current_endpoint!r} is no trainer: there are {list(endpoints)}"
            )
        self.nranks, self.rank, self.ring = len(endpoints), rank, -1
        self.startup = (startup_program or default_startup_program()).global_block()
        self.main = (main_program or default_main_program()).global_block()
        if not any(is_update(op) for op in self.main.ops):
            raise TranspilerError(
                "the program has no optimizer: call `minimize` before `transpile`"
            )
        self.transpile_startup()
        self.transpile_main()

    def next_ring(self) -> int:
        """Choose the ring of the next message."""
        self.ring = (self.ring + 1) % self.nrings
        return self.ring

    def parameters(self) -> list[str]:
        """The parameters of the startup program."""
        return [parameter.name for parameter in self.startup.all_parameters()]

    def transpile_startup(self) -> None:
        """Let all trainers begin with the parameters of trainer 0."""
        self.ring = -1
        names = self.parameters()
        for name in names:
            attrs = {"ring_id": self.next_ring(), "root": 0, "op_role": FORWARD}
            insert(
                self.startup, len(self.startup.ops), "c_broadcast", name, name, **attrs
            )
        self.sync(self.startup, len(self.startup.ops), names[-1], FORWARD)
        self.ring = -1

    def sync(self, block: Block, at: int, name: str, role: int) -> None:
        """Wait for all rings."""
        for ring in range(self.nrings):
            attrs = {"ring_id": ring, "op_role": role}
            insert(block, at + ring, "c_sync_comm_stream", name, name, **attrs)

    def transpile_main(self) -> None:
        """Insert what the trainers exchange in each step."""
        raise NotImplementedError("subclasses say what is exchanged")


class GradAllReduce(Collective):
    """Sums gradients over the trainers; the loss's gradient is divided by their number.

    In Paddle this is `fluid.transpiler.collective.GradAllReduce`.
    """

    def transpile_main(self) -> None:
        """Scale the loss's gradient, and sum each gradient where it is written."""
        for at, operator in reversed([*enumerate(self.main.ops)]):
            if is_loss_gradient(operator):
                self.scale_after(at, operator)
        last = ""
        for at, operator in reversed([*enumerate(self.main.ops)]):
            pairs = operator.attrs.get("op_role_var") or []
            if operator.role & OpRole.BACKWARD and pairs:
                last = self.reduce_after(at, pairs[1::2])
        first = next(
            at for at, op in enumerate(self.main.ops) if op.role & OpRole.OPTIMIZE
        )
        self.sync(self.main, first, last, BACKWARD)

    def scale_after(self, at: int, operator: Operator) -> None:
        """Divide the loss's gradient by the number of trainers."""
        (name,) = operator.output_arg_names
        attrs = {"scale": 1.0 / self.nranks, "op_role": BACKWARD}
        insert(self.main, at + 1, "scale", name, name, **attrs)

    def reduce_after(self, at: int, gradients: Sequence[str]) -> str:
        """Sum some gradients over the trainers, right after they are written."""
        first = gradients[0]
        insert(self.main, at + 1, "c_sync_calc_stream", first, first, op_role=BACKWARD)
        for grad in gradients:
            attrs = {"ring_id": self.next_ring(), "op_role": BACKWARD}
            insert(self.main, at + 2, "c_allreduce_sum", grad, grad, **attrs)
        return gradients[-1]


class LocalSGD(Collective):
    """Lets each trainer update by itself, and takes the mean of the changes.

        w <- snapshot - mean over trainers of (snapshot - w)

    In Paddle this is `fluid.transpiler.collective.LocalSGD`.
    """

    def transpile_startup(self) -> None:
        """Keep a snapshot of each parameter besides."""
        super().transpile_startup()
        for name in self.parameters():
            snapshot = self.create_snapshot(self.startup, name)
            at = len(self.startup.ops)
            insert(self.startup, at, "assign", name, snapshot, op_role=FORWARD)

    def create_snapshot(self, block: Block, name: str) -> str:
        """Create the variable of a parameter's snapshot."""
        variable = self.main.vars[name]
        facts: Any = {"shape": variable.shape, "dtype": variable.dtype}
        block.create_var(
            name=f"{name}@SNAPSHOT", persistable=True, stop_gradient=True, **facts
        )
        return f"{name}@SNAPSHOT"

    def transpile_main(self) -> None:
        """After each update sum the changes; at the end take their mean."""
        names: list[str] = []
        for at, operator in reversed([*enumerate(self.main.ops)]):
            if is_update(operator):
                (name,) = operator.inputs["Param"]
                names.append(name)
                self.exchange_after(at, name, self.create_snapshot(self.main, name))
        self.sync(self.main, len(self.main.ops), names[-1], OPTIMIZE)
        for name in reversed(names):
            self.append_mean(name)

    def exchange_after(self, at: int, name: str, snapshot: str) -> None:
        """Sum the change of a parameter over the trainers."""
        change = {"X": [snapshot], "Y": [name]}
        role = {"op_role": OPTIMIZE}
        insert(self.main, at + 1, "elementwise_sub", change, name, **role)
        insert(self.main, at + 2, "c_sync_calc_stream", name, name, **role)
        ring = {"ring_id": self.next_ring(), **role}
        insert(self.main, at + 3, "c_allreduce_sum", name, name, **ring)

    def append_mean(self, name: str) -> None:
        """Move a parameter from its snapshot by the mean change."""
        snapshot, role = f"{name}@SNAPSHOT", {"op_role": OPTIMIZE}
        end = len(self.main.ops)
        scale = {"scale": 1.0 / self.nranks, **role}
        insert(self.main, end, "scale", name, name, **scale)
        change = {"X": [snapshot], "Y": [name]}
        insert(self.main, end + 1, "elementwise_sub", change, name, **role)
        insert(self.main, end + 2, "assign", name, snapshot, **role)


def is_update(operator: Operator) -> bool:
    """True for an operator that updates a parameter."""
    return {"Param", "Grad", "LearningRate"} <= {*operator.inputs}


def is_loss_gradient(operator: Operator) -> bool:
    """True for the operator that makes the gradient of the loss, 1."""
    return operator.role == OpRole.BACKWARD | OpRole.LOSS
