"""Differentiating a program: operators that go back over it are appended to it.

For each operator on the way from the parameters to the loss, taken in reverse, one
gradient operator is appended. A variable read k > 1 times gets k gradients, called
`x@GRAD@RENAME@block0@i`, and a `sum` operator just before their sum is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from teachgraph import dtypes, unique_name
from teachgraph.errors import ProgramError
from teachgraph.ops.creation import fill_any_like, fill_constant
from teachgraph.ops.math import sum_
from teachgraph.ops.op import GradOp, force, slot_name
from teachgraph.static import naming
from teachgraph.static.block import Block
from teachgraph.static.operator import Operator, OpRole, Slots
from teachgraph.static.user_op import py_func_gradient
from teachgraph.static.variable import GRAD, Variable

__all__ = ["append_backward", "gradients"]

EMPTY = "@EMPTY@"
"""Stands in a slot where a position matters but nobody wants the gradient."""

Callback = Callable[..., Any]


def append_backward(
    loss: Variable,
    parameter_list: Sequence[Variable | str] | None = None,
    no_grad_set: Collection[Variable | str] | None = None,
    callbacks: Sequence[Callback] | None = None,
    checkpoints: Sequence[Any] | None = None,
) -> list[tuple[Variable, Variable]]:
    """Append to the loss's program the operators that compute its gradients.

    Args:
        loss: What to differentiate; if it is no scalar, its elements' sum.
        parameter_list: The parameters wanted; by default every trainable one.
        no_grad_set: Variables to be taken as constants.
        callbacks: Called as f(block, context) after each gradient operator.
        checkpoints: For recomputation, which is not supported.

    Returns:
        (parameter, gradient) for each parameter reached, in order of creation.

    Raises:
        TypeError: An argument is of the wrong type.
        ProgramError: `checkpoints` are given.

    In Paddle this is `paddle.static.append_backward`.
    """
    check_arguments(loss, parameter_list, callbacks, checkpoints)
    block = loss.block
    if (maker := loss.op) is not None and maker.role == OpRole.FORWARD:
        maker._set_attr("op_role", int(OpRole.LOSS))
    wanted = [v if isinstance(v, str) else v.name for v in parameter_list or ()]
    parameters = {
        parameter.name: parameter
        for parameter in block.program.all_parameters()
        if parameter.trainable
        and (parameter_list is None or parameter.name in wanted)
    }
    reverse = Reverse(block, [loss], no_grad_set or (), parameters=parameters)
    found = reverse.run({}, callbacks or ())
    return [
        (parameter, block.var(found[name]))
        for name, parameter in parameters.items()
        if name in found
    ]


def gradients(
    targets: Variable | Sequence[Variable],
    inputs: Variable | Sequence[Variable],
    target_gradients: Any = None,
    no_grad_set: Collection[Variable | str] | None = None,
) -> list[Variable | None]:
    """The gradients of the sum of `targets` with respect to `inputs`, as Variables.

    Args:
        targets: What to differentiate.
        inputs: With respect to what; any variable of the program.
        target_gradients: Weights of the targets, None for ones.
        no_grad_set: Variables to be taken as constants.

    Returns:
        A Variable for each input, None for one the targets do not depend on.

    Raises:
        ProgramError: The weights do not fit the targets.

    In Paddle this is `paddle.static.gradients`.
    """
    roots, leaves = listed(targets), listed(inputs)
    weights = listed(target_gradients) if target_gradients is not None else []
    weights = weights or [None] * len(roots)
    if len(weights) != len(roots):
        raise ProgramError("Should have the same number of target_gradients as targets")
    for root, weight in zip(roots, weights, strict=True):
        if weight is not None and weight.shape != root.shape:
            raise ProgramError(
                "The shapes of target and grad are different: "
                f"{root.name} {root.shape}, {weight.name} {weight.shape}"
            )
    block = roots[0].block
    seeds = {
        root.name: weight.name
        for root, weight in zip(roots, weights, strict=True)
        if weight is not None
    }
    reverse = Reverse(block, roots, no_grad_set or (), leaves=leaves)
    found = reverse.run(seeds, ())
    return [
        block.var(found[leaf.name]) if leaf.name in found else None for leaf in leaves
    ]


def check_arguments(
    loss: Any, parameters: Any, callbacks: Any, checkpoints: Any
) -> None:
    """Refuse what `append_backward` has no meaning for, in Paddle's words."""
    for name, value, kinds in (
        ("loss", loss, (Variable,)),
        ("parameter_list", parameters, (list, tuple, set, type(None))),
        ("callbacks", callbacks, (list, tuple, type(None))),
    ):
        if not isinstance(value, kinds):
            allowed = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(
                f"The type of '{name}' in paddle.static.append_backward must be "
                f"{allowed}, but received {type(value)}."
            )
    if checkpoints:
        raise ProgramError("checkpoints: a static program cannot be recomputed yet")


