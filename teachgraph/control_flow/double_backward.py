"""Double backward of loops and branches: their gradients as loops and branches.

The gradient operator of a loop or a branch reads values that its iterations saved.
Before a gradient can go through it, the loop or branch is made to write those values
into arrays, and the gradient operator is replaced by an ordinary loop or branch, which
reads them there. So derivatives of any order need the one rule of `backward.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from teachgraph.autograd.second_order_program import (
    double_grad_builder,
    double_grad_builders,
    inside_a_body,
)
from teachgraph.control_flow.arrays import array_length, array_read
from teachgraph.control_flow.backward import AFTER, AT_STEP, zeros
from teachgraph.control_flow.branch import Branch, select
from teachgraph.control_flow.loop import append_while, unused
from teachgraph.control_flow.saved_per_iteration import kept_array
from teachgraph.control_flow.static_rnn import StaticRNN
from teachgraph.control_flow.sub_block import (
    building_in,
    in_sight,
    sub_block_of,
    traced_into,
)
from teachgraph.core import unique_name
from teachgraph.core.ops import sum_
from teachgraph.core.program import EMPTY, GRAD, Block, Operator, Variable
from teachgraph.ops import functions
from teachgraph.ops.default_dtype import is_floating
from teachgraph.ops.math import assign

__all__ = ["LoopDoubleBackward"]

Find = Callable[[str], Variable]


class GradientCopy:
    """Copies of the gradient operators of an iteration, in an ordinary block.

    Attributes:
        block: That block.
        gradient: The gradient operator from whose block they are copied.
        forward: The loop or branch that it differentiates.
        around: Finds the variables of the outer block.
        read: Appends a read of an array of values saved per iteration.
        names: The variable of the block for each variable that they name.
        carried: The loop variables, if the forward is a loop.
    """

    def __init__(
        self,
        block: Block,
        gradient: Operator,
        forward: Operator,
        around: Find,
        read: Callable[[Variable], Variable],
    ) -> None:
        self.block, self.gradient, self.forward = block, gradient, forward
        self.around, self.read = around, read
        self.names: dict[str, Variable] = {}
        self.carried = forward.outputs["Out"] if forward.type == "while" else ()

    def __call__(self, name: str) -> Variable:
        """The variable of this block for one that a copied operator reads."""
        if name not in self.names:
            self.names[name] = self.outside_variable(name)
        return self.names[name]

    def outside_variable(self, name: str) -> Variable:
        """A variable that no copy has written: saved per iteration, or captured."""
        own = sub_block_of(self.forward)
        assert own is not None
        if name in self.carried or any(name in seen.vars for seen in in_sight(own)):
            array = kept_array(self.forward, name)
            with building_in(self.block):
                value = self.read(self.around(array.name))
            value.type = own._var_recursive(name).type  # an array may hold arrays
            return value
        return self.around(name)

    def run(self) -> None:
        """Append a copy of each operator of the gradient's block."""
        inside = sub_block_of(self.gradient)
        assert inside is not None
        for operator in inside.ops:
            if (build := double_grad_builders.get(operator.type)) is not None:
                with building_in(self.block):
                    self.names.update(build(operator, self))
            elif sub_block_of(operator) is not None:
                raise inside_a_body(operator)
            else:
                self.append(operator)

    def append(self, operator: Operator) -> None:
        """Append a copy of an operator, with variables of this block."""
        inputs = {
            slot: [name if name == EMPTY else self(name).name for name in names]
            for slot, names in operator.inputs.items()
        }
        outputs = {
            slot: [name if name == EMPTY else self.new_variable(name) for name in names]
            for slot, names in operator.outputs.items()
        }
        at = len(self.block.ops)
        copy = self.block.insert(
            at, operator.type, inputs, outputs, dict(operator.attrs)
        )
        copy.twin, copy.callsite = operator.twin, operator.callsite

    def new_variable(self, name: str) -> str:
        """Create a variable of this block for one that a copied operator writes."""
        inside = sub_block_of(self.gradient)
        assert inside is not None
        like = inside._var_recursive(name)
        self.names[name] = self.block.create_var(
            unique_name.generate(name),
            like.shape,
            like.dtype,
            type=like.type,
            stop_gradient=like.stop_gradient,
        )
        return self.names[name].name

    def gradient_of(self, name: str) -> Variable | None:
        """The gradient that an iteration gives to a variable, None if none."""
        inside = sub_block_of(self.gradient)
        assert inside is not None
        return self(name + GRAD) if name + GRAD in inside.vars else None


