"""Geo-SGD: trainers update their own parameters, and exchange the changes now and then.

After every `geo_sgd_need_push_nums` steps a trainer sends, for each parameter,

    delta = (w - old) / trainers,      old <- old + delta

and takes over what the others have changed:

    w <- w + (server's w - old),       old <- server's w
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from teachgraph.distributed.layout import GEO, Update
from teachgraph.distributed.rewrite import append, copy_to
from teachgraph.distributed.server_program import append_listen_and_serv
from teachgraph.distributed.slicing import row_sections
from teachgraph.distributed.transpiler import DistributeTranspiler
from teachgraph.distributed.transport import Transport, transport
from teachgraph.static.block import Block
from teachgraph.static.program import Program

__all__ = ["GeoSgdTranspiler", "exchange"]


class GeoSgdTranspiler(DistributeTranspiler):
    """Rewrites a program for geo-SGD.

    In Paddle this is `fluid.transpiler.geo_sgd_transpiler.GeoSgdTranspiler`.
    """

    distributed_mode = GEO

    def transpile(
        self,
        trainer_id: int,
        program: Program | None = None,
        pservers: str = "127.0.0.1:6174",
        trainers: int | str = 1,
        sync_mode: bool = False,
        startup_program: Program | None = None,
        current_endpoint: str = "127.0.0.1:6174",
    ) -> None:
        """Rewrite a program; see `DistributeTranspiler.transpile`. It is never sync.

        Raises:
            TranspilerError: The arguments or the program do not fit.
        """
        places = pservers, trainers, False
        super().transpile(
            trainer_id, program, *places, startup_program, current_endpoint
        )

    def sections(self, update: Update, shape: Sequence[int]) -> tuple[int, ...]:
        """The rows of each slice: parameters are always cut."""
        servers = len(self.pserver_endpoints)
        return row_sections(shape, servers, self.config.min_block_size)

    def place_slices(self) -> None:
        """Cut parameters; trainers look rows up in their own tables."""
        self.tables = set()
        super().place_slices()

    def split_counter(self) -> None:
        """Leave the schedule alone: each trainer has its own."""

    def rewrite(self) -> None:
        """Append the operator after which changes are exchanged."""
        self.controls = 0
        self.block = self.program.global_block()
        for param, parts in self.params.items():
            whole = self.variables[param]
            copy_to(self.block, whole, name=f"{param}.delta", persistable=False)
            self.create_slices(self.block, param, parts)
            for part in parts if len(parts) > 1 else []:
                facts = {"shape": part.shape, "persistable": False}
                copy_to(self.block, whole, name=f"{part.name}.delta", **facts)
        parts = [part for parts in self.params.values() for part in parts]
        done = self.control(self.block)
        self.append_exchange(self.block, [], done, [])
        self.rewrite_startup()

    def append_exchange(
        self, block: Block, inputs: list[str], done: str, labels: list[str]
    ) -> None:
        """Append the operator that exchanges, or remembers what to start from."""
        parts = [part for parts in self.params.values() for part in parts]
        append(
            *(block, "send", {"X": inputs}, {"Out": [done]}),
            epmap=["127.0.0.1:6164"],
            geo_endpoints=[self.home[part.name] for part in parts],
            geo_params=[*self.params],
            geo_push_nums=self.config.geo_sgd_need_push_nums,
            geo_sections=[[p.shape[0] for p in ps] for ps in self.params.values()],
            geo_slices=[part.name for part in parts],
            op_role=0,
            send_varnames=labels,
        )

    def rewrite_startup(self) -> None:
        """Begin with the servers' parameters, and say that they have come."""
        super().rewrite_startup()
        block = self.startup.global_block()
        for param in self.params:
            whole = self.variables[param]
            copy_to(block, whole, name=f"{param}.delta", persistable=False)
        block.create_var(name="param_init", shape=[], dtype="bool")
        self.append_exchange(block, ["param_init"], self.control(block), ["param_init"])

    def get_trainer_program(self, wait_port: bool = True) -> Program:
        """The trainer's program, which keeps its optimizer."""
        self.check_transpiled()
        return self.program

    def get_pserver_program(self, endpoint: str) -> Program:
        """The program of one server: each slice is the sum of all changes.

        Raises:
            TranspilerError: There is no such server.
        """
        self.check_transpiled()
        program, held = Program(), self.held_by(endpoint)
        program.random_seed = self.program.random_seed
        block, blocks, deltas = program.global_block(), list[int](), list[str]()
        for part, whole in held.values():
            copy_to(block, whole, name=part.name, shape=part.shape)
        for part, whole in held.values():
            delta, facts = f"{part.name}.delta", {"shape": part.shape}
            copy_to(block, whole, name=delta, persistable=False, **facts)
            inner = program._create_block(0)
            slots: Any = {"X": [part.name, delta]}, {"Out": [part.name]}
            append(inner, "sum", *slots, op_role=0)
            blocks.append(inner.idx)
            deltas.append(f"{delta}:{inner.idx}")
        program.current_block_idx = 0
        append_listen_and_serv(
            *(block, self, endpoint, {}),
            grad_to_block_id=deltas,
            optimize_blocks=blocks,
            pserver_id=-1,
        )
        return program


class Exchange:
    """Memory of a trainer between exchanges: steps, and the servers' parameters.

    Attributes:
        old: Parameters as the servers had them last.
        steps: How many steps it has made.
    """

    def __init__(self, old: dict[str, Any]) -> None:
        self.old, self.steps = old, 0


exchanges: WeakKeyDictionary[Transport, Exchange] = WeakKeyDictionary()
"""By the transport of a trainer."""


def exchange(
    *params: Any,
    geo_params: Sequence[str],
    geo_slices: Sequence[str],
    geo_endpoints: Sequence[str],
    geo_sections: Sequence[Sequence[int]],
    geo_push_nums: int,
    first: bool = False,
) -> tuple[Any, ...]:
    """After so many steps send the changes, and add those of the others."""
    if first:
        copies = (np.array(value) for value in params)
        old = dict(zip(geo_params, copies, strict=True))
        exchanges[transport()] = Exchange(old)
        return params
    memory = exchanges[transport()]
    memory.steps += 1
    if memory.steps % geo_push_nums:
        return params
    homes = iter(zip(geo_slices, geo_endpoints, strict=True))
    return tuple(
        exchanged(memory, name, value, [next(homes) for _ in rows], rows)
        for name, value, rows in zip(geo_params, params, geo_sections, strict=True)
    )


def fetched(homes: Sequence[tuple[str, str]]) -> Any:
    """A parameter, joined from its slices."""
    return np.concatenate([transport().recv(end, name) for name, end in homes])


def exchanged(
    memory: Exchange,
    name: str,
    value: Any,
    homes: Sequence[tuple[str, str]],
    rows: Sequence[int],
) -> Any:
    """Send the change of one parameter; return it with the changes of the others."""
    delta = (value - memory.old[name]) / value.dtype.type(transport().world)
    start = 0
    for (part, endpoint), count in zip(homes, rows, strict=True):
        piece = delta[start : start + count]
        transport().send(endpoint, f"{part}.delta", piece)
        start += count
    current = fetched(homes)
    changed = value + (current - (memory.old[name] + delta))
    memory.old[name] = current
    return changed