def listed(value: Any) -> list[Any]:
    """One thing as a list of one."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


class Planned(NamedTuple):
    """An operator to go back over, and the inputs whose gradients are wanted."""

    operator: Operator
    wanted: list[str]


class Reverse:
    """One pass back over a block, from some targets."""

    def __init__(
        self,
        block: Block,
        targets: Sequence[Variable],
        no_grad_set: Iterable[Variable | str],
        leaves: Sequence[Variable] | None = None,
        parameters: Collection[str] = (),
    ) -> None:
        self.block, self.targets, self.parameters = block, targets, parameters
        self.constant = {v if isinstance(v, str) else v.name for v in no_grad_set}
        self.leaves = None if leaves is None else {v.name for v in leaves}
        self.same: dict[str, str] = {}
        self.produced: Counter[str] = Counter()
        self.finished: set[str] = set()

    def run(
        self, seeds: Mapping[str, str], callbacks: Sequence[Callback]
    ) -> dict[str, str]:
        """Append the operators; for each variable reached, its gradient's name."""
        path = self.expanded(self.path())
        plan, self.counts = self.planned(path)
        given = {self.canonical(name): grad for name, grad in seeds.items()}
        self.whole = {n: g for n, g in given.items() if self.counts[n] == 1}
        self.names = {n: self.whole.get(n) or self.free_name(n) for n in self.counts}
        self.create_variables()
        self.seed(given)
        for operator, wanted in plan:
            first = len(self.block.ops)
            self.finish(operator.output_arg_names)
            self.go_back(operator, wanted)
            for made in self.block.ops[first:]:
                made.twin = made.twin or operator
                self.call_back(callbacks, made, operator)
        self.finish(self.produced)
        names = self.names
        return names | {o: names[n] for o, n in self.same.items() if n in names}

    def path(self) -> list[Operator]:
        """The operators the targets depend on, in order."""
        needed = {target.name for target in self.targets}
        found = []
        for operator in reversed(self.block.ops):
            if not needed.isdisjoint(operator.output_arg_names):
                needed.update(operator.input_arg_names)
                found.append(operator)
        return found[::-1]

    def expanded(self, path: Sequence[Operator]) -> list[Operator]:
        """The path, its gradient operators replaced by the ops of their rules.

        Only those that a gradient leads through; so they can be differentiated in turn.
        """
        live = self.live(path)
        found: list[Operator] = []
        for operator in path:
            op = operator.op
            if not isinstance(op, GradOp) or live.isdisjoint(operator.input_arg_names):
                found.append(operator)
                continue
            first = len(self.block.ops)
            self.expand(operator, op)
            found.extend(self.block.ops[first:])
        return found

    def expand(self, operator: Operator, op: GradOp) -> None:
        """Append the ops of a gradient operator's rule, for the outputs it has."""
        slots = {
            slot: [self.block._var_recursive(self.canonical(name)) for name in names]
            for slot, names in operator.inputs.items()
        }
        outputs = self.flat_outputs(operator)
        key = unique_name.generate(f"{operator.type}_rule")
        with (
            self.block.program.with_role(OpRole.BACKWARD),
            naming.scope(naming.Layer(key)),
        ):
            wanted = [bool(name) for name in outputs]
            results = op.gradients(op.arguments(slots), operator.own_attrs, wanted)
        for name, result in zip(outputs, results, strict=True):
            if name:
                self.same[name] = result.name

    def flat_outputs(self, operator: Operator) -> list[str]:
        """The output names of a gradient operator by input position, "" for none."""
        op = operator.op
        assert isinstance(op, GradOp)
        flat: list[str] = []
        for name in op.forward.inputs:
            names = operator.outputs.get(slot_name(name) + GRAD, [])
            flat.extend("" if n == EMPTY else n for n in names or [""])
        return flat

    def canonical(self, name: str) -> str:
        """The variable that stands for `name` since its operator was expanded."""
        return self.same.get(name, name)

    def live(self, path: Sequence[Operator]) -> set[str]:
        """The variables that a gradient may go through.

        They are floating, not constant, and depend on a leaf.
        """
        made = {name for operator in path for name in operator.output_arg_names}
        live = {
            name
            for operator in path
            for name in operator.input_arg_names
            if self.is_leaf(name, made)
        }
        for operator in path:
            if self.differentiable(operator) and not live.isdisjoint(
                map(self.canonical, operator.input_arg_names)
            ):
                live.update(filter(self.passes, operator.output_arg_names))
        return live

    def is_leaf(self, name: str, made: set[str]) -> bool:
        """Whether gradients are wanted at this variable."""
        if self.leaves is not None:
            return name in self.leaves and name not in self.constant
        return name not in made and self.passes(name)

    def passes(self, name: str) -> bool:
        """Whether a gradient may pass this variable."""
        variable = self.block._find_var_recursive(name)
        return (
            variable is not None
            and name not in self.constant
            and not variable.stop_gradient
            and dtypes.is_floating(variable.dtype)
        )

    def differentiable(self, operator: Operator) -> bool:
        """Whether there is a way back over this operator."""
        if operator.type == "py_func":
            return bool(operator.attrs["backward_callable_id"] >= 0)
        return operator.op.rule is not None or isinstance(operator.op, GradOp)

    def planned(self, path: Sequence[Operator]) -> tuple[list[Planned], Counter[str]]:
        """What to go back over, and how many gradients each variable will get."""
        live = self.live(path)
        counts = Counter(self.canonical(target.name) for target in self.targets)
        plan = []
        for operator in reversed(path):
            reached = any(name in counts for name in operator.output_arg_names)
            if not reached or not self.differentiable(operator):
                continue
            wanted = [
                name for name in self.differentiable_inputs(operator) if name in live
            ]
            if wanted:
                plan.append(Planned(operator, wanted))
                counts.update(wanted)
        return plan, counts

    def differentiable_inputs(self, operator: Operator) -> list[str]:
        """The inputs an operator's rule has gradients of."""
        rule = operator.op.rule
        slots = operator.inputs if rule is None else [slot_name(n) for n in rule.of]
        return [
            self.canonical(name)
            for slot in slots
            for name in operator.inputs.get(slot, ())
        ]

    def free_name(self, name: str) -> str:
        """What a gradient can be called.

        That is `x@GRAD`, or `grad/grad/x@GRAD` and so on where an earlier pass has
        taken that name.
        """
        prefix = ""
        while self.block.has_var(f"{prefix}{name}{GRAD}"):
            prefix = "grad/" + (prefix or "grad/")
        return f"{prefix}{name}{GRAD}"

    def grad_name(self, name: str) -> str:
        """The name of a variable's whole gradient."""
        return self.names[name]

    def parts_of(self, name: str) -> list[str]:
        """The names of a variable's gradients: the whole alone, or several parts."""
        whole, count = self.names[name], self.counts[name]
        if count == 1:
            return [whole]
        return [f"{whole}@RENAME@block{self.block.idx}@{i}" for i in range(count)]

    def part_name(self, name: str) -> str:
        """The name of a variable's next gradient."""
        return self.parts_of(name)[self.produced[name]]

    def create_variables(self) -> None:
        """Create every gradient variable, in order of their names."""
        forward = {
            grad: name
            for name in self.counts.keys() - self.whole.keys()
            for grad in (self.names[name], *self.parts_of(name))
        }
        for grad, name in sorted(forward.items()):
            variable = self.block._var_recursive(name)
            self.block.create_var(grad, variable.shape, variable.dtype)

    def seed(self, given: Mapping[str, str]) -> None:
        """Append the gradients the targets start with: ones, or what was given."""
        role = (
            OpRole.BACKWARD
            if self.leaves is not None
            else OpRole.BACKWARD | OpRole.LOSS
        )
        with self.block.program.with_role(role):
            for target in self.targets:
                name = self.canonical(target.name)
                if name not in self.whole:
                    self.append_seed(target, self.part_name(name), given.get(name))
                self.produced[name] += 1

    def append_seed(self, target: Variable, grad: str, given: str | None) -> None:
        """One seed: a constant, ones shaped at run time, or what was given."""
        code = dtypes.PADDLE_CODES[target.dtype]
        if given is not None:
            self.block.append_op("assign", {"X": given}, {"Out": grad})
        elif self.leaves is not None or -1 in target.shape:
            attrs: dict[str, Any] = {"value": 1.0, "dtype": code}
            self.block.append_op(
                fill_any_like.type, {"X": target}, {"Out": grad}, attrs
            )
        else:
            attrs = {"shape": list(target.shape), "value": 1.0, "dtype": code}
            self.block.append_op(fill_constant.type, {}, {"Out": grad}, attrs)

    def go_back(self, operator: Operator, wanted: Sequence[str]) -> None:
        """Append what computes the wanted gradients of one operator."""
        parts: dict[int, str] = {}
        for position, name in enumerate(self.differentiable_inputs(operator)):
            if name in wanted:
                parts[position] = self.part_name(name)
                self.produced[name] += 1
        role_var = self.role_var(wanted)
        with self.block.program.with_role(OpRole.BACKWARD):
            if operator.type == "py_func":
                grads = [self.grad_of_output(n) for n in operator.output_arg_names]
                py_func_gradient(self.block, operator, grads, parts)
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
        inputs = [
            self.block._var_recursive(self.canonical(name))
            for name in operator.input_arg_names
        ]
        outputs = [self.block._var_recursive(n) for n in operator.output_arg_names]
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
            slots[slot] = [self.canonical(n) for n in kept]
        return slots

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
