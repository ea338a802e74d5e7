"""A recorder of eager code: tensors, nodes on the tape, gradients of passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any
from weakref import ref

import numpy as np

from teachgraph.autograd.creation import Parameter
from teachgraph.autograd.tensor import Tensor
from teachgraph.autograd.views import detached_from
from teachgraph.core.errors import UnknownOpError
from teachgraph.core.op import Rule, find, slot_name
from teachgraph.core.tape import Edge, Node, Output, topological
from teachgraph.core.tensor import CLEARED
from teachgraph.nn.layer import Layer
from teachgraph_widgets.budget import Budget
from teachgraph_widgets.events import Role
from teachgraph_widgets.foreign import ForeignTape, of_any_engine
from teachgraph_widgets.history import Past, past_of
from teachgraph_widgets.identity import CROWD, Numbers
from teachgraph_widgets.layers import Layers, type_name
from teachgraph_widgets.lines import Cursor
from teachgraph_widgets.log import EventLog, Record, clean
from teachgraph_widgets.stats import WHOLE, ValueStats, dtype_name, outline, summary
from teachgraph_widgets.watcher import (
    Watcher,
    careful,
    cleaned,
    short_text,
    short_texts,
)

__all__ = ["TapeRecorder"]

MOST_REFRESHED = 200

RATE = "LearningRate"

UPDATE_ROLES: dict[str, Role] = {"Param": "P", "Grad": "g"}
"""Roles of an update op's inputs; all others are the optimizer's state."""


NodeRecord = tuple[int, tuple[int, ...], int]
"""A node's number, the numbers of its outputs, and its order of differentiation."""


NO_FLOW: tuple[int | None, int, Any, ValueStats | None] = None, 0, None, None


class BackwardPass:
    """A backward pass under way.

    Attributes:
        seeds: Addresses of the edges that it starts at.
        flows: By the address of an edge: its tensor, the number of gradients so far,
            the last recorded gradient and its statistics.
        line: The line that began it.
        hooked: The address of the edge whose hooks ran last.
        order: The order of the ops that it records, with `create_graph`.
        reached: The leaves that had a gradient before, and that gradient.
        name: A pattern for the names of gradients: `grad` adds to no `.grad`.
    """

    def __init__(self, seeds: set[int], line: int) -> None:
        self.seeds, self.line = seeds, line
        self.flows: dict[int, tuple[int | None, int, Any, ValueStats]] = {}
        self.hooked = 0
        self.order = 2
        self.reached: list[tuple[Tensor, Tensor | None]] = []
        self.name = "{}.grad"


