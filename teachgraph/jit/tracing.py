"""Tracer: while it is active, ops on Tensors are appended to a program.

A Tensor that an op reads is adopted: it becomes a persistent variable of the program,
whose values each run takes from the Tensor.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

from teachgraph.autograd.creation import Parameter
from teachgraph.autograd.observed import unwatched
from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.pytree import mapped
from teachgraph.control_flow.sub_block import Mark, traced_into
from teachgraph.core import unique_name
from teachgraph.core.build import is_constant, new_parameter
from teachgraph.core.extend import HookPoint
from teachgraph.core.modes import in_dynamic_mode, interpreter, is_recording
from teachgraph.core.op import Op
from teachgraph.core.tensor import run_op
from teachgraph.jit.container_snapshot import Snapshot
from teachgraph.jit.conversion import function_key, own_cells, read_by
from teachgraph.jit.side_effects import (
    CellSlot,
    ContainerSlot,
    StateSlot,
    TensorSlot,
    layer_slots,
)
from teachgraph.jit.undefined import Either, Undefined
from teachgraph.nn import Layer
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.static.block import Block
from teachgraph.static.program import Program, current_block, default_main_program
from teachgraph.static.variable import Variable

__all__ = [
    "Tracer",
    "as_variable",
    "record_aliases",
    "rehearsal",
    "snapshot",
    "tracer",
]


class Tracer:
    """The program of a trace, and what the trace has read and changed.

    Attributes:
        program: The program.
        held: The adopted Tensors, by the name of their variable.
        layers: The layers called, each with its attributes from before.
        functions: The slots outside each function that it assigns to, by `called`.
        met: The functions called.
        written: Those of them that the user wrote, by identity: a converted function
            is a copy.
        roots: The receiver, and arguments that are no tensors.
        changes: For a fed or held variable that was changed in place, by name: the
            Variable with the new value.
        bodies: Snapshots of containers, of the function and of each branch and loop
            body around the present point.
        aliases: For a value that a tensor has selected, by its identity: the value and
            those it may be an alias of.
        outermost: The code that calls the traced function.
    """

    def __init__(
        self, program: Program | None = None, outermost: CodeType | None = None
    ) -> None:
        self.program, self.startup = program or Program(), Program()
        self.outermost = outermost
        self.held: dict[str, Tensor] = {}
        self.layers: dict[Layer, dict[str, Any]] = {}
        self.functions: dict[Any, list[StateSlot]] = {}
        self.met: list[FunctionType] = []
        self.written: dict[int, FunctionType] = {}
        self.roots: list[Any] = []
        self.names: dict[int, str] = {}
        self.changes: dict[str, Variable] = {}
        self.bodies = [Snapshot()]
        self.aliases: dict[int, list[Any]] = {}
        self.thread = threading.get_ident()

    def adopt(self, value: Any) -> Variable:
        """Return the variable of a Tensor, the same each time.

        Raises:
            UnboundLocalError: It is a name without a value.
        """
        if isinstance(value, Undefined):
            value.refuse()
        if isinstance(value, Either):
            tensor = value.the_tensor()
            assert isinstance(tensor, Variable)
            return tensor
        block = self.program.global_block()
        if id(value) not in self.names:
            self.names[id(value)] = self.adopted(value, block).name
        return block.var(self.names[id(value)])

    def adopted(self, tensor: Tensor, block: Block) -> Variable:
        """Create a variable that has a Tensor's values in each run."""
        name = tensor.name
        while block.has_var(name):
            name = unique_name.generate(tensor.name)
        self.held[name] = tensor
        # A Parameter of a program must not be empty, one of dynamic mode may.
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
        """Note the new value of a fed or held variable that was changed in place."""
        self.changes[name] = now
        if name in self.held:
            self.names[id(self.held[name])] = now.name

    def fed(self, inputs: Sequence[Variable]) -> list[Variable]:
        """Return the fed variables, for the inputs of which some changed in place."""
        block = self.program.global_block()
        names = {id(now): name for name, now in self.changes.items()}
        return [block.var(names.get(id(v), v.name)) for v in inputs]

    def meet(self, layer: Layer) -> None:
        """Copy the attributes of a layer and its sublayers, before they are called."""
        for one in layer.sublayers(include_self=True):
            if one not in self.layers:
                self.layers[one] = dict(one.__dict__)

    def meet_function(self, function: FunctionType, written: FunctionType) -> None:
        """Copy the outside variables that a converted function assigns to."""
        self.written[id(written)] = written
        key = function_key(function)
        if key not in self.functions:
            self.functions[key] = list(function_slots(function))
            self.met.append(function)

    def state_slots(self) -> Iterator[StateSlot]:
        """Yield the places outside the function that it may read a Tensor from."""
        for slots in self.functions.values():
            yield from slots
        for layer in self.layers:
            yield from layer_slots(layer, {})

    def changed(self) -> Iterator[StateSlot]:
        """Yield the places outside the function that hold Variables by now."""
        slots = [slot for own in self.functions.values() for slot in own]
        for layer, before in self.layers.items():
            slots += layer_slots(layer, before)
        values = ((slot, slot.get()) for slot in slots)
        yield from (s for s, v in values if v is not s.before and holds_variables(v))
        for saved in self.bodies[0].changed():
            if holds_variables(saved.container):
                yield ContainerSlot(saved.container, saved.contents)
        for name, now in self.changes.items():
            if name in self.held:
                yield TensorSlot(self.held[name], now)

    def restore(self) -> None:
        """Restore all places in which the trace has left Variables."""
        for slot in list(self.changed()):
            slot.put(slot.before)
        for layer, before in self.layers.items():
            layer.__dict__.pop("forward", None)
            converted = {"forward", "_pre_hooks", "_post_hooks"} & before.keys()
            layer.__dict__.update({name: before[name] for name in converted})

    def dispatch(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Append each op on Tensors to the program, where the mode is static.

        Other threads go on as before, and so does what shape inference runs on Tensors.
        """

        def append(
            op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any], results: type
        ) -> Any:
            if threading.get_ident() != self.thread or in_dynamic_mode():
                return run(op, inputs, attrs, results)
            return current_block().apply(op, inputs, attrs)

        return append

    def without_gradient(self, plain: Callable[..., bool]) -> Callable[..., bool]:
        """Let `no_grad` count in the program, as it counts on the tape."""
        return lambda block, inputs: (
            plain(block, inputs)
            or (block.program is self.program and not is_recording())
        )

    def own_parameter(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """Let a layer that the function creates keep its values itself."""

        def create(*description: Any) -> Any:
            if default_main_program() is not self.program:
                return plain(*description)
            return interpreter("dynamic").create_parameter(*description)

        return create

    @contextmanager
    def current(self) -> Iterator[None]:
        """Let each op on Tensors inside come to this tracer."""
        try:
            self.enter()
            yield
        finally:
            self.leave()

    def enter(self) -> None:
        """Let each op on Tensors come to this tracer, until it is left."""
        self.program.adopt = self.adopt
        run_op.wrap(self.dispatch)
        is_constant.wrap(self.without_gradient)
        new_parameter.wrap(self.own_parameter)
        _current.append(self)

    def leave(self) -> None:
        """Let ops go their own way again; also when Ctrl-C came half-way."""
        while self in _current:
            _current.remove(self)
        points: Mapping[HookPoint[Any], Any] = {
            new_parameter: self.own_parameter,
            is_constant: self.without_gradient,
            run_op: self.dispatch,
        }
        for point, wrapper in points.items():
            while wrapper in point.wrappers:
                point.unwrap(wrapper)
        self.program.adopt = None


def function_slots(function: FunctionType) -> Iterator[StateSlot]:
    """Yield slots for a function's cells, and the globals it assigns to or may read.

    `co_names` also holds attributes and imports: of these only a Tensor matters.
    """
    code, values = function.__code__, function.__globals__
    stored = {step.argval for step in read_by(code, "STORE_GLOBAL")}
    for name in dict.fromkeys((*sorted(stored), *code.co_names)):
        if name in stored or isinstance(values.get(name), Tensor):
            yield StateSlot(values, name)
    for name, cell in own_cells(function):
        yield CellSlot(cell, name)


def holds_variables(value: Any) -> bool:
    """True if a leaf of a pytree is a Variable."""
    tests: list[bool] = []
    mapped(value, lambda leaf: tests.append(isinstance(leaf, Variable)))
    return any(tests)


_current: list[Tracer] = []


def tracer() -> Tracer | None:
    """Return the innermost tracer of this thread, None if it does not trace."""
    if not _current:  # asked at each call of a function that has been traced
        return None
    here = threading.get_ident()
    return next((one for one in reversed(_current) if one.thread == here), None)


def as_variable(value: Any) -> Any:
    """Adopt a Tensor while tracing; return anything else as it is."""
    here = tracer()
    if here is not None and isinstance(value, (Tensor, Either, Undefined)):
        return here.adopt(value)
    return value


def record_aliases(value: Any, *others: Any) -> Any:
    """Note that a value is an alias of one of several others; return the value.

    The objects are held: an identity stays theirs while they live.
    """
    here = tracer()
    if here is not None:
        inherited = [v for other in others for v in here.aliases.get(id(other), ())]
        here.aliases[id(value)] = [value, *others, *inherited]
    return value


@contextmanager
def snapshot(arguments: Sequence[Any]) -> Iterator[Snapshot]:
    """Record changes of containers inside, and undo them at the end."""
    here, before = tracer(), Snapshot(*arguments)
    bodies: list[Snapshot] = [] if here is None else here.bodies
    bodies.append(before)
    try:
        yield before
    finally:
        bodies.pop()
        before.restore()


@contextmanager
def rehearsal() -> Iterator[Block]:
    """Trace into a block of its own that is removed at the end."""
    with unwatched():
        mark = Mark(current_block())
        try:
            with traced_into(mark.block) as block:
                assert isinstance(block, Block)
                yield block
        finally:
            mark.undo()
