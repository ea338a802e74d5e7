"""Gradient of a fusion: one operator replaces the gradient operators of its parts.

In a training program each part of a pattern has gradient operators, which read values
inside it. They are replaced as a whole:

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
from teachgraph.passes.replacement import NewOperator
from teachgraph.static.operator import Operator
from teachgraph.static.variable import EMPTY, GRAD

__all__ = ["FusedBackward"]

Names = dict[str, list[str]]


class FusedBackward:
    """The gradient operators of a match, and the values that enter and leave them.

    Attributes:
        match: The matched forward operators.
        operators: Their gradient operators.
        upstream: The upstream gradients that these read.
        gradients: For each input of the pattern, the gradients that these write.
    """

    def __init__(self, match: Match) -> None:
        self.match, self.graph = match, match.graph
        self.operators = [self.graph.operator(at) for at in match.backward]
        written = {n for op in self.operators for n in op.output_arg_names}
        read = {n for op in self.operators for n in op.input_arg_names}
        self.upstream = {n for n in read - written if self.comes_later(n)}
        self.gradients: Names = {}
        for op in self.operators:
            for name in op.output_arg_names:
                if name != EMPTY and self.wanted(name):
                    self.gradients.setdefault(name.split(GRAD)[0], []).append(name)

    def comes_later(self, name: str) -> bool:
        """True if a value is written between the pattern and its gradient operators."""
        return not self.graph.unchanged(
            name, self.match.at + 1, self.match.backward[-1]
        )

    def wanted(self, name: str) -> bool:
        """True if a gradient is fetched, or has a reader besides these operators."""
        return not self.graph.inside(name, self.match.backward)

    def complete(self, inputs: set[str]) -> bool:
        """True if the match has all gradients that the rule of the fusion computes.

        `stop_gradient` may have cut a gradient inside; the rule of the fusion does not
        know that, and would compute too much.
        """
        inner = {n for op in self.match.operators for n in op.output_arg_names}
        inner -= set(self.match.root.output_arg_names)
        has_gradient: dict[str, set[bool]] = {}
        for op in self.match.operators:
            differentiated = self.differentiated(op)
            for name in op.input_arg_names:
                has_gradient.setdefault(name, set()).add(name in differentiated)
        return all(
            flags == {True} if name in inner else len(flags) == 1 or name not in inputs
            for name, flags in has_gradient.items()
        )

    def differentiated(self, operator: Operator) -> set[str]:
        """Return the inputs of an operator that have a gradient from it."""
        own = {f"{name}{GRAD}" for name in operator.output_arg_names}
        inputs: set[str] = set()
        for op in self.operators:
            if op.twin is not operator or not own.isdisjoint(op.output_arg_names):
                continue
            rule = operator.op.rule
            if rule is None or op.type != rule.type:
                # An expanded rule: its operators have slots of their own.
                inputs.update(operator.input_arg_names)
            for slot, names in op.outputs.items():
                of = operator.inputs.get(slot.removesuffix(GRAD), ())
                pairs = zip(of, names, strict=False)
                inputs.update(name for name, grad in pairs if grad != EMPTY)
        return inputs

    def operator(self, forward: NewOperator) -> NewOperator | None:
        """Build the gradient operator of a fusion, None if it cannot replace all."""
        rule = find(forward.type).rule
        inputs = {name for names in forward.inputs.values() for name in names}
        covered = self.gradients.keys() <= inputs
        fits = rule is not None and self.complete(inputs) and covered
        if rule is None or not fits or not self.in_time(inputs):
            return None
        upstream = self.upstream_slots(rule, forward)
        outputs = self.gradient_slots(rule, forward.inputs)
        if upstream is None or outputs is None:
            return None
        slots = {slot_name(name): name for name in rule.saved}
        saved = {
            slot: list(forward.inputs.get(slot) or forward.outputs.get(slot, ()))
            for slot in slots
        }
        return NewOperator(rule.type, {**upstream, **saved}, outputs, forward.attrs)

    def in_time(self, inputs: set[str]) -> bool:
        """True if all inputs have their values at the first of these operators."""
        graph, at, places = self.graph, self.match.at, self.match.backward
        first, last = places[0], places[-1]
        stays = all(graph.unchanged(name, at, first) for name in inputs)
        return stays and all(graph.unchanged(n, first, last) for n in self.upstream)

    def upstream_slots(self, rule: Rule, forward: NewOperator) -> Names | None:
        """Return the upstream gradients by slot; None if the rule does not take all.

        A gradient that the user passes to `gradients` has another name than the
        result's, so the fusion is left alone.
        """
        op = find(forward.type)
        slots: Names = {}
        for position in rule.upstream:
            slot = slot_name(op.outputs[position])
            grads = [f"{name}{GRAD}" for name in forward.outputs.get(slot, ())]
            slots[slot + GRAD] = [name for name in grads if name in self.upstream]
        taken = {name for names in slots.values() for name in names}
        return slots if taken and taken == self.upstream else None

    def gradient_slots(
        self, rule: Rule, inputs: Mapping[str, Sequence[str]]
    ) -> Names | None:
        """Return the input gradients by slot; None if the rule does not compute all.

        An input that was read several times inside has several gradients, which a `sum`
        accumulates. The fusion writes as many as it has inputs of that name; the others
        are removed from the sum.
        """
        left = {name: list(parts) for name, parts in self.gradients.items()}
        slots: Names = {}
        for parameter in rule.of:
            slot = slot_name(parameter)
            grads = [
                left[n].pop(0) if left.get(n) else EMPTY for n in inputs.get(slot, ())
            ]
            slots[slot + GRAD] = [] if set(grads) <= {EMPTY} else grads
        several = [parts for parts in self.gradients.values() if len(parts) > 1]
        return slots if all(self.accumulated(parts) for parts in several) else None

    def accumulated(self, parts: Sequence[str]) -> bool:
        """True if one `sum` reads all these gradients, and is their only reader."""
        places = {at for name in parts for at in self.graph.reads.get(name, ())}
        outside = places - set(self.match.backward)
        sums = len(outside) == 1 and self.graph.operator(*outside).type == "sum"
        return sums and all(self.graph.temporary(name) for name in parts)

    def shorten_sums(self, fused: Derived) -> None:
        """Remove from the sums the gradients that no operator writes any more."""
        written = set(fused.output_arg_names)
        for parts in self.gradients.values():
            gone = set(parts) - written
            for at in {at for name in gone for at in self.graph.reads.get(name, ())}:
                total = self.graph.operator(at)
                self.graph.forget(total, at)
                total.inputs["X"] = [n for n in total.inputs["X"] if n not in gone]
                self.graph.register(total, at)
