"""Tables on servers: lookups that fetch only the rows a batch needs.

A table whose gradient is sparse stays on the servers. The trainer's program loses its
lookups and asks the servers for rows, one operator for all lookups in one table:

    lookup_table_v2(W, Ids) -> distributed_lookup_table(W, Ids...; endpoints, sections)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from teachgraph.core.op import find
from teachgraph.core.program import OpRole
from teachgraph.distributed.errors import TranspilerError
from teachgraph.static.block import Block
from teachgraph.static.operator import Operator

__all__ = ["Table", "mark_sparse_gradients", "remote_tables", "replace_lookups"]

LOOKUPS = ("lookup_table", "lookup_table_v2")
SPARSE = "SELECTED_ROWS"
FORWARD = (OpRole.FORWARD, OpRole.LOSS)


class Table(NamedTuple):
    """A table and where its slices are.

    Attributes:
        name: Its parameter.
        slices: Names of the slices.
        endpoints: The server of each.
        sections: The rows of each.
    """

    name: str
    slices: list[str]
    endpoints: list[str]
    sections: list[int]


def lookups(block: Block, attr: str) -> list[Operator]:
    """The lookups of a block for which an attribute holds."""
    return [op for op in block.ops if op.type in LOOKUPS and op.attrs.get(attr)]


def remote_tables(block: Block) -> set[str]:
    """The tables of which trainers fetch rows.

    Raises:
        TranspilerError: A table is used in another way besides, which needs all of it.
    """
    remote = lookups(block, "remote_prefetch")
    tables = {op.inputs["W"][0] for op in remote}
    for operator in block.ops:
        mixed = tables.intersection(operator.input_arg_names)
        if mixed and operator not in remote and operator.role in FORWARD:
            raise TranspilerError(
                f"{mixed.pop()!r} is looked up with is_sparse=True, {operator.type} "
                "needs all of it: let all its lookups be sparse, or none"
            )
    return tables


def mark_sparse_gradients(block: Block, gradients: Mapping[str, str]) -> None:
    """Mark the gradients of tables with sparse gradients, which are sent as rows."""
    for operator in lookups(block, "is_sparse"):
        grad = gradients.get(operator.inputs["W"][0])
        if grad is not None:
            block.vars[grad].type = SPARSE


def replace_lookups(block: Block, tables: Sequence[Table], trainer_id: int) -> None:
    """Replace the lookups in each table by one operator that asks the servers."""
    for table in tables:
        operators = [
            op
            for op in lookups(block, "remote_prefetch")
            if op.inputs["W"] == [table.name]
        ]
        for group in mergeable(block, operators):
            replace_group(block, group, table, trainer_id)


def mergeable(block: Block, found: Sequence[Operator]) -> list[list[Operator]]:
    """Those that can be one operator: all ids before the first use of a result."""
    outputs = {op.outputs["Out"][0] for op in found}
    ids = {op.inputs["Ids"][0] for op in found}
    rest = [op for op in block.ops if op not in found]
    uses = [at for at, op in enumerate(rest) if outputs & {*op.input_arg_names}]
    writes = [at for at, op in enumerate(rest) if ids & {*op.output_arg_names}]
    if min(uses, default=len(rest)) > max(writes, default=-1):
        return [list(found)]
    return [[op] for op in found]


def replace_group(
    block: Block, group: Sequence[Operator], table: Table, trainer_id: int
) -> None:
    """Put one operator in the place of some lookups: behind the last of their ids."""
    first, ids = group[0], [op.inputs["Ids"][0] for op in group]
    for operator in group:
        block.remove(block.ops.index(operator))
    written = [i for i, op in enumerate(block.ops) if {*ids} & {*op.output_arg_names}]
    attrs: dict[str, Any] = {
        "endpoints": table.endpoints,
        "height_sections": table.sections,
        "lookup_table_version": first.type,
        "op_namescope": "/",
        "op_role": 0,
        "padding_idx": first.attrs.get("padding_idx", -1),
        "table_names": table.slices,
        "trainer_id": trainer_id,
    }
    block.insert(
        max(written, default=-1) + 1,
        "distributed_lookup_table",
        {"Ids": ids, "W": [table.name]},
        {"Outputs": [op.outputs["Out"][0] for op in group]},
        find("distributed_lookup_table").complete(attrs),
    )
