"""Steps of a `recurrent` operator: Python's `for` over the steps of its sequences.

Each step reads one row of every sequence and the states of the step before; its outputs
are stacked again. The backward runs over the steps in reverse.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from teachgraph.control_flow.flow import (
    Flow,
    Rounds,
    inner_of,
    read_outside,
    tuple_of,
    zeros_of,
)
from teachgraph.core.errors import ShapeError
from teachgraph.core.steps import Values, run_steps
from teachgraph.ops.tensor_array import TensorArray, zeros_like

if TYPE_CHECKING:
    from teachgraph.control_flow.source import Writer

__all__ = ["BackScan", "Scan", "part_of", "rows", "stacked"]


def rows(sequences: Sequence[Any], backwards: bool) -> list[tuple[Any, ...]]:
    """The steps of some sequences, side by side.

    Raises:
        ShapeError: There are none, or one sequence has more than another.
    """
    lengths = {len(sequence) for sequence in sequences}
    if len(lengths) != 1 or 0 in lengths:
        raise ShapeError(
            "the sequences have one length, which is at least 1, but here "
            f"{sorted(lengths)}"
        )
    places = range(lengths.pop())
    steps = [tuple(part_of(s, at) for s in sequences) for at in places]
    return steps[::-1] if backwards else steps


def part_of(sequence: Any, at: int) -> Any:
    """One row of a sequence: an array, also where it is a single number."""
    if isinstance(sequence, TensorArray):
        return sequence.parts[at]
    return sequence[at, ...]


def stacked(parts: list[Any], backwards: bool, like: Any = None) -> Any:
    """Stack the parts of all steps, in the order of the sequences.

    It is an array of tensors if what it is `like` is one, or if its parts are.
    """
    ordered = parts[::-1] if backwards else parts
    if isinstance(like, TensorArray) or isinstance(ordered[0], TensorArray):
        return TensorArray(ordered)
    return np.stack(ordered)


def empty_array(as_array: bool) -> TensorArray | None:
    """An empty array of tensors for an output that is one, else None."""
    return TensorArray([]) if as_array else None


@dataclass
class Scan(Rounds):
    """`for` each step of some sequences: the body.

    Attributes:
        sequences: The name of its row in a step, and that of the sequence.
        states: The names of a state before and after a step, and of its first value.
        outs: The names of an output and of its part in a step, and whether it is an
            array of tensors instead of one tensor.
        backwards: Whether the last step comes first.
    """

    sequences: list[tuple[str, str]]
    states: list[tuple[str, str, str]]
    outs: list[tuple[str, str, bool]]
    backwards: bool

    @property
    def arguments(self) -> list[str | None]:
        """Variables read from around it."""
        own = {*(row for row, _ in self.sequences), *(old for old, _, _ in self.states)}
        handed = [
            *(new for _, new, _ in self.states),
            *(part for _, part, _ in self.outs),
        ]
        unmade = [name for name in handed if name not in inner_of(self.body)]
        read = [n for n in (*read_outside(self.body), *unmade) if n not in own]
        first = [value for _, _, value in self.states]
        return [*(sequence for _, sequence in self.sequences), *first, *read]

    @property
    def outputs(self) -> list[str | None]:
        """Variables that have a value after it."""
        scopes = [self.scopes] if self.has_backward else []
        return [*(out for out, _, _ in self.outs), *scopes]

    @property
    def inner(self) -> set[str]:
        """Variables that have a value after it only if there was a step."""
        old = {name for name, _, _ in self.states}
        return inner_of(self.body) | {name for name, _ in self.sequences} | old

    @property
    def told(self) -> list[str | None]:
        """Variables that decide on the number of steps, for messages."""
        return [sequence for _, sequence in self.sequences]

    def execute(self, values: Values) -> None:
        """Run it on these values."""
        values.update([(old, values[first]) for old, _, first in self.states])
        values[self.scopes] = scopes = []
        parts: dict[str, list[Any]] = {out: [] for out, _, _ in self.outs}
        sequences = [values[sequence] for _, sequence in self.sequences]
        for row in rows(sequences, self.backwards):
            values.update(zip((name for name, _ in self.sequences), row, strict=True))
            run_steps(self.body, values)
            for out, part, _ in self.outs:
                parts[out].append(values[part])
            if self.has_backward:
                scopes.append(self.kept_of(values))
            values.update([(old, values[new]) for old, new, _ in self.states])
        for out, _, as_array in self.outs:
            values[out] = stacked(parts[out], self.backwards, empty_array(as_array))

    def write(self, writer: Writer) -> None:
        """Write it down."""
        name = writer.name
        writer.wanted |= self.saved.keys()
        for old, _, first in self.states:
            writer.line(f"{name(old)} = {name(first)}")
        if self.has_backward:
            writer.line(f"{name(self.scopes)} = []")
        lists = [writer.fresh(f"parts_of_{name(out)}") for out, _, _ in self.outs]
        for parts in lists:
            writer.line(f"{parts} = []")
        row = tuple_of(writer, [name for name, _ in self.sequences])
        whole = tuple_of(writer, [sequence for _, sequence in self.sequences])
        steps = f"{writer.uses(rows)}({whole}, {self.backwards})"
        writer.line(f"for {row} in {steps}:", self, comment=True)
        writer.body(self.body, empty=False)
        for parts, (_, part, _) in zip(lists, self.outs, strict=True):
            writer.line(f"    {parts}.append({name(part)})")
        self.write_kept(writer)
        for old, new, _ in self.states:
            writer.line(f"    {name(old)} = {name(new)}")
        for parts, (out, _, as_array) in zip(lists, self.outs, strict=True):
            how = (
                f"{self.backwards}, {writer.uses(empty_array)}(True)"
                if as_array
                else (f"{self.backwards}")
            )
            text = f"{name(out)} = {writer.uses(stacked)}({parts}, {how})"
            writer.line(text, self)


@dataclass
class BackScan(Flow):
    """Backward of a `Scan`: a `for` over its steps in reverse.

    Attributes:
        scan: The forward.
        arriving: The name of the upstream gradient of a step's output, and that of the
            sequence of these gradients.
        states: The names of a state's upstream gradient in a step, of its first value,
            and of the gradient of the state before the step.
        sequences: The names of the gradient of a sequence, of a step's part (None if
            there is none), and of the sequence.
        carried: The names of the gradient of a first value, and of the upstream
            gradient of its state.
        sums: The names of the gradient of a captured variable, of a step's part (None
            if there is none), and of the variable.
    """

    scan: Scan
    arriving: list[tuple[str, str]]
    states: list[tuple[str, str, str]]
    sequences: list[tuple[str, str | None, str]]
    carried: list[tuple[str, str]]
    sums: list[tuple[str, str | None, str]]

    @property
    def kept(self) -> list[str]:
        """Values saved of a forward step."""
        return list(self.scan.saved)

    @property
    def arguments(self) -> list[str | None]:
        """Variables read from around it."""
        after = {name for name, _, _ in self.states}
        set_per_step = {*self.kept, *after, *(part for part, _ in self.arriving)}
        read = [name for name in read_outside(self.body) if name not in set_per_step]
        likes = [like for _, _, like in (*self.sequences, *self.sums)]
        first = [first for _, first, _ in self.states]
        whole = [whole for _, whole in self.arriving]
        return [self.scan.scopes, *whole, *first, *likes, *read]

    @property
    def outputs(self) -> list[str | None]:
        """Variables that have a value after it."""
        return [name for name, *_ in (*self.sequences, *self.carried, *self.sums)]

    @property
    def inner(self) -> set[str]:
        """Variables that have a value after it only if there was a step."""
        after = {name for name, _, _ in self.states}
        parts = {part for part, _ in self.arriving}
        return inner_of(self.body) | {*self.kept} | after | parts

    def execute(self, values: Values) -> None:
        """Run it on these values."""
        values.update([(dh, zeros_like(values[h])) for dh, h, _ in self.states])
        totals = {name: zeros_like(values[like]) for name, _, like in self.sums}
        parts: dict[str, list[Any]] = {name: [] for name, _, _ in self.sequences}
        whole = [values[sequence] for _, sequence in self.arriving]
        back = not self.scan.backwards
        for kept, row in zip(
            reversed(values[self.scan.scopes]), rows(whole, back), strict=True
        ):
            values.update(zip(self.kept, kept, strict=True))
            values.update(zip((name for name, _ in self.arriving), row, strict=True))
            run_steps(self.body, values)
            for name, inner, _ in with_gradient(self.sequences):
                parts[name].append(values[inner])
            for name, inner, _ in with_gradient(self.sums):
                totals[name] = totals[name] + values[inner]
            values.update([(dh, values[before]) for dh, _, before in self.states])
        for name, part, like in self.sequences:
            gradient = zeros_like(values[like])
            if part is not None:
                gradient = stacked(parts[name], back, values[like])
            values[name] = gradient
        values.update([(name, values[dh]) for name, dh in self.carried])
        values.update(totals)

    def write(self, writer: Writer) -> None:
        """Write it down."""
        name, back = writer.name, not self.scan.backwards
        for dh, h, _ in self.states:
            writer.line(f"{name(dh)} = {zeros_of(writer, h)}")
        totals = self.write_starts(writer)
        kept = tuple_of(writer, self.kept) if self.kept else "_"
        row = tuple_of(writer, [part for part, _ in self.arriving])
        whole = tuple_of(writer, [sequence for _, sequence in self.arriving])
        scopes = name(self.scan.scopes)
        steps = f"zip(reversed({scopes}), {writer.uses(rows)}({whole}, {back}))"
        writer.line(f"for {kept}, {row} in {steps}:", self, comment=True)
        writer.body(self.body)
        for out, part, _ in with_gradient(self.sequences):
            writer.line(f"    {totals[out]}.append({name(part)})")
        for out, part, _ in with_gradient(self.sums):
            text = f"    {totals[out]} = {totals[out]} + {name(part)}"
            writer.line(text, self)
        for dh, _, before in self.states:
            writer.line(f"    {name(dh)} = {name(before)}")
        for out, dh in self.carried:
            writer.line(f"{name(out)} = {name(dh)}")
        self.write_ends(writer, totals)

    def write_starts(self, writer: Writer) -> dict[str, str]:
        """Write the initial sums and lists; return the name for each gradient."""
        totals = {}
        for out, part, like in (*self.sequences, *self.sums):
            totals[out] = writer.fresh(f"total_{writer.name(out)}")
            listed = (out, part, like) in self.sequences and part is not None
            start = "[]" if listed else zeros_of(writer, like)
            writer.line(f"{totals[out]} = {start}")
        return totals

    def write_ends(self, writer: Writer, totals: dict[str, str]) -> None:
        """Write the gradients, from the sums and lists."""
        back = not self.scan.backwards
        like_of = {out: like for out, _, like in with_gradient(self.sequences)}
        for out, total in totals.items():
            gradient = total
            if out in like_of:
                like = writer.name(like_of[out])
                gradient = f"{writer.uses(stacked)}({total}, {back}, {like})"
            writer.line(f"{writer.name(out)} = {gradient}")


def with_gradient(
    gradients: Iterable[tuple[str, str | None, str]],
) -> list[tuple[str, str, str]]:
    """Those gradients that a step adds something to."""
    return [(name, part, like) for name, part, like in gradients if part is not None]
