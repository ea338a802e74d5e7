"""Gradients of loops and branches as loops and branches, to be differentiated in turn.

The operators that go back over a loop or a branch read what its rounds kept. Before a
gradient can go through them, the loop or branch is made to write those values into
arrays, and they are replaced by a loop or branch of the ordinary kind, which reads them
there. So a derivative of any order needs one way back alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from teachgraph import dtypes, unique_name
from teachgraph.ops import functions
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.math import sum_
from teachgraph.ops.shape import assign
from teachgraph.ops.tensor_array import array_zeros_like
from teachgraph.static.arrays import array_length, array_read
from teachgraph.static.block import Block
from teachgraph.static.branch import Branch, select
from teachgraph.static.keeping_rounds import kept_array
from teachgraph.static.loop import append_while, unused
from teachgraph.static.operator import Operator
from teachgraph.static.static_rnn import StaticRNN
from teachgraph.static.sub_block import building_in, traced_into
from teachgraph.static.variable import GRAD, Variable
from teachgraph.static.way import EMPTY, deeper
from teachgraph.static.way_back import AFTER, AT_STEP

__all__ = ["ORDINARY"]

Find = Callable[[str], Variable]


class Copy:
    """The operators that go back over a round, in an ordinary block.

    Attributes:
        block: That block.
        gradient: The operator whose block they come from.
        forward: The loop or branch that it goes back over.
        around: Finds the variables around it.
        read: Appends what reads an array of values that the rounds kept.
        names: What stands in the block for a variable of theirs.
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
        self.loop = forward.outputs["Out"] if forward.type == "while" else ()

    def __call__(self, name: str) -> Variable:
        """What stands in the block for a variable that their operators read."""
        if name not in self.names:
            self.names[name] = self.found(name)
        return self.names[name]

    def found(self, name: str) -> Variable:
        """A variable that none of them wrote: of the round, or from around it."""
        own = self.forward.sub_block
        assert own is not None
        if name in self.loop or any(name in seen.vars for seen in own.in_sight()):
            array = kept_array(self.forward, name)
            with building_in(self.block):
                value = self.read(self.around(array.name))
            value.type = own._var_recursive(name).type  # an array may hold arrays
            return value
        return self.around(name)

    def run(self) -> None:
        """Append a copy of each."""
        inside = self.gradient.sub_block
        assert inside is not None
        for operator in inside.ops:
            if operator.type in ORDINARY:
                with building_in(self.block):
                    self.names.update(ORDINARY[operator.type](operator, self))
            elif operator.sub_block is not None:
                raise deeper(operator)
            else:
                self.append(operator)

    def append(self, operator: Operator) -> None:
        """Append a copy of one."""
        inputs = {
            slot: [name if name == EMPTY else self(name).name for name in names]
            for slot, names in operator.inputs.items()
        }
        outputs = {
            slot: [name if name == EMPTY else self.new(name) for name in names]
            for slot, names in operator.outputs.items()
        }
        at = len(self.block.ops)
        made = self.block.insert(
            at, operator.type, inputs, outputs, dict(operator.attrs)
        )
        made.twin, made.callsite = operator.twin, operator.callsite

    def new(self, name: str) -> str:
        """A variable of the block for one that they write."""
        inside = self.gradient.sub_block
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
        """What a round gives to a variable, None if nothing."""
        inside = self.gradient.sub_block
        assert inside is not None
        return self(name + GRAD) if name + GRAD in inside.vars else None


