"""Tracing: while it lasts, ops on Tensors go into a program that adopts the Tensors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

from teachgraph.autograd.creation import Parameter
from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.sub_block import traced_into
from teachgraph.core import modes, unique_name
from teachgraph.core.modes import set_grad_enabled
from teachgraph.core.observe import unwatched
from teachgraph.core.op import Op
from teachgraph.core.tensor import run_op
from teachgraph.jit.container_snapshot import Journal
from teachgraph.jit.guards import called
from teachgraph.jit.pytree import mapped
from teachgraph.jit.side_effects import (
    Contents,
    Spot,
    Values,
    spots_of_function,
    spots_of_layer,
)
from teachgraph.jit.undefined import Either, Undefined
from teachgraph.nn import Layer
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.static.block import Block
from teachgraph.static.program import Program, current_block, program_guard
from teachgraph.static.variable import Variable

__all__ = ["Mark", "Tracer", "as_variable", "rehearsal", "tracer"]


class Tracer:
    """What a program has taken in while it was traced.

    Attributes:
        program: The program.
        held: The Tensors it has adopted, by the name of their variable.
        layers: The layers it has met, with what their attributes were.
        functions: The variables outside functions that these assign to, by what tells
            the functions apart.
        met: The functions it has met.
        roots: What else it was given: the receiver, arguments that are no tensors.
        changes: What has the new value of a variable that is fed or held and was
            changed in place, by its name.
        bodies: For the function and each branch or round that is being traced, the
            containers of Python's that it may have changed.
        chosen: Values that a tensor has chosen, each with those it is one of.
        outermost: The code that calls the function which is traced.
    """

    def __init__(
        self, program: Program | None = None, outermost: CodeType | None = None
    ) -> None:
        self.program, self.startup = program or Program(), Program()
        self.outermost = outermost
        self.held: dict[str, Tensor] = {}
        self.layers: dict[Layer, dict[str, Any]] = {}
        self.functions: dict[Any, list[Spot]] = {}
        self.met: list[FunctionType] = []
        self.roots: list[Any] = []
        self.names: dict[int, str] = {}
        self.changes: dict[str, Variable] = {}
        self.bodies = [Journal()]
        self.chosen: dict[int, list[Any]] = {}
        self.thread = threading.get_ident()

    def adopt(self, value: Any) -> Variable:
        """The variable for a Tensor, the same each time.

        Raises:
            UnboundLocalError: It is a name without a value.
        """
        if isinstance(value, Undefined):
            value.refuse()
        if isinstance(value, Either):
            found = value.the_tensor()
            assert isinstance(found, Variable)
            return found
        block = self.program.global_block()
        if id(value) not in self.names:
            self.names[id(value)] = self.taken_in(value, block).name
        return block.var(self.names[id(value)])

    def taken_in(self, tensor: Tensor, block: Block) -> Variable:
        """A new variable that has a Tensor's values in each run."""
        name = tensor.name
        while block.has_var(name):
            name = unique_name.generate(tensor.name)
        self.held[name] = tensor
        if isinstance(tensor, Parameter) and 0 not in tensor.shape:
            attr = ParamAttr(
                learning_rate=tensor.optimize_attr["learning_rate"],
                regularizer=tensor.regularizer,
                trainable=tensor.trainable,
                need_clip=tensor.need_clip,
            )
            return block.create_parameter(name, tensor.shape, tensor.dtype, attr)
        return block.create_var(
            name,
            tensor.shape,
            tensor.dtype,
            persistable=True,
            stop_gradient=tensor.stop_gradient,
        )

    def change(self, name: str, now: Variable) -> None:
        """Know that a variable that is fed or held has another value from now on."""
        self.changes[name] = now
        if name in self.held:
            self.names[id(self.held[name])] = now.name

    def fed(self, inputs: Sequence[Variable]) -> list[Variable]:
        """The variables that are fed, where some were changed in place."""
        block = self.program.global_block()
        names = {id(now): name for name, now in self.changes.items()}
        return [block.var(names.get(id(v), v.name)) for v in inputs]

    def meet(self, layer: Layer) -> None:
        """Remember what a layer and those within were."""
        for one in layer.sublayers(include_self=True):
            if one not in self.layers:
                self.layers[one] = dict(one.__dict__)

    def meet_function(self, function: FunctionType) -> None:
        """Remember what the variables outside a function were that it assigns to."""
        key = called(function)
        if key not in self.functions:
            self.functions[key] = list(spots_of_function(function))
            self.met.append(function)

    def places(self) -> Iterator[Spot]:
        """The places outside the function that it may have read a Tensor from."""
        for found in self.functions.values():
            yield from found
        for layer in self.layers:
            yield from spots_of_layer(layer, {})

    def changed(self) -> Iterator[Spot]:
        """The places outside the function that hold tensors of the program."""
        spots = [spot for found in self.functions.values() for spot in found]
        for layer, before in self.layers.items():
            spots += spots_of_layer(layer, before)
        for spot in spots:
            value = spot.get()
            if value is not spot.before and holds_variables(value):
                yield spot
        for kept in self.bodies[0].changed():
            if holds_variables(kept.container):
                yield Contents(kept.container, kept.contents)
        for name, now in self.changes.items():
            if name in self.held:
                yield Values(self.held[name], now)

    def restore(self) -> None:
        """Put back what was where the trace has left tensors of the program."""
        for spot in list(self.changed()):
            spot.put(spot.before)
        for layer, before in self.layers.items():
            layer.__dict__.pop("forward", None)
            converted = {"forward", "_pre_hooks", "_post_hooks"} & before.keys()
            layer.__dict__.update({name: before[name] for name in converted})

    def dispatch(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Append each op on Tensors to the program; other threads go on as before."""

        def append(
            op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any], results: type
        ) -> Any:
            if threading.get_ident() != self.thread:
                return run(op, inputs, attrs, results)
            return current_block().apply(op, inputs, attrs)

        return append

    @contextmanager
    def tracing(self) -> Iterator[Program]:
        """Inside, ops and layers build the program."""
        self.program.adopt = self.adopt
        run_op.wrap(self.dispatch)
        _current.append(self)
        try:
            with (
                modes.using(static=True),
                set_grad_enabled(mode=True),
                unique_name.guard(),
                program_guard(self.program, self.startup),
            ):
                yield self.program
        finally:
            _current.pop()
            run_op.unwrap(self.dispatch)
            self.program.adopt = None


def holds_variables(value: Any) -> bool:
    """Whether there is a tensor of a program in a nest."""
    found: list[bool] = []
    mapped(value, lambda leaf: found.append(isinstance(leaf, Variable)))
    return any(found)


_current: list[Tracer] = []


def tracer() -> Tracer | None:
    """Who is tracing in this thread, if anybody is."""
    found = _current[-1] if _current else None
    mine = found is not None and found.thread == threading.get_ident()
    return found if mine else None


def as_variable(value: Any) -> Any:
    """A Tensor that meets a trace as its variable; anything else as it is."""
    here = tracer()
    if here is not None and isinstance(value, (Tensor, Either, Undefined)):
        return here.adopt(value)
    return value


class Mark:
    """A place in the trace to which one can go back."""

    def __init__(self) -> None:
        self.block = current_block()
        self.program = self.block.program
        self.counters = unique_name.switch()
        unique_name.switch(self.counters.copy())
        self.ops, self.blocks = len(self.block.ops), len(self.program.blocks)
        self.vars = dict(self.block.vars)

    def undo(self) -> None:
        """Take back what was appended since, but for what was adopted."""
        unique_name.switch(self.counters)
        self.program.current_block_idx = self.block.idx
        here = tracer()
        held = here.held if here is not None else {}
        adopted = {name: v for name, v in self.block.vars.items() if name in held}
        with unwatched():
            del self.program.blocks[self.blocks :]
            while len(self.block.ops) > self.ops:
                self.block._remove_op(len(self.block.ops) - 1)
        self.block.vars.clear()
        self.block.vars.update(self.vars | adopted)


@contextmanager
def rehearsal() -> Iterator[Block]:
    """Inside, ops go into a block of their own; afterwards it is gone again."""
    mark = Mark()
    try:
        with unwatched(), traced_into(mark.block) as block:
            assert isinstance(block, Block)
            yield block
    finally:
        mark.undo()
