"""Differentiating a program: `append_backward` appends gradient operators to it.

For each operator on the path from the parameters to the loss, last first, one gradient
operator is appended: its slots are what the rule's signature names. A variable that is
read k > 1 times gets k partial gradients, called `x@GRAD@RENAME@block0@i`, and a `sum`
operator where the whole is first needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from teachgraph.core import dtypes
from teachgraph.core.errors import ProgramError
from teachgraph.core.extend import HookPoint
from teachgraph.core.op import find, slot_name
from teachgraph.core.program import (
    EMPTY,
    GRAD,
    Block,
    Operator,
    OpRole,
    Parameter,
    Slots,
    Variable,
)

Visit = Callable[[Operator, Sequence[str]], None]
"""Appends the gradients of one operator, given the inputs that want one."""

Plan = list[tuple[Operator, list[str]]]
"""Operators to differentiate, last first, each with its inputs that want a gradient."""

Parts = Mapping[int, str]
"""For each input that wants a gradient, by position, the name of that gradient."""

Wrapper = Callable[["Backward", Visit], Visit]
"""An extension of one pass: returns a visit that does more than the one it wraps."""


def append_backward(
    loss: Variable,
    parameter_list: Collection[Variable | str] | None = None,
    no_grad_set: Collection[Variable | str] = (),
    wrappers: Iterable[Wrapper] = (),
) -> list[tuple[Parameter, Variable]]:
    """Append to the loss's program the operators that compute its gradients.

    Args:
        loss: The variable to differentiate; if it is no scalar, its elements' sum.
        parameter_list: The parameters wanted; by default every trainable one.
        no_grad_set: Variables to be taken as constants.
        wrappers: Extensions of this pass, the last one outermost.

    Returns:
        (parameter, gradient) for each parameter reached, in order of creation.

    In Paddle this is `paddle.static.append_backward`.
    """
    if (last := loss.op) is not None and last.role == OpRole.FORWARD:
        last.set_attr("op_role", int(OpRole.LOSS))
    wanted = None if parameter_list is None else set(names_of(parameter_list))
    parameters = {
        parameter.name: parameter
        for parameter in loss.block.program.all_parameters()
        if not parameter.stop_gradient and (wanted is None or parameter.name in wanted)
    }
    backward = Backward(loss.block, [loss], no_grad_set, parameters=parameters)
    for wrap in wrappers:
        backward.visit = wrap(backward, backward.visit)
    gradients = backward.run([None])
    return [
        (parameter, loss.block.var(gradients[name]))
        for name, parameter in parameters.items()
        if name in gradients
    ]


class Backward:
    """One reverse pass over operators, whose gradients go into a block.

    Attributes:
        ops: The operators that it may lead over; by default those of the same block.
        constant: Variables taken as constants, by name as all that follow.
        leaves: Variables whose gradients are wanted; None for all that are not written.
        parameters: The parameters, for Paddle's `op_role_var`.
        renamed: Where values of operators are that an extension replaced on the path.
        saved: Where an extension keeps values of the forward pass.
    """

    def __init__(
        self,
        block: Block,
        targets: Sequence[Variable],
        no_grad_set: Iterable[Variable | str] = (),
        leaves: Sequence[Variable] | None = None,
        ops: Sequence[Operator] | None = None,
        parameters: Collection[str] = (),
    ) -> None:
        self.block, self.targets, self.parameters = block, targets, parameters
        self.ops = block.ops if ops is None else ops
        self.constant = set(names_of(no_grad_set))
        self.leaves = None if leaves is None else set(names_of(leaves))
        self.renamed: dict[str, str] = {}
        self.saved: Mapping[str, str] = {}
        self.visit: Visit = self.differentiate
        self.path: Sequence[Operator] = find_path.call(self)
        if not all(map(has_rule, self.path)):
            self.path = expand.call(self, self.path)
        self.live = self.reachable(self.path)
        self.refuse_overwritten()

    def run(self, seeds: Sequence[str | None]) -> dict[str, str]:
        """Append the operators; return the gradient's name of each variable reached.

        Args:
            seeds: For each target its upstream gradient, None for ones. Two targets
                may be one variable, which then starts with the sum.
        """
        roots = [self.current(target.name) for target in self.targets]
        plan, counts = self.planned(roots)
        pairs = zip(roots, seeds, strict=True)
        whole = {n: s for n, s in pairs if s is not None and counts[n] == 1}
        self.names: dict[str, str] = {}
        self.parts: dict[str, list[str]] = {}
        self.taken = set[str]()  # two variables may come to one name: x and grad/grad/x
        for name, count in counts.items():
            self.names[name] = gradient = whole.get(name) or self.free_name(name)
            self.taken.add(gradient)
            partial = f"{gradient}@RENAME@block{self.block.idx}"
            parts = [f"{partial}@{i}" for i in range(count)]
            self.parts[name] = parts if count > 1 else [gradient]
        self.unused = {name: iter(parts) for name, parts in self.parts.items()}
        self.create_variables(counts.keys() - whole.keys())
        for target, root, seed in zip(self.targets, roots, seeds, strict=True):
            part = next(self.unused[root])
            if root not in whole:
                self.append_seed(target, part, seed)
        visit = visitor.call(self, self.visit)
        for operator, wanted in plan:
            visit(operator, wanted)
        self.accumulate(self.names)
        renamed = ((old, self.names.get(new)) for old, new in self.renamed.items())
        return self.names | {old: name for old, name in renamed if name}

    def planned(self, roots: Sequence[str]) -> tuple[Plan, Counter[str]]:
        """The plan, and the number of gradients that each variable is going to get."""
        counts, plan = Counter(roots), []
        for operator in reversed(self.path):
            reached = any(name in counts for name in operator.output_arg_names)
            if reached and has_gradient.call(operator):
                wanted = [n for n in self.inputs_of(operator) if n in self.live]
                if wanted:
                    plan.append((operator, wanted))
                    counts.update(wanted)
        return plan, counts

    def differentiate(self, operator: Operator, wanted: Collection[str]) -> None:
        """Append the operators that compute the wanted gradients of one operator."""
        first = len(self.block.ops)
        self.accumulate(operator.output_arg_names)
        parts = {
            position: next(self.unused[name])
            for position, name in enumerate(self.inputs_of(operator))
            if name in wanted
        }
        with self.block.program.with_role(OpRole.BACKWARD):
            (operator.op.build_grad or append_grad_op)(self, operator, parts)
        for gradient in self.block.ops[first:]:
            gradient.twin = gradient.twin or operator

    def reachable(self, path: Sequence[Operator]) -> set[str]:
        """The variables that a gradient may go through: they depend on a leaf."""
        written = {n for op in path if op.inputs for n in op.output_arg_names}
        read = {self.current(n) for op in path for n in op.input_arg_names}
        leaves = read - written if self.leaves is None else read & self.leaves
        live = set(filter(self.passes, leaves))
        for operator in path:
            inputs = map(self.current, operator.input_arg_names)
            if has_gradient.call(operator) and not live.isdisjoint(inputs):
                live.update(filter(self.passes, operator.output_arg_names))
        return live

    def passes(self, name: str) -> bool:
        """Say if a gradient may pass this variable."""
        variable = self.block._find_var_recursive(name)
        return (
            variable is not None
            and name not in self.constant
            and not variable.stop_gradient
            and variable.dtype.kind == "f"
        )

    def refuse_overwritten(self) -> None:
        """Refuse to differentiate through a value that another one has replaced."""
        writers: dict[str, Operator] = {}
        for operator in self.ops:
            for name in self.live.intersection(operator.output_arg_names):
                first = writers.setdefault(name, operator)
                if first is operator or self.block._var_recursive(name).persistable:
                    continue
                raise overwritten(name, first, operator)

    def inputs_of(self, operator: Operator) -> list[str]:
        """The inputs that an operator may have gradients of, in the op's order."""
        rule = operator.op.rule
        slots = operator.inputs if rule is None else map(slot_name, rule.of)
        names = (name for slot in slots for name in operator.inputs.get(slot, ()))
        return [self.current(name) for name in names]

    def current(self, name: str) -> str:
        """The variable that holds the value of `name`."""
        return self.renamed.get(name, name)

    def saved_name(self, name: str) -> str:
        """The variable that holds the value of `name` when the pass needs it again."""
        name = self.current(name)
        return self.saved.get(name, name)

    def free_name(self, name: str) -> str:
        """`x@GRAD`; `grad/grad/x@GRAD` and so on where an earlier pass took that."""
        free, prefix = name + GRAD, "grad/grad/"
        while free in self.block.vars or free in self.taken:
            free, prefix = f"{prefix}{name}{GRAD}", f"grad/{prefix}"
        return free

    def create_variables(self, names: Iterable[str]) -> None:
        """Create every gradient variable, in order of their names as Paddle does."""
        forward = {g: n for n in names for g in (self.names[n], *self.parts[n])}
        for gradient, name in sorted(forward.items()):
            like = self.block._var_recursive(name)
            self.block.create_var(gradient, like.shape, like.dtype, type=like.type)

    def append_seed(self, target: Variable, grad: str, seed: str | None) -> None:
        """Append a target's upstream gradient: a variable, or ones of its shape."""
        role = int(OpRole.BACKWARD | (OpRole.LOSS if self.leaves is None else 0))
        code = dtypes.PADDLE_CODES[target.dtype]
        ones: dict[str, Any] = {"value": 1.0, "dtype": code, "op_role": role}
        if seed is not None:
            self.append("assign", {"X": [seed]}, grad, op_role=role)
        elif self.leaves is None and -1 not in target.shape:
            self.append("fill_constant", {}, grad, shape=list(target.shape), **ones)
        else:
            self.append("fill_any_like", {"X": [target.name]}, grad, **ones)

    def accumulate(self, names: Iterable[str]) -> None:
        """Append the `sum` of the partial gradients of each variable with several."""
        for name in names:
            if len(parts := self.parts.pop(name, ())) > 1:
                whole = self.names[name]
                note = {"op_role_var": [name, whole]} if name in self.parameters else {}
                attrs = {"op_role": int(OpRole.BACKWARD), **note}
                self.append("sum", {"X": [*parts]}, whole, **attrs)

    def append(self, type: str, inputs: Slots, out: str, **attrs: Any) -> Operator:
        """Append an operator of one output."""
        complete = find(type).complete(attrs)
        at = len(self.block.ops)
        return self.block.insert(at, type, inputs, {"Out": [out]}, complete)

    def role_var(self, operator: Operator, parts: Parts) -> dict[str, list[str]]:
        """Paddle's note of the parameters whose gradients an operator completes."""
        inputs = self.inputs_of(operator)
        all_pairs = [(inputs[position], part) for position, part in parts.items()]
        whole = [pair for pair in all_pairs if self.names[pair[0]] == pair[1]]
        pairs = [n for pair in whole if pair[0] in self.parameters for n in pair]
        return {"op_role_var": pairs} if pairs else {}

    def rule_inputs(self, operator: Operator) -> Slots:
        """The values that an operator's rule takes, slot by slot in its order."""
        op, rule = operator.op, operator.op.rule
        assert rule is not None
        slots: Slots = {}
        for slot in (slot_name(op.outputs[i]) for i in rule.upstream):
            arriving = [self.names.get(name) for name in operator.outputs[slot]]
            slots[slot + GRAD] = [gradient for gradient in arriving if gradient]
        for slot in map(slot_name, rule.saved):
            saved = operator.inputs.get(slot) or operator.outputs.get(slot, [])
            slots[slot] = [self.saved_name(name) for name in saved]
        return slots


