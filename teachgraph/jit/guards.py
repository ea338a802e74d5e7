"""Guards: values that a trace read besides its arguments, compared at each call.

A trace reads attributes, globals and closure cells once: numbers become constants of
the program, loops over lists are unrolled. A guard remembers the values of some of
these places; a program is used while all its guards hold.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache, partial
from itertools import chain, islice
from operator import attrgetter, is_
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MemberDescriptorType,
    ModuleType,
)
from typing import TYPE_CHECKING, Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.jit.arguments import constant_key
from teachgraph.jit.conversion import codes, own_cells, read_by
from teachgraph.jit.side_effects import CellSlot, StateSlot
from teachgraph.nn import Layer
from teachgraph.nn.layer import changes

if TYPE_CHECKING:
    from teachgraph.jit.outputs import Outputs
    from teachgraph.jit.tracing import Tracer

__all__ = ["Conditions", "Guard"]

MISSING = object()
PLAIN = (int, float, complex, str, bytes, type(None), np.generic)
LONGEST = 100
"""In longer containers only the items are compared, not what is inside of these."""

Place = tuple[StateSlot, Any]
"""A slot, and the value that it had."""

MOST_ELEMENTS = 1_000_000
"""Of a larger array, or list, as many are compared, at equal distances."""

WALKS = frozenset(
    {
        *("apply", "buffers", "children", "named_buffers", "named_children"),
        *("named_parameters", "named_sublayers", "parameters", "state_dict"),
        *("_sub_layers", "sublayers", "to_static_state_dict"),
    }
)
"""Methods of layers that read all they hold."""

FACTS = frozenset({"name", "stop_gradient", "trainable"})
"""Attributes of Tensors that change in place, and that no program reads at a run."""

FLAGS = frozenset({"is_grad_enabled", "stop_gradient"})
"""Flags of a call that steer gradients; most functions run alike with either value."""

HANDLED = frozenset({"training", "forward", "_static_functions"})
"""Attributes of layers that change without changing what a program would be."""


definition = attrgetter("__code__", "__defaults__", "__kwdefaults__")
"""Reads what a function is made of; defaults by name have a guard of their own."""


class Guard:
    """Some places, and their values while the program was traced.

    Attributes:
        whose: The object or function they belong to, for messages.
        names: Their names.
        read: Returns their present values.
        items: Their values from the trace.
    """

    def __init__(
        self,
        whose: str,
        names: Sequence[str],
        read: Callable[[], Sequence[Any]],
        items: Sequence[Any] | None = None,
    ) -> None:
        self.whose, self.names, self.read = whose, names, read
        self.items = list(read() if items is None else items)

    def holds(self) -> bool:
        """True if all values are unchanged."""
        now, items = self.read(), self.items
        if len(now) != len(items):
            return False
        # Identity first: it is what holds at nearly every call, and runs in C.
        return all(map(is_, now, items)) or all(map(same_program, now, items))

    def __str__(self) -> str:
        """Name the first value that has changed."""
        now = self.read()
        pairs = zip(self.names, now, self.items, strict=False)
        changed = [
            repr(name) for name, one, other in pairs if not same_program(one, other)
        ]
        return f"{changed[0] if changed else 'the length'} of {self.whose}"


def same_program(one: Any, other: Any) -> bool:
    """True if two values lead to the same program."""
    if one is other:
        return True
    # 1, 1.0 and True are equal, but each makes another program.
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same_program, one, other))
    return isinstance(one, PLAIN) and bool(constant_key(one) == constant_key(other))


def broken(guards: Iterable[Guard]) -> Guard | None:
    """Return the first guard that does not hold, None if all do."""
    for guard in guards:  # asked at each call: a generator would cost more
        if not guard.holds():
            return guard
    return None


class Conditions:
    """The facts besides its arguments that a trace depended on, compared at each call.

    Attributes:
        layers: The layers that were called, with `training` their modes.
        frozen: The Tensors without a gradient then, which may get one.
        around: Places outside of layers that held a Tensor, a layer or a value that
            the program changes; with what they held.
        within: The same places in layers.
        guards: Guards of values that change unnoticed, asked at each call.
        of_layers: Guards of layers' attributes.
        read_flags: The functions of the trace read a flag that steers gradients.
        seen: The count of changes of layers when these last held.
    """

    def __init__(self, tracer: Tracer, results: Outputs) -> None:
        self.layers = list(tracer.layers)
        self.training = [layer.training for layer in self.layers]
        self.frozen = frozen(tracer) if tracer.held else []
        self.around: list[Place] = []
        self.within: list[Place] = []
        if tracer.held or tracer.layers or results.state:
            self.around, self.within = origins(tracer, results)
        watch = Watch(tracer, results)
        self.guards, self.of_layers = watch.guards, watch.of_layers
        self.read_flags = watch.reads_flags
        self.seen = -1

    def hold(self) -> bool:
        """True if all guards hold, and layers have the same mode and Tensors.

        Asked at each call, so the cheap tests come first: the layers are compared only
        if some layer has been assigned to since the last time.
        """
        if False in [tensor.stop_gradient for tensor in self.frozen]:
            return False
        if self.seen == changes.count:
            return not slots_changed(self.around) and broken(self.guards) is None
        now = changes.count
        if self.passed or [one.training for one in self.layers] != self.training:
            return False
        if self.broken() is not None:
            return False
        self.seen = now
        return True

    def broken(self) -> Guard | None:
        """Return the first guard that no longer holds, if any."""
        return broken(self.guards) or broken(self.of_layers)

    @property
    def passed(self) -> bool:
        """True if an object they depend on has been replaced: they never hold again."""
        return slots_changed((*self.around, *self.within))


def slots_changed(places: Iterable[Place]) -> bool:
    """True if one of these slots holds another value by now."""
    return any(slot.get() is not value for slot, value in places)


def frozen(tracer: Tracer) -> list[Tensor]:
    """List the Tensors without a gradient that a trace has read."""
    block = tracer.program.global_block()
    return [
        tensor
        for name, tensor in tracer.held.items()
        if block.var(name).stop_gradient and tensor.data.dtype.kind == "f"
    ]


def origins(tracer: Tracer, results: Outputs) -> tuple[list[Place], list[Place]]:
    """List the slots that hold Tensors, layers and changed values, with their values.

    If one holds another object at a later call, the program does not fit that call.

    Returns:
        Those outside of layers, and those in layers.
    """
    ids = {id(value) for value in (*tracer.held.values(), *tracer.layers)}
    slots = [(s, s.get()) for s in tracer.state_slots() if id(s.get()) in ids]
    written = [slot for slot, _ in results.state]
    others = [slot for slot in written if not isinstance(slot.before, Tensor)]
    slots += [(slot, slot.before) for slot in others]
    inside = {id(layer.__dict__) for layer in tracer.layers}
    own = [type(s) is StateSlot and id(s.values) in inside for s, _ in slots]
    pairs = list(zip(slots, own, strict=True))
    around = [place for place, mine in pairs if not mine]
    return around, [place for place, mine in pairs if mine]


class Watch:
    """The guards of a trace, while they are collected.

    Attributes:
        functions: The functions that were called.
        cells: The identities of closure cells that the program writes.
        own: The entries of dictionaries that it writes, as (identity, name).
        guards: Guards of values that change unnoticed, asked at each call.
        of_layers: Guards of layers' attributes, asked once some layer was assigned to.
    """

    def __init__(self, tracer: Tracer, results: Outputs) -> None:
        self.functions = tracer.met
        self.seen = {id(layer) for layer in tracer.layers}
        self.guards: list[Guard] = []
        self.of_layers: list[Guard] = []
        # What its runs write themselves is no condition.
        written = [slot for slot, _ in results.state]
        self.cells = {id(slot.cell) for slot in written if isinstance(slot, CellSlot)}
        self.own = {(id(s.values), s.name) for s in written if type(s) is StateSlot}
        self.definitions([*tracer.written.values()])
        for function in tracer.met:
            self.function(function)
        for layer, before in tracer.layers.items():
            self.layer(layer, before)
        for value in tracer.roots:
            self.value(value, type(value).__name__)

    @cached_property
    def names(self) -> set[str]:
        """The attributes that the functions of the trace read, of any object."""
        return {name for f in self.functions for name in attributes(f.__code__)}

    @property
    def reads_flags(self) -> bool:
        """True if a function of the trace asks for a flag that steers gradients."""
        names = (name for f in self.functions for name in global_names(f.__code__))
        return not FLAGS.isdisjoint({*self.names, *names})

    def definitions(self, functions: Sequence[FunctionType]) -> None:
        """Watch the code and the default values of functions."""
        read = lambda: [*chain.from_iterable(map(definition, functions))]  # noqa: E731
        names = [f.__qualname__ for f in functions for _ in definition(f)]
        self.guards.append(Guard("the functions it calls", names, read))
        defaults = [f for f in functions if f.__defaults__ or f.__kwdefaults__]
        for function in defaults:
            self.value(function.__defaults__, function.__qualname__)
            self.value(function.__kwdefaults__, function.__qualname__)

    def function(self, function: FunctionType) -> None:
        """Watch the globals and the closure of a function."""
        values, whose = function.__globals__, function.__qualname__
        own = self.own
        # Also those that are built in as yet: a global may come to hide them.
        names = [
            n for n in global_names(function.__code__) if (id(values), n) not in own
        ]
        if names:
            self.add(f"the globals of {whose}", names, reading(values.get, names))
        around = [pair for pair in own_cells(function) if id(pair[1]) not in self.cells]
        if around:
            names, cells = [name for name, _ in around], [cell for _, cell in around]
            read = lambda: [contents(cell) for cell in cells]  # noqa: E731
            self.add(f"what is around {whose}", names, read)

    def layer(self, layer: Layer, before: dict[str, Any]) -> None:
        """Watch a layer: the attributes that are read, its sublayers and its hooks."""
        written = {name for owner, name in self.own if owner == id(layer.__dict__)}
        wanted = self.names | names_read_in(type(layer).__mro__)
        wanted = wanted - HANDLED - written
        names, values = sorted(wanted), layer.__dict__
        places = [*names, "forward"]

        kinds = (Layer, Tensor) if self.names & WALKS else Layer

        def read(values: dict[str, Any] = values) -> list[Any]:
            own = [values.get(name, MISSING) for name in names]
            inside = [v for v in values.values() if isinstance(v, kinds)]
            hooks = [*values["_pre_hooks"].values(), *values["_post_hooks"].values()]
            return [*own, own_forward(values), *inside, *hooks]

        whose = type(layer).__name__
        self.of_layers.append(Guard(whose, places, read, read(values | before)))
        for name in names:
            self.value(values.get(name), f"{whose}.{name}")
        for child in layer.children() if self.names & WALKS else ():
            self.value(child, f"a part of {whose}")
        self.kind(type(layer))

    def add(
        self, whose: str, names: Sequence[str], read: Callable[[], Sequence[Any]]
    ) -> None:
        """Watch some places, and what their values contain."""
        guard = Guard(whose, names, read)
        self.guards.append(guard)
        for name, value in zip(names, guard.items, strict=True):
            self.value(value, name)

    def value(self, value: Any, name: str) -> None:
        """Watch the items of a container, the attributes of an object or of a class."""
        if id(value) in self.seen or isinstance(value, PLAIN):
            return
        # Before its parts: a container may hold itself.
        self.seen.add(id(value))
        if isinstance(value, (list, tuple, set, frozenset, dict, deque)):
            self.container(value, name)
        if isinstance(value, Tensor):
            self.tensor(value, name)
        elif isinstance(value, Layer):  # it is read, and not called
            self.layer(value, {})
        elif isinstance(value, np.ndarray):
            self.guards.append(Guard(name, ["elements"], lambda: [elements(value)]))
        elif isinstance(value, ModuleType):
            self.module(value)
        elif isinstance(value, partial):
            self.value(value.keywords, name)
        elif isinstance(value, type):
            self.kind(value)
        elif watchable(value):
            self.object(value, name)

    def tensor(self, value: Tensor, name: str) -> None:
        """Watch what the functions may read of a Tensor beside its elements."""
        if facts := sorted(self.names & FACTS):
            self.add(name, facts, lambda: [getattr(value, fact) for fact in facts])

    def container(self, value: Any, name: str) -> None:
        """Watch the items of a container; of a long one, its length."""
        if len(value) > LONGEST:
            self.guards.append(Guard(name, [], lambda: items(value)))
        elif isinstance(value, dict):
            names = [str(key) for key in value] * 2
            self.add(name, names, lambda: items(value))
        elif isinstance(value, tuple):
            for at, item in enumerate(value):
                self.value(item, f"{name}[{at}]")
        else:
            self.add(name, [str(i) for i in range(len(value))], lambda: [*value])

    def object(self, value: Any, name: str) -> None:
        """Watch the attributes of an object that are read, also those it lacks."""
        kind, values = type(value), getattr(value, "__dict__", {})
        read = (self.names | names_read_in(kind.__mro__)) - HANDLED
        slots = [
            n for n in read if isinstance(getattr(kind, n, None), MemberDescriptorType)
        ]
        if slots:
            self.add(name, slots, lambda: [getattr(value, n, MISSING) for n in slots])
        names = sorted(read)
        self.add(name, names, reading(values.get, names))
        self.kind(kind)

    def module(self, value: ModuleType) -> None:
        """Watch the names of a module that are read."""
        values, lasting = value.__dict__, of_library(value)
        # A library may import more of itself at any time.
        names = [n for n in sorted(self.names) if n in values or not lasting]
        self.add(value.__name__, names, reading(values.get, names))

    def kind(self, kind: type) -> None:
        """Watch the attributes and methods of a class of the user's that are read."""
        users = [one for one in kind.__mro__ if not is_immutable(one)]
        read = {"forward"} | self.names | names_read_in(kind.__mro__)
        known = {
            n
            for one in users
            for n in read
            if is_class_attribute(vars(one).get(n, MISSING))
        }
        for one in users:
            if id(one.__dict__) in self.seen:
                continue
            self.seen.add(id(one.__dict__))
            values, names = vars(one), sorted(known)
            if names:
                self.add(one.__name__, names, reading(values.get, names))


