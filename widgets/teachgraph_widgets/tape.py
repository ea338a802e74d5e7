"""Records eager code: tensors, nodes on the tape, gradients on the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any
from weakref import ref

import numpy as np

from teachgraph.autograd.creation import Parameter
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import UnknownOpError
from teachgraph.core.op import Rule, find, slot_name
from teachgraph.core.tape import Edge, Node, Output, topological
from teachgraph.core.tensor import CLEARED
from teachgraph_widgets.budget import Budget
from teachgraph_widgets.events import Role
from teachgraph_widgets.history import Past, past_of
from teachgraph_widgets.identity import CROWD, Numbers
from teachgraph_widgets.layers import Layers
from teachgraph_widgets.lines import Cursor
from teachgraph_widgets.log import EventLog, Record, clean
from teachgraph_widgets.stats import WHOLE, Seen, dtype_name, outline, summary
from teachgraph_widgets.watcher import (
    Watcher,
    careful,
    cleaned,
    short_text,
    short_texts,
)

__all__ = ["TapeRecorder"]

MOST_LEAVES = 64
"""More than this are not searched for the tensor whose gradient this may be."""

MOST_REFRESHED = 200

UPDATE_ROLES: dict[str, Role] = {"Param": "P", "Grad": "g"}
"""What an update op's inputs are; all others are the optimizer's own state."""


Taped = tuple[int, tuple[int, ...], int]
"""What is known of a node: its number, those of its outputs, and its order."""


NO_FLOW: tuple[int | None, int, Any, Seen | None] = None, 0, None, None


class Pass:
    """A reverse pass under way.

    Attributes:
        seeds: Addresses of the edges it starts at.
        flows: For the address of each edge: its tensor, how many gradients came, the
            last that was told and what it looks like.
        line: The line that began it.
        hooked: The address of the edge whose hooks were last run.
        order: The order of the ops that it records, if it does.
        reached: The leaves that had a gradient already, and that gradient.
    """

    def __init__(self, seeds: set[int], line: int) -> None:
        self.seeds, self.line = seeds, line
        self.flows: dict[int, tuple[int | None, int, Any, Seen]] = {}
        self.hooked = 0
        self.order = 2
        self.reached: list[tuple[Tensor, Tensor | None]] = []


class TapeRecorder(Watcher):
    """Writes what Tensors do into a log.

    Attributes:
        names: What the tensors are called, as far as that is known.
    """

    def __init__(
        self, log: EventLog, cursor: Cursor, budget: Budget, *, values: bool = True
    ) -> None:
        super().__init__(log, cursor, budget, values=values)
        self.names: dict[int, str] = {}
        self._tensors = Numbers()
        self._nodes: dict[float, Taped] = {}
        self._next_node = count()
        self._crowded = CROWD
        self._unnamed: dict[int, int] = {}
        self._lent: dict[int, int] = {}
        self._looked, self._unnamed_crowd = 0, CROWD
        self._leaves: dict[int, ref[Tensor]] = {}
        self._stale: set[int] = set()
        self._passes: list[Pass] = []
        self._saved: dict[str, tuple[str, ...]] = {}
        self._shapes: dict[tuple[int, ...], tuple[int, ...]] = {}
        self.passed: Callable[[int], None] = ignore
        self.layers = Layers()
        cursor.look = self.find_named

    @careful
    def tensor_created(self, tensor: Tensor) -> None:
        """A leaf of the tape appeared."""
        line = self.cursor.place()
        number = self.appear(tensor, line, leaf_role(tensor))
        self.tell_value(tensor, number, line)

    @careful
    def tensor_became(self, tensor: Tensor, result: Tensor | None) -> None:
        """A tensor was changed in place: from now on it is what the op gave.

        A leaf that wants a gradient stays what it was, and has another value.
        """
        line, before = self.cursor.place(), self._tensors.find(tensor)
        made = None if result is None else self._tensors.find(result)
        if before is None:
            return
        if made is None or not is_as_recorded(tensor, result):
            self.tell_value(tensor, before, line)
            return
        self.be(tensor, made)
        if (name := self.names.get(before)) is not None:
            self.tell_name(made, line, name)
        else:
            self._unnamed[id(tensor)] = made
            self.cursor.curious = True

    @careful
    def op_end(
        self,
        op: str,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        attrs: Mapping[str, Any],
        node: Node | None,
    ) -> None:
        """An op ran on Tensors."""
        line, find = self.cursor.place(), self._tensors.find
        update = node is None and is_update(op)
        read = self.numbers_of(without_rate(op, inputs) if update else inputs, op)
        order = self._passes[-1].order if self._passes else 1
        told: list[Record] = []
        written = []
        for tensor in outputs:
            known = find(tensor)
            if known is None:
                known, record = self.appearance(tensor, "T" if order == 1 else "g")
                told.append(record)
            written.append(known)
        made = tuple(written)
        number = self.node_number(node, made, order)
        texts = short_texts(attrs) if attrs else ()
        if update:
            texts = (*rates(op, inputs), *texts)
        saved = () if node is None else self._saved.get(op) or self.saved_by(op, node)
        path, taped = self.layers.path, node is not None
        told.append(("node", number, op, read, made, texts, saved, taped, order, path))
        if self.values:
            for tensor, known in zip(outputs, written, strict=True):
                if (seen := self.seen(tensor, known)) is not None:
                    told.append(("value", known, seen))
        self.log.add_all(line, told)

    @careful
    def hook_changed(self, tensor: Tensor, name: str) -> None:
        """A hook was put on a tensor's gradient, or taken off."""
        number, line = self.number(tensor), self.cursor.place()
        self.log.add(line, "attr", None, None, None, number, "hook", clean(name))

    @careful
    def backward_begin(self, roots: Sequence[Tensor]) -> None:
        """A reverse pass starts at these tensors."""
        numbers = [self.number(root) for root in roots]
        line = self.cursor.place()
        self._passes.append(Pass({id(root.edge) for root in roots}, line))
        self.log.add(line, "backward", "begin", tuple(numbers))

    @careful
    def backward_end(self, roots: Sequence[Tensor]) -> None:
        """The reverse pass is over; what it has added to is told as it is now."""
        numbers = [self.number(root) for root in roots]
        line = self.cursor.place()
        self.log.add(line, "backward", "end", tuple(numbers))
        if self._passes:
            current = self._passes.pop()
            for leaf, before in current.reached:
                if leaf._grad is not before:
                    seen = self.look_at_gradient(leaf._grad)
                    self.log.add(line, "grad", self.number(leaf), None, True, seen)
            self.passed(current.line)

    @careful
    def grad_begin(self, node: Node) -> None:
        """The rule of a node is about to run: what it records is one order up."""
        taped = self._nodes.get(node.born)
        if self._passes and taped is not None:
            self._passes[-1].order = taped[2] + 1

    @careful
    def grad_flows(
        self, node: Node | None, index: int, target: Edge, grad: Any
    ) -> None:
        """A node hands a gradient to one of its inputs."""
        tensor = self.target(target)
        seen = self.look_at_gradient(grad)
        if self._passes:
            flows = self._passes[-1].flows
            _, parts, _, _ = flows.get(id(target), NO_FLOW)
            flows[id(target)] = tensor, parts + 1, grad, seen
        if tensor is None:
            return
        number = None if node is None else self.known(node)
        self.log.add_all(self.pass_line(), (("grad", tensor, number, False, seen),))

    @careful
    def hooks_begin(self, target: Edge, grad: Any) -> None:
        """What hooks are given is told: it may not be what they make of it."""
        self.tell_whole(target, grad)
        if self._passes:
            self._passes[-1].hooked = id(target)

    @careful
    def grad_ready(self, target: Edge, grad: Any) -> None:
        """A whole gradient: told where it is a sum, the start, or made by a hook."""
        if isinstance(target, Tensor):
            self._leaves[self.number(target)] = ref(target)
            if self._passes and has_gradient(target):
                self._passes[-1].reached.append((target, target._grad))
        self.tell_whole(target, grad)

    def tell_whole(self, target: Edge, grad: Any) -> None:
        """Write a whole gradient, unless it is the last that was told of its tensor."""
        if not self._passes:
            return
        current, edge = self._passes[-1], id(target)
        tensor, parts, last, seen = current.flows.get(edge, NO_FLOW)
        if last is grad or not (
            parts > 1 or edge in current.seeds or edge == current.hooked
        ):
            return
        if parts == 0:
            tensor = self.target(target)
        seen = self.look_at_gradient(grad)
        current.flows[edge] = tensor, max(parts, 1), grad, seen
        if tensor is not None:
            self.log.add(current.line, "grad", tensor, None, parts > 0, seen)

    @careful
    def node_freed(self, node: Node) -> None:
        """The reverse pass let go of what a node had saved."""
        number = self.known(node)
        if number is not None:
            self.log.add_all(self.pass_line(), (("free", number),))

    def number(self, tensor: Tensor, op: str = "", position: int = 0) -> int:
        """A tensor's number; one not seen before is told, with what made it."""
        known = self._tensors.find(tensor)
        if known is not None:
            return known
        if tensor.node is not None:
            if self.target(tensor.node) is None:
                self.tell_past(past_of(tensor, self._nodes))
            made = self.target(tensor.node)
            if made is None:
                return self.appear(tensor, 0, "T")
            if made not in self.names:
                self._unnamed[id(tensor)] = made
            return self.be(tensor, made)
        role, name = self.role_of_input(tensor, op, position)
        number = self.appear(tensor, 0, role, name)
        self.tell_value(tensor, number, 0)
        return number

    def numbers_of(self, inputs: Sequence[Any], op: str = "") -> tuple[int, ...]:
        """The numbers of an op's inputs, those that have none yet told."""
        find, unnamed, read = self._tensors.find, self._unnamed, []
        for position, x in enumerate(inputs):
            if isinstance(x, Tensor):
                known = find(x)
                before = known is None
                if known is None:
                    known = self.number(x, op, position)
                if unnamed and id(x) in unnamed and (before or known < self._looked):
                    self.look_again(x)
                read.append(known)
        return tuple(read)

    def role_of_input(self, tensor: Tensor, op: str, position: int) -> tuple[Role, str]:
        """What a leaf is that comes as an op's input, and what to call it."""
        if op and is_update(op):
            slot = find(op).parameter_names(position + 1)[position]
            role = UPDATE_ROLES.get(slot, "L")
        else:
            role = leaf_role(tensor)
        owner = self.owner_of(tensor)
        if owner is None:
            owner = self.owner_in_pass(tensor)
        if owner is None:
            return role, tensor.label
        return "g", f"{owner}.grad" if owner else ""

    def owner_of(self, gradient: Tensor) -> str | None:
        """The name of the leaf whose gradient this is, None if it is no gradient."""
        if len(self._leaves) <= MOST_LEAVES:
            for number, reference in self._leaves.items():
                leaf = reference()
                if leaf is not None and leaf.grad is gradient:
                    return self.names.get(number, "")
        return None

    def owner_in_pass(self, tensor: Tensor) -> str | None:
        """The name of that whose gradient a hook, or a recorded rule, is given."""
        flows = self._passes[-1].flows.values() if self._passes else ()
        for owner, _, grad, _ in flows:
            if owner is not None and (grad is tensor or grad is tensor.data):
                return self.names.get(owner, "")
        return None

    def appear(self, tensor: Tensor, line: int, role: Role, name: str = "") -> int:
        """Tell of a tensor that is new."""
        number, facts = self.appearance(tensor, role, name)
        self.log.add_all(line, (facts,))
        return number

    def appearance(
        self, tensor: Tensor, role: Role, name: str = ""
    ) -> tuple[int, Record]:
        """A number for a tensor that is new, and its event."""
        number = self._tensors.give(tensor)
        name = name or tensor.label
        if name:
            self.names[number] = name = clean(name)
        else:
            self._unnamed[id(tensor)] = number
            self.cursor.curious = True
        data, stop = tensor.data, tensor.stop_gradient
        shape, dtype = data.shape, dtype_name(data.dtype)
        shape = self._shapes.setdefault(shape, shape)  # one tuple for all of them
        return number, ("tensor", number, name, role, shape, dtype, stop)

    def be(self, tensor: Tensor, number: int) -> int:
        """Note that a tensor has this number."""
        return self._tensors.give(tensor, number)

    def tell_tensor(
        self, number: int, line: int, name: str, role: Role, like: Any, stop: bool
    ) -> None:
        """Write a `tensor` event; `like` has its shape and dtype."""
        facts = name, role, like.shape, dtype_name(like.dtype), stop
        self.log.add(line, "tensor", number, *facts)

    def tell_value(self, tensor: Tensor, number: int, line: int) -> None:
        """Write what a tensor holds, or note that it was not looked at."""
        seen = self.seen(tensor, number)
        if seen is not None:
            self.log.add(line, "value", number, seen)

    def seen(self, tensor: Tensor, number: int) -> Seen | None:
        """What a tensor holds, None if it is not looked at, which is noted."""
        seen = self.look_at(tensor.data)
        if seen is None:
            self._stale.add(number)
        elif number in self._stale:
            self._stale.remove(number)
        return seen

    def look_at_gradient(self, grad: Any) -> Seen:
        """A gradient's summary, or its figures alone: an edge shows its norm."""
        array = np.asarray(grad.data if isinstance(grad, Tensor) else grad)
        seen = self.look_at(array)
        return self.budget.looks.outline(array) if seen is None else seen

    def pass_line(self) -> int:
        """The line to blame for what a reverse pass does: that which began it."""
        return self._passes[-1].line if self._passes else self.cursor.place()

    def tell_past(self, past: Past) -> None:
        """Tell of nodes that were on the tape before the trace began, on line 0."""
        for leaf in past.leaves:
            self.number(leaf)
        for node in past.nodes:
            written = []
            for like in past.outputs(node):
                number = self._tensors.fresh()
                self.tell_tensor(number, 0, "", "T", like, False)
                written.append(number)
            inputs = [self.target(edge) for edge in node.edges if edge is not None]
            read = tuple([number for number in inputs if number is not None])
            facts = node.op.type, read, tuple(written), short_texts(node.attrs)
            saved = self.saved_by(node.op.type, node)
            number = self.node_number(node, tuple(written), 1)
            self.log.add(0, "node", number, *facts, saved, True, 1)
        if past.left_out:
            self.log.leave_out("nodes", "they are older than the trace", past.left_out)

    def node_number(self, node: Node | None, made: tuple[int, ...], order: int) -> int:
        """A number for what ran, whether or not it left a node."""
        number = next(self._next_node)
        if node is not None:
            self._nodes[node.born] = number, made, order
            if len(self._nodes) > self._crowded and not self._passes:
                self.forget()
        return number

    def forget(self) -> None:
        """Forget what no living tensor comes from, and what dead ones were called."""
        living = dict(self._tensors.living())
        born = {edge.born for edge in topological(t.edge for t in living.values())}
        self._nodes = {b: taped for b, taped in self._nodes.items() if b in born}
        self.names = {n: name for n, name in self.names.items() if n in living}
        self._stale &= living.keys()
        self._crowded = 2 * len(self._nodes) + CROWD

    def known(self, node: Node) -> int | None:
        """A node's number: that of its birth tells one from another, dead or alive."""
        taped = self._nodes.get(node.born)
        return None if taped is None else taped[0]

    def target(self, edge: Edge) -> int | None:
        """The number of the tensor that an edge leads to, if its node is known."""
        if isinstance(edge, Tensor):
            return self.number(edge)
        node, index = (edge.node, edge.index) if isinstance(edge, Output) else (edge, 0)
        taped = self._nodes.get(node.born)
        return None if taped is None else taped[1][index]

    def saved_by(self, op: str, node: Node) -> tuple[str, ...]:
        """The slots that a node keeps for backward: of the user's own, their names."""
        rule = node.op.rule
        if rule is None:
            return ()
        if not is_ours(op):
            return tuple(map(cleaned, rule.saved))
        found = self._saved.get(op)
        if found is None:
            found = self._saved[op] = saved_slots(rule)
        return found

    @careful
    def look(self, namespace: Mapping[str, Any], names: Sequence[str]) -> None:
        """Find names once more, after the last line."""
        self.find_named(namespace, names)

    def find_named(self, namespace: Mapping[str, Any], names: Sequence[str]) -> bool:
        """Find what the user's code calls the tensors that have no name of its own yet.

        Returns:
            Whether a function has named one: whoever called it may do so again.
        """
        unnamed, lent = self._unnamed, self._lent
        inner = names is not self.cursor.source.top
        for name in names if unnamed or lent else ():
            address = id(thing := namespace.get(name))
            if address in unnamed:
                number = unnamed.pop(address)
            elif address in lent and not inner:
                number = lent.pop(address)
            else:
                continue
            if self._tensors.find(thing) == number:
                if self.names.get(number) != name:
                    self.tell_name(number, self.cursor.line, cleaned(name))
                if inner:
                    lent[address] = number
        self._looked = self._tensors.count
        if len(unnamed) + len(lent) > self._unnamed_crowd:
            self.forget_unnamed()
        return bool(lent)

    def look_again(self, tensor: Tensor) -> None:
        """Find the name of a tensor that an op reads, and had none when it was made."""
        inside = self.cursor.look_now()
        self._unnamed.pop(id(tensor), None)
        if not inside:
            self._lent.pop(id(tensor), None)

    def forget_unnamed(self) -> None:
        """Forget which of the tensors that are gone have no name."""
        living = {id(thing): number for number, thing in self._tensors.living()}
        for waiting in (self._unnamed, self._lent):
            for address in [a for a, n in waiting.items() if living.get(a) != n]:
                del waiting[address]
        self._unnamed_crowd = 2 * (len(self._unnamed) + len(self._lent)) + CROWD

    def tell_name(self, number: int, line: int, name: str) -> None:
        """Write what a tensor is called."""
        self.names[number] = name
        record = "attr", None, None, None, number, "name", name
        self.log.add_all(line, (record,))

    @careful
    def refresh(self, everything: bool = False) -> None:
        """Look once more at what was last left out, so that no old value stands."""
        if not self.values:
            return
        stale = [
            (number, tensor)
            for number, tensor in self._tensors.living()
            if (everything or number in self._stale) and number in self.names
        ]
        for number, tensor in stale[-MOST_REFRESHED:]:
            seen = last_look(tensor)
            self.log.add(self.cursor.line, "value", number, seen)


