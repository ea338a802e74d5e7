"""Recording: ops run on Tensors as always, and each is written down in a program."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core import modes, unique_name
from teachgraph.core.op import Op
from teachgraph.core.tensor import run as run_now
from teachgraph.core.tensor import run_op
from teachgraph.jit.tracing import Tracer
from teachgraph.static.layers import data
from teachgraph.static.program import current_block, program_guard
from teachgraph.static.variable import Variable

__all__ = ["Recorder", "recording"]


class Recorder(Tracer):
    """What has been written down so far.

    A value is known by its array: whichever Tensor holds it, it is the same variable.
    A Tensor that no op has made since is taken in as it is.
    """

    def __init__(self) -> None:
        super().__init__()
        self.arrays: dict[int, tuple[Any, str]] = {}
        self.counters: Counter[str] = Counter()

    def feed(self, number: int, tensor: Tensor) -> Variable:
        """A variable that is fed, which stands for an input."""
        with self.writing():
            variable = data(f"feed_{number}", tensor.shape, tensor.dtype)
        variable.stop_gradient = tensor.stop_gradient
        self.arrays[id(tensor.data)] = tensor.data, variable.name
        return variable

    def adopt(self, value: Any) -> Variable:
        """The variable for a Tensor."""
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
            tensors = run_now(op, inputs, attrs, results)
            for tensor, variable in zip(
                listed(tensors), listed(variables), strict=True
            ):
                self.arrays[id(tensor.data)] = tensor.data, variable.name
            return tensors

        return append_and_run

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Inside, ops go into the program."""
        with (
            modes.using(static=True),
            unique_name.guard(),
            program_guard(self.program, self.startup),
        ):
            unique_name.switch(self.counters)
            yield

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Inside, what runs is written down."""
        self.program.adopt = self.adopt
        run_op.wrap(self.dispatch)
        _current.append(self)
        try:
            yield
        finally:
            _current.remove(self)
            run_op.unwrap(self.dispatch)
            self.program.adopt = None


_current: list[Recorder] = []


def recording() -> bool:
    """Whether somebody records in this thread."""
    here = threading.get_ident()
    return any(recorder.thread == here for recorder in _current)


def listed(value: Any) -> list[Any]:
    """One thing as a list of one."""
    return list(value) if isinstance(value, (list, tuple)) else [value]
