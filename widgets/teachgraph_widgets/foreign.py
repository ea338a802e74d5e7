"""A recorder of other engines: what a learner's own tape announces, drawn like ours.

Whatever such an engine gives is read through the Protocol of `engines`. It may lie: an
edge to nothing, a cycle, a value that raises are left out of the log, and counted there
in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from threading import get_ident
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from teachgraph_widgets.engines import UNKNOWN, Reader, array_of, text_of
from teachgraph_widgets.stats import ValueStats, dtype_name
from teachgraph_widgets.watcher import short_texts

if TYPE_CHECKING:
    from teachgraph_widgets.tape import TapeRecorder

__all__ = ["ForeignTape", "of_any_engine"]

M = TypeVar("M", bound=Callable[..., None])

MOST_NODES = 2000
NO_FIGURES = ((-1,), "unknown", None, None, None, None, None, 0, 0, (), (), ())


class ForeignTape:
    """Writes the announcements of other engines into the log of a TapeRecorder.

    A value and the node that computed it have one number: that of the value.

    Attributes:
        read: Reads a value or a node of any engine.
        nodes: The node's number of each value that an operation computed.
    """

    def __init__(self, tape: TapeRecorder) -> None:
        self.tape, self.log = tape, tape.log
        self.read = Reader(self.complain, self.meet)
        self.nodes: dict[int, int] = {}
        self._used: set[int] = set()
        self._announced_itself: set[int] = set()
        self._begin_pass(())

    def _begin_pass(self, roots: Sequence[int]) -> None:
        self._roots = set(roots)
        self._parts: dict[int, int] = {}
        self._targets: dict[int, Any] = {}
        self._last: dict[int, Any] = {}
        self._whole: set[int] = set()

    def complain(self, words: str) -> None:
        """Count what could not be read; the picture says so."""
        self.log.leave_out("things of your engine", words)

    def meet(self, code: frozenset[CodeType]) -> None:
        """Attribute what a class of the engine does to the line that calls it."""
        self.tape.cursor.engine |= code

    def is_foreign(self, thing: Any) -> bool:
        """True for an object of another engine."""
        return self.read.is_foreign(type(thing))

    def tensor_created(self, thing: Any) -> None:
        """Record a new value: a leaf, or with its edges the operation that made it."""
        line = self.tape.cursor.place()
        if self.tape._tensors.find(thing) is None:
            self._announced_itself.add(self.number(thing, line))

    def tensor_became(self, thing: Any, result: Any) -> None:
        """Record the new value of what was changed in place."""
        number = self.tape._tensors.find(thing)
        if number is not None:
            self._write_value(thing, number, self.tape.cursor.place())

    def op_end(
        self,
        op: Any,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        attrs: Mapping[str, Any],
        node: Any,
    ) -> None:
        """Record an operation with its inputs and outputs."""
        line, numbers = self.tape.cursor.place(), self.tape._tensors
        known = [numbers.find(value) for value in outputs]
        if self._is_repeated(known, inputs):
            return
        read = [self.number_of_input(x) for x in inputs if self.read.is_value(x)]
        self._used.update(read)
        written = []
        for value, before in zip(outputs, known, strict=True):
            is_new = before is None or before in self._used or before in self.nodes
            written.append(self._appear(value, line) if is_new else cast(int, before))
        if node is None and outputs:
            node = self.read(outputs[0]).node
        name = text_of(op) or type(op).__name__
        self._write_node(name, read, written, self._texts(attrs), node, line)
        for value, number in zip(outputs, written, strict=True):
            self._write_value(value, number, line)
        if node is not None and numbers.find(node) is None:
            numbers.give(node, written[0])

    def _is_repeated(self, known: Sequence[int | None], inputs: Sequence[Any]) -> bool:
        """True if each output, new as it is, has said the same of itself."""
        seen = {number for number in known if number is not None}
        before = {self.tape._tensors.find(x) for x in inputs}
        new = self._announced_itself.issuperset(known) and seen.isdisjoint(before)
        self._announced_itself -= seen
        return (
            bool(seen)
            and new
            and self.nodes.keys() >= seen
            and seen.isdisjoint(self._used)
        )

    def backward_begin(self, roots: Sequence[Any]) -> None:
        """Record the begin of a backward pass."""
        line = self.tape.cursor.place()
        numbers = [self.number_of_input(x) for x in roots if self.read.is_value(x)]
        self._begin_pass(numbers)
        self.tape.begin_pass(set(), line)
        self.log.add(line, "backward", "begin", tuple(numbers))

    def backward_end(self, roots: Sequence[Any]) -> None:
        """Record the end of a pass, with sums that were not announced before."""
        line = self.tape.pass_line()
        roots = [root for root in roots if self.read.is_value(root)]
        numbers = [self.number_of_input(root) for root in roots]
        seeds = dict(zip(numbers, roots, strict=True))
        for number, target in (seeds | self._targets).items():
            self._write_sum(number, target, line)
        self.log.add(line, "backward", "end", tuple(numbers))
        self._write_accumulated(line)
        self.tape.end_pass()

    def grad_begin(self, node: Any) -> None:
        """Do nothing: the rules of other engines record no operations."""

    def _write_accumulated(self, line: int) -> None:
        """Write the gradients of leaves that earlier passes have contributed to."""
        for number, target in self._targets.items():
            grad = None if number in self.nodes else self.read(target).grad
            if grad is not None and not np.array_equal(grad, self._last[number]):
                self._write_gradient(number, None, True, grad, line)

    def grad_flows(self, node: Any, index: int, target: Any, grad: Any) -> None:
        """Record a gradient from a node to one of its inputs."""
        line = self.tape.pass_line()
        source = None if node is None else self.tape._tensors.find(node)
        if source is not None:
            self._write_sum(source, node, line)
        if (number := self._target(target)) is None:
            return
        self._parts[number] = self._parts.get(number, 0) + 1
        self._targets[number] = target
        giver = None if source is None else self.nodes.get(source)
        self._write_gradient(number, giver, giver is None, array_of(grad), line)

    def hooks_begin(self, target: Any, grad: Any) -> None:
        """Record a whole gradient: hooks are about to see it."""
        self.grad_ready(target, grad)

    def grad_ready(self, target: Any, grad: Any) -> None:
        """Record a whole gradient, unless the log has it already."""
        if (number := self._target(target)) is not None:
            self._write_whole(number, array_of(grad), self.tape.pass_line())

    def node_freed(self, node: Any) -> None:
        """Record that a pass released what a node had saved."""
        number = self.tape._tensors.find(node)
        if number is not None and number in self.nodes:
            line = self.tape.pass_line()
            self.log.add_all(line, (("free", self.nodes[number]),))

    def number_of_input(self, thing: Any) -> int:
        """Return the number of a value that is read; look up its name."""
        tape = self.tape
        if not self.is_foreign(thing):
            return tape.numbers_of([thing])[0]
        known = tape._tensors.find(thing)
        number = self.number(thing)
        if id(thing) in tape._unnamed and (known is None or known < tape._looked):
            tape.look_again(thing)
        return number

    def number(self, thing: Any, line: int = 0) -> int:
        """Return the number of a value; record a new one, with what is behind it."""
        tape = self.tape
        known = tape._tensors.find(thing)
        if known is not None:
            return known
        if not self.is_foreign(thing):
            return tape.number(thing)
        last = self.read(thing).edge
        self._write_all(last, line, thing)
        number = tape._tensors.find(last)
        assert number is not None
        if last is not thing:
            tape._tensors.give(thing, number)
        return number

    def _write_all(self, last: Any, line: int, value: Any) -> None:
        """Write a value at `line`, after all that it was computed from.

        Args:
            last: The vertex that it hangs on: itself, or the node that computed it.
            line: The line of the user's code.
            value: The value itself.
        """
        opened: dict[int, Any] = {}
        stack: list[tuple[Any, bool]] = [(last, False)]
        while stack:
            vertex, is_closed = stack.pop()
            if self.tape._tensors.find(vertex) is not None:
                continue
            if not self.is_foreign(vertex):
                self.tape.number(vertex)
            elif is_closed:
                if vertex is last:
                    self._write_vertex(vertex, line, value)
                else:
                    self._write_vertex(vertex, 0, vertex)
            elif id(vertex) in opened:
                self.complain("a cycle: a value that was computed from itself")
            elif len(opened) == MOST_NODES:
                self.log.leave_out("nodes", "they are older than the trace")
            else:
                opened[id(vertex)] = vertex
                stack.append((vertex, True))
                stack += [(edge, False) for edge in self._edges(vertex)]

    def _edges(self, vertex: Any) -> list[Any]:
        """The values and nodes that an edge leads to; constants have none."""
        edges = self.read(vertex).edges
        return [edge for edge in edges if self._is_vertex(edge)]

    def _is_vertex(self, thing: Any) -> bool:
        if self.read.is_value(thing):
            return True
        known = self.tape._tensors.find(thing) is not None
        return known or (self.is_foreign(thing) and bool(self.read(thing).edges))

    def _target(self, target: Any) -> int | None:
        if self._is_vertex(target):
            return self.number(target)
        self.complain(f"a gradient to what is no value: {type(target).__name__}")
        return None

    def _write_vertex(self, vertex: Any, line: int, value: Any) -> None:
        """Write a leaf, or a value with the operation that computed it."""
        find, edges = self.tape._tensors.find, self._edges(vertex)
        known = [number for edge in edges if (number := find(edge)) is not None]
        number = self._appear(value, line, leaf=not edges)
        if value is not vertex:
            self.tape._tensors.give(vertex, number)
        self._used.update(known)
        if edges:
            op = self.read(vertex).op.type
            self._write_node(op, known, [number], (), vertex, line)
        self._write_value(value, number, line)

    def _appear(self, thing: Any, line: int, *, leaf: bool = False) -> int:
        """Write the event of a new value, and return its number."""
        tape, view = self.tape, self.read(thing)
        number = tape._tensors.give(thing)
        if name := view.label:
            tape.names[number] = name
        else:
            tape._unnamed[id(thing)] = number
            tape.cursor.has_unnamed = True
        data, stop = view.data, view.stop_gradient
        role = "T" if not leaf else "D" if stop else "leaf"
        facts = name, role, data.shape, dtype_name(data.dtype), stop
        self.log.add_all(line, (("tensor", number, *facts, view.engine),))
        return number

    def _write_node(
        self,
        op: str,
        read: Sequence[int],
        written: Sequence[int],
        texts: tuple[tuple[str, Any], ...],
        node: Any,
        line: int,
    ) -> None:
        number = next(self.tape._next_node)
        self.nodes.update(dict.fromkeys(written, number))
        vertex = None if node is None else self.read(node)
        saved = () if vertex is None else vertex.saved
        engine = "" if vertex is None else vertex.engine
        facts = op, tuple(read), tuple(written), texts, saved, vertex is not None, 1
        path = self.tape.layers.path
        self.log.add_all(line, (("node", number, *facts, path, engine),))

    def _texts(self, attrs: Any) -> tuple[tuple[str, Any], ...]:
        """Return the attributes of an operation as texts."""
        try:
            return short_texts({str(name): attrs[name] for name in attrs})
        except Exception as error:
            kind = type(error).__name__
            self.complain(f"attributes that raised {kind} when they were read")
            return ()

    def _write_value(self, thing: Any, number: int, line: int) -> None:
        array = self.read(thing).data
        if array is UNKNOWN:
            return
        stats = self.tape.summarize(array)
        if stats is not None:
            self.log.add_all(line, (("value", number, stats),))

    def _write_sum(self, number: int, vertex: Any, line: int) -> None:
        """Write a seed, or a sum, that the engine did not announce."""
        if number in self._whole or self._parts.get(number) == 1:
            return
        if number in self._parts or number in self._roots:
            grad = self.read(vertex).grad
            if grad is not None:
                self._write_whole(number, grad, line)

    def _write_whole(self, number: int, grad: Any, line: int) -> None:
        parts = self._parts.get(number, 0)
        if parts != 1 and (parts or number in self._roots):
            self._whole.add(number)
            self._write_gradient(number, None, parts > 0, grad, line)

    def _write_gradient(
        self, number: int, node: int | None, total: bool, grad: Any, line: int
    ) -> None:
        self._last[number] = grad
        stats: ValueStats = NO_FIGURES
        if grad is not UNKNOWN:
            stats = self.tape.summarize_gradient(grad)
        self.log.add_all(line, (("grad", number, node, total, stats),))


def of_any_engine(*positions: int) -> Callable[[M], M]:
    """Guard a method of TapeRecorder as `careful` does; dispatch by engine.

    What another engine announces goes to the method of the same name of ForeignTape.

    Args:
        positions: The arguments that say whose the announcement is: an object, or a
            list that begins with one.
    """

    def guard(method: M) -> M:
        listen, name = cast("Callable[..., None]", method), method.__name__

        @wraps(method)
        def guarded(self: Any, *facts: Any) -> None:
            if get_ident() != self.cursor.thread:
                return
            try:
                classes = self.foreign.read.foreign
                for position in positions:
                    fact = facts[position]
                    if fact.__class__ in LISTS:
                        fact = fact[0] if fact else None
                    if fact is not None and classes[type(fact)]:
                        getattr(self.foreign, name)(*facts)
                        return
                listen(self, *facts)
            except Exception as error:
                self.log.broke(error)

        return cast("M", guarded)

    return guard


LISTS = frozenset({list, tuple})