def reading(get: Callable[[str, Any], Any], names: Sequence[str]) -> Callable[[], Any]:
    """Return a function that reads some names."""
    return lambda: [get(name, MISSING) for name in names]


def is_class_attribute(value: Any) -> bool:
    """True if an attribute of a class is data or a method, not a slot of an object."""
    kinds = (*PLAIN, list, tuple, dict, set, np.ndarray, Tensor)
    return isinstance(
        value, (*kinds, FunctionType, property, staticmethod, classmethod)
    )


def own_forward(values: dict[str, Any]) -> Any:
    """A `forward` that was assigned to a layer; one of `to_static` is its own."""
    forward = values.get("forward", MISSING)
    return MISSING if hasattr(forward, "program_cache") else forward


def items(container: Any) -> list[Any]:
    """The items of a container, or some of very many, to be compared."""
    step = len(container) // MOST_ELEMENTS + 1
    values = container.values() if isinstance(container, dict) else ()
    return [*islice(values, None, None, step), *islice(container, None, None, step)]


def elements(array: np.ndarray[Any, Any]) -> bytes:
    """The elements of an array, or some of very many, to be compared."""
    step = array.size // MOST_ELEMENTS + 1
    return (array if step == 1 else array.flat[::step]).tobytes()


def contents(cell: CellType) -> Any:
    """Return the contents of a closure cell, or `MISSING`."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def is_immutable(value: Any) -> bool:
    """True for what nobody changes: modules and definitions of libraries."""
    if isinstance(value, (BuiltinFunctionType, np.ufunc)):
        return True
    known = isinstance(value, (type, FunctionType, ModuleType))
    return known and of_library(value)


def of_library(value: type | FunctionType | ModuleType) -> bool:
    """True for what belongs to the framework, NumPy or Python."""
    name = value.__name__ if isinstance(value, ModuleType) else value.__module__
    return (name or "").partition(".")[0] in LIBRARIES


def watchable(value: Any) -> bool:
    """True for an object whose attributes the user may set."""
    kind = type(value)
    if kind is FunctionType:
        return bool(value.__dict__) and not of_library(value)
    return kind.__module__ in NAMESPACES or not of_library(kind)


LIBRARIES = frozenset({*sys.stdlib_module_names, "numpy", "teachgraph"}) - {"__main__"}
NAMESPACES = ("argparse", "types")
"""Modules of Python's with classes that users keep settings in."""


