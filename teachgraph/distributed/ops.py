"""Ops that send and receive, in Paddle's types, slots and attributes.

Their kernels speak to the transport in force. A `send` needs the names of its inputs
besides their values, a `recv` those of its outputs: their lowerings hand them over.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from teachgraph.control_flow.source import with_attrs
from teachgraph.core.op import Like, find, op
from teachgraph.core.ops import FLOAT32
from teachgraph.core.program import Operator
from teachgraph.core.steps import Call, Lowering, Names, Step
from teachgraph.distributed.transport import Rows, transport
from teachgraph.errors import OutOfRangeError
from teachgraph.ops.foreign import foreign_op

__all__ = [
    "c_allreduce_sum",
    "c_broadcast",
    "distributed_lookup_table",
    "fake_init",
    "fetch_barrier",
    "listen_and_serv",
    "recv",
    "send",
    "send_barrier",
    "split_byref",
    "split_selected_rows",
]

SENDING = {"send", "split_selected_rows"}
"""Operators that take a gradient as rows."""

DONE = np.zeros((), bool)
"""Value of the variables that only say that something has happened."""


# Parameter servers: the trainer's side.


@foreign_op()
def send(
    *x: Any,
    epmap: Sequence[str] = (),
    sections: Sequence[int] = (),
    send_varnames: Sequence[str] = (),
    use_send_handler: bool = True,
    merge_add: bool = False,
    names: Sequence[str] = (),
    sparse: Sequence[str] = (),
) -> Any:
    """Send each input to its server in `epmap`; cut one in `sections` of rows first.

    One input with several servers and no sections goes to all of them.
    """
    parts = pieces(x[0], sections) if sections else list(x)
    if len(parts) == 1:
        parts = parts * len(epmap)
    labels = list(send_varnames or names)
    labels += labels[-1:] * (len(parts) - len(labels))
    for endpoint, name, value in zip(epmap, labels, parts, strict=True):
        dense = name in sparse and not isinstance(value, Rows)
        transport().send(endpoint, name, Rows.of(value) if dense else value)
    return DONE


def pieces(value: Any, sections: Sequence[int]) -> list[Any]:
    """Cut an array along its rows."""
    if isinstance(value, Rows):
        return list(value.split(sections))
    return np.split(value, list(accumulate(sections))[:-1])


@send.lowering
def lower_send(lowering: Lowering, operator: Operator, names: Names) -> Sequence[Step]:
    """Hand over the names of the inputs, and which of them have sparse gradients."""
    if "geo_params" in operator.attrs:
        return [lower_exchange(operator, names)]
    block, inputs = operator.block, operator.inputs["X"]
    sparse = [n for n in inputs if block._var_recursive(n).type == "SELECTED_ROWS"]
    if sparse:
        sparse += operator.attrs.get("send_varnames") or []
    return [with_attrs(Call(operator, names), names=inputs, sparse=sparse)]


def lower_exchange(operator: Operator, names: Names) -> Step:
    """Of geo-SGD: exchange the changes of the parameters that it names."""
    from teachgraph.distributed.geo import exchange

    settings = {k: v for k, v in operator.attrs.items() if k.startswith("geo_")}
    step = Call(operator, names)
    step.arguments = step.told = [names(name) for name in settings["geo_params"]]
    step.outputs, step.single, step.attrs = step.arguments, False, settings
    settings["first"] = "param_init" in operator.attrs["send_varnames"]
    step.function = exchange
    return step


@foreign_op()
def recv(
    *x: Any,
    epmap: Sequence[str] = (),
    recv_varnames: Sequence[str] = (),
    trainer_id: int = 0,
    with_barrier: bool = True,
    names: Sequence[str] = (),
) -> Any:
    """Receive each output from its server in `epmap`; join slices into one output."""
    labels = recv_varnames or names
    arrays = [
        transport().recv(endpoint, name)
        for endpoint, name in zip(epmap, labels, strict=True)
    ]
    if len(names) == len(arrays):
        return tuple(arrays) if len(arrays) > 1 else arrays[0]
    return np.concatenate(arrays)


@recv.lowering
def lower_recv(lowering: Lowering, operator: Operator, names: Names) -> Sequence[Step]:
    """Hand over the names of the outputs."""
    return [with_attrs(Call(operator, names), names=operator.outputs["Out"])]


@foreign_op()
def send_barrier(
    *x: Any,
    endpoints: Sequence[str] = (),
    trainer_id: int = 0,
    half_async: bool = False,
) -> Any:
    """Tell the servers that this trainer has sent all gradients of the step."""
    transport().barrier("send", endpoints)
    return DONE


@foreign_op()
def fetch_barrier(*x: Any, endpoints: Sequence[str] = (), trainer_id: int = 0) -> Any:
    """Tell the servers that this trainer has received all parameters of the step."""
    transport().barrier("fetch", endpoints)
    return DONE


@fetch_barrier.lowering
def lower_fetch_barrier(
    lowering: Lowering, operator: Operator, names: Names
) -> Sequence[Step]:
    """Write nothing: its outputs, the parameters, only say what it stands behind."""
    step = Call(operator, names)
    step.function, step.outputs, step.single = no_results(step.function), [], False
    return [step]


def no_results(function: Any) -> Any:
    """The function, returning nothing."""

    def fetch_barrier(*inputs: Any, **attrs: Any) -> tuple[()]:
        function(*inputs, **attrs)
        return ()

    return fetch_barrier


@op
def split_byref(x: Any, *, sections: Sequence[int]) -> Any:
    """Cut a gradient into slices of these numbers of rows."""
    parts = pieces(x, sections)
    return tuple(parts) if len(parts) > 1 else parts[0]


@op
def split_selected_rows(x: Any, *, height_sections: Sequence[int]) -> Any:
    """Cut the gradient of a table into slices of these numbers of rows."""
    parts = pieces(x, height_sections)
    return tuple(parts) if len(parts) > 1 else parts[0]


def lower_table_gradient(
    lowering: Lowering, operator: Operator, names: Names
) -> Sequence[Step]:
    """Make the gradient of a table as rows, if it is only sent.

    What else reads it, as a clipping does, needs all of it.
    """
    step = Call(operator, names)
    block, outputs = operator.block, operator.outputs.get("W@GRAD") or [""]
    variable = block.vars.get(outputs[0])
    if variable is not None and variable.type == "SELECTED_ROWS":
        readers = {op.type for op in block.ops if outputs[0] in op.input_arg_names}
        writers = [op for op in block.ops if outputs[0] in op.output_arg_names]
        if readers <= SENDING and writers == [operator]:
            step.function = table_gradient
    return [step]


def table_gradient(dout: Any, w: Like, ids: Any, *, padding_idx: int) -> Rows:
    """dw, of which only the rows that were looked up."""
    rows = Rows.summed(ids.ravel(), dout.reshape(ids.size, w.shape[1]), w.shape[0])
    return rows if padding_idx == -1 else rows.without(padding_idx)


find("lookup_table_v2_grad").lowering(lower_table_gradient)


@split_byref.infers
def infer_split(x: Like, *, sections: Sequence[int]) -> Any:
    """Each slice has its own number of rows."""
    return [((rows, *x.shape[1:]), x.dtype) for rows in sections]


@split_selected_rows.infers
def infer_split_rows(x: Like, *, height_sections: Sequence[int]) -> Any:
    """Each slice has its own number of rows."""
    return infer_split(x, sections=height_sections)


@foreign_op(outputs=("outputs",))
def distributed_lookup_table(
    *ids: Any,
    table_names: Sequence[str] = (),
    height_sections: Sequence[int] = (),
    endpoints: Sequence[str] = (),
    padding_idx: int = -1,
    trainer_id: int = 0,
    lookup_table_version: str = "lookup_table_v2",
    dtype: int = FLOAT32,
) -> Any:
    """Look up rows of a table whose slices are on servers; zeros for `padding_idx`.

    Each row is asked for once, of the server that has it.
    """
    joined = np.concatenate([part.ravel() for part in ids])
    wanted, places = np.unique(joined, return_inverse=True)
    tables = list(zip(endpoints, table_names, strict=True))
    rows = fetch_rows(wanted, tables, height_sections)
    rows[wanted == padding_idx] = 0
    looked_up = pieces(rows[places], [part.size for part in ids])
    shapes = [row_shape(part, lookup_table_version) for part in ids]
    outputs = [r.reshape(*s, -1) for r, s in zip(looked_up, shapes, strict=True)]
    return tuple(outputs) if len(outputs) > 1 else outputs[0]


def row_shape(ids: Any, version: str) -> tuple[int, ...]:
    """The shape that rows are put in: `lookup_table` drops the last dimension."""
    return ids.shape[:-1] if version == "lookup_table" else ids.shape  # type: ignore[no-any-return]


def fetch_rows(
    wanted: Any, tables: Sequence[tuple[str, str]], sections: Sequence[int]
) -> Any:
    """The rows with these sorted numbers, slice by slice.

    Raises:
        OutOfRangeError: A number is no row's.
    """
    if len(wanted) and not 0 <= wanted[0] <= wanted[-1] < sum(sections):
        raise OutOfRangeError(
            f"ids are expected >= 0 and < {sum(sections)}, but got "
            f"{wanted[0]} to {wanted[-1]}"
        )
    parts: list[Any] = []
    start = 0
    for (endpoint, name), rows in zip(tables, sections, strict=True):
        here = wanted[(wanted >= start) & (wanted < start + rows)] - start
        if len(here) or not parts:
            parts.append(transport().recv(endpoint, name, here))
        start += rows
    return np.concatenate(parts)


@op
def fake_init(*, shape: Sequence[int]) -> Any:
    """Stand in for a table that is on the servers: zeros."""
    return np.zeros(tuple(shape), np.float32)


# Parameter servers: the server's side.


@foreign_op()
def listen_and_serv(
    *x: Any,
    endpoint: str = "",
    pserver_id: int = 0,
    optimize_blocks: Sequence[int] = (),
    grad_to_block_id: Sequence[str] = (),
    sparse_grad_to_param: Sequence[str] = (),
    lr_decay_block_id: int = -1,
    distributed_mode: int = 0,
    checkpint_block_id: int = -1,
    Fanin: int = 1,  # noqa: N803  Paddle's name
    server: Any = None,
) -> Any:
    """Serve until all trainers have finished: the state before, the state after."""
    serving = server(x)
    transport().serve(serving)
    return serving.final()


@listen_and_serv.lowering
def lower_listen_and_serv(
    lowering: Lowering, operator: Operator, names: Names
) -> Sequence[Step]:
    """Take the variables that live on the server, and put them back at the end."""
    from teachgraph.distributed.server import Server, state_names

    kept = state_names(operator)
    step = Call(operator, names)
    step.arguments = step.told = step.outputs = [names(name) for name in kept]
    step.single = False
    return [with_attrs(step, server=partial(Server.of, operator, kept))]


# Collectives.


@foreign_op(inplace={"out": "x"})
def c_allreduce_sum(x: Any, *, ring_id: int = 0, use_calc_stream: bool = False) -> Any:
    """out = sum over trainers of x, added in the order of their ranks."""
    return transport().all_reduce(x, ring_id)


@foreign_op(inplace={"out": "x"})
def c_broadcast(
    x: Any, *, root: int = 0, ring_id: int = 0, use_calc_stream: bool = False
) -> Any:
    """out = x of trainer `root`."""
    return transport().broadcast(x, root, ring_id)


@op(inplace={"out": "x"})
def c_sync_calc_stream(x: Any) -> Any:
    """out = x: on a GPU, wait until it is computed."""
    return x


@op(inplace={"out": "x"})
def c_sync_comm_stream(x: Any, *, ring_id: int = 0) -> Any:
    """out = x: on a GPU, wait until all is sent and received."""
    return x


@c_allreduce_sum.infers
def infer_all_reduce(x: Like, **_: Any) -> Any:
    """Shaped like x."""
    return [(x.shape, x.dtype)]


@c_broadcast.infers
def infer_broadcast(x: Like, **_: Any) -> Any:
    """Shaped like x."""
    return [(x.shape, x.dtype)]