@double_grad_builder("while_grad")
def build_loop(gradient: Operator, around: Find) -> dict[str, Variable]:
    """Replace a `while_grad` by a `while`; return each gradient by its name."""
    loop = LoopDoubleBackward(gradient, around)
    loop.append()
    return {dx: total for dx, (_, total) in loop.totals.items()} | loop.firsts()


class LoopDoubleBackward:
    """Double backward of `while`: builds a `while` over the iterations, last first.

    Attributes:
        after: The upstream gradient of each loop variable, from the iterations after.
        totals: For each gradient of a captured variable: the variable, and the sum.
    """

    def __init__(self, gradient: Operator, around: Find) -> None:
        self.gradient, self.around = gradient, around
        self.forward = forward_of(gradient, "StepScopes")
        self.outs, read = gradient.inputs["Out"], gradient.inputs["X"]
        self.loop = CountdownLoop(current(gradient, around))
        conditions = around(kept_array(self.forward, self.outs[-1]).name)
        self.counter = self.loop.add_variable("round", array_length(conditions) - 1)
        arriving = wanted_of(gradient.inputs["Out@GRAD"], self.outs)
        self.after = {
            h: self.loop.add_variable(h + AFTER, around(dh))
            for dh, h in arriving.items()
        }
        own = len(self.outs) - 1
        sums = wanted_of(gradient.outputs["X@GRAD"][own:], read[own:])
        self.totals = {
            dx: (x, self.loop.add_variable(dx, zeros_like(around(x))))
            for dx, x in sums.items()
        }

    def append(self) -> None:
        """Append the `while`, whose body is a copy of an iteration's gradient."""
        with traced_into(self.loop.block) as self.loop.body:
            copy = self.copy()
            self.loop.set_next(self.counter, functions.subtract(self.counter, 1))
            for h, variable in self.after.items():
                self.loop.set_next(variable, copy(h + GRAD))
            for x, total in self.totals.values():
                self.loop.set_next(total, accumulate(total, copy.gradient_of(x)))
        self.loop.append()

    def copy(self) -> GradientCopy:
        """Copy the gradient operators of one iteration."""
        copy = GradientCopy(
            self.loop.body,
            self.gradient,
            self.forward,
            self.around,
            lambda array: array_read(array, self.counter),
        )
        copy.names.update({h + AFTER: value for h, value in self.after.items()})
        copy.run()
        return copy

    def firsts(self) -> dict[str, Variable]:
        """The gradients of the loop variables' first values."""
        gradients = {}
        grads, read = self.gradient.outputs["X@GRAD"], self.gradient.inputs["X"]
        for dx, h, first in zip(grads, self.outs[:-1], read, strict=False):
            if dx != EMPTY:
                none = h not in self.after
                gradients[dx] = (
                    zeros_like(self.around(first)) if none else self.after[h]
                )
        return gradients


def accumulate(total: Variable, part: Variable | None) -> Variable:
    """Add an iteration's part to the sum of a gradient; None adds nothing."""
    if part is None:
        return total
    updated: Any = sum_(total, part)
    assert isinstance(updated, Variable)
    return updated