@lru_cache(maxsize=4096)
def attributes(code: CodeType) -> frozenset[str]:
    """Collect the attributes that code may read.

    String constants count too: `getattr(self, "scale")` reads one.
    """
    names = set[str]()
    for one in codes(code):
        names.update(
            c for c in one.co_consts if isinstance(c, str) and c.isidentifier()
        )
        names.update(step.argval for step in read_by(one, "LOAD_ATTR", "LOAD_METHOD"))
    return frozenset(names)


@lru_cache(maxsize=4096)
def global_names(code: CodeType) -> tuple[str, ...]:
    """List the globals that code reads."""
    steps = (step for one in codes(code) for step in read_by(one, "LOAD_GLOBAL"))
    return tuple(dict.fromkeys(step.argval for step in steps))


@lru_cache(maxsize=1024)
def names_read_in(kinds: tuple[type, ...]) -> frozenset[str]:
    """Collect the attributes that code of some classes may read unmet by the trace.

    Methods of the framework's own layers are called, not converted, and so are
    properties and methods with names such as `__getattr__`.
    """
    names = set[str]()
    for one in kinds:
        if one is Layer or (is_immutable(one) and not issubclass(one, Layer)):
            continue
        for name, member in vars(one).items():
            function = getattr(member, "fget", member)
            unmet = is_immutable(one) or function is not member or name.startswith("__")
            if isinstance(function, FunctionType) and unmet and name != "__init__":
                names |= attributes(function.__code__)
    return frozenset(names)