def last_look(tensor: Tensor) -> Seen:
    """What a tensor holds in the end, exactly; a parameter is looked at whole."""
    if isinstance(tensor, Parameter):
        return summary(tensor.data)
    return outline(tensor.data, WHOLE)


@cache
def is_update(op: str) -> bool:
    """Whether an op changes a parameter, as an optimizer's do."""
    return is_ours(op) and "param" in find(op).inplace.values()


@cache
def is_ours(op: str) -> bool:
    """Whether there is such an op; a PyLayer and a program go by names of their own."""
    try:
        find(op)
    except UnknownOpError:
        return False
    return True


def rates(op: str, inputs: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """The learning rate of an update, which is shown as a number."""
    names = find(op).parameter_names(len(inputs))
    for name, value in zip(names, inputs, strict=False):
        rate = value.data if isinstance(value, Tensor) else value
        if name == "LearningRate" and isinstance(rate, np.ndarray) and rate.size == 1:
            yield name, short_text(rate.reshape(-1)[0])


def without_rate(op: str, inputs: Sequence[Any]) -> list[Any]:
    """The inputs of an update, None in the place of the learning rate."""
    names = find(op).parameter_names(len(inputs))
    pairs = zip(names, inputs, strict=False)
    return [None if name == "LearningRate" else value for name, value in pairs]


def ignore(line: int) -> None:
    """Tell nobody."""


def is_as_recorded(tensor: Tensor, result: Any) -> bool:
    """Whether a tensor has the node of an op's result, and wants a gradient if it."""
    wanted = tensor.stop_gradient == result.stop_gradient
    return wanted and tensor.node is result.node


def has_gradient(leaf: Tensor) -> bool:
    """Whether an earlier pass has left a gradient that this one is added to."""
    return leaf._grad is not None and leaf._grad is not CLEARED


def leaf_role(tensor: Tensor) -> Role:
    """A leaf is a parameter, or data."""
    return "P" if isinstance(tensor, Parameter) else "D"


def saved_slots(rule: Rule) -> tuple[str, ...]:
    """What a rule keeps; what it keeps for its shape alone says so."""
    return tuple(
        slot_name(name) + (".shape" if shape_only else "")
        for name, shape_only in zip(rule.saved, rule.shape_only, strict=True)
    )
