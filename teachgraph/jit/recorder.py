"""Recorder: ops run on Tensors as usual, and each is also appended to a program."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core import modes, unique_name
from teachgraph.core.op import Op
from teachgraph.core.tensor import run_op
from teachgraph.jit.tracing import Tracer
from teachgraph.ops.as_list import as_list
from teachgraph.static.layers import data
from teachgraph.static.program import current_block, program_guard
from teachgraph.static.variable import Variable

__all__ = ["Recorder"]


class Recorder(Tracer):
    """The program of the ops that have run so far.

    A value is identified by its array: two Tensors of one array are one variable. A
    Tensor that is no output of a recorded op is adopted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.arrays: dict[int, tuple[Any, str]] = {}
        self.counters: Counter[str] = Counter()

    def feed(self, number: int, tensor: Tensor) -> Variable:
        """Create the fed variable of an input."""
        with self.writing():
            variable = data(f"feed_{number}", tensor.shape, tensor.dtype)
        variable.stop_gradient = tensor.stop_gradient
        self.arrays[id(tensor.data)] = tensor.data, variable.name
        return variable

    def adopt(self, value: Any) -> Variable:
        """Return the variable of a Tensor."""
        if isinstance(value, Tensor) and id(value.data) in self.arrays:
            return self.program.global_block().var(self.arrays[id(value.data)][1])
        return super().adopt(value)

    def dispatch(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Append each op to the program and run it; other threads go on as before."""

        def append_and_run(
            op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any], results: type
        ) -> Any:
            if threading.get_ident() != self.thread:
                return run(op, inputs, attrs, results)
            with self.writing():
                variables = current_block().apply(op, inputs, attrs)
            tensors = run_op.plain(op, inputs, attrs, results)
            for tensor, variable in zip(
                as_list(tensors), as_list(variables), strict=True
            ):
                # The array is kept: its identity stays taken while the trace lasts.
                self.arrays[id(tensor.data)] = tensor.data, variable.name
            return tensors

        return append_and_run

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Let ops inside append to the program, under names of its own counters."""
        with (
            modes.using(static=True),
            unique_name.guard(),
            program_guard(self.program, self.startup),
        ):
            unique_name.switch(self.counters)
            yield
