"""The memory plan: where in one stretch of memory each value of a program can lie.

A value takes up memory from the step that computes it to the last one that reads it. So
two that are never needed at once can lie at the same place. What is planned here is
what happens when the generated code runs: it lets go of values at the same steps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from teachgraph.control_flow.flow import Loop
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.program import Variable
from teachgraph.core.steps import Call, Step
from teachgraph.ops.sharing import Sharing, sharing
from teachgraph.planning.arena import Span, pack_spans
from teachgraph.planning.lifetimes import Lifetimes, lifetimes, reorder_for_memory
from teachgraph.planning.sizes import Specs, specs_of

__all__ = ["Buffer", "MemoryPlan", "memory_plan"]

ALIGNED = 64
"""Buffers begin at multiples of a cache line."""


@dataclass
class Buffer:
    """A part of the arena, and what lies in it from one step to another.

    Attributes:
        name: The variable that it is for at first.
        size: Bytes.
        start: The step that writes it first, by its place.
        end: The last step that needs it.
        offset: Where it begins, in bytes.
        names: All variables that live in it: the first one, views of it, and results
            that are written over it.
        since: For each of these, the step that writes it.
    """

    name: str
    size: int
    start: int
    end: int
    offset: int = 0
    names: list[str] = field(default_factory=list)
    since: list[int] = field(default_factory=list)

    @property
    def span(self) -> Span:
        """The size and the lifetime, which decide on the place."""
        return Span(self.size, self.start, self.end)


@dataclass
class MemoryPlan:
    """A place in one arena for each value of a program.

    Parameters and what is fed are not part of it: they are there anyway. A new value of
    a parameter is: it stands beside the old one until the run has succeeded.

    Attributes:
        buffers: The parts, in the order in which they are first needed.
        steps: The type of each step's operator.
        naive_peak: Bytes, if each value had its own memory for as long as a run takes.
        planned_peak: Bytes from the arena's beginning to its end.
        uncounted: Values of which the size is not known before the run.
    """

    buffers: list[Buffer]
    steps: list[str]
    naive_peak: int
    planned_peak: int
    uncounted: list[str]

    @cached_property
    def live(self) -> list[int]:
        """For each step, the bytes needed while it runs; no arrangement takes less."""
        changes = [0] * (len(self.steps) + 1)
        for buffer in self.buffers:
            changes[buffer.start] += buffer.size
            changes[buffer.end + 1] -= buffer.size
        return list(accumulate(changes[:-1]))

    def __str__(self) -> str:
        return "\n".join(plan_text(self))


def plan_text(plan: MemoryPlan) -> Iterator[str]:
    """A plan in words, with its largest parts."""
    share = plan.planned_peak / (plan.naive_peak or 1)
    yield (
        f"memory plan: {bytes_of(plan.planned_peak)} for {len(plan.buffers)} buffers, "
        f"{share:.0%} of {bytes_of(plan.naive_peak)} without sharing"
    )
    if plan.steps:
        most = max(plan.live)
        worst = plan.live.index(most)
        step = f"step {worst} ({plan.steps[worst]})"
        yield f"most is needed at {step}: {bytes_of(most)}"
    for buffer in sorted(plan.buffers, key=lambda b: -b.size)[:10]:
        others = f" and {len(buffer.names) - 1} more" if buffer.names[1:] else ""
        yield (
            f"  {bytes_of(buffer.size):>9} at {buffer.offset:>12,}, steps "
            f"{buffer.start} to {buffer.end}: {buffer.name}{others}"
        )
    if plan.uncounted:
        yield f"not counted, of unknown size: {', '.join(plan.uncounted)}"


def bytes_of(size: float) -> str:
    """A number of bytes, short.

    >>> bytes_of(512), bytes_of(3 * 2**20)
    ('512 B', '3.0 MB')
    """
    for unit in ("B", "kB", "MB"):
        if size < 1024:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"


def memory_plan(
    steps: Sequence[Step],
    kept: Collection[str],
    variables: Mapping[str, Variable],
    fed: Mapping[str, Sequence[int]],
) -> MemoryPlan:
    """Plan the memory of a program.

    Args:
        steps: What it runs, in order.
        kept: Variables whose values are wanted in the end.
        variables: What is known of its variables, by what the steps call them.
        fed: The shapes of the feeds.

    Raises:
        InvalidValueError: A feed has sizes that are not known.
    """
    check_fed(variables, fed)
    steps = reorder_for_memory(steps, variables)
    specs = specs_of(steps, variables, fed)
    life = Life(variables, specs)
    life.simulate(steps, lifetimes(steps, kept, variables))
    spans = [buffer.span for buffer in life.buffers]
    for buffer, offset in zip(life.buffers, pack_spans(spans), strict=True):
        buffer.offset = offset
    return MemoryPlan(
        life.buffers,
        [step.operator.type for step in steps],
        sum(specs[name].nbytes() for name in life.counted),
        max((b.offset + b.size for b in life.buffers), default=0),
        list(life.uncounted),
    )


def check_fed(
    variables: Mapping[str, Variable], fed: Mapping[str, Sequence[int]]
) -> None:
    """Every unknown size must be given."""
    for name, variable in variables.items():
        if variable.is_data and -1 in fed.get(name, variable.shape):
            raise InvalidValueError.here(
                f"memory_plan: {name!r} is declared {list(variable.shape)}: give "
                f"feed={{{name!r}: an array}} so that its size is known"
            )


def sums(call: Call) -> bool:
    """Tell whether there is something to add, and so a new value."""
    return call.operator.type == "sum" and len(call.arguments) > 1


class Life:
    """The values of a program, step by step: what lives, and in which buffer.

    Attributes:
        buffers: Every buffer so far.
        at: The buffer that a variable lies in now, if it is one of the program's own.
        holders: How many variables lie in a buffer now, by the buffer's identity.
        owners: Variables that are their buffer, not a view of it.
        gapped: Views whose elements do not follow one another.
        counted: Values whose size is known.
        uncounted: Values whose size is not.
    """

    def __init__(self, variables: Mapping[str, Variable], specs: Specs) -> None:
        self.variables, self.specs = variables, specs
        self.buffers: list[Buffer] = []
        self.at: dict[str, Buffer] = {}
        self.holders: dict[int, int] = {}
        self.owners: set[str] = set()
        self.gapped: set[str] = set()
        self.counted: dict[str, None] = {}
        self.uncounted: dict[str, None] = {}

    def simulate(self, steps: Sequence[Step], lives: Lifetimes) -> None:
        """Run through all steps: allocate results, free what has been read last."""
        events = zip(steps, *lives, strict=True)
        for place, (step, ends, fades, taken) in enumerate(events):
            if isinstance(step, Call):
                self.results(step, place, taken)
            else:
                self.allocate_inner(step, place)
            for name in (*ends, *fades):
                self.free(name, place)
        for name in list(self.at):
            self.free(name, len(steps) - 1)

    def allocate_inner(self, flow: Step, place: int) -> None:
        """Give memory to all that a branch or a loop computes."""
        for name in dict.fromkeys([*flow.outputs, *sorted(flow.inner)]):
            if name in self.specs:
                self.allocate(name, place)
        if isinstance(flow, Loop) and flow.has_backward:
            self.uncounted[flow.scopes] = None

    def results(self, call: Call, place: int, taken: str | None) -> None:
        """The results of a call: new, or where an input lies."""
        for position, name in enumerate(call.outputs):
            if name is None or name not in self.specs:
                continue
            if taken is not None and self.spare(taken):
                self.alias(name, taken, Sharing.SAME, place)
            elif source := self.shared(call, position, name):
                self.alias(name, *source, place)
            else:
                self.allocate(name, place)

    def spare(self, name: str) -> bool:
        """Tell whether a buffer may be written over once this variable is read."""
        buffer = self.at.get(name)
        alone = buffer is not None and self.holders[id(buffer)] == 1
        return alone and name in self.owners

    def shared(
        self, call: Call, position: int, name: str
    ) -> tuple[str, Sharing] | None:
        """The input whose memory a result lies in, and how, if it does."""
        how = sharing(call.operator.type, position)
        source = call.arguments[0] if how else None
        if how is None or source is None or source not in self.specs:
            return None
        alike = self.specs[source].shape == self.specs[name].shape
        if how is Sharing.SAME and (not alike or sums(call)):
            return None
        return None if how is Sharing.FLAT and source in self.gapped else (source, how)

    def allocate(self, name: str, place: int) -> None:
        """Give a value memory of its own."""
        # A variable may be written twice: this ends the value it had.
        self.free(name, place)
        if -1 in self.specs[name].shape:
            self.uncounted[name] = None
            return
        size = -(-self.specs[name].nbytes() // ALIGNED) * ALIGNED
        buffer = Buffer(name, size, place, place)
        self.buffers.append(buffer)
        self.owners.add(name)
        self.enter(name, buffer, place)

    def alias(self, name: str, source: str, how: Sharing, place: int) -> None:
        """Let a value lie in the buffer of another one."""
        buffer = self.at.get(source)
        if name != source:
            self.free(name, place)
            if how is Sharing.SAME and source in self.owners:
                self.owners.add(name)
            if how is Sharing.PART or source in self.gapped:
                self.gapped.add(name)
        if buffer is None:
            self.count(name)
        else:
            self.enter(name, buffer, place)

    def enter(self, name: str, buffer: Buffer, place: int) -> None:
        """Put a value into a buffer, from this step on."""
        self.at[name] = buffer
        buffer.names.append(name)
        buffer.since.append(place)
        self.holders[id(buffer)] = self.holders.get(id(buffer), 0) + 1
        self.count(name)

    def free(self, name: str, place: int) -> None:
        """End the lifetime of a value with this step."""
        self.owners.discard(name)
        self.gapped.discard(name)
        buffer = self.at.pop(name, None)
        if buffer is not None:
            buffer.end = place
            self.holders[id(buffer)] -= 1

    def count(self, name: str) -> None:
        """A value takes up memory of its own where nothing is shared."""
        self.counted[name] = None