def ordinary_loop(gradient: Operator, around: Find) -> dict[str, Variable]:
    """A `while` that does what a `while_grad` does; each gradient by its name."""
    forward = forward_of(gradient, "StepScopes")
    inputs, wanted = gradient.inputs, gradient.outputs["X@GRAD"]
    outs, block = inputs["Out"], current(gradient, around)
    rounds = around(kept_array(forward, outs[-1]).name)
    k = array_length(rounds) - 1
    carried = Carried(block)
    counter = carried.start("round", k)
    after = {
        h: carried.start(h + AFTER, around(dh))
        for h, dh in zip(outs, inputs["Out@GRAD"], strict=True)
        if dh != EMPTY
    }
    firsts = dict(zip(wanted, outs[:-1], strict=False))
    read = zip(wanted[len(outs) - 1 :], inputs["X"][len(outs) - 1 :], strict=True)
    totals = {
        dx: (x, carried.start(dx, zeros_like(around(x))))
        for dx, x in read
        if dx != EMPTY
    }
    with traced_into(block) as carried.body:
        copy = Copy(
            carried.body, gradient, forward, around, lambda a: array_read(a, counter)
        )
        copy.names.update({h + AFTER: variable for h, variable in after.items()})
        copy.run()
        carried.next(counter, counter - 1)
        for h, variable in after.items():
            carried.next(variable, copy(h + GRAD))
        for x, total in totals.values():
            part = copy.gradient_of(x)
            carried.next(total, total if part is None else sum_(total, part))
    carried.append()
    found = {dx: total for dx, (_, total) in totals.items()}
    for place, (dx, h) in enumerate(firsts.items()):
        if dx != EMPTY:
            first = inputs["X"][place]
            found[dx] = after[h] if h in after else zeros_like(around(first))
    return found


class Carried:
    """A `while` in the making that counts down to zero.

    Attributes:
        block: Where it goes.
        body: What it runs.
    """

    def __init__(self, block: Block) -> None:
        self.block = self.body = block
        self.first: list[str] = []
        self.variables: list[Variable] = []
        self.following: list[Variable] = []

    def start(self, label: str, first: Variable) -> Variable:
        """A variable that it carries from round to round, and its first value."""
        self.first.append(first.name)
        variable = self.block.create_var(
            unused(self.block, unique_name.generate(label)),
            first.shape,
            first.dtype,
            type=first.type,
            stop_gradient=not dtypes.is_floating(first.dtype),
        )
        self.variables.append(variable)
        return variable

    def next(self, variable: Variable, value: Variable) -> None:
        """What it is in the round after; told in the order of the variables."""
        self.following.append(value)

    def append(self) -> None:
        """Append it."""
        with building_in(self.block):
            going = as_going(self.block._var_recursive(self.first[0]))
        with building_in(self.body):
            again = as_going(self.following[0])
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
            {"is_test": False, "max_iterations": None},
        )


def as_going(k: Variable) -> Variable:
    """Whether there is a round with this number."""
    found: Any = k >= 0
    assert isinstance(found, Variable)
    return found


def ordinary_branch(gradient: Operator, around: Find) -> dict[str, Variable]:
    """A branch that does what a `conditional_block_grad` does."""
    forward = forward_of(gradient, "Scope")
    pairs = zip(gradient.outputs["Input@GRAD"], gradient.inputs["Input"], strict=True)
    wanted = {dx: around(x) for dx, x in pairs if dx != EMPTY}
    names = dict(
        zip(gradient.outputs["Input@GRAD"], gradient.inputs["Input"], strict=True)
    )
    block = current(gradient, around)
    condition = around(gradient.inputs["Cond"][0])
    branch = Branch(block, condition)
    reached = []
    with branch.traced():
        first = functions.full([1], 0, "int64")
        copy = Copy(
            branch.block, gradient, forward, around, lambda a: array_read(a, first)
        )
        copy.run()
        for dx in wanted:
            if (part := copy.gradient_of(names[dx])) is not None:
                reached.append(dx)
                branch.results.append(part)
    taken = dict(zip(reached, branch.carried, strict=True))
    mask = functions.cast(condition, "int32")
    found = {}
    for dx, x in wanted.items():
        zeros = zeros_like(x)
        found[dx] = zeros
        if dx in taken:
            out = block.create_var(
                unique_name.generate(dx), x.shape, x.dtype, type=x.type
            )
            select(block, mask.name, [zeros.name, taken[dx].name], out.name, kept=True)
            found[dx] = out
    return found


