"""The Protocol of what is drawn on a tape, and a careful reader of other engines.

The framework's own Tensors and nodes have all that the recorder asks for. A value of
somebody else's engine may lack it, lie, or raise when asked: it is read through a
`ForeignVertex`, which never raises, and says in words what it could not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple, Protocol

import numpy as np

from teachgraph_widgets.log import clean

__all__ = [
    "ForeignVertex",
    "Reader",
    "Vertex",
    "array_of",
    "has_attribute",
    "is_foreign",
    "text_of",
]


class Vertex(Protocol):
    """A value on the tape of an engine, as the pictures ask for it.

    An engine announces its values through `teachgraph.utils.observe`, where it says
    what happens (`tensor_created`, `op_end`, `backward_begin`, `grad_flows`,
    `node_freed`, ...), and gives the values themselves. Of these the pictures read the
    following attributes. Only `data` is needed: whatever else is absent counts as
    empty. A value may be its own node, as here, or have one: then `node` is the vertex
    that computed it, and has `op`, `edges` and `saved`.

    Attributes:
        data: The value: a number or an array.
        label: What the picture calls it; if empty, it has the name of the variable
            that holds it.
        edges: The values it was computed from; empty for a leaf.
        op: The name of the operation that computed it.
        saved: What is kept for the backward pass, by name.
        grad: The gradient so far, a number or an array: read where a pass has added up
            several parts and did not announce the sum with `grad_ready`.

    With `edges` and `op` a value can say all about itself as it is made:

    >>> from teachgraph.utils.observe import announce
    >>> import teachgraph as tg
    >>> class Value:
    ...     def __init__(self, data, edges=(), op=""):
    ...         self.data, self.edges, self.op = data, edges, op
    ...         announce("tensor_created", self)
    ...
    ...     def __mul__(self, other):
    ...         return Value(self.data * other.data, (self, other), "mul")
    >>> with tg.record() as trace:
    ...     y = Value(3.0) * Value(2.0)
    >>> [(e["type"], e["engine"]) for e in trace.events if e["kind"] == "node"]
    [('mul', 'Value')]
    """

    data: Any
    label: str
    edges: Sequence[Any]
    op: Any
    saved: Any
    grad: Any


MOST_EDGES = 64
LARGEST, LONGEST = 100_000_000, 100_000
"""Elements of the largest array, and of the longest list, that are looked at."""


class Unknown(NamedTuple):
    """Stands for a value that is no number and no array of numbers."""

    shape: tuple[int, ...] = (-1,)
    dtype: str = "unknown"


UNKNOWN = Unknown()


class ForeignOp(NamedTuple):
    """The operation of another engine."""

    type: str


class ForeignVertex:
    """A value or a node of another engine, with the attributes of ours.

    Attributes:
        thing: The value or node itself.
        engine: The name of its class.
    """

    __slots__ = ("_complain", "engine", "thing")

    def __init__(self, thing: Any, complain: Callable[[str], None]) -> None:
        self.thing, self._complain = thing, complain
        self.engine = clean(str(type(thing).__name__), 80)

    @property
    def label(self) -> str:
        """Its label, if that is a text."""
        label = self._read("label", "")
        return clean(str.__str__(label), 200) if isinstance(label, str) else ""

    @property
    def data(self) -> Any:
        """Its value as an array; `UNKNOWN` if it has none."""
        return self._array("data")

    @property
    def grad(self) -> Any:
        """Its gradient as an array, None if it has none."""
        array = self._array("grad")
        return None if array is UNKNOWN else array

    @property
    def stop_gradient(self) -> bool:
        """True if it says so."""
        return self._read("stop_gradient", False) is True

    @property
    def node(self) -> Any:
        """The vertex that computed it: itself, if it has edges; None for a leaf."""
        node = self._read("node", None)
        return node if node is not None else self.thing if self.edges else None

    @property
    def edge(self) -> Any:
        """The vertex that a gradient of it goes to."""
        node = self.node
        return self.thing if node is None else node

    @property
    def edges(self) -> tuple[Any, ...]:
        """The values it was computed from."""
        edges = self._read("edges", ())
        if not isinstance(edges, (tuple, list)):
            if edges is not None:
                self._complain(f"{self.engine}.edges is no tuple or list")
            return ()
        if len(edges) > MOST_EDGES:
            self._complain(f"{self.engine}.edges has more than {MOST_EDGES} values")
        return tuple(edges[:MOST_EDGES])

    @property
    def op(self) -> ForeignOp:
        """The operation that computed it."""
        return ForeignOp(text_of(self._read("op", "")) or self.engine)

    @property
    def saved(self) -> tuple[str, ...]:
        """The names of what it keeps for the backward pass."""
        return names_of(self._read("saved", ()))

    def _read(self, name: str, otherwise: Any) -> Any:
        try:
            return getattr(self.thing, name, otherwise)
        except Exception as error:
            kind = type(error).__name__
            self._complain(f"{self.engine}.{name} raised {kind} when it was read")
            return otherwise

    def _array(self, name: str) -> Any:
        value = self._read(name, None)
        array = array_of(value)
        if array is UNKNOWN and value is not None:
            self._complain(f"{self.engine}.{name} is no number and no array")
        return array


class ForeignClasses(dict[type, bool]):
    """The classes met so far: True for those of another engine.

    Args:
        meet: Is given the code of each new class of another engine.
    """

    def __init__(self, meet: Callable[[frozenset[CodeType]], None]) -> None:
        self._meet = meet

    def __missing__(self, kind: type) -> bool:
        self[kind] = foreign = is_foreign(kind)
        if foreign:
            self._meet(frozenset(code_of(kind)))
        return foreign


class Reader:
    """Returns for each object of an announcement what the recorder may ask.

    Args:
        complain: Is told, in words, what could not be read.
        meet: Is given the code of each new class of another engine.
    """

    def __init__(
        self,
        complain: Callable[[str], None],
        meet: Callable[[frozenset[CodeType]], None],
    ) -> None:
        self._complain = complain
        self.foreign = ForeignClasses(meet)

    def __call__(self, thing: Any) -> Any:
        """Return one of ours as it is, anything else as a ForeignVertex."""
        if not self.is_foreign(type(thing)):
            return thing
        return ForeignVertex(thing, self._complain)

    def is_value(self, thing: Any) -> bool:
        """True for a value of some engine: no constant, no text, no nothing."""
        kind = type(thing)
        if thing is None or kind in CONSTANTS or isinstance(thing, np.generic):
            return False
        if self.is_foreign(kind):
            return has_attribute(thing, "data")
        return hasattr(kind, "edge")

    def is_foreign(self, kind: type) -> bool:
        """True for a class of another engine; the first time, tell of its code."""
        return self.foreign[kind]


CONSTANTS = frozenset({bool, int, float, complex, str, bytes, tuple, list, dict, set})
CONSTANTS |= {frozenset, slice, type, FunctionType, np.ndarray}

OURS = "teachgraph"


def is_foreign(kind: type) -> bool:
    """True if neither a class nor one that it extends is the framework's own.

    >>> import teachgraph as tg
    >>> is_foreign(tg.Tensor), is_foreign(float)
    (False, True)
    """
    modules = (getattr(base, "__module__", "") for base in kind.__mro__)
    return not any(str(name).partition(".")[0] == OURS for name in modules)


def has_attribute(thing: Any, name: str) -> bool:
    """True if an object has an attribute, or raises when it is asked for it."""
    try:
        return hasattr(thing, name)
    except Exception:
        return True


def array_of(value: Any) -> Any:
    """Return a number, an array or the data of a value as an array; else `UNKNOWN`.

    >>> array_of(2.5), array_of("text")
    (array(2.5), Unknown(shape=(-1,), dtype='unknown'))
    """
    try:
        if not is_numeric(value) and has_attribute(value, "data"):
            value = value.data
        array = np.asarray(value) if is_numeric(value) else None
    except Exception:
        return UNKNOWN
    if array is None or array.dtype.kind not in "biuf" or array.size > LARGEST:
        return UNKNOWN
    return array


def is_numeric(value: Any) -> bool:
    """True for what becomes an array without asking an unknown object for elements."""
    kind = type(value)
    if kind in SEQUENCES:
        return len(value) <= LONGEST
    return kind in NUMERIC or hasattr(kind, "__array__")


NUMERIC = frozenset({bool, int, float})
SEQUENCES = frozenset({tuple, list})


def text_of(op: Any) -> str:
    """Return the name of an operation: a text, a class, a function, or its type."""
    for name in ("type", "__name__", "name"):
        if not isinstance(op, str):
            try:
                op = getattr(op, name, op)
            except Exception:
                return ""
    return clean(str.__str__(op), 80) if isinstance(op, str) else ""


def names_of(saved: Any) -> tuple[str, ...]:
    """Return the names of saved values; where they have none, their number."""
    if isinstance(saved, Mapping):
        saved = list(saved)[:MOST_EDGES]
    if not isinstance(saved, (tuple, list)) or not saved:
        return ()
    if all(isinstance(name, str) for name in saved[:MOST_EDGES]):
        return tuple(clean(str.__str__(name), 80) for name in saved[:MOST_EDGES])
    return (f"{len(saved)} value{'s' if len(saved) > 1 else ''}",)


def code_of(kind: type) -> Iterator[CodeType]:
    """Yield the code of all methods of a class, and of the functions inside them."""
    stack: list[Any] = []
    for base in kind.__mro__:
        for member in vars(base).values():
            inner = getattr(member, "__func__", None) or getattr(member, "fget", None)
            function = inner if type(member) in WRAPPED else member
            if type(function) is FunctionType:
                stack.append(function.__code__)
    while stack:
        code = stack.pop()
        yield code
        stack.extend(c for c in code.co_consts if type(c) is CodeType)


WRAPPED = frozenset({staticmethod, classmethod, property})
