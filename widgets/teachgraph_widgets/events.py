"""The schema of the event log: one TypedDict per kind of event, and no other fields.

The recorder writes these, the page reads them, an exported page and the tests' fixtures
are a list of them. `src/events.ts` is generated from this file
(`python -m teachgraph_widgets.typescript`), so both sides read one definition.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict, Union

VERSION = 1

Shape = list[int]
"""Dimensions; -1 is one that is not known before the program runs."""

Count = Annotated[int, "from 0"]
"""A count, a size or an index: never negative."""

Role = Literal["P", "B", "leaf", "D", "T", "g", "L"]
"""Parameter, Buffer (state that no gradient trains, such as running statistics), a leaf
with a gradient, Data, Temporary, gradient, Learning rate and other optimizer state."""

OpRole = Literal["forward", "loss", "backward", "optimize"]


class Stats(TypedDict):
    """A tensor's value, small enough to send: at most 2 kB.

    `min` ... `norm` are those of the finite elements. JSON has neither NaN nor
    infinity, so what is not finite is null. `hist` has equal bins from `min` to `max`;
    `heat` goes row by row, pooled to at most 32x32 (of more than two dimensions, the
    first matrix); `first` holds the first elements. The three are empty in an outline,
    the form of a value over the budget. With `stride`, `hist` counts only
    each stride-th element. A tensor of pictures, with 1 channel or 3 before the height,
    has `image` in place of `heat`: the first picture as base64 of its pixels, row by
    row, a byte a channel from `min` (0) to `max` (255), pooled to `image_size`.
    """

    shape: Shape
    dtype: str
    min: float | None
    max: float | None
    mean: float | None
    std: float | None
    norm: float | None
    nan: Count
    inf: Count
    hist: list[Count]
    heat: list[list[float | None]]
    first: list[float | None]
    stride: NotRequired[Count]
    image: NotRequired[str]
    image_size: NotRequired[list[Count]]


class Event(TypedDict):
    """Base of all events.

    `seq` counts from 0 without gaps; `t` is seconds since the trace began; `line`
    counts from 1 within the source of `cell`, 0 for no line.
    """

    seq: Count
    t: float
    cell: int
    line: Count


class CellBegin(Event):
    """A traced source starts to run.

    If it is `sampled`, only those starts of its lines are told after which something
    happened, so that the count of them is a lower bound.
    """

    kind: Literal["cell_begin"]
    title: str
    source: str
    sampled: NotRequired[bool]


class CellEnd(Event):
    """A traced source has ended; `error` is the last line of its traceback, if any.

    `starts` has the number of starts of each line of which not all were told.
    """

    kind: Literal["cell_end"]
    ok: bool
    error: NotRequired[str]
    starts: NotRequired[dict[str, Count]]


class Line(Event):
    """The statement at `line` starts; `starts` counts it and those not told before."""

    kind: Literal["line"]
    starts: NotRequired[Count]


class ProgramEvent(Event):
    """A Program appeared. `origin` is the program it was cloned from.

    `process` is the process of a cluster that it belongs to.
    """

    kind: Literal["program"]
    program: int
    role: Literal["startup", "main", "test", "other"]
    title: str
    origin: NotRequired[int]
    process: NotRequired[int]


class BlockEvent(Event):
    """A Block appeared in a Program; the root's parent is -1."""

    kind: Literal["block"]
    program: int
    block: int
    parent: int


class VarEvent(Event):
    """A Variable was added to a Block."""

    kind: Literal["var"]
    program: int
    block: int
    name: str
    role: Role
    shape: Shape
    dtype: str
    persistable: bool
    stop_gradient: bool


class OpEvent(Event):
    """An Operator was inserted at `index` of a Block.

    `twin` is the id of the forward op a gradient op belongs to. Inputs and outputs map
    slot names to variable names; attributes come as short text. `scope` is the layer or
    name scope it belongs to, outermost first: `encoder/fc_0`.
    """

    kind: Literal["op"]
    program: int
    block: int
    index: int
    op: int
    type: str
    role: OpRole
    inputs: dict[str, list[str]]
    outputs: dict[str, list[str]]
    attrs: dict[str, str]
    twin: NotRequired[int]
    scope: NotRequired[str]


class OpRemoved(Event):
    """An Operator was removed from its Block."""

    kind: Literal["op_removed"]
    op: int


