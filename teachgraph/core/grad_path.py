"""The way from some targets back to the leaves: which operators lie on it.

A gradient operator on the way is first replaced by the ops its rule is made of, so that
gradients of gradients need no rules of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from teachgraph.control_flow.sub_block import building_in
from teachgraph.core import dtypes, naming, unique_name
from teachgraph.core.errors import ProgramError, at_user_line
from teachgraph.core.op import GradOp, Op, slot_name
from teachgraph.core.program import EMPTY, GRAD, Block, Operator, OpRole, Variable

__all__ = ["Way", "deeper", "ordinary", "own_ways"]

own_ways: dict[str, Callable[..., None]] = {}
"""Who goes back over operators that have no rule: branches, loops, arrays.

Each is called with the Reverse, the operator, the name of the gradient of each input by
position, and the note of parameters.
"""


ordinary: dict[str, Callable[..., Mapping[str, Variable]]] = {}
"""Who replaces an operator that goes back over a loop or a branch by an ordinary one.

Each is called with the operator and with what finds the variables it names, and returns
what stands for each gradient.
"""


class Way:
    """The operators between leaves and targets, in one block.

    Attributes:
        block: Where what goes back over them is appended.
        ops: The operators it may lead over; by default those of the same block.
        operators: They themselves, in order; none of them a gradient operator that a
            gradient would have to go through.
        live: The variables that a gradient may go through.
        same: For the output of a gradient operator that was replaced, the variable that
            holds the same value.
    """

    def __init__(
        self,
        block: Block,
        targets: Sequence[Variable],
        no_grad_set: Iterable[Variable | str],
        leaves: Sequence[Variable] | None = None,
        ops: Sequence[Operator] | None = None,
    ) -> None:
        self.block, self.targets = block, targets
        self.ops = block.ops if ops is None else ops
        self.constant = {v if isinstance(v, str) else v.name for v in no_grad_set}
        self.leaves = None if leaves is None else {v.name for v in leaves}
        self.same: dict[str, str] = {}
        self.operators = self.expanded(self.path())
        self.live = self.reachable(self.operators)
        self.refuse_overwritten()

    def path(self) -> list[Operator]:
        """The operators the targets depend on, in order."""
        needed = {target.name for target in self.targets}
        found = []
        for operator in reversed(self.ops):
            if operator.role & OpRole.OPTIMIZE:
                continue  # an update makes a parameter's next value, not this one
            if not needed.isdisjoint(operator.output_arg_names):
                needed.update(operator.input_arg_names)
                found.append(operator)
        return found[::-1]

    def expanded(self, path: Sequence[Operator]) -> list[Operator]:
        """The path, its gradient operators replaced by the ops of their rules.

        Only those that a gradient leads through; so they can be differentiated in turn.
        """
        live = self.reachable(path)
        found: list[Operator] = []
        around = path[0].block if path else self.block
        known = {*around.ops}
        for operator in path:
            op = operator.op
            again = isinstance(op, GradOp) or operator.type in ordinary
            if not again or live.isdisjoint(operator.input_arg_names):
                found.append(operator)
                continue
            last = self.block.ops[-1] if self.block.ops else None
            self.expand(operator, op)
            found.extend(after(self.block.ops, last))
        return with_new(found, around.ops, known | {*found})

    def expand(self, operator: Operator, op: Op) -> None:
        """Append what does the same as a gradient operator, and can be gone back over.

        That is the ops of its rule; for a loop or a branch, an ordinary one.
        """
        if isinstance(op, GradOp):
            self.expand_rule(operator, op)
            return
        if operator.block is not self.block:
            raise deeper(operator)
        with self.block.program.with_role(OpRole.BACKWARD), building_in(self.block):
            found = ordinary[operator.type](operator, self.variable)
        self.same.update((name, variable.name) for name, variable in found.items())

    def variable(self, name: str) -> Variable:
        """The variable that stands for `name`."""
        return self.block._var_recursive(self.canonical(name))

    def expand_rule(self, operator: Operator, op: GradOp) -> None:
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

    def reachable(self, path: Sequence[Operator]) -> set[str]:
        """The variables that a gradient may go through.

        They are floating, not constant, and depend on a leaf.
        """
        made = {name for operator in path for name in operator.output_arg_names}
        live = {
            name
            for operator in path
            for name in map(self.canonical, operator.input_arg_names)
            if self.is_leaf(name, made)
        }
        for operator in path:
            if self.differentiable(operator) and not live.isdisjoint(
                map(self.canonical, operator.input_arg_names)
            ):
                live.update(filter(self.passes, operator.output_arg_names))
        return live

    def passed(self) -> list[Operator]:
        """The operators whose results a gradient may go through."""
        return [
            operator
            for operator in self.operators
            if not self.live.isdisjoint(operator.output_arg_names)
        ]

    def refuse_overwritten(self) -> None:
        """A gradient can't come back through a value that is there no more.

        Raises:
            ProgramError: A variable on the way is written more than once.
        """
        passing = {n for n in self.live if not self.block._var_recursive(n).persistable}
        writers: dict[str, Operator] = {}
        for operator in self.ops:
            for name in passing.intersection(operator.output_arg_names):
                first = writers.setdefault(name, operator)
                if first is not operator:
                    raise ProgramError(
                        at_user_line(
                            f"{operator.type} overwrites {name!r}, which {first.type} "
                            "wrote: the gradient needs the first value, so give the "
                            "second a variable of its own",
                            operator.callsite,
                        )
                    )

    def is_leaf(self, name: str, made: set[str]) -> bool:
        """Whether gradients are wanted at this variable."""
        if self.leaves is not None:
            return name in self.leaves and self.passes(name)
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
        if operator.type in own_ways or operator.type in ordinary:
            return True
        return operator.op.rule is not None or isinstance(operator.op, GradOp)

    def differentiable_inputs(self, operator: Operator) -> list[str]:
        """The inputs an operator's rule has gradients of."""
        rule = operator.op.rule
        slots = operator.inputs if rule is None else [slot_name(n) for n in rule.of]
        return [
            self.canonical(name)
            for slot in slots
            for name in operator.inputs.get(slot, ())
        ]


def deeper(operator: Operator) -> ProgramError:
    """What to raise where a body itself holds both a loop and its gradient."""
    return ProgramError(
        at_user_line(
            f"{operator.type} stands in a loop or a branch whose body takes gradients "
            "itself: such a gradient has none in a program; take it outside of the "
            "body, or all of them in dynamic mode",
            (operator.twin or operator).callsite,
        )
    )


def with_new(
    path: Sequence[Operator], ops: Sequence[Operator], known: set[Operator]
) -> list[Operator]:
    """A path with the operators that a branch on it has been given since."""
    following: dict[Operator, list[Operator]] = {}
    latest: list[Operator] = []
    for operator in ops:
        if operator in known:
            latest = following.setdefault(operator, [])
        else:
            latest.append(operator)
    return [
        each for operator in path for each in (operator, *following.get(operator, ()))
    ]


def after(ops: Sequence[Operator], last: Operator | None) -> list[Operator]:
    """The operators that follow one, or all if there is none."""
    found: list[Operator] = []
    for operator in reversed(ops):
        if operator is last:
            break
        found.append(operator)
    return found[::-1]
