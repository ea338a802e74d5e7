"""A program on the tape: one node, whose gradient rule runs the program's backward.

With `create_graph`, the gradient is a function of the call's sources and of the
upstream gradients,

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
from teachgraph.jit.array_gradient import ProgramOp, parts_of, stack_tensors
from teachgraph.jit.outputs import result_of
from teachgraph.jit.split_program import Part, split
from teachgraph.ops.tensor_array import TensorArray
from teachgraph.static.append_backward import gradients
from teachgraph.static.gradient_hooks import share_hooks
from teachgraph.static.program import Program, program_guard
from teachgraph.static.variable import Variable

if TYPE_CHECKING:
    from teachgraph.jit.concrete import ConcreteProgram

__all__ = ["Goal", "Goals", "Taped", "appended", "seed_name", "taped_for"]

Goal = bool | None
"""The need of a source: True for none, False for a leaf, None for an op's output."""

Goals = tuple[Goal, ...]


class Call(NamedTuple):
    """The sources of one call of a program, saved for its double backward.

    Attributes:
        feed: The arrays of its inputs, by name.
        values: The arrays of the Tensors it holds, by name.
        edges: The tape's edges of all of these.
        random: The state of the random generator, if the program uses it.
    """

    feed: Mapping[str, Any]
    values: Mapping[str, Any]
    edges: Sequence[Edge]
    random: Any

    def sources(self, stopped: Sequence[bool]) -> list[Tensor]:
        """Rebuild the Tensors of the sources."""
        arrays = [*self.feed.values(), *self.values.values()]
        edges = [
            None if stop else edge
            for edge, stop in zip(self.edges, stopped, strict=True)
        ]
        return list(map(wrap, arrays, edges))


class Taped:
    """A concrete program with a plan of its backward.

    Attributes:
        forward: The plan of the forward.
        backward: The plan of the backward.
        op: The op of its node on the tape.
        leaves: For each source, True if it gets a gradient.
        through: For each output, its place among those with a gradient, or None.
        only_leaves: True if no held Tensor is the output of an op.
    """

    def __init__(
        self,
        forward: Part,
        backward: Part,
        op: Op,
        leaves: Sequence[bool],
        through: Sequence[int | None],
        *,
        only_leaves: bool,
    ) -> None:
        self.forward, self.backward, self.op = forward, backward, op
        self.leaves, self.through, self.only_leaves = leaves, through, only_leaves
        self.single = len(op.outputs) == 1

    def run(self, concrete: ConcreteProgram, inputs: Sequence[Tensor]) -> list[Any]:
        """Run the forward; return the outputs, with one node on the tape."""
        edges: list[Edge] = [tensor.edge for tensor in inputs]
        held = concrete.tensors
        # A leaf is its own edge: no property call for each of a hundred weights.
        edges += held if self.only_leaves else [tensor.edge for tensor in held]
        feed, values = concrete.fed(inputs), concrete.arrays()
        # The Call keeps the arrays from before the run, which may store new ones.
        stored = values if not self.forward.stores else dict(values)
        call = Call(feed, values, edges, concrete.rng_state())
        fetched = concrete.run(self.forward, feed, stored)
        node = Node(self.op, list(compress(edges, self.leaves)), [*fetched, call], {})
        results: list[Any] = []
        for value, place in zip(fetched, self.through, strict=False):
            if place is None:
                results.append(result_of(value))
                continue
            edge = node if self.single else Output(node, place)
            if isinstance(value, TensorArray):
                results.append(parts_of(value, edge))
            else:
                results.append(Tensor.results(np.asarray(value), False, edge))
        return results