class CountdownLoop:
    """A `while` operator, while it is built, whose first variable counts down to 0.

    Attributes:
        block: The block that it is appended to.
        body: The block that it runs.
        first: The names of the loop variables' first values.
        variables: The loop variables.
        following: Their values after an iteration.
    """

    def __init__(self, block: Block) -> None:
        self.block = self.body = block
        self.first: list[str] = []
        self.variables: list[Variable] = []
        self.following: list[Variable] = []

    def add_variable(self, label: str, first: Variable) -> Variable:
        """Add a loop variable with this first value; return it."""
        self.first.append(first.name)
        variable = self.block.create_var(
            unused(self.block, unique_name.generate(label)),
            first.shape,
            first.dtype,
            type=first.type,
            stop_gradient=not is_floating(first.dtype),
        )
        self.variables.append(variable)
        return variable

    def set_next(self, variable: Variable, value: Variable) -> None:
        """Set its value in the next iteration; called in the order of the variables."""
        self.following.append(value)

    def append(self) -> None:
        """Append the conditions, the assignments and the operator."""
        with building_in(self.block):
            going = has_iteration(self.block._var_recursive(self.first[0]))
        with building_in(self.body):
            again = has_iteration(self.following[0])
        label = unused(self.block, unique_name.generate("while_grad"))
        condition = self.block.create_var(
            f"{label}.condition", going.shape, going.dtype, stop_gradient=True
        )
        pairs = zip((*self.variables, condition), (*self.following, again), strict=True)
        for variable, value in pairs:
            if value is not variable:
                slots = {"X": [value.name]}, {"Out": [variable.name]}
                self.body.insert(len(self.body.ops), assign.type, *slots, {})
        append_while(
            self.block,
            self.body,
            (self.first, going.name),
            ([v.name for v in self.variables], condition.name),
            {},
        )


def has_iteration(k: Variable) -> Variable:
    """Say, as a Variable, if there is an iteration of this number."""
    condition: Any = functions.greater_equal(k, 0)
    assert isinstance(condition, Variable)
    return condition


@double_grad_builder("conditional_block_grad")
def build_branch(gradient: Operator, around: Find) -> dict[str, Variable]:
    """Replace a `conditional_block_grad` by a branch."""
    wanted = wanted_of(gradient.outputs["Input@GRAD"], gradient.inputs["Input"])
    block, condition = current(gradient, around), around(gradient.inputs["Cond"][0])
    taken = branch_double_backward(gradient, around, Branch(block, condition), wanted)
    mask = functions.cast(condition, "int32")
    gradients = {}
    for dx, x in wanted.items():
        gradients[dx] = zero = zeros_like(around(x))
        if dx in taken:
            gradients[dx] = out = block.create_var(
                unique_name.generate(dx), zero.shape, zero.dtype, type=zero.type
            )
            select(block, mask.name, [zero.name, taken[dx].name], out.name, kept=True)
    return gradients


def branch_double_backward(
    gradient: Operator, around: Find, branch: Branch, wanted: Mapping[str, str]
) -> dict[str, Variable]:
    """Append the branch; those gradients that it reaches."""
    forward, reached = forward_of(gradient, "Scope"), {}
    with branch.traced():
        first = functions.full([1], 0, "int64")
        copy = GradientCopy(
            branch.block, gradient, forward, around, lambda a: array_read(a, first)
        )
        copy.run()
        for dx, x in wanted.items():
            if (part := copy.gradient_of(x)) is not None:
                reached[dx] = branch.hand_out(part)
    return reached


@double_grad_builder("recurrent_grad")
def build_steps(gradient: Operator, around: Find) -> dict[str, Variable]:
    """Replace a `recurrent_grad` by a `recurrent` over the steps, last first."""
    recurrent = RecurrentDoubleBackward(gradient, around)
    recurrent.append()
    return recurrent.gradients()


