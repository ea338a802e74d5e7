"""`DynamicRNN`: a `StaticRNN` over rows of different lengths.

Paddle 1.x packs such rows one behind the other (LoD). Here they stand side by side,
padded to the longest, with their lengths beside them: after the end of a row its
memories stay as they are, and its outputs are zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from teachgraph.control_flow.static_rnn import StaticRNN
from teachgraph.control_flow.sub_block import building_in
from teachgraph.core import unique_name
from teachgraph.core.errors import ProgramError, ShapeError, at_user_line
from teachgraph.core.program import Block, Variable, current_block
from teachgraph.ops import functions

__all__ = ["DynamicRNN"]


class DynamicRNN:
    """A network that repeats over rows, each as often as the row is long.

    h_t = step(x_t, h_{t-1}) for t < length, then h_t = h_{t-1}; out_t = 0 from there on

    Args:
        name: What its variables are named after.

    In Paddle 1.x this is `fluid.layers.DynamicRNN`, whose rows are LoD tensors; so
    `step_input` takes `lengths` here, and `static_input` and `need_reorder` change
    nothing: no row changes its place.

    >>> import numpy as np
    >>> from teachgraph import modes, static
    >>> with modes.using(True), static.program_guard(static.Program()):
    ...     x = static.data("x", [2, 3, 1])
    ...     lengths = static.data("lengths", [2], "int64")
    ...     rnn = DynamicRNN()
    ...     with rnn.block():
    ...         now = rnn.step_input(x, lengths=lengths)
    ...         before = rnn.memory(shape=[1])
    ...         rnn.update_memory(before, before + now)
    ...         rnn.output(before + now)
    ...     rows = np.ones([2, 3, 1], "float32")
    ...     feed = {"x": rows, "lengths": np.array([3, 2])}
    ...     found = static.Executor().run(feed=feed, fetch_list=[rnn()])
    >>> found[0][:, :, 0].tolist()
    [[1.0, 2.0, 3.0], [1.0, 2.0, 0.0]]
    """

    def __init__(self, name: str | None = None) -> None:
        self.rnn = StaticRNN(name or unique_name.generate("dynamic_rnn"))
        self.parent: Block | None = None
        self.row: Variable | None = None
        self.goes_on: Variable | None = None

    @contextmanager
    def block(self) -> Iterator[None]:
        """Inside, operators go into the step.

        Raises:
            ModeError: In dynamic mode, where Python's `for` does it.
            ProgramError: As of `StaticRNN.step`.
        """
        self.parent = current_block()
        with self.rnn.step():
            yield

    def step_input(
        self, x: Variable, level: int = 0, *, lengths: Variable | None = None
    ) -> Variable:
        """One step of each row.

        Args:
            x: [rows, steps, ...], padded.
            level: Accepted for Paddle's sake: rows have one level.
            lengths: [rows], whole numbers; needed once, and the same for all.

        Returns:
            x[:, t], shaped [rows, ...].

        Raises:
            ProgramError: The first one has no `lengths`, or another one has.
            ShapeError: `x` has fewer than two dimensions, or `lengths` not one.
        """
        parent = self.around("step_input")
        if not isinstance(x, Variable):
            raise TypeError(at_user_line("step_input takes a Variable"))
        if len(x.shape) < 2:
            raise ShapeError.here(
                f"{x.name!r} is [rows, steps, ...], not {list(x.shape)}"
            )
        with building_in(parent):
            sequence = steps_first(x)
        now = self.rnn.step_input(sequence)
        self.measure(x, lengths)
        self.row = now if self.row is None else self.row
        return now

    def measure(self, x: Variable, lengths: Variable | None) -> None:
        """Learn from the first sequence how long the rows are."""
        if (lengths is None) == (self.goes_on is None):
            raise ProgramError.here(
                "the first step_input of a DynamicRNN takes how long each row is, "
                "step_input(x, lengths=lengths), and those after it share that: "
                "there is no LoD here"
            )
        if lengths is None:
            return
        if len(lengths.shape) != 1:
            raise ShapeError.here(f"lengths is [rows], not {list(lengths.shape)}")
        with building_in(self.around("step_input")):
            mask = step_mask(lengths, x)
        self.goes_on = self.rnn.step_input(mask)

    def static_input(self, x: Variable) -> Variable:
        """A variable that each step sees whole: [rows, ...]."""
        self.around("static_input")
        return x

    def memory(
        self,
        init: Variable | None = None,
        shape: Sequence[int] | None = None,
        value: float = 0.0,
        need_reorder: bool = False,
        dtype: str = "float32",
    ) -> Variable:
        """A state: the value that the step before passed to `update_memory`.

        Args:
            init: What the first step finds, [rows, ...]; or else
            shape: its shape, without the rows,
            value: what it is everywhere,
            need_reorder: Accepted for Paddle's sake.
            dtype: and its dtype.

        Raises:
            ProgramError: Neither `init` nor `shape` is given, or no sequence yet.
        """
        self.around("memory")
        if init is None:
            if shape is None or self.row is None:
                raise ProgramError.here(
                    "a memory needs init, or a shape and a step_input before it "
                    "that says how many rows there are"
                )
            init = self.rnn.boot([-1, *shape], self.row, value, 0, 1, dtype)
        return self.rnn.memory(init=init)

    def update_memory(self, ex_mem: Variable, new_mem: Variable) -> None:
        """Pass `new_mem` to the next step, for the rows that have not ended.

        Raises:
            TypeError: As of `StaticRNN.update_memory`.
            ProgramError: The same.
            ShapeError: The same.
        """
        self.around("update_memory")
        self.rnn.update_memory(ex_mem, new_mem)
        kept = functions.where(self.mask_for(new_mem), new_mem, ex_mem)
        self.rnn.update_memory(ex_mem, kept)

    def output(self, *outputs: Variable) -> None:
        """Output values of the step: zeros for the rows that have ended.

        Raises:
            TypeError: One is no Variable.
        """
        self.around("output")
        for value in outputs:
            if not isinstance(value, Variable):
                raise TypeError(at_user_line("output takes Variables"))
            zeros = functions.zeros_like(value)
            self.rnn.step_output(functions.where(self.mask_for(value), value, zeros))

    def __call__(self) -> Variable | list[Variable]:
        """The outputs of all steps: [rows, steps, ...] each, bare if it is one.

        Raises:
            ProgramError: The block is not done, or has no outputs.
        """
        outputs = self.rnn()
        if isinstance(outputs, Variable):
            return steps_first(outputs)
        return [steps_first(each) for each in outputs]

    def around(self, method: str) -> Block:
        """Return the outer block; refuse a method called outside of the step."""
        if self.parent is None or self.rnn.done:
            raise ProgramError.here(f"{method} can only be invoked inside rnn.block()")
        return self.parent

    def mask_for(self, value: Variable) -> Any:
        """Mask of the rows that have not ended, with as many dimensions as a value."""
        if self.goes_on is None:
            raise ProgramError.here("a DynamicRNN begins with a step_input")
        return functions.reshape(self.goes_on, [-1] + [1] * (len(value.shape) - 1))


def steps_first(x: Variable) -> Variable:
    """Exchange the first two dimensions: steps and rows."""
    transposed: Any = functions.transpose(x, [1, 0, *range(2, len(x.shape))])
    assert isinstance(transposed, Variable)
    return transposed


def step_mask(lengths: Variable, x: Variable) -> Any:
    """The mask of steps before the end of each row: [steps, rows], booleans."""
    steps = functions.arange(0, functions.shape(x)[1], 1, "int64")
    ends = functions.cast(functions.unsqueeze(lengths, [0]), "int64")
    return functions.unsqueeze(steps, [1]) < ends