class ProgramRule(Rule):
    """The gradient rule of a taped program: its backward, on the saved tensors.

    Attributes:
        wanted: For each leaf, the name of its gradient, None if there is none.
    """

    def __init__(
        self,
        concrete: ConcreteProgram,
        stopped: Sequence[bool],
        backward: Part,
        saved: Sequence[str],
        targets: Sequence[str],
        leaves: Sequence[str],
        wanted: Sequence[str | None],
    ) -> None:
        self.concrete, self.stopped = concrete, stopped
        self.backward, self.saved = backward, tuple(saved)
        self.targets, self.leaves, self.wanted = targets, leaves, wanted
        self.seeds = [seed_name(target) for target in targets]
        self.places = [self.saved.index(target) for target in targets]
        self.upstream = tuple(range(len(targets)))
        # The Call follows the saved tensors; only `recorded` needs it.
        self.sources = tuple(-1 - i for i in range(len(saved) + 1))
        self.shape_only = (False,) * len(saved)
        self.variadic = False

    def gradients(
        self, upstream: Sequence[Any], saved: Sequence[Any], attrs: Any
    ) -> tuple[Any, ...]:
        """Compute the gradient of each leaf, None for one that nothing reaches."""
        *arrays, call = saved
        seeds = [
            zeros_like(arrays[place]) if dout is None else dout
            for place, dout in zip(self.places, upstream, strict=True)
        ]
        if any(isinstance(dout, Tensor) for dout in upstream):
            gradients = self.recorded(call, seeds)
        else:
            feed = dict(zip(self.saved, arrays, strict=True))
            feed.update(zip(self.seeds, seeds, strict=True))
            gradients = self.backward.run_once(feed)
        left = iter(gradients)
        by_leaf = [next(left) if name else None for name in self.wanted]
        if not any(dout is None for dout in upstream):
            return tuple(by_leaf)
        # A zero seed gives zeros: but a leaf of such outputs only has no gradient.
        present = [dout is not None for dout in upstream]
        reached = leading_to(
            self.concrete.main_program, [*compress(self.targets, present)]
        )
        pairs = zip(self.leaves, by_leaf, strict=True)
        return tuple(dx if leaf in reached else None for leaf, dx in pairs)

    def recorded(self, call: Call, seeds: Sequence[Tensor]) -> list[Any]:
        """Compute the gradients by a program that is on the tape itself."""
        # It runs the forward again: dropout must draw the same numbers.
        with drawing_from(call.random):
            gradients = self.gradient_program([*call.sources(self.stopped), *seeds])
        return [stack_tensors(dx) if isinstance(dx, list) else dx for dx in gradients]

    @cached_property
    def gradient_program(self) -> ConcreteProgram:
        """The gradient as a program; built when first needed."""
        return self.concrete.gradient(self.targets, self.leaves)


def zeros_like(value: Any) -> Any:
    """Zeros like an array, a Tensor, or each part of a list."""
    if isinstance(value, Tensor):
        return Tensor.results(np.zeros_like(value.data))
    return value.zeros() if isinstance(value, TensorArray) else np.zeros_like(value)


def seed_name(target: str) -> str:
    """Return the name of an output's upstream gradient."""
    return f"{target}@ARRIVES"


def taped_for(concrete: ConcreteProgram, fed: Goals, held: Goals) -> Taped | None:
    """Plan the forward and backward for gradients of some sources; None without any.

    Args:
        concrete: The program.
        fed: The goals of its inputs.
        held: The goals of the Tensors it holds.
    """
    stopped = [goal is True for goal in (*fed, *held)]
    held_stop = [source.stop_gradient for source in concrete.sources[len(fed) :]]
    known = [False] * len(fed) + held_stop
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
    share_hooks(concrete.main_program, program)
    wanted = appended(program, targets, names)
    seeds = [seed_name(target) for target in targets]
    fetches = [v.name for v in concrete.outputs]
    outputs = [name for name in wanted if name is not None]
    forward, backward = split(
        program, concrete.names, fetches, seeds, outputs, matched=concrete.matched
    )
    saved = forward.fetches
    rule = ProgramRule(concrete, stopped, backward, saved, targets, names, wanted)
    op = ProgramOp(concrete.name, targets, rule)
    through = [targets.index(n) if n in targets else None for n in fetches]
    only_leaves = None not in held
    return Taped(forward, backward, op, leaves, through, only_leaves=only_leaves)


def goes_on(variable: Variable) -> bool:
    """True if an output may have an upstream gradient."""
    return not variable.stop_gradient and variable.dtype.kind == "f"


def appended(
    program: Program,
    targets: Sequence[str],
    leaves: Sequence[str],
    *,
    stopped: bool = True,
) -> list[str | None]:
    """Append the gradients of some variables; return their names, None where missing.

    Args:
        program: The program.
        targets: The variables to differentiate.
        leaves: The variables to differentiate with respect to.
        stopped: True if the upstream gradients are constants.
    """
    block, names = program.global_block(), unique_name.guard(unused_prefix(program))
    with modes.using(static=True), names, program_guard(program):
        roots = [block.var(name) for name in targets]
        seeds = [
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
        dleaves = gradients(roots, [block.var(name) for name in leaves], seeds)
    return [None if v is None else v.name for v in dleaves]


def unused_prefix(program: Program) -> str:
    """Return a prefix that no name of a program has."""
    known = [name for block in program.blocks for name in block.vars]
    prefixes = (f"back_{order}_" for order in count(1))
    return next(p for p in prefixes if not any(n.startswith(p) for n in known))


def reachable(program: Program, leaves: Sequence[str]) -> set[str]:
    """Collect the variables that depend on some leaves."""
    dependent = set(leaves)
    for operator in program.global_block().ops:
        if dependent.intersection(operator.input_arg_names):
            dependent.update(operator.output_arg_names)
    return dependent


def leading_to(program: Program, targets: Sequence[str]) -> set[str]:
    """Collect the variables that some targets depend on, and the targets."""
    sources = set(targets)
    for operator in reversed(program.global_block().ops):
        if sources.intersection(operator.output_arg_names):
            sources.update(operator.input_arg_names)
    return sources
