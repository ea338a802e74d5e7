"""The reverse pass over a block: plans what gradients there will be, then appends them.

A variable read k > 1 times gets k gradients, called `x@GRAD@RENAME@block0@i`, and a
`sum` operator where the whole is first needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from teachgraph.autograd.recompute_program import Again
from teachgraph.core import dtypes, naming
from teachgraph.core.grad_path import Way, own_ways
from teachgraph.core.op import force, slot_name
from teachgraph.core.program import EMPTY, GRAD, Operator, OpRole, Slots, Variable
from teachgraph.ops.creation import fill_any_like, fill_constant
from teachgraph.ops.math import sum_

__all__ = ["Callback", "Reverse"]

Callback = Callable[..., Any]


class Planned(NamedTuple):
    """An operator to go back over, and the inputs whose gradients are wanted."""

    operator: Operator
    wanted: list[str]


class Reverse:
    """One pass back over a block, from some targets."""

    def __init__(
        self, way: Way, parameters: Collection[str] = (), again: Again | None = None
    ) -> None:
        self.way, self.parameters, self.again = way, parameters, again
        self.block, self.targets = way.block, way.targets
        self.produced: Counter[str] = Counter()
        self.finished: set[str] = set()
        self.taken: set[str] = set()

    def run(
        self, seeds: Sequence[str | None], callbacks: Sequence[Callback]
    ) -> dict[str, str]:
        """Append the operators; for each variable reached, its gradient's name.

        Each target has a seed: what its gradient is, None for ones. Two targets may be
        one variable, which then starts with the sum.
        """
        plan, self.counts = self.planned()
        roots = [self.way.canonical(target.name) for target in self.targets]
        given = zip(roots, seeds, strict=True)
        self.whole = {n: g for n, g in given if g is not None and self.counts[n] == 1}
        self.names = {n: self.whole.get(n) or self.taken_name(n) for n in self.counts}
        self.create_variables()
        self.seed(roots, seeds)
        for operator, wanted in plan:
            if self.again is not None:
                self.again.reach(operator)
            first = len(self.block.ops)
            self.finish(operator.output_arg_names)
            self.go_back(operator, wanted)
            for made in self.block.ops[first:]:
                made.twin = made.twin or operator
                self.call_back(callbacks, made, operator)
        self.finish(self.produced)
        names, same = self.names, self.way.same
        return names | {old: names[new] for old, new in same.items() if new in names}

    def planned(self) -> tuple[list[Planned], Counter[str]]:
        """What to go back over, and how many gradients each variable will get."""
        way = self.way
        counts = Counter(self.way.canonical(target.name) for target in self.targets)
        plan = []
        for operator in reversed(way.operators):
            reached = any(name in counts for name in operator.output_arg_names)
            if not reached or not way.differentiable(operator):
                continue
            inputs = way.differentiable_inputs(operator)
            wanted = [name for name in inputs if name in way.live]
            if wanted:
                plan.append(Planned(operator, wanted))
                counts.update(wanted)
        return plan, counts

    def free_name(self, name: str) -> str:
        """What a gradient can be called.

        That is `x@GRAD`, or `grad/grad/x@GRAD` and so on where an earlier pass has
        taken that name.
        """
        prefix = ""
        while (found := f"{prefix}{name}{GRAD}") in self.taken or (
            self.block.has_var(found)
        ):
            prefix = "grad/" + (prefix or "grad/")
        return found

    def taken_name(self, name: str) -> str:
        """The same, and nothing else will be called so."""
        found = self.free_name(name)
        self.taken.add(found)
        return found

    def grad_name(self, name: str) -> str:
        """The name of a variable's whole gradient."""
        return self.names[name]

    def parts_of(self, name: str) -> list[str]:
        """The names of a variable's gradients: the whole alone, or several parts."""
        return [self.part(name, i) for i in range(self.counts[name])]

    def part(self, name: str, number: int) -> str:
        """What a variable's gradient of this number is called."""
        whole = self.names[name]
        if self.counts[name] == 1:
            return whole
        return f"{whole}@RENAME@block{self.block.idx}@{number}"

    def part_name(self, name: str) -> str:
        """The name of a variable's next gradient."""
        return self.part(name, self.produced[name])

    def create_variables(self) -> None:
        """Create every gradient variable, in order of their names."""
        forward = {
            grad: name
            for name in self.counts.keys() - self.whole.keys()
            for grad in (self.names[name], *self.parts_of(name))
        }
        for grad, name in sorted(forward.items()):
            variable = self.block._var_recursive(name)
            self.block.create_var(
                grad, variable.shape, variable.dtype, type=variable.type
            )

    def seed(self, roots: Sequence[str], seeds: Sequence[str | None]) -> None:
        """Append the gradients the targets start with: ones, or what was given."""
        role = (
            OpRole.BACKWARD
            if self.way.leaves is not None
            else OpRole.BACKWARD | OpRole.LOSS
        )
        with self.block.program.with_role(role):
            for target, name, given in zip(self.targets, roots, seeds, strict=True):
                if name not in self.whole:
                    self.append_seed(target, self.part_name(name), given)
                self.produced[name] += 1

    def append_seed(self, target: Variable, grad: str, given: str | None) -> None:
        """One seed: a constant, ones shaped at run time, or what was given."""
        code = dtypes.PADDLE_CODES[target.dtype]
        if given is not None:
            slots = {"X": [given]}, {"Out": [grad]}
            self.block.insert(len(self.block.ops), "assign", *slots, {})
        elif self.way.leaves is not None or -1 in target.shape:
            attrs: dict[str, Any] = {"value": 1.0, "dtype": code}
            slots = {"X": [target.name]}, {"Out": [grad]}
            self.block.insert(len(self.block.ops), fill_any_like.type, *slots, attrs)
        else:
            attrs = {"shape": list(target.shape), "value": 1.0, "dtype": code}
            seeded = {"Out": [grad]}
            at = len(self.block.ops)
            self.block.insert(at, fill_constant.type, {}, seeded, attrs)

    def go_back(self, operator: Operator, wanted: Sequence[str]) -> None:
        """Append what computes the wanted gradients of one operator."""
        parts: dict[int, str] = {}
        for position, name in enumerate(self.way.differentiable_inputs(operator)):
            if name in wanted:
                parts[position] = self.part_name(name)
                self.produced[name] += 1
        role_var = self.role_var(wanted)
        with self.block.program.with_role(OpRole.BACKWARD):
            if operator.type == "py_func":
                grads = [self.grad_of_output(n) for n in operator.output_arg_names]
                from teachgraph.static.py_func import py_func_gradient

                block: Any = self.block
                py_func_gradient(block, operator, grads, parts)  # type: ignore[arg-type]
            elif operator.type in own_ways:
                own_ways[operator.type](self, operator, parts, role_var)
            elif operator.op.rule is not None and operator.op.rule.inline:
                self.append_inline(operator, parts)
            else:
                self.append_grad_op(operator, parts, role_var)

    def grad_of_output(self, name: str) -> str | None:
        """The gradient that arrives at an output, None if none does."""
        return self.grad_name(name) if name in self.counts else None

    def append_inline(self, operator: Operator, parts: Mapping[int, str]) -> None:
        """Append the rule's own ops, their results named as gradients."""
        rule = operator.op.rule
        assert rule is not None
        inputs = operator.op.arguments(
            {
                slot: [self.block._var_recursive(self.kept(name)) for name in names]
                for slot, names in operator.inputs.items()
            }
        )
        outputs = [
            self.block._var_recursive(self.kept(name))
            for name in operator.output_arg_names
        ]
        grads = [self.grad_of_output(name) for name in operator.output_arg_names]
        upstream = [
            None if grad is None else self.block._var_recursive(grad) for grad in grads
        ]
        saved = [
            inputs[source] if source >= 0 else outputs[-1 - source]
            for source in rule.sources
        ]
        if rule.variadic:
            saved += inputs[rule.sources[-1] + 1 :]
        results = rule(upstream, saved, operator.own_attrs)
        for position, name in parts.items():
            with naming.scope(lambda name=name: name):
                force(results[position])

    def append_grad_op(
        self, operator: Operator, parts: Mapping[int, str], role_var: list[str]
    ) -> None:
        """Append the `*_grad` operator of an operator."""
        op = operator.op
        assert op.rule is not None
        attrs = {
            **operator.own_attrs,
            "op_namescope": operator.attrs.get("op_namescope", "/"),
        }
        if role_var:
            attrs["op_role_var"] = role_var
        inputs = self.grad_inputs(operator)
        outputs = self.grad_outputs(operator, parts)
        at = len(self.block.ops)
        made = self.block.insert(at, op.rule.type, inputs, outputs, attrs)
        made.twin = operator

    def grad_inputs(self, operator: Operator) -> Slots:
        """The input slots of a gradient operator: what its rule's signature names."""
        op, rule = operator.op, operator.op.rule
        assert rule is not None
        slots: Slots = {}
        for i in rule.upstream:
            slot = slot_name(op.outputs[i])
            grads = [self.grad_of_output(n) for n in operator.outputs[slot]]
            slots[slot + GRAD] = [grad for grad in grads if grad]
        for name in rule.saved:
            slot = slot_name(name)
            kept = operator.inputs.get(slot) or operator.outputs.get(slot, [])
            slots[slot] = [self.kept(n) for n in kept]
        return slots

    def kept(self, name: str) -> str:
        """Where the value of a variable is by now: kept, or computed again."""
        name = self.way.canonical(name)
        return name if self.again is None else self.again.instead.get(name, name)

    def grad_outputs(self, operator: Operator, parts: Mapping[int, str]) -> Slots:
        """The output slots of a gradient operator, empty where nothing is wanted."""
        rule = operator.op.rule
        assert rule is not None
        slots: Slots = {}
        position = 0
        for name in rule.of:
            count = len(operator.inputs.get(slot_name(name), ()))
            names = [parts.get(position + i, EMPTY) for i in range(count)]
            position += count
            slots[slot_name(name) + GRAD] = [] if set(names) <= {EMPTY} else names
        return slots

    def role_var(self, wanted: Iterable[str]) -> list[str]:
        """Paddle's note of which parameters' gradients an operator completes."""
        pairs = [
            (name, self.grad_name(name))
            for name in wanted
            if self.counts[name] == 1 and name in self.parameters
        ]
        return [name for pair in pairs for name in pair]

    def finish(self, names: Iterable[str]) -> None:
        """Append the `sum` of the gradients of each variable that has got several."""
        for name in names:
            if self.counts[name] > 1 and name not in self.finished:
                self.finished.add(name)
                self.append_sum(name)

    def append_sum(self, name: str) -> None:
        """Append the `sum` of a variable's gradients."""
        whole, parts = self.names[name], self.parts_of(name)
        attrs: dict[str, Any] = {"op_role": int(OpRole.BACKWARD)}
        if name in self.parameters:
            attrs["op_role_var"] = [name, whole]
        at = len(self.block.ops)
        self.block.insert(at, sum_.type, {"X": parts}, {"Out": [whole]}, attrs)

    def call_back(
        self, callbacks: Sequence[Callback], made: Operator, forward: Operator
    ) -> None:
        """Tell whoever asked which operator was appended and for which variables."""
        for callback in callbacks:
            context: dict[str, Any] = {"__current_op_desc__": made}
            for name in forward.input_arg_names:
                if name in self.counts:
                    context[self.grad_name(name)] = name
            callback(self.block, context)