class TapeRecorder(Watcher):
    """Writes the events of Tensors and of the tape into a log.

    Attributes:
        names: The tensors' names, by number, as far as they are known.
    """

    def __init__(
        self,
        log: EventLog,
        cursor: Cursor,
        budget: Budget,
        *,
        values: bool = True,
        first: int = 0,
        process: str | None = None,
    ) -> None:
        super().__init__(log, cursor, budget, values=values)
        self.names: dict[int, str] = {}
        self._tensors = Numbers(first)
        self._nodes: dict[float, NodeRecord] = {}
        self._next_node = count(first)
        self._crowded = CROWD
        self._unnamed: dict[int, int] = {}
        self._named_inside: dict[int, int] = {}
        self._looked, self._unnamed_crowd = 0, CROWD
        self._leaves: dict[int, ref[Tensor]] = {}
        self._gradients: dict[int, tuple[Any, int]] | None = {}
        self._open: set[int] = set()
        self._paths: dict[int, tuple[ref[Tensor], str, Role | None]] = {}
        self._returned: dict[int, tuple[ref[Any], int]] = {}
        self._stale: set[int] = set()
        self._passes: list[BackwardPass] = []
        self._asked: list[int] = []
        self._saved: dict[str, tuple[str, ...]] = {}
        self._shapes: dict[tuple[int, ...], tuple[int, ...]] = {}
        self.pass_ended: Callable[[int], None] = ignore
        self.layers = Layers(process)
        self.foreign = ForeignTape(self)
        self.layers.met = self.name_layer
        cursor.find_in = self.find_named

    @of_any_engine(0)
    def tensor_created(self, tensor: Tensor) -> None:
        """Record a new leaf of the tape."""
        line = self.cursor.place()
        number = self.appear(tensor, line, leaf_role(tensor))
        self.write_value(tensor, number, line)

    @of_any_engine(0)
    def tensor_became(self, tensor: Tensor, result: Tensor | None) -> None:
        """Record an op in place: the tensor gets the number and the name of its result.

        What no op gave the values of, such as by `set_value`, and a leaf that requires
        a gradient keep their numbers: they are overwritten.
        """
        line, before = self.cursor.place(), self._tensors.find(tensor)
        after = None if result is None else self._tensors.find(result)
        if before is None:
            return
        if after is None or not is_as_recorded(tensor, result):
            self.log.add(line, "attr", None, None, None, before, "overwritten", "")
            self.write_value(tensor, before, line)
            return
        self.set_number(tensor, after)
        if (name := self.names.get(before)) is not None:
            self.write_name(after, line, name)
        else:
            self._unnamed[id(tensor)] = after
            self.cursor.has_unnamed = True

    @of_any_engine(2)
    def op_end(
        self,
        op: str,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        attrs: Mapping[str, Any],
        node: Node | None,
    ) -> None:
        """Record an op with its inputs, its outputs and their values."""
        line, find = self.cursor.place(), self._tensors.find
        update = node is None and is_update(op)
        rate = place_of_rate(op, len(inputs)) if update else None
        read = self.numbers_of(inputs if rate is None else without(inputs, rate), op)
        order = self._passes[-1].order if self._passes else 1
        records: list[Record] = []
        numbers = []
        for tensor in outputs:
            known = find(tensor)
            if known is None:
                known, record = self.appearance(tensor, "T" if order == 1 else "g")
                records.append(record)
            numbers.append(known)
        written = tuple(numbers)
        number = self.node_number(node, written, order)
        texts = short_texts(attrs) if attrs else ()
        if rate is not None:
            texts = (*rate_text(inputs[rate]), *texts)
        saved: tuple[str, ...] | None = ()
        if node is not None and (saved := self._saved.get(op)) is None:
            saved = self.saved_by(op, node)
        path, taped = self.layers.path, node is not None
        facts = op, read, written, texts, saved, taped, order, path
        records.append(("node", number, *facts))
        if self.values:
            for tensor, known in zip(outputs, written, strict=True):
                if (stats := self.stats_or_stale(tensor, known)) is not None:
                    records.append(("value", known, stats))
        self.log.add_all(line, records)

    @careful
    def hook_changed(self, tensor: Tensor, name: str) -> None:
        """Record that a gradient hook was registered or removed."""
        number, line = self.number(tensor), self.cursor.place()
        self.log.add(line, "attr", None, None, None, number, "hook", clean(name))

    @of_any_engine(0)
    def backward_begin(self, roots: Sequence[Tensor]) -> None:
        """Record the begin of a backward pass."""
        numbers = [self.number(root) for root in roots]
        line = self.cursor.place()
        self.begin_pass({id(root.edge) for root in roots}, line)
        self.log.add(line, "backward", "begin", tuple(numbers))

    @careful
    def gradients_asked(self, inputs: Sequence[Tensor]) -> None:
        """Record the tensors that `grad` is to return, before what flows to them."""
        line = self.pass_line()
        self._asked = [self._tensors.fresh() for _ in inputs]
        for tensor, number in zip(inputs, self._asked, strict=True):
            owner = self.number(tensor)
            like = tensor.data.shape, dtype_name(tensor.data.dtype), True, None, owner
            self.log.add(line, "tensor", number, "", "g", *like)
            self.log.add(line, "attr", None, None, None, owner, "asked", str(number))
        if self._passes:
            self._passes[-1].name = "grad of {}"

    @careful
    def gradients_returned(self, gradients: Sequence[Tensor | None]) -> None:
        """Record what `grad` returns: new tensors, or what its ops have recorded."""
        line = self.cursor.place()
        for number, gradient in zip(self._asked, gradients, strict=False):
            if gradient is None:
                continue
            if (known := self._tensors.find(gradient)) is None:
                self.set_number(gradient, number)
                self._unnamed[id(gradient)] = number
                self.cursor.has_unnamed = True
                self.write_value(gradient, number, line)
            else:
                facts = None, None, None, number, "same", str(known)
                self.log.add(line, "attr", *facts)
        self._asked = []

    @of_any_engine(0)
    def backward_end(self, roots: Sequence[Tensor]) -> None:
        """Record the end of a backward pass, and the gradients it accumulated into."""
        numbers = [self.number(root) for root in roots]
        line = self.cursor.place()
        self.log.add(line, "backward", "end", tuple(numbers))
        current = self._passes[-1] if self._passes else None
        self._gradients = None
        if current is not None:
            self._returned = {
                id(array): (ref(array), owner)
                for owner, _, grad, _ in current.flows.values()
                if owner is not None and isinstance(array := array_of(grad), np.ndarray)
            }
        for leaf, before in current.reached if current is not None else ():
            if leaf._grad is not before:
                stats = self.summarize_gradient(leaf._grad)
                self.log.add(line, "grad", self.number(leaf), None, True, stats)
        self.end_pass()

    def begin_pass(self, seeds: set[int], line: int) -> None:
        """Note that a backward pass is under way."""
        self._passes.append(BackwardPass(seeds, line))

    def end_pass(self) -> None:
        """Forget the innermost backward pass, and say that it is over."""
        if self._passes:
            self.pass_ended(self._passes.pop().line)

    @of_any_engine(0)
    def grad_begin(self, node: Node) -> None:
        """Set the order of the ops that a node's rule records: one above the node's."""
        taped = self._nodes.get(node.born)
        if self._passes and taped is not None:
            self._passes[-1].order = taped[2] + 1

    @of_any_engine(2, 0)
    def grad_flows(
        self, node: Node | None, index: int, target: Edge, grad: Any
    ) -> None:
        """Record a gradient from a node to one of its inputs."""
        tensor = self.target(target)
        stats = self.summarize_gradient(grad)
        if self._passes:
            flows = self._passes[-1].flows
            _, parts, _, _ = flows.get(id(target), NO_FLOW)
            flows[id(target)] = tensor, parts + 1, grad, stats
        if tensor is None:
            return
        number = None if node is None else self.known(node)
        self.log.add_all(self.pass_line(), (("grad", tensor, number, False, stats),))

    @of_any_engine(0)
    def hooks_begin(self, target: Edge, grad: Any) -> None:
        """Record the gradient that hooks receive: they may return another one."""
        self.write_whole_gradient(target, grad)
        if self._passes:
            self._passes[-1].hooked = id(target)

    @of_any_engine(0)
    def grad_ready(self, target: Edge, grad: Any) -> None:
        """Record the accumulated gradient of an edge, and note a leaf's earlier one."""
        if isinstance(target, Tensor):
            self._leaves[self.number(target)] = ref(target)
            if self._passes and has_gradient(target):
                self._passes[-1].reached.append((target, target._grad))
        self.write_whole_gradient(target, grad)

    def write_whole_gradient(self, target: Edge, grad: Any) -> None:
        """Write an accumulated gradient, unless the log has it already.

        A single contribution is the whole gradient; only a sum, a seed and the result
        of a hook are new.
        """
        if not self._passes:
            return
        current, edge = self._passes[-1], id(target)
        tensor, parts, last, _ = current.flows.get(edge, NO_FLOW)
        if last is grad or not (
            parts > 1 or edge in current.seeds or edge == current.hooked
        ):
            return
        if parts == 0:
            tensor = self.target(target)
        stats = self.summarize_gradient(grad)
        current.flows[edge] = tensor, max(parts, 1), grad, stats
        if tensor is not None:
            self.log.add(current.line, "grad", tensor, None, parts > 0, stats)

    @of_any_engine(0)
    def node_freed(self, node: Node) -> None:
        """Record that the backward pass released a node's saved tensors."""
        number = self.known(node)
        if number is not None:
            self.log.add_all(self.pass_line(), (("free", number),))

    def number(self, tensor: Tensor, op: str = "", position: int = 0) -> int:
        """Return a tensor's number; record a new tensor, with the tape behind it."""
        known = self._tensors.find(tensor)
        if known is not None:
            return known
        if tensor.node is not None:
            if self.target(tensor.node) is None:
                self.write_past(past_of(tensor, self._nodes))
            output = self.target(tensor.node)
            if output is None:
                return self.appear(tensor, 0, "T")
            if output not in self.names:
                self._unnamed[id(tensor)] = output
            return self.set_number(tensor, output)
        role, name, owner = self.role_of_input(tensor, op, position)
        number = self.appear(tensor, 0, role, name, owner)
        self.write_value(tensor, number, 0)
        # A gradient is told by whose it is.
        if owner is None and (source := detached_from(tensor)) is not None:
            self.write_attribute(number, "detached", str(self.number(source)))
        return number

    def number_of(self, thing: Any) -> int | None:
        """Return the number of a tensor that is in the log, None for anything else."""
        return self._tensors.find(thing)

    def numbers_of(self, inputs: Sequence[Any], op: str = "") -> tuple[int, ...]:
        """Return the numbers of an op's inputs; record the new ones."""
        find, unnamed, read = self._tensors.find, self._unnamed, []
        for position, x in enumerate(inputs):
            if isinstance(x, Tensor):
                known = find(x)
                before = known is None
                if known is None:
                    known = self.number(x, op, position)
                if unnamed and id(x) in unnamed and (before or known < self._looked):
                    self.look_again(x)
                if x.node is None and x.stop_gradient is (known in self._open):
                    self.write_stop(x, known)
                read.append(known)
        return tuple(read)

    def role_of_input(
        self, tensor: Tensor, op: str, position: int
    ) -> tuple[Role, str, int | None]:
        """Return a new leaf's role and name, and the tensor whose gradient it is."""
        owner = self.owner_of(tensor)
        if owner is None:
            owner = self.owner_in_pass(tensor)
        if owner is not None:
            name = self.names.get(owner)
            pattern = self._passes[-1].name if self._passes else "{}.grad"
            return "g", pattern.format(name) if name else "", owner
        role = leaf_role(tensor)
        if op and is_update(op):
            role = UPDATE_ROLES.get(slot_at(op, position), "L")
        elif role == "B" and slot_at(op, position) not in overwritten(op):
            role = "P"  # a frozen parameter is one nevertheless
        known = self._paths.get(id(tensor))
        if known is not None and known[0]() is tensor:
            return known[2] or role, known[1], None
        return role, tensor.label, None

    def owner_of(self, tensor: Tensor) -> int | None:
        """Return the number of the tensor whose gradient this is, None if of none.

        A copy that shares the gradient's memory, as a clipping makes, counts as well.
        """
        if self._gradients is None:
            self._gradients = {
                id(key): (reference, number)
                for number, reference in self._leaves.items()
                if (leaf := reference()) is not None and has_gradient(leaf)
                for key in (leaf._grad, array_of(leaf._grad))
            }
        array = tensor.data
        for key in (tensor, array):  # itself first: leaves may share an array
            reference, number = self._gradients.get(id(key), (None, 0))
            leaf = None if reference is None else reference()
            if leaf is not None and has_gradient(leaf):
                grad = leaf._grad
                if grad is key or array_of(grad) is key:
                    return number
        known, number = self._returned.get(id(array), (None, 0))
        return number if known is not None and known() is array else None

    def owner_in_pass(self, tensor: Tensor) -> int | None:
        """Return the owner of a gradient that a hook or a recorded rule receives."""
        flows = self._passes[-1].flows.values() if self._passes else ()
        for owner, _, grad, _ in flows:
            if owner is not None and (grad is tensor or grad is tensor.data):
                return owner
        return None

    def name_layer(self, layer: Layer) -> str:
        """Return the name of an outermost layer: its variable's, else its type's."""
        name = clean(self.cursor.name_of(layer)) or type_name(layer)
        self.name_members(layer, name)
        return name

    @careful
    def name_members(self, layer: Layer, name: str) -> None:
        """Call the parameters and buffers of a layer by their paths from its name."""
        for path, member in layer.named_parameters(name):
            self.name_member(path, member)
        for path, member in layer.named_buffers(name):
            self.name_member(path, member, "B")

    def name_member(self, path: str, member: Any, role: Role | None = None) -> None:
        """Call a member of a layer by its path, now or when an op first reads it."""
        if not isinstance(member, Tensor):
            return
        known = self._paths.get(id(member))
        if known is not None and known[0]() is member:
            return
        path = cleaned(path)
        self._paths[id(member)] = ref(member), path, role
        number = self._tensors.find(member)
        if number is None:
            return
        self._unnamed.pop(id(member), None)
        self.write_name(number, self.cursor.line, path)
        if role is not None:
            self.write_attribute(number, "role", role)

    def write_stop(self, tensor: Tensor, number: int) -> None:
        """Write that an op reads a leaf whose `stop_gradient` has changed."""
        self._open ^= {number}
        self.write_attribute(number, "stop_gradient", str(tensor.stop_gradient))

    def write_attribute(self, number: int, attr: str, value: str) -> None:
        """Write what has changed of a tensor."""
        record = "attr", None, None, None, number, attr, value
        self.log.add_all(self.cursor.line, (record,))

    def appear(
        self,
        tensor: Tensor,
        line: int,
        role: Role,
        name: str = "",
        owner: int | None = None,
    ) -> int:
        """Record a new tensor, and return its number."""
        number, facts = self.appearance(tensor, role, name or tensor.label, owner)
        self.log.add_all(line, (facts,))
        return number

    def appearance(
        self, tensor: Tensor, role: Role, name: str = "", owner: int | None = None
    ) -> tuple[int, Record]:
        """Return a number for a new tensor, and its event; results have no name."""
        number = self._tensors.give(tensor)
        if name:
            self.names[number] = name = clean(name)
        else:
            self._unnamed[id(tensor)] = number
            self.cursor.has_unnamed = True
        data, stop = tensor.data, tensor.stop_gradient
        shape, dtype = data.shape, dtype_name(data.dtype)
        shape = self._shapes.setdefault(shape, shape)  # equal shapes share a tuple
        if not stop and tensor.node is None:
            self._open.add(number)
        facts = "tensor", number, name, role, shape, dtype, stop
        return number, facts if owner is None else (*facts, None, owner)

    def set_number(self, tensor: Tensor, number: int) -> int:
        """Give a tensor the number of an output that is in the log."""
        return self._tensors.give(tensor, number)

    def write_tensor(
        self, number: int, line: int, name: str, role: Role, like: Any, stop: bool
    ) -> None:
        """Write a `tensor` event; `like` has its shape and dtype."""
        facts = name, role, like.shape, dtype_name(like.dtype), stop
        self.log.add(line, "tensor", number, *facts)

    def write_value(self, tensor: Tensor, number: int, line: int) -> None:
        """Write a tensor's value, or note that it is stale."""
        stats = self.stats_or_stale(tensor, number)
        if stats is not None:
            self.log.add(line, "value", number, stats)

    def stats_or_stale(self, tensor: Tensor, number: int) -> ValueStats | None:
        """Return a tensor's statistics; None, and mark it stale, over the budget."""
        stats = self.summarize(tensor.data)
        if stats is None:
            self._stale.add(number)
        elif number in self._stale:
            self._stale.remove(number)
        return stats

    def summarize_gradient(self, grad: Any) -> ValueStats:
        """Return a gradient's statistics, at least its figures: edges show the norm."""
        array = np.asarray(grad.data if isinstance(grad, Tensor) else grad)
        stats = self.summarize(array)
        return self.budget.summarizer.outline(array) if stats is None else stats

    def pass_line(self) -> int:
        """Return the line of a backward pass's events: the one that began it."""
        return self._passes[-1].line if self._passes else self.cursor.place()

    def write_past(self, past: Past) -> None:
        """Record nodes older than the trace, on line 0."""
        for leaf in past.leaves:
            self.number(leaf)
        for node in past.nodes:
            written = []
            for like in past.outputs(node):
                number = self._tensors.fresh()
                self.write_tensor(number, 0, "", "T", like, False)
                written.append(number)
            inputs = [self.target(edge) for edge in node.edges if edge is not None]
            read = tuple([number for number in inputs if number is not None])
            facts = node.op.type, read, tuple(written), short_texts(node.attrs)
            saved = self.saved_by(node.op.type, node)
            number = self.node_number(node, tuple(written), 1)
            self.log.add(0, "node", number, *facts, saved, True, 1)
        if past.left_out:
            self.log.leave_out("nodes", "they are older than the trace", past.left_out)

    def node_number(
        self, node: Node | None, outputs: tuple[int, ...], order: int
    ) -> int:
        """Return a number for an op that ran, with or without a node on the tape."""
        number = next(self._next_node)
        if node is not None:
            self._nodes[node.born] = number, outputs, order
            if len(self._nodes) > self._crowded and not self._passes:
                self.forget()
        return number

    def forget(self) -> None:
        """Drop nodes that no living tensor depends on, and names of dead tensors."""
        living = dict(self._tensors.living())
        born = {edge.born for edge in topological(t.edge for t in living.values())}
        self._nodes = {b: taped for b, taped in self._nodes.items() if b in born}
        self.names = {n: name for n, name in self.names.items() if n in living}
        self._stale &= living.keys()
        self._crowded = 2 * len(self._nodes) + CROWD

    def known(self, node: Node) -> int | None:
        """Return a node's number; a node is known by the moment of its birth."""
        taped = self._nodes.get(node.born)
        return None if taped is None else taped[0]

    def target(self, edge: Edge) -> int | None:
        """Return the number of the tensor that an edge leads to, if it is known."""
        if isinstance(edge, Tensor):
            return self.number(edge)
        node, index = (edge.node, edge.index) if isinstance(edge, Output) else (edge, 0)
        taped = self._nodes.get(node.born)
        return None if taped is None else taped[1][index]

    def saved_by(self, op: str, node: Node) -> tuple[str, ...]:
        """Return the slots that a node saves for backward; of a PyLayer, names."""
        rule = node.op.rule
        if rule is None:
            return ()
        if not is_ours(op):
            return tuple(map(cleaned, rule.saved))
        slots = self._saved.get(op)
        if slots is None:
            slots = self._saved[op] = saved_slots(rule)
        return slots

    @careful
    def look(self, namespace: Mapping[str, Any], names: Sequence[str]) -> None:
        """Search for names once more, after the last line."""
        self.find_named(namespace, names)

    def find_named(self, namespace: Mapping[str, Any], names: Sequence[str]) -> bool:
        """Search a namespace for the tensors that have no name yet.

        Returns:
            True if a function has named one: its caller may name it again.
        """
        unnamed, named_inside = self._unnamed, self._named_inside
        inner = names is not self.cursor.source.top
        for name in names if unnamed or named_inside else ():
            address = id(thing := namespace.get(name))
            if address in unnamed:
                number = unnamed.pop(address)
            elif address in named_inside and not inner:
                number = named_inside.pop(address)
            else:
                continue
            if self._tensors.find(thing) == number:
                if self.names.get(number) != name:
                    self.write_name(number, self.cursor.line, cleaned(name))
                if inner:
                    named_inside[address] = number
        self._looked = self._tensors.count
        if len(unnamed) + len(named_inside) > self._unnamed_crowd:
            self.forget_unnamed()
        return bool(named_inside)

    def look_again(self, tensor: Tensor) -> None:
        """Search for the name of an unnamed tensor that an op reads."""
        inside = self.cursor.find_names_now()
        self._unnamed.pop(id(tensor), None)
        if not inside:
            self._named_inside.pop(id(tensor), None)

    def forget_unnamed(self) -> None:
        """Drop dead tensors from those that wait for a name."""
        living = {id(thing): number for number, thing in self._tensors.living()}
        for waiting in (self._unnamed, self._named_inside):
            for address in [a for a, n in waiting.items() if living.get(a) != n]:
                del waiting[address]
        self._unnamed_crowd = 2 * (len(self._unnamed) + len(self._named_inside)) + CROWD

    def write_name(self, number: int, line: int, name: str) -> None:
        """Write a tensor's name."""
        self.names[number] = name
        record = "attr", None, None, None, number, "name", name
        self.log.add_all(line, (record,))

    @careful
    def refresh(self, everything: bool = False) -> None:
        """Write the values of stale tensors, so that the log ends with true values."""
        if not self.values:
            return
        stale = [
            (number, tensor)
            for number, tensor in self._tensors.living()
            if (everything or number in self._stale) and number in self.names
        ]
        for number, tensor in stale[-MOST_REFRESHED:]:
            self.log.add(self.cursor.line, "value", number, final_stats(tensor))