def ordinary_steps(gradient: Operator, around: Find) -> dict[str, Variable]:
    """A `recurrent` that does what a `recurrent_grad` does, the other way round."""
    forward = forward_of(gradient, "step_scopes")
    inputs, outputs, attrs = gradient.inputs, gradient.outputs, gradient.attrs
    inside = gradient.sub_block
    assert inside is not None
    rnn = StaticRNN(reverse=not attrs["reverse"])
    firsts = dict(zip(attrs["ex_states"], inputs["initial_states"], strict=True))
    states = [h for h in firsts if h + AFTER in inside.vars]
    begin = {h: zeros_like(around(firsts[h])) for h in states}
    sequences = wanted_of(outputs["inputs@GRAD"], attrs["step_inputs"])
    sums = wanted_of(outputs["parameters@GRAD"], inputs["parameters"])
    likes = dict(zip(outputs["inputs@GRAD"], inputs["inputs"], strict=True))
    start = {dx: zeros_like(around(x)) for dx, x in sums.items()}
    handed: list[str] = []
    with rnn.step():
        assert rnn.block is not None
        copy = Copy(rnn.block, gradient, forward, around, rnn.step_input)
        arriving = zip(attrs["step_outputs"], inputs["outputs@GRAD"], strict=True)
        for y, dy in arriving:
            copy.names[y + AT_STEP] = rnn.step_input(around(dy))
        for h in states:
            copy.names[h + AFTER] = rnn.memory(init=begin[h])
        totals = {dx: rnn.memory(init=zeros) for dx, zeros in start.items()}
        copy.run()
        results: dict[str, Variable] = {}
        for h in states:
            before = copy(h + GRAD)
            rnn.update_memory(copy(h + AFTER), before)
            results[h] = before
        for dx, total in totals.items():
            part = copy.gradient_of(sums[dx])
            results[dx] = total if part is None else sum_(total, part)
            rnn.update_memory(total, results[dx])
        for dx, row in sequences.items():
            part = copy.gradient_of(row)
            if part is not None:
                results[dx] = part
                if around(likes[dx]).type != "LOD_TENSOR":
                    rnn.unstacked.add(len(results) - 1)
        for name, value in results.items():
            handed.append(name)
            rnn.step_output(value)
    made = rnn() if handed else []
    listed = made if isinstance(made, list) else [made]
    out = dict(zip(handed, listed, strict=True))
    last = 0 if rnn.reverse else -1
    found = {
        dx: out[dx] if dx in out else zeros_like(around(likes[dx])) for dx in sequences
    }
    found.update({dx: step_of(out[dx], last) for dx in sums})
    carried = wanted_of(outputs["initial_states@GRAD"], list(firsts))
    found.update({dx: step_of(out[h], last) for dx, h in carried.items()})
    return found


def step_of(sequence: Variable, at: int) -> Variable:
    """The first or the last part of a sequence."""
    if sequence.type == "LOD_TENSOR":
        found: Any = sequence[at]
    else:
        found = array_read(sequence, array_length(sequence) - 1 if at else 0)
        found.type = sequence.type
    assert isinstance(found, Variable)
    return found


def wanted_of(grads: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The gradients that somebody wants, and of what they are."""
    return {dx: x for dx, x in zip(grads, names, strict=True) if dx != EMPTY}


def forward_of(gradient: Operator, slot: str) -> Operator:
    """The loop or branch that an operator goes back over: it wrote the scopes."""
    scopes = gradient.inputs[slot][0]
    block = gradient.block._var_recursive(scopes).block
    return next(op for op in block.ops if scopes in op.output_arg_names)


def current(gradient: Operator, around: Find) -> Block:
    """The block that operators go into now."""
    return gradient.block.program.current_block()


def zeros_like(variable: Variable) -> Variable:
    """A gradient of zeros."""
    block = variable.block.program.current_block()
    made = block.create_var(
        unique_name.generate(f"{variable.name}@ZERO"),
        variable.shape,
        variable.dtype,
        type=variable.type,
    )
    slots = {"X": [variable.name]}, {"Out": [made.name]}
    if variable.type != "LOD_TENSOR":
        block.insert(len(block.ops), array_zeros_like.type, *slots, {})
    else:
        attrs = {"value": 0.0, "dtype": dtypes.PADDLE_CODES[variable.dtype]}
        block.insert(len(block.ops), fill_any_like.type, *slots, attrs)
    return made


ORDINARY: dict[str, Callable[[Operator, Find], Mapping[str, Variable]]] = {
    "while_grad": ordinary_loop,
    "conditional_block_grad": ordinary_branch,
    "recurrent_grad": ordinary_steps,
}
"""What stands for an operator that goes back over a loop or a branch."""