class AttrEvent(Event):
    """An attribute changed: of a variable (by program and name), an op or a tensor.

    The Python name that a line binds to a tensor comes as `attr: "name"`, a hook on its
    gradient as `attr: "hook"` with the hook's name (empty once removed). A tensor is a
    leaf from `attr: "stop_gradient"`, value `False`, on, and data from `True` on.
    Values that are replaced in place, by `set_value` or through a view, come as
    `attr: "overwritten"` and then a `value`: what an op computed was there before.
    A new `role` comes when a tensor's use or its layer says what it is. The number of
    runs of a program, if the last was not recorded, comes as its `attr: "runs"`.
    """

    kind: Literal["attr"]
    program: NotRequired[int]
    name: NotRequired[str]
    op: NotRequired[int]
    tensor: NotRequired[int]
    attr: str
    value: str


class TensorEvent(Event):
    """An eager Tensor was seen for the first time.

    `engine` is its class if another engine than the framework announced it.
    `grad_of` is the tensor whose gradient it is, read by an op, a hook or a clipping.
    """

    kind: Literal["tensor"]
    tensor: int
    name: str
    role: Role
    shape: Shape
    dtype: str
    stop_gradient: bool
    engine: NotRequired[str]
    grad_of: NotRequired[int]


class NodeEvent(Event):
    """An op ran on Tensors.

    `taped` says whether it left a node on the tape; `saved` names the slots that it
    saves for backward, one of which only the shape is saved as `X.shape`; `order` is 1
    for the user's own ops, 2 for those that a backward pass with `create_graph`
    records, and so on; `scope` is the layer that ran it, outermost first:
    `encoder/fc_0`; `engine` is as in `TensorEvent`.
    """

    kind: Literal["node"]
    node: int
    type: str
    inputs: list[int]
    outputs: list[int]
    attrs: dict[str, str]
    saved: list[str]
    taped: bool
    order: int
    scope: NotRequired[str]
    engine: NotRequired[str]


class Backward(Event):
    """A backward pass begins at, or has ended for, these tensors."""

    kind: Literal["backward"]
    phase: Literal["begin", "end"]
    roots: list[int]


class GradEvent(Event):
    """A gradient flowed to `tensor`, from the node that used it (absent: the seed).

    With `total` it is the sum of all contributions, or that sum after its hooks; after
    the pass, `.grad` itself.
    """

    kind: Literal["grad"]
    tensor: int
    node: NotRequired[int]
    total: bool
    value: Stats


class Free(Event):
    """The backward pass released a node's saved tensors."""

    kind: Literal["free"]
    node: int


class Run(Event):
    """One run of a Program by an Executor.

    `count` is the number of runs of this program so far, with those not recorded.
    """

    kind: Literal["run"]
    program: int
    run: int
    phase: Literal["begin", "end"]
    count: NotRequired[Count]


class RunOp(Event):
    """An Operator ran; `values` maps its output names to their new values."""

    kind: Literal["run_op"]
    run: int
    op: int
    values: dict[str, Stats]


class Value(Event):
    """The value of an eager Tensor."""

    kind: Literal["value"]
    tensor: int
    value: Stats


class Argument(TypedDict):
    """One input of an op that failed; `tensor` is the number of an eager one."""

    slot: str
    name: str
    shape: Shape
    dtype: str
    tensor: NotRequired[int]


class OpFailed(Event):
    """An op raised; it is drawn hatched on its line. `program` is absent when eager.

    `op` is the operator that could not run, `block` the block that it is in, or that it
    was to be inserted into.
    """

    kind: Literal["op_failed"]
    program: NotRequired[int]
    type: str
    inputs: list[Argument]
    message: str
    op: NotRequired[int]
    block: NotRequired[int]


class PassChange(TypedDict):
    """One rewrite: the types of the operators before and after, and its description."""

    old: list[str]
    new: list[str]
    what: str
    where: str


class PassEvent(Event):
    """A pass has rewritten `program`; events of its operators came before."""

    kind: Literal["pass"]
    program: int
    name: str
    before: Count
    after: Count
    changes: list[PassChange]


class PlanBuffer(TypedDict):
    """A buffer's place in the arena; it lives from operator `start` to `end`, included.

    `alias_of` names the buffer whose bytes it reuses in place.
    """

    name: str
    offset: Count
    size: Count
    start: Count
    end: Count
    alias_of: NotRequired[str]


class PlanEvent(Event):
    """A memory plan: temporaries in one arena, in bytes; `ops` are operators' types."""

    kind: Literal["plan"]
    arena: Count
    naive_peak: Count
    planned_peak: Count
    buffers: list[PlanBuffer]
    program: NotRequired[int]
    ops: NotRequired[list[str]]