def final_stats(tensor: Tensor) -> ValueStats:
    """Compute a tensor's last statistics; only parameters get more than figures."""
    if isinstance(tensor, Parameter):
        return summary(tensor.data)
    return outline(tensor.data, WHOLE)


@cache
def is_update(op: str) -> bool:
    """True if an op changes a parameter, as an optimizer's do."""
    return is_ours(op) and "param" in find(op).inplace.values()


@cache
def overwritten(op: str) -> frozenset[str]:
    """Return the slots of which an op writes anew what it reads."""
    return frozenset(map(slot_name, find(op).inplace.values() if is_ours(op) else ()))


def slot_at(op: str, position: int) -> str:
    """Return the slot of an op's input; empty for an op that is not registered."""
    if not is_ours(op):
        return ""
    return find(op).parameter_names(position + 1)[position]


@cache
def is_ours(op: str) -> bool:
    """True if an op is registered; a PyLayer and a program have names of their own."""
    try:
        find(op)
    except UnknownOpError:
        return False
    return True


@cache
def place_of_rate(op: str, count: int) -> int | None:
    """Return which of an update's inputs is the learning rate, None if none is."""
    names = find(op).parameter_names(count)
    return names.index(RATE) if RATE in names else None


def rate_text(value: Any) -> tuple[tuple[str, str], ...]:
    """Return the learning rate of an update as an attribute, if it is one number."""
    rate = array_of(value)
    if not isinstance(rate, np.ndarray) or rate.size != 1:
        return ()
    return ((RATE, short_text(rate.reshape(-1)[0])),)


