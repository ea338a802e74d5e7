"""A case of the table, run in each life of its op."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import teachgraph as tg
from teachgraph import static
from teachgraph.core.op import Op, find
from teachgraph.planning.executor import Executor
from teachgraph.static import Program, Variable
from teachgraph.static.scope import Scope
from tests.ops.contract import Case, Row
from tests.oracle.answers import upstream, weights
from tests.oracle.functions import Function

Array = np.ndarray[Any, Any]


class Answers(NamedTuple):
    """What one way of running a case gives.

    Attributes:
        outputs: The op's results.
        first: Their gradients, for the upstream gradients of `answers.upstream`.
        second: The gradients of those, weighted by `answers.weights`, with respect to
            the inputs and to the upstream gradients.
    """

    outputs: list[Array]
    first: list[Array]
    second: list[Array]


def several(result: Any) -> list[Any]:
    """One result or several, as a list."""
    return list(result) if isinstance(result, tuple) else [result]


def op_of(row: Row) -> Op:
    """The registered op of a row."""
    return find(row.op)


def called(row: Row | Function) -> Callable[..., Any]:
    """What a case of a row calls: its op, or a function."""
    return partial(row.ours, tg) if isinstance(row, Function) else op_of(row)


def on_arrays(row: Row, inputs: Sequence[Any], attrs: Any) -> list[Array]:
    """The first life: the kernel."""
    op = op_of(row)
    call: Callable[..., Any] = op if inputs else op.kernel
    return [np.asarray(out) for out in several(call(*inputs, **attrs))]


def as_tensors(case: Case, inputs: Sequence[Any]) -> list[Any]:
    """The inputs as Tensors, on the tape where the case differentiates."""
    variables = case.variables()
    return [
        None if x is None else tg.Tensor(x.copy(), stop_gradient=i not in variables)
        for i, x in enumerate(inputs)
    ]


def on_tensors(row: Row | Function, inputs: Sequence[Any], attrs: Any) -> list[Array]:
    """The second life: now."""
    tensors = [None if x is None else tg.Tensor(x.copy()) for x in inputs]
    return [out.numpy() for out in several(called(row)(*tensors, **attrs))]


def with_zeros(found: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Gradients, with zeros where none arrived."""
    return [
        tg.zeros_like(x) if dx is None else dx
        for dx, x in zip(found, inputs, strict=True)
    ]


def eager(row: Row | Function, case: Case) -> Answers:
    """The tape's answers, through a second reverse pass."""
    inputs = as_tensors(case, case.inputs)
    outputs = several(called(row)(*inputs, **case.attrs))
    floating = [out for out in outputs if out.dtype.kind == "f"]
    leaves = [inputs[i] for i in case.variables()]
    given = [
        tg.Tensor(u, stop_gradient=False)
        for u in upstream([o.numpy() for o in outputs])
    ]
    keep: dict[str, Any] = {"create_graph": True, "allow_unused": True}
    found = tg.grad(floating, leaves, given, **keep)
    first = with_zeros(found, leaves)
    sources = [*leaves, *given]
    along = [tg.Tensor(v) for v in weights([dx.numpy() for dx in first])]
    second = with_zeros(tg.grad(first, sources, along, **keep), sources)
    return Answers(*([x.numpy() for x in part] for part in (outputs, first, second)))


class Built(NamedTuple):
    """A program of one op, and what to feed it."""

    program: Program
    inputs: list[Variable | None]
    outputs: list[Variable]
    feed: dict[str, Array]

    def run(
        self, fetch: Sequence[Variable | str], *, interpret: bool = False
    ) -> list[Array]:
        """Run it once in a scope of its own."""
        executor = Executor(interpret=interpret)
        found = executor.run(self.program, self.feed, list(fetch), scope=Scope())
        return [np.asarray(value) for value in found]

    def data(self, name: str, value: Array, shape: Any = None) -> Variable:
        """One more variable that is fed, declared in the shape of its value."""
        variable = static.data(name, list(shape or value.shape), value.dtype)
        self.feed[name] = value
        return variable


@contextmanager
def building(
    row: Row | Function, case: Case, inputs: Sequence[Any], *, unknown: bool = False
) -> Iterator[Built]:
    """The third life: a program with one operator, still being built.

    With `unknown` the first size of each input is not declared.
    """
    program = Program()
    with static.program_guard(program, Program()), in_static_mode():
        built = Built(program, [], [], {})
        for i, x in enumerate(inputs):
            if x is None:
                built.inputs.append(None)
                continue
            free = unknown and x.ndim and i not in getattr(row, "known", ())
            shape = [-1, *x.shape[1:]] if free else x.shape
            variable = built.data(f"x{i}", x, shape)
            variable.stop_gradient = i not in case.variables()
            built.inputs.append(variable)
        built.outputs.extend(several(called(row)(*built.inputs, **case.attrs)))
        yield built


@contextmanager
def in_static_mode() -> Iterator[None]:
    """Static mode, for ops that have no input to say so."""
    tg.enable_static()
    try:
        yield
    finally:
        tg.disable_static()


class Differentiated(NamedTuple):
    """A program of one op, with the gradients and theirs, to run in either way.

    None stands for a gradient that no path leads to.
    """

    built: Built
    leaves: list[Any]
    upstream: list[Variable]
    first: list[Any]
    second: list[Any]

    def run(self, *, interpret: bool = False) -> Answers:
        """Its answers, zeros where there is no gradient."""
        parts = (self.built.outputs, self.first, self.second)
        names = [v.name for part in parts for v in part if v is not None]
        fetched = self.built.run(names, interpret=interpret)
        values = self.built.feed | dict(zip(names, fetched, strict=True))
        pairs = zip(self.first, self.leaves, strict=True)
        second = zip(self.second, [*self.leaves, *self.upstream], strict=True)
        return Answers(
            [values[out.name] for out in self.built.outputs],
            [value_of(dx, x, values) for dx, x in pairs],
            [value_of(dx, x, values) for dx, x in second],
        )


def differentiated(
    row: Row | Function, case: Case, wanted: Answers, *, unknown: bool = False
) -> Differentiated:
    """A program with `static.gradients` of `static.gradients`.

    The weights are as for the `wanted` answers, whose shapes they have.
    """
    with building(row, case, case.inputs, unknown=unknown) as built:
        floating = [out for out in built.outputs if out.dtype.kind == "f"]
        leaves = [built.inputs[i] for i in case.variables()]
        given = [
            built.data(f"u{i}", u, out.shape)
            for i, (u, out) in enumerate(
                zip(upstream(wanted.outputs), floating, strict=True)
            )
        ]
        for variable in given:
            variable.stop_gradient = False
        first = static.gradients(floating, leaves, given)
        live = [dx for dx in first if dx is not None]
        sources = [*leaves, *given]
        second: list[Any] = [None] * len(sources)
        if live:
            along = [
                built.data(f"v{i}", v, dx.shape)
                for i, (v, dx) in enumerate(
                    zip(weights(wanted.first), first, strict=True)
                )
                if dx is not None
            ]
            second = static.gradients(live, sources, along)
    return Differentiated(built, leaves, given, first, second)


def value_of(gradient: Any, source: Any, values: dict[str, Array]) -> Array:
    """A fetched gradient, zeros where there was none."""
    if gradient is None:
        return np.zeros_like(values[source.name])
    return values[gradient.name]
