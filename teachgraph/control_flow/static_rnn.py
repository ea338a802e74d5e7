"""`StaticRNN`: a network that repeats over the steps of its sequences.

A step becomes a block, run by one `recurrent` operator for each step in turn. It reads
one row of each sequence; its outputs are stacked again; its memories carry values from
step to step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from teachgraph.control_flow.ops import recurrent, rnn_memory_helper
from teachgraph.control_flow.sub_block import captured, loops, traced_into, written
from teachgraph.core import dtypes, unique_name
from teachgraph.core.build import append
from teachgraph.core.errors import ModeError, ProgramError, ShapeError, at_user_line
from teachgraph.core.modes import chosen
from teachgraph.core.program import Block, Variable, current_block
from teachgraph.ops.creation import fill_constant_batch_size_like
from teachgraph.ops.default_dtype import is_floating

__all__ = ["StaticRNN"]


class Memory:
    """A state: the value that one step passes to the next.

    Attributes:
        first: The initial value.
        before: The variable for the state before a step.
        after: The variable for the state after it, None until `update_memory`.
    """

    def __init__(self, first: Variable, before: Variable) -> None:
        self.first, self.before = first, before
        self.after: Variable | None = None


class StaticRNN:
    """A network that repeats over the first dimension of its sequences.

    h_t = step(x_t, h_{t-1}) for t = 0, 1, ...

    Args:
        name: What its variables are named after.
        reverse: Whether the last row comes first.

    Attributes:
        unstacked: Which outputs are arrays of tensors instead of one tensor.

    In Paddle 1.x this is `fluid.layers.StaticRNN`.

    >>> import numpy as np
    >>> from teachgraph import modes, static
    >>> with modes.using(True), static.program_guard(static.Program()):
    ...     x = static.data("x", [3, 2, 1])
    ...     rnn = StaticRNN()
    ...     with rnn.step():
    ...         now = rnn.step_input(x)
    ...         total = rnn.memory(shape=[-1, 1], batch_ref=now)
    ...         rnn.update_memory(total, total + now)
    ...         rnn.step_output(total + now)
    ...     feed = {"x": np.arange(6, dtype="float32").reshape(3, 2, 1)}
    ...     found = static.Executor().run(feed=feed, fetch_list=[rnn()])
    >>> found[0][:, 0, 0].tolist()
    [0.0, 2.0, 6.0]
    """

    def __init__(self, name: str | None = None, *, reverse: bool = False) -> None:
        self.name = name or unique_name.generate("static_rnn")
        self.reverse = reverse
        self.inputs: dict[str, tuple[Variable, Variable]] = {}
        self.memories: dict[str, Memory] = {}
        self.outputs: list[Variable] = []
        self.unstacked: set[int] = set()
        self.seq_len: int | None = None
        self.parent: Block | None = None
        self.block: Block | None = None
        self.done = False

    @contextmanager
    def step(self) -> Iterator[None]:
        """Inside, operators go into the step.

        Raises:
            ModeError: In dynamic mode, where Python's `for` does it.
            ProgramError: There was a step already, or it has no sequence, a memory that
                is not updated, or writes a captured variable.
        """
        if chosen() is False:
            raise ModeError.here(
                "StaticRNN makes a block of a program: in dynamic mode write a for"
            )
        if self.parent is not None:
            raise ProgramError.here("a StaticRNN has one step")
        self.parent = current_block()
        with traced_into(self.parent) as self.block:
            loops.add(self.block)
            yield
            self.check()
            handed_on = [self.helped(self.updated(m)) for m in self.memories.values()]
        self.append(self.parent, self.block, handed_on)
        self.done = True

    def within(self, method: str) -> Block:
        """Return the block of the step; refuse a method called outside of it."""
        if self.block is None or self.done:
            raise ProgramError.here(
                f"You must invoke {method} in rnn block: under `with rnn.step():`"
            )
        return self.block

    def step_input(self, x: Variable) -> Variable:
        """One row of a sequence, in each step the next.

        Args:
            x: [steps, ...]; all sequences have as many steps.

        Returns:
            x[t], shaped [...].

        Raises:
            TypeError: `x` is no Variable.
            ShapeError: It has no dimensions, or another number of steps.
        """
        self.within("step_input")
        if not isinstance(x, Variable):
            raise TypeError(at_user_line("step input takes a Variable"))
        if x.type != "LOD_TENSOR":
            return self.row_of(x, x.shape)
        if not x.shape:
            raise ShapeError.here(f"{x.name!r} has no steps: it is one number")
        if self.seq_len in (None, -1):
            self.seq_len = x.shape[0]
        elif x.shape[0] not in (self.seq_len, -1):
            raise ShapeError.here(
                "Static RNN only take fix seq_len input: the sequences before have "
                f"{self.seq_len} steps, {x.name!r} has {x.shape[0]}"
            )
        return self.row_of(x, x.shape[1:])

    def row_of(self, x: Variable, shape: Sequence[int]) -> Variable:
        """The variable of a step for its part of a sequence."""
        if x.name not in self.inputs:
            row = self.within("step_input").create_var(
                unique_name.generate(f"{x.name}@STEP"),
                shape,
                x.dtype,
                stop_gradient=x.stop_gradient,
            )
            self.inputs[x.name] = x, row
        return self.inputs[x.name][1]

    def memory(
        self,
        init: Variable | None = None,
        shape: Sequence[int] | None = None,
        batch_ref: Variable | None = None,
        init_value: float = 0.0,
        init_batch_dim_idx: int = 0,
        ref_batch_dim_idx: int = 1,
    ) -> Variable:
        """A state: the value that the step before passed to `update_memory`.

        Args:
            init: The initial value; or else
            shape: Its shape, -1 for the size of the batch,
            batch_ref: a step input or a sequence to take that from,
            init_value: and the value everywhere.
            init_batch_dim_idx: Which dimension of `shape` is the batch.
            ref_batch_dim_idx: Which dimension of the sequence is.

        Raises:
            ProgramError: Neither `init` nor `shape` and `batch_ref` are given.
        """
        block = self.within("memory")
        if init is None:
            if shape is None or batch_ref is None:
                raise ProgramError.here(
                    "if init is None, memory at least need shape and batch_ref"
                )
            places = init_batch_dim_idx, ref_batch_dim_idx
            init = self.boot(list(shape), batch_ref, init_value, *places)
        if init.name in block.vars:
            raise ProgramError.here(
                f"{init.name!r} is made in the step, and the first value of a "
                "memory is needed before: make it above `with rnn.step():`"
            )
        before = block.create_var(
            unique_name.generate(f"{self.name}@mem"),
            init.shape,
            init.dtype,
            type=init.type,
            stop_gradient=not is_floating(init.dtype),
        )
        self.memories[before.name] = Memory(init, before)
        return before

    def boot(
        self,
        shape: list[int],
        like: Variable,
        value: float,
        out_dim: int,
        in_dim: int,
        dtype: Any = None,
    ) -> Variable:
        """A first value of one number, as large as the batch."""
        assert self.parent is not None
        rows = {row.name: sequence for sequence, row in self.inputs.values()}
        if like.name not in rows and like.block is not self.parent:
            in_dim -= 1
        sequence = rows.get(like.name, like)
        dtype = dtypes.convert(dtype or sequence.dtype)
        first = self.parent.create_var(
            unique_name.generate(f"{self.name}@memory_boot"), shape, dtype
        )
        attrs = {
            "value": value,
            "shape": shape,
            "dtype": dtypes.PADDLE_CODES[dtype],
            "input_dim_idx": in_dim,
            "output_dim_idx": out_dim,
        }
        op = fill_constant_batch_size_like
        append(self.parent, op, [sequence], attrs, out=[first])
        return first

    def update_memory(self, mem: Variable, var: Variable) -> None:
        """Pass `var` to the next step, where it is `mem`.

        Raises:
            TypeError: One of them is no Variable.
            ProgramError: `mem` is no memory of this network.
            ShapeError: `var` has another shape or dtype.
        """
        self.within("update_memory")
        if not isinstance(mem, Variable) or not isinstance(var, Variable):
            raise TypeError(at_user_line("update memory should take variables"))
        if mem.name not in self.memories:
            raise ProgramError.here(f"{mem.name!r} is no memory of this StaticRNN")
        sizes = zip(mem.shape, var.shape, strict=False)
        fits = len(mem.shape) == len(var.shape) and all(
            a == b or -1 in (a, b) for a, b in sizes
        )
        if not fits or mem.dtype != var.dtype:
            raise ShapeError.here(
                f"a memory starts as {mem.dtype} {list(mem.shape)} and is "
                f"{var.dtype} {list(var.shape)} after a step"
            )
        self.memories[mem.name].after = var

    def step_output(self, o: Variable) -> None:
        """Output `o` of each step: the result is that of all steps, stacked.

        Raises:
            TypeError: It is no Variable.
        """
        self.within("step_output")
        if not isinstance(o, Variable):
            raise TypeError(at_user_line("step output takes a Variable"))
        self.outputs.append(self.helped(o))

    def output(self, *outputs: Variable) -> None:
        """`step_output` of each."""
        for each in outputs:
            self.step_output(each)

    def __call__(self) -> Variable | list[Variable]:
        """The outputs of all steps: [steps, ...] each, bare if it is one.

        Raises:
            ProgramError: The step is not done, or has no outputs.
        """
        if not self.done or self.parent is None:
            raise ProgramError.here("RNN output can only be retrieved after rnn block")
        if not self.outputs:
            raise ProgramError.here("RNN has no output")
        outputs = [self.parent.var(out.name) for out in self.outputs]
        return outputs[0] if len(outputs) == 1 else outputs

    def check(self) -> None:
        """Refuse a step that cannot be repeated."""
        assert self.block is not None
        if not self.inputs:
            raise ProgramError.here(
                "a StaticRNN repeats over a step_input; there is none"
            )
        if outside := written(self.block):
            raise ProgramError.here(
                f"a step of StaticRNN writes {outside[0]!r}, which lives around it:"
                " hand it on by update_memory, or out by step_output"
            )

    def updated(self, memory: Memory) -> Variable:
        """The value that a memory is updated with.

        Raises:
            ProgramError: Nothing.
        """
        if memory.after is None:
            raise ProgramError.here(
                f"nobody updates the memory {memory.before.name!r}: call "
                "rnn.update_memory"
            )
        return memory.after

    def helped(self, value: Variable) -> Variable:
        """A value of a step under a name of its own."""
        assert self.block is not None
        out = self.block.create_var(
            unique_name.generate(f"{self.name}.tmp"),
            value.shape,
            value.dtype,
            type=value.type,
        )
        code = {"dtype": dtypes.PADDLE_CODES[value.dtype]}
        append(self.block, rnn_memory_helper, [value], code, out=[out])
        return out

    def append(self, parent: Block, block: Block, states: Sequence[Variable]) -> None:
        """Append the operator that runs the steps."""
        for place, out in enumerate(self.outputs):
            stacked = out.type == "LOD_TENSOR" and place not in self.unstacked
            parent.create_var(
                out.name,
                (self.seq_len or -1, *out.shape) if stacked else out.shape,
                out.dtype,
                stop_gradient=out.stop_gradient,
                type="LOD_TENSOR" if stacked else "LOD_TENSOR_ARRAY",
            )
        scopes = parent.create_var(type="STEP_SCOPES", stop_gradient=True)
        memories = self.memories.values()
        parent.insert(
            len(parent.ops),
            recurrent.type,
            {
                "inputs": [x.name for x, _ in self.inputs.values()],
                "initial_states": [memory.first.name for memory in memories],
                "parameters": captured(block),
            },
            {
                "outputs": [out.name for out in self.outputs],
                "step_scopes": [scopes.name],
            },
            {
                "has_states": bool(self.memories),
                "ex_states": [memory.before.name for memory in memories],
                "states": [state.name for state in states],
                "step_inputs": [row.name for _, row in self.inputs.values()],
                "step_outputs": [out.name for out in self.outputs],
                "reverse": self.reverse,
                "is_train": True,
                "sub_block": block.idx,
            },
        )