def without(inputs: Sequence[Any], position: int) -> list[Any]:
    """Return inputs with None in the place of one of them."""
    rest = list(inputs)
    rest[position] = None
    return rest


def ignore(line: int) -> None:
    """Do nothing."""


def is_as_recorded(tensor: Tensor, result: Any) -> bool:
    """True if a tensor has the node of an op's result, and its `stop_gradient`."""
    wanted = tensor.stop_gradient == result.stop_gradient
    return wanted and tensor.node is result.node


def has_gradient(leaf: Tensor) -> bool:
    """True if a leaf has a gradient, into which this pass accumulates."""
    return leaf._grad is not None and leaf._grad is not CLEARED


def array_of(grad: Any) -> Any:
    """Return the array of a gradient, which may be a Tensor."""
    return grad.data if isinstance(grad, Tensor) else grad


def leaf_role(tensor: Tensor) -> Role:
    """Return a leaf's role: parameter, buffer, leaf with a gradient, or data."""
    if isinstance(tensor, Parameter):
        return "P" if not tensor.stop_gradient else "B"
    return "D" if tensor.stop_gradient else "leaf"


def saved_slots(rule: Rule) -> tuple[str, ...]:
    """Return the slots that a rule saves; `X.shape` if only the shape is needed."""
    return tuple(
        slot_name(name) + (".shape" if shape_only else "")
        for name, shape_only in zip(rule.saved, rule.shape_only, strict=True)
    )
