"""A program on the tape: one node, whose rule runs the program's way back.

Where the gradient itself is to be recorded, it is a function of what the call took in
and of the gradients that arrive,

    (sources, dy) -> dsources

and that function is a program as well: its call leaves a node of its own, and so on to
any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import compress, count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from teachgraph.autograd.recompute import drawing_from
from teachgraph.autograd.tensor import Tensor, wrap
from teachgraph.core import modes, unique_name
from teachgraph.core.op import Op, Rule
from teachgraph.core.tape import Edge, Node, Output
from teachgraph.jit.listed import ProgramOp, joined, parts_of
from teachgraph.jit.split_program import Part, cut
from teachgraph.ops.tensor_array import TensorArray
from teachgraph.static.append_backward import gradients
from teachgraph.static.program import Program, program_guard
from teachgraph.static.variable import Variable

if TYPE_CHECKING:
    from teachgraph.jit.concrete import ConcreteProgram

__all__ = ["Goal", "Goals", "Taped", "appended", "result_of", "seed_name", "taped_for"]

Goal = bool | None
"""Whether no gradient goes to a source; None, where it goes on from there."""

Goals = tuple[Goal, ...]


class Call(NamedTuple):
    """What one call of a program took in.

    Attributes:
        feed: The values of its inputs, by name.
        values: The values of what it holds, by name.
        edges: Where all of these came from.
        random: Where the random numbers stood, if it draws any.
    """

    feed: Mapping[str, Any]
    values: Mapping[str, Any]
    edges: Sequence[Edge]
    random: Any

    def sources(self, stopped: Sequence[bool]) -> list[Tensor]:
        """The sources as the Tensors they were."""
        arrays = [*self.feed.values(), *self.values.values()]
        edges = [
            None if stop else edge
            for edge, stop in zip(self.edges, stopped, strict=True)
        ]
        return list(map(wrap, arrays, edges))


class Taped:
    """A concrete program with its way back.

    Attributes:
        forward: What runs now.
        back: What runs when gradients arrive.
        op: What the tape knows the whole by.
        leaves: For each source, whether it gets a gradient.
        through: For each output, its place among those with a gradient, or None.
        first: Whether no op has made any of what the program holds.
    """

    def __init__(
        self,
        forward: Part,
        back: Part,
        op: Op,
        leaves: Sequence[bool],
        through: Sequence[int | None],
        *,
        first: bool,
    ) -> None:
        self.forward, self.back, self.op = forward, back, op
        self.leaves, self.through, self.first = leaves, through, first
        self.single = len(op.outputs) == 1

    def run(self, concrete: ConcreteProgram, inputs: Sequence[Tensor]) -> list[Any]:
        """The outputs, with one node on the tape behind them."""
        edges: list[Edge] = [tensor.edge for tensor in inputs]
        held = concrete.tensors
        edges += held if self.first else [tensor.edge for tensor in held]
        feed, values = concrete.fed(inputs), concrete.arrays()
        stored = values if not self.forward.stores else dict(values)
        call = Call(feed, values, edges, concrete.drawn())
        found = concrete.run(self.forward, feed, stored)
        node = Node(self.op, list(compress(edges, self.leaves)), [*found, call], {})
        results: list[Any] = []
        for value, place in zip(found, self.through, strict=False):
            if place is None:
                results.append(result_of(value))
                continue
            edge = node if self.single else Output(node, place)
            if isinstance(value, TensorArray):
                results.append(parts_of(value, edge))
            else:
                results.append(Tensor(np.asarray(value), False, edge))
        return results


def result_of(value: Any) -> Any:
    """A fetched value as a Tensor, or a list of them."""
    if isinstance(value, TensorArray):
        return [Tensor(part) for part in value.parts]
    return Tensor(np.asarray(value))


class BackRule(Rule):
    """The rule of a taped program: its way back, on what the way forward kept.

    Attributes:
        wanted: For each leaf, the name of its gradient, None where there is none.
    """

    def __init__(
        self,
        concrete: ConcreteProgram,
        stopped: Sequence[bool],
        back: Part,
        kept: Sequence[str],
        targets: Sequence[str],
        leaves: Sequence[str],
        wanted: Sequence[str | None],
    ) -> None:
        self.concrete, self.stopped = concrete, stopped
        self.back, self.kept = back, list(kept)
        self.targets, self.leaves, self.wanted = targets, leaves, wanted
        self.seeds = [seed_name(target) for target in targets]
        self.places = [self.kept.index(target) for target in targets]
        self.upstream = tuple(range(len(targets)))
        self.saved = tuple(self.kept)
        # Behind what the way back reads stands the Call, which only `recorded` needs.
        self.sources = tuple(-1 - i for i in range(len(kept) + 1))
        self.shape_only = (False,) * len(kept)
        self.variadic = False

    def __call__(
        self, upstream: Sequence[Any], saved: Sequence[Any], attrs: Any
    ) -> tuple[Any, ...]:
        """A gradient for each leaf that leads to an output at which one arrives."""
        *kept, call = saved
        arriving = [
            zeros_like(kept[place]) if dout is None else dout
            for place, dout in zip(self.places, upstream, strict=True)
        ]
        if any(isinstance(dout, Tensor) for dout in upstream):
            found = self.recorded(call, arriving)
        else:
            feed = dict(zip(self.kept, kept, strict=True))
            feed.update(zip(self.seeds, arriving, strict=True))
            found = self.back.run_once(feed)
        left = iter(found)
        every = [next(left) if name else None for name in self.wanted]
        if not any(dout is None for dout in upstream):
            return tuple(every)
        arrived = [dout is not None for dout in upstream]
        behind = leading_to(
            self.concrete.main_program, [*compress(self.targets, arrived)]
        )
        pairs = zip(self.leaves, every, strict=True)
        return tuple(one if leaf in behind else None for leaf, one in pairs)

    def recorded(self, call: Call, arriving: Sequence[Tensor]) -> list[Any]:
        """The same by a program of its own, whose call is on the tape in turn."""
        with drawing_from(call.random):
            found = self.again([*call.sources(self.stopped), *arriving])
        return [joined(one) if isinstance(one, list) else one for one in found]

    @cached_property
    def again(self) -> ConcreteProgram:
        """The gradient as a program, made when first needed."""
        return self.concrete.gradient(self.targets, self.leaves)


def zeros_like(value: Any) -> Any:
    """Zeros like an array, a Tensor, or each part of a list."""
    if isinstance(value, Tensor):
        return Tensor(np.zeros_like(value.data))
    return value.zeros() if isinstance(value, TensorArray) else np.zeros_like(value)


def seed_name(target: str) -> str:
    """What the gradient that arrives at an output is called."""
    return f"{target}@ARRIVES"


def taped_for(concrete: ConcreteProgram, fed: Goals, held: Goals) -> Taped | None:
    """The ways forward and back for gradients of some sources, if there are any.

    Args:
        concrete: The program.
        fed: What gradients have to do with its inputs.
        held: What they have to do with what it holds.
    """
    stopped = [goal is True for goal in (*fed, *held)]
    known = [False] * len(fed) + concrete.stopped
    leaves = [
        not (now or then) and source.dtype.kind == "f"
        for now, then, source in zip(stopped, known, concrete.sources, strict=True)
    ]
    names = [source.name for source in compress(concrete.sources, leaves)]
    reached = reachable(concrete.main_program, names)
    targets = [v.name for v in concrete.outputs if v.name in reached and goes_on(v)]
    if not targets:
        return None
    program = concrete.main_program.clone()
    found = appended(program, targets, names)
    seeds = [seed_name(target) for target in targets]
    fetches = [v.name for v in concrete.outputs]
    got = [name for name in found if name is not None]
    forward, back = cut(program, concrete.names, fetches, seeds, got)
    rule = BackRule(concrete, stopped, back, forward.fetches, targets, names, found)
    op = ProgramOp(concrete.name, targets, rule)
    through = [targets.index(n) if n in targets else None for n in fetches]
    first = None not in held
    return Taped(forward, back, op, leaves, through, first=first)


def goes_on(variable: Variable) -> bool:
    """Whether a gradient may come to an output."""
    return not variable.stop_gradient and variable.dtype.kind == "f"


def appended(
    program: Program,
    targets: Sequence[str],
    leaves: Sequence[str],
    *,
    stopped: bool = True,
) -> list[str | None]:
    """Append the gradients of some variables; their names, None where there is none.

    Args:
        program: The program.
        targets: The variables to differentiate.
        leaves: With respect to what.
        stopped: Whether what arrives at the targets is taken as constant.
    """
    block, names = program.global_block(), unique_name.guard(unused_prefix(program))
    with modes.using(static=True), names, program_guard(program):
        roots = [block.var(name) for name in targets]
        arriving = [
            block.create_var(
                seed_name(v.name),
                v.shape,
                v.dtype,
                is_data=True,
                stop_gradient=stopped,
                type=v.type,
            )
            for v in roots
        ]
        found = gradients(roots, [block.var(name) for name in leaves], arriving)
    return [None if v is None else v.name for v in found]


def unused_prefix(program: Program) -> str:
    """What no name of a program begins with."""
    known = [name for block in program.blocks for name in block.vars]
    prefixes = (f"back_{order}_" for order in count(1))
    return next(p for p in prefixes if not any(n.startswith(p) for n in known))


def reachable(program: Program, leaves: Sequence[str]) -> set[str]:
    """The variables that some leaves lead to."""
    found = set(leaves)
    for operator in program.global_block().ops:
        if found.intersection(operator.input_arg_names):
            found.update(operator.output_arg_names)
    return found


def leading_to(program: Program, targets: Sequence[str]) -> set[str]:
    """The variables that lead to some others, and these."""
    found = set(targets)
    for operator in reversed(program.global_block().ops):
        if found.intersection(operator.output_arg_names):
            found.update(operator.input_arg_names)
    return found