class AstOp(TypedDict):
    """An operator, as text, and the line of the transformed source that appends it.

    The line is 0 if another function appends it.
    """

    text: str
    line: Count
    op: NotRequired[int]


class AstEvent(Event):
    """A function as `to_static` has rewritten it.

    `lines` has for each line of `transformed`, from the first, the line of `source` it
    comes from, or 0. Lines count from 1 in either.
    """

    kind: Literal["ast"]
    function: str
    source: str
    transformed: str
    lines: list[Count]
    ops: list[AstOp]


class TrainEvent(Event):
    """One step of training: its loss, its metrics and its duration.

    `steps` is the total number, if it is known; `samples` are those of this step;
    `norms` are the norms of the gradients, layer by layer.
    """

    kind: Literal["train"]
    step: Count
    epoch: Count
    loss: float | None
    seconds: float
    samples: Count
    metrics: dict[str, float | None]
    norms: dict[str, float | None]
    steps: NotRequired[Count]
    rate: NotRequired[float]


class Span(TypedDict):
    """A timed span: seconds from the profile's begin, nested by `depth`.

    `bytes` is the size of its results; `at` is the user's line.
    """

    name: str
    start: float
    duration: float
    depth: Count
    bytes: NotRequired[Count]
    at: NotRequired[Count]


class ProfileEvent(Event):
    """Spans of a profile; several events with one `title` are one profile."""

    kind: Literal["profile"]
    title: str
    spans: list[Span]


class Dropped(Event):
    """A count of events that were cut, sampled or left out, and the reason."""

    kind: Literal["dropped"]
    count: Count
    what: str
    why: str


class NamesEvent(Event):
    """Some names of the source mean something else from now on.

    `scope` is the function that they are local to, empty for the outermost; `tensors`
    maps names to numbers of tensors, `texts` to a word for anything else; `gone` are
    names without a meaning.
    """

    kind: Literal["names"]
    scope: str
    tensors: dict[str, int]
    texts: dict[str, str]
    gone: list[str]


class OutputEvent(Event):
    """The source printed something."""

    kind: Literal["output"]
    text: str


class AboutEvent(Event):
    """The docstring of an op, its inputs and outputs, and its gradient rule.

    `rule` is the source of the gradient rule's body, `takes` are its parameters:
    upstream gradients, such as `dout`, and what it saves.
    """

    kind: Literal["about"]
    type: str
    text: str
    inputs: list[str]
    outputs: list[str]
    rule: str
    takes: list[str]


class BesideEvent(Event):
    """Another trace is to be shown beside this one, under one slider.

    `log` is the other one's log, as JSON; `stops` are pairs of numbers of events that
    are over in either at the same moment, increasing; `first` is such a pair, where the
    two first differ, empty if nowhere; `words` says of either what differs.
    """

    kind: Literal["beside"]
    log: str
    stops: list[list[Count]]
    first: list[Count]
    words: list[str]


class ProcessEvent(Event):
    """A process of a cluster began, or began again after it died."""

    kind: Literal["process"]
    process: int
    role: Literal["trainer", "server"]
    title: str


class MessageEvent(Event):
    """A process of a cluster sent, received, waited, updated or saved parameters.

    `what` is a call of its transport, `peer` the title of whom it spoke to, empty for
    all; `name` is the variable, or the kind of barrier. It took `duration` seconds from
    `start`, on the clock of `t`. `step` counts the runs of a trainer's program, 0 for
    its startup program, and the updates of a server. "restart" is the start of a
    process in place of one that died; it goes on from that step.
    """

    kind: Literal["message"]
    process: int
    step: Count
    what: Literal[
        "send",
        "recv",
        "barrier",
        "all_reduce",
        "broadcast",
        "serve",
        "update",
        "save",
        "restart",
    ]
    peer: str
    name: str
    bytes: Count
    start: float
    duration: float


AnyEvent = Union[  # noqa: UP007
    CellBegin, CellEnd, Line, ProgramEvent, BlockEvent, VarEvent, OpEvent, OpRemoved,
    AttrEvent, TensorEvent, NodeEvent, Backward, GradEvent, Free, Run, RunOp, Value,
    OpFailed, PassEvent, PlanEvent, AstEvent, TrainEvent, ProfileEvent, Dropped,
    NamesEvent, OutputEvent, AboutEvent, BesideEvent, ProcessEvent, MessageEvent,
]  # fmt: skip


class Log(TypedDict):
    """A whole trace, as saved in a page or sent as the snapshot."""

    version: int
    title: str
    events: list[AnyEvent]
