"""A trainer's programs: gradients are sent and parameters received.

Each gradient is sent right behind the operator that writes it last, so that it travels
while backward goes on; all that is received stands at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core.program import OpRole
from teachgraph.distributed.layout import Layout, Update
from teachgraph.distributed.lookup import Table, replace_lookups
from teachgraph.distributed.rewrite import append, copy_to, insert
from teachgraph.distributed.slicing import Slice
from teachgraph.static.block import Block
from teachgraph.static.operator import Operator

__all__ = ["TrainerPrograms"]

RPC, DIST = 4, 8
"""Roles of operators that send and receive, and of those that cut and join."""

COUNTER = "increment"


class TrainerPrograms(Layout):
    """Rewrites the program, and the startup program, of one trainer."""

    def rewrite(self) -> None:
        """Let the trainer send gradients and receive parameters."""
        self.controls = 0
        self.block = self.program.global_block()
        self.split_counter()
        self.sent = {update.param: update.grad for update in self.updates}
        for param, parts in self.params.items():
            self.create_slices(self.block, param, parts)
        self.dependencies = self.append_sends()
        barrier = self.append_send_barrier()
        received = self.append_recvs(barrier)
        replace_lookups(self.block, self.remote(), self.trainer_id)
        if self.sync_mode:
            self.append(
                *("fetch_barrier", {"X": [barrier]}, {"Out": received}),
                endpoints=self.pserver_endpoints,
                trainer_id=self.trainer_id,
            )
        self.append_concats(self.block)
        self.rewrite_startup()

    def append(self, type: str, inputs: Any, outputs: Any, **attrs: Any) -> Operator:
        """Append an operator that sends or receives."""
        attrs.setdefault("op_role", RPC)
        operator: Operator = append(self.block, type, inputs, outputs, **attrs)
        return operator

    def insert(self, at: int, *parts: Any, **attrs: Any) -> None:
        """Insert an operator that sends or receives."""
        insert(self.block, at, *parts, **{"op_role": RPC, **attrs})

    def control(self, block: Block) -> str:
        """Create a variable that only says that something has happened."""
        name = f"__control_var@{self.controls}"
        self.controls += 1
        block.create_var(name=name, shape=[], dtype="bool")
        return name

    def append_sends(self) -> dict[str, str]:
        """Send each gradient after the operator that writes it last."""
        by_param = {u.param: u for u in self.updates}
        return {p: self.append_send(by_param[p]) for p in self.sending}

    def append_send(self, update: Update) -> str:
        """Send one gradient; return the variable that says so."""
        parts, grad = self.grads[update.param], self.sent_name(update)
        at, names = last_writer(self.block, grad), [grad]
        if len(parts) > 1 and self.config.runtime_split_send_recv:
            self.create_slices(self.block, update.grad, parts)
        elif len(parts) > 1:
            names = self.insert_split(at, update, parts)
            at += 1
        late = self.late_slicing(parts)
        done = self.control(self.block)
        self.insert(
            at + 1,
            *("send", {"X": names}, {"Out": [done]}),
            epmap=[self.home[part.name] for part in self.params[update.param]],
            op_role_var=[update.param, grad],
            **late,
        )
        return done

    def late_slicing(self, parts: Sequence[Slice]) -> dict[str, Any]:
        """The attributes of a `send` that cuts by itself."""
        if not self.config.runtime_split_send_recv:
            return {"sections": [], "send_varnames": []}
        return {
            "sections": [part.shape[0] for part in parts],
            "send_varnames": [part.name for part in parts],
        }

    def sent_name(self, update: Update) -> str:
        """The name under which a gradient is sent, which says whose it is."""
        shared = self.sync_mode and self.trainer_num > 1
        if not shared or len(self.grads[update.param]) > 1:
            return update.grad
        name = f"{update.grad}.trainer_{self.trainer_id}"
        self.block.rename_var(update.grad, name)
        for operator in (*self.block.ops, *update.operators):
            pair = operator.attrs.get("op_role_var")
            if pair and update.grad in pair:
                new = [name if n == update.grad else n for n in pair]
                operator.set_attr("op_role_var", new)
        update.gradients |= {name}
        self.sent[update.param] = name
        return name

    def insert_split(
        self, at: int, update: Update, parts: Sequence[Slice]
    ) -> list[str]:
        """Cut a gradient into the slices that are sent."""
        whole = self.variables[update.grad]
        if self.sync_mode and self.trainer_num > 1:
            named = (f"{part.name}.trainer_{self.trainer_id}" for part in parts)
            parts = [p._replace(name=n) for p, n in zip(parts, named, strict=True)]
        self.create_slices(self.block, update.grad, parts)
        sparse = whole.type == "SELECTED_ROWS"
        rows = [part.shape[0] for part in parts]
        self.insert(
            at + 1,
            "split_selected_rows" if sparse else "split_byref",
            {"X": [update.grad]},
            {"Out": [part.name for part in parts]},
            op_role=DIST,
            **{"height_sections" if sparse else "sections": rows},
        )
        return [part.name for part in parts]

    def append_send_barrier(self) -> str:
        """Say that all is sent, where servers wait for it."""
        barrier = self.control(self.block)
        sent = [self.dependencies[param] for param in self.sending]
        if not self.sync_mode:
            sent += self.append_counter()
        half = self.config.runtime_split_send_recv and self.config.half_async
        if self.sync_mode or half:
            self.append(
                *("send_barrier", {"X": sent}, {"Out": [barrier]}),
                endpoints=self.pserver_endpoints,
                half_async=not self.sync_mode,
                trainer_id=self.trainer_id,
            )
        return barrier

    def append_recvs(self, barrier: str) -> list[str]:
        """Receive the parameters; return what is received."""
        received: list[str] = []
        for update in self.updates:
            if update.param in self.tables:
                continue
            names = [part.name for part in self.params[update.param]]
            outputs, labels = names, list[str]()
            if self.config.runtime_split_send_recv:
                outputs, labels = [update.param], names
            after = barrier if self.sync_mode else self.dependencies[update.param]
            self.append(
                *("recv", {"X": [after]}, {"Out": outputs}),
                epmap=[self.home[name] for name in names],
                op_role_var=[update.param, self.sent[update.param]],
                recv_varnames=labels,
                trainer_id=self.trainer_id,
            )
            received += outputs
        return received

    def create_slices(self, block: Block, whole: str, parts: Sequence[Slice]) -> None:
        """Create the variables of a cut parameter or gradient."""
        like = self.variables[whole]
        for part in parts:
            facts: Any = {"shape": part.shape, "persistable": False}
            copy_to(block, like, name=part.name, **facts)

    def append_concats(self, block: Block, role: int = DIST) -> None:
        """Join the slices of each cut parameter."""
        if self.config.runtime_split_send_recv and role == DIST:
            return
        for param, parts in self.params.items():
            if len(parts) > 1 and param not in self.tables:
                slots: Any = {"X": [part.name for part in parts]}, {"Out": [param]}
                append(block, "concat", *slots, axis=0, op_role=role)

    def remote(self) -> list[Table]:
        """The tables whose rows are looked up on servers, with their places."""
        return [
            Table(
                param,
                [part.name for part in self.params[param]],
                [self.home[part.name] for part in self.params[param]],
                [part.shape[0] for part in self.params[param]],
            )
            for param in self.params
            if param in self.tables
        ]

    def rewrite_startup(self) -> None:
        """Let the trainer begin with the servers' parameters."""
        block = self.startup.global_block()
        for param, parts in self.params.items():
            if param in self.tables:
                continue
            self.create_slices(block, param, parts)
            append(
                *(block, "recv", {}, {"Out": [part.name for part in parts]}),
                epmap=[self.home[part.name] for part in parts],
                op_role=RPC,
                trainer_id=self.trainer_id,
            )
        append(
            *(block, "fetch_barrier", {}, {"Out": [self.control(block)]}),
            endpoints=self.pserver_endpoints,
            op_role=RPC,
            trainer_id=self.trainer_id,
        )
        self.append_concats(block, role=0)

    # The step counter of a schedule without barriers: each trainer adds its own steps.

    def split_counter(self) -> None:
        """Without barriers, let the counter be the sum of what the trainers send."""
        self.counter: str | None = None
        if self.sync_mode:
            return
        for place, operator in enumerate(self.schedule):
            if operator.type == COUNTER:
                self.schedule[place] = self.summed_counter(operator)

    def summed_counter(self, operator: Operator) -> Operator:
        """Replace `counter += 1` by the sum of one counter for each trainer."""
        (counter,) = operator.outputs["Out"]
        names = [f"{counter}.trainer_{t}" for t in range(self.trainer_num)]
        self.counter = names[self.trainer_id]
        variable, startup = self.variables[counter], self.startup.global_block()
        for name in names:
            facts: Any = {"shape": variable.shape, "dtype": variable.dtype}
            for block in (self.block, startup):
                block.create_var(name=name, persistable=True, **facts)
            self.variables[name] = self.block.vars[name]
            one = {"shape": list(variable.shape), "value": 1.0, "dtype": 3}
            insert(startup, 0, "fill_constant", {}, {"Out": [name]}, op_role=0, **one)
        for initializer in self.initializers:
            if counter in initializer.output_arg_names:
                initializer.set_attr("value", -float(self.trainer_num))
        self.initializers = [*startup.ops]
        slots: Any = {"X": names}, {"Out": [counter]}
        at, role = self.block.ops.index(operator), int(OpRole.RATE)
        self.block.remove(at)
        summed: Operator = insert(self.block, at, "sum", *slots, op_role=role)
        return summed

    def append_counter(self) -> list[str]:
        """Send this trainer's counter to all servers."""
        if self.counter is None:
            return []
        done = self.control(self.block)
        late = self.config.runtime_split_send_recv
        self.append(
            *("send", {"X": [self.counter]}, {"Out": [done]}),
            epmap=self.pserver_endpoints,
            merge_add=True,
            op_role_var=[self.counter, self.counter],
            sections=[],
            send_varnames=[self.counter] if late else [],
            use_send_handler=False,
        )
        return [done]


def last_writer(block: Block, name: str) -> int:
    """The place of the operator that writes a variable last."""
    writers = [at for at, op in enumerate(block.ops) if op.writes(name)]
    return writers[-1]