class RecurrentDoubleBackward:
    """Double backward of `recurrent`: builds a `StaticRNN` over the steps, last first.

    Attributes:
        sequences: The gradients wanted of sequences, and a step's name for its row.
        sums: The gradients wanted of captured variables, and these.
        likes: For each gradient of a sequence, the sequence.
        states: The states through which a gradient passes, and their first values.
        results: The outputs of a step, by the name of a gradient or a state.
    """

    def __init__(self, gradient: Operator, around: Find) -> None:
        self.gradient, self.around = gradient, around
        inputs, outputs, attrs = gradient.inputs, gradient.outputs, gradient.attrs
        inside = sub_block_of(gradient)
        assert inside is not None
        self.rnn = StaticRNN(reverse=not attrs["reverse"])
        self.sequences = wanted_of(outputs["inputs@GRAD"], attrs["step_inputs"])
        self.sums = wanted_of(outputs["parameters@GRAD"], inputs["parameters"])
        self.likes = dict(zip(outputs["inputs@GRAD"], inputs["inputs"], strict=True))
        firsts = zip(attrs["ex_states"], inputs["initial_states"], strict=True)
        self.states = {h: first for h, first in firsts if h + AFTER in inside.vars}
        self.results: dict[str, Variable] = {}

    def append(self) -> None:
        """Append the `recurrent`, whose step is a copy of a step's gradient."""
        begin = {h: zeros_like(self.around(x)) for h, x in self.states.items()}
        start = {dx: zeros_like(self.around(x)) for dx, x in self.sums.items()}
        with self.rnn.step():
            copy = self.copy(begin)
            totals = {dx: self.rnn.memory(init=zero) for dx, zero in start.items()}
            copy.run()
            self.update_memories(copy, totals)
            self.output_rows(copy)
            for value in self.results.values():
                self.rnn.step_output(value)

    def copy(self, begin: Mapping[str, Variable]) -> GradientCopy:
        """Prepare the copy of one step's gradient, with its upstream gradients."""
        block, forward = self.rnn.block, forward_of(self.gradient, "step_scopes")
        assert block is not None
        copy = GradientCopy(
            block, self.gradient, forward, self.around, self.rnn.step_input
        )
        parts = self.gradient.attrs["step_outputs"]
        arriving = zip(parts, self.gradient.inputs["outputs@GRAD"], strict=True)
        for y, dy in arriving:
            copy.names[y + AT_STEP] = self.rnn.step_input(self.around(dy))
        for h, zero in begin.items():
            copy.names[h + AFTER] = self.rnn.memory(init=zero)
        return copy

    def update_memories(
        self, copy: GradientCopy, totals: Mapping[str, Variable]
    ) -> None:
        """Update the memories: gradients of the states, and the sums so far."""
        for h in self.states:
            self.results[h] = copy(h + GRAD)
            self.rnn.update_memory(copy(h + AFTER), self.results[h])
        for dx, total in totals.items():
            self.results[dx] = accumulate(total, copy.gradient_of(self.sums[dx]))
            self.rnn.update_memory(total, self.results[dx])

    def output_rows(self, copy: GradientCopy) -> None:
        """Output the gradients of the rows that a step reads."""
        for dx, row in self.sequences.items():
            part = copy.gradient_of(row)
            if part is not None:
                if self.around(self.likes[dx]).type != "LOD_TENSOR":
                    self.rnn.unstacked.add(len(self.results))
                self.results[dx] = part

    def gradients(self) -> dict[str, Variable]:
        """Each gradient, by its name."""
        outputs = self.rnn() if self.results else []
        output_list = outputs if isinstance(outputs, list) else [outputs]
        out = dict(zip(self.results, output_list, strict=True))
        last = 0 if self.rnn.reverse else -1
        first = self.gradient.outputs["initial_states@GRAD"]
        carried = wanted_of(first, self.gradient.attrs["ex_states"]) | {
            dx: dx for dx in self.sums
        }
        return {
            dx: out[dx] if dx in out else zeros_like(self.around(self.likes[dx]))
            for dx in self.sequences
        } | {dx: step_of(out[name], last) for dx, name in carried.items()}


def step_of(sequence: Variable, at: int) -> Variable:
    """The first or the last part of a sequence."""
    if sequence.type == "LOD_TENSOR":
        rows: Any = sequence
        step: Any = rows[at]
    else:
        step = array_read(sequence, array_length(sequence) - 1 if at else 0)
        step.type = sequence.type
    assert isinstance(step, Variable)
    return step


def wanted_of(grads: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The gradients that are not `EMPTY`, each with the variable it is of."""
    return {dx: x for dx, x in zip(grads, names, strict=True) if dx != EMPTY}


def forward_of(gradient: Operator, slot: str) -> Operator:
    """The loop or branch that an operator differentiates: it wrote the scopes."""
    scopes = gradient.inputs[slot][0]
    block = gradient.block._var_recursive(scopes).block
    return next(op for op in block.ops if scopes in op.output_arg_names)


def current(gradient: Operator, around: Find) -> Block:
    """The block that operators go into now."""
    return gradient.block.program.current_block()


def zeros_like(variable: Variable) -> Variable:
    """A gradient of zeros, appended to the current block."""
    block = variable.block.program.current_block()
    return zeros(block, variable, unique_name.generate(f"{variable.name}@ZERO"))
