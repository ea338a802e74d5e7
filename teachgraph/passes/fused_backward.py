"""The gradient of a fusion: one operator for all that go back over its parts.

Where a program is trained, each part of a pattern has operators that go back over it
and need what is inside. They are replaced as a whole:

    p = mul(x, w)                          y = fc(x, w, b)
    s = elementwise_add(p, b)
    y = relu(s)
    ds = relu_grad(dy, y)          ->      dx, dw, db = fc_grad(dy, x, w, b, y)
    dp, db = elementwise_add_grad(ds)
    dx, dw = mul_grad(dp, x, w)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from teachgraph.core.op import Rule, find, slot_name
from teachgraph.passes.copying import Derived
from teachgraph.passes.pattern import Match
from teachgraph.passes.replacement import Step
from teachgraph.static.operator import Operator
from teachgraph.static.variable import EMPTY, GRAD

__all__ = ["Back"]

Names = dict[str, list[str]]


class Back:
    """The operators that go back over what matches, seen from outside.

    Attributes:
        match: What they go back over.
        operators: They themselves.
        arriving: The gradients that they take.
        leaving: For each value that flows into the pattern, the gradients they give.
    """

    def __init__(self, match: Match) -> None:
        self.match, self.graph = match, match.graph
        self.operators = [self.graph.operator(at) for at in match.back]
        written = {n for op in self.operators for n in op.output_arg_names}
        read = {n for op in self.operators for n in op.input_arg_names}
        self.arriving = {n for n in read - written if self.comes_later(n)}
        self.leaving: Names = {}
        for op in self.operators:
            for name in op.output_arg_names:
                if name != EMPTY and self.wanted(name):
                    self.leaving.setdefault(name.split(GRAD)[0], []).append(name)

    def comes_later(self, name: str) -> bool:
        """Whether a value is written between the pattern and what goes back over it."""
        return not self.graph.unchanged(name, self.match.at + 1, self.match.back[-1])

    def wanted(self, name: str) -> bool:
        """Whether somebody else reads a gradient, or it is kept."""
        return not self.graph.inside(name, self.match.back)

    def whole(self, given: set[str]) -> bool:
        """Whether all is gone back over that one rule would go back over.

        A gradient inside may have been cut, by `stop_gradient`; then the rule, which
        knows nothing of it, would give too much.
        """
        inner = {n for op in self.match.operators for n in op.output_arg_names}
        inner -= set(self.match.root.output_arg_names)
        found: dict[str, set[bool]] = {}
        for op in self.match.operators:
            back = self.gone_back(op)
            for name in op.input_arg_names:
                found.setdefault(name, set()).add(name in back)
        return all(
            ways == {True} if name in inner else len(ways) == 1 or name not in given
            for name, ways in found.items()
        )

    def gone_back(self, operator: Operator) -> set[str]:
        """The inputs of an operator that have a gradient from it."""
        own = {f"{name}{GRAD}" for name in operator.output_arg_names}
        found: set[str] = set()
        for op in self.operators:
            if op.twin is not operator or not own.isdisjoint(op.output_arg_names):
                continue
            rule = operator.op.rule
            if rule is None or op.type != rule.type:
                found.update(operator.input_arg_names)  # its rule's own operators
            for slot, names in op.outputs.items():
                of = operator.inputs.get(slot.removesuffix(GRAD), ())
                pairs = zip(of, names, strict=False)
                found.update(name for name, grad in pairs if grad != EMPTY)
        return found

    def step(self, forward: Step) -> Step | None:
        """The gradient operator of a fusion, None if there is none to stand for all."""
        rule = find(forward.type).rule
        given = {name for names in forward.inputs.values() for name in names}
        fits = rule is not None and self.whole(given) and self.leaving.keys() <= given
        if rule is None or not fits or not self.in_time(given):
            return None
        arriving = self.arriving_slots(rule, forward)
        outputs = self.leaving_slots(rule, forward.inputs)
        if arriving is None or outputs is None:
            return None
        slots = {slot_name(name): name for name in rule.saved}
        kept = {
            slot: list(forward.inputs.get(slot) or forward.outputs.get(slot, ()))
            for slot in slots
        }
        return Step(rule.type, {**arriving, **kept}, outputs, forward.attrs)

    def in_time(self, given: set[str]) -> bool:
        """Whether all that is needed is there where the first of them stands."""
        graph, at, back = self.graph, self.match.at, self.match.back
        first, last = back[0], back[-1]
        stays = all(graph.unchanged(name, at, first) for name in given)
        return stays and all(graph.unchanged(n, first, last) for n in self.arriving)

    def arriving_slots(self, rule: Rule, forward: Step) -> Names | None:
        """The gradients of the results, as the rule takes them; all must be taken.

        What the user weighs a result with goes by a name of its own: none is found.
        """
        op = find(forward.type)
        slots: Names = {}
        for position in rule.upstream:
            slot = slot_name(op.outputs[position])
            grads = [f"{name}{GRAD}" for name in forward.outputs.get(slot, ())]
            slots[slot + GRAD] = [name for name in grads if name in self.arriving]
        taken = {name for names in slots.values() for name in names}
        return slots if taken and taken == self.arriving else None

    def leaving_slots(
        self, rule: Rule, inputs: Mapping[str, Sequence[str]]
    ) -> Names | None:
        """The gradients of the inputs, as the rule gives them; all must be given.

        A value that was read several times inside has several, which somebody adds up:
        as many are given as the fusion has inputs of that name, and the others spared.
        """
        left = {name: list(parts) for name, parts in self.leaving.items()}
        slots: Names = {}
        for parameter in rule.of:
            slot = slot_name(parameter)
            grads = [
                left[n].pop(0) if left.get(n) else EMPTY for n in inputs.get(slot, ())
            ]
            slots[slot + GRAD] = [] if set(grads) <= {EMPTY} else grads
        several = [parts for parts in self.leaving.values() if len(parts) > 1]
        return slots if all(self.added_up(parts) for parts in several) else None

    def added_up(self, parts: Sequence[str]) -> bool:
        """Whether one `sum` reads all these gradients, and nobody else reads any."""
        places = {at for name in parts for at in self.graph.reads.get(name, ())}
        outside = places - set(self.match.back)
        sums = len(outside) == 1 and self.graph.operator(*outside).type == "sum"
        return sums and all(self.graph.temporary(name) for name in parts)

    def spare(self, made: Derived) -> None:
        """Let the sums read no gradients that nobody gives any more."""
        given = set(made.output_arg_names)
        for parts in self.leaving.values():
            gone = set(parts) - given
            for at in {at for name in gone for at in self.graph.reads.get(name, ())}:
                adder = self.graph.operator(at)
                self.graph.forget(adder, at)
                adder.inputs["X"] = [n for n in adder.inputs["X"] if n not in gone]
                self.graph.register(adder, at)