def append_grad_op(backward: Backward, operator: Operator, parts: Parts) -> None:
    """Append the `*_grad` operator, with empty slots for gradients nobody wants."""
    rule, outputs, position = operator.op.rule, Slots(), 0
    assert rule is not None
    for slot in map(slot_name, rule.of):
        count = len(operator.inputs.get(slot, ()))
        names = [parts.get(position + i, EMPTY) for i in range(count)]
        outputs[slot + GRAD] = [] if {*names} <= {EMPTY} else names
        position += count
    namescope = operator.attrs.get("op_namescope", "/")
    attrs = {**operator.own_attrs, "op_namescope": namescope}
    attrs |= backward.role_var(operator, parts)
    at, inputs = len(backward.block.ops), backward.rule_inputs(operator)
    backward.block.insert(at, rule.type, inputs, outputs, attrs)


def overwritten(name: str, first: Operator, second: Operator) -> ProgramError:
    """The error for a variable that two operators write."""
    return ProgramError.here(
        f"{second.type} overwrites {name!r}, which {first.type} wrote: the "
        "gradient needs the first value, so give the second a variable of its own",
        second.callsite,
    )


def straight_path(backward: Backward) -> Sequence[Operator]:
    """The operators that the targets depend on, in order."""
    needed = {target.name for target in backward.targets}
    path = []
    for operator in reversed(backward.ops):
        if operator.role & OpRole.OPTIMIZE:
            continue  # an update makes a parameter's next value, not this one
        if not needed.isdisjoint(operator.output_arg_names):
            needed.update(operator.input_arg_names)
            path.append(operator)
    return path[::-1]


find_path = HookPoint(straight_path)
"""Chooses the operators that a pass leads over: `find_path(backward)`."""

expand: HookPoint[Callable[[Backward, Sequence[Operator]], Sequence[Operator]]]
expand = HookPoint(lambda backward, path: path)
"""Replaces the operators of a path that have no rule: `expand(backward, path)`."""

visitor: HookPoint[Wrapper] = HookPoint(lambda backward, visit: visit)
"""Extends every pass: `visitor(backward, visit)`."""


def has_rule(operator: Operator) -> bool:
    """Say if an operator can be differentiated: by a rule, or a builder of its own."""
    return operator.op.rule is not None or operator.op.build_grad is not None


has_gradient = HookPoint(has_rule)
"""Says if an operator can be differentiated: `has_gradient(operator)`."""


def names_of(variables: Iterable[Variable | str]) -> Iterable[str]:
    """The names of variables, of which some are given by name."""
    return (v if isinstance(v, str) else v.name for v in variables)
