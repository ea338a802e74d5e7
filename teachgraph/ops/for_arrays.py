"""A rule for arrays alone: the same code, in which each op is its kernel.

A rule is made of ops, which ask of each input whether it is a Tensor or a Variable.
Whoever knows that there are only arrays can do without the question.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from teachgraph.core.op import SILENT, Op

__all__ = ["for_arrays"]

_made: dict[Any, FunctionType] = {}


def for_arrays(function: Any) -> Any:
    """The function, with kernels for the ops that it and its helpers call.

    It must run where NumPy is silent about infinities and NaN, as kernels do.

    >>> from teachgraph.ops.math import tanh, tanh_grad
    >>> import numpy as np
    >>> for_arrays(tanh_grad)(np.ones(1), tanh(np.zeros(1)))
    array([1.])
    """
    if function in _made:
        return _made[function]
    if not isinstance(function, FunctionType):
        return function
    names = set(names_in(function.__code__))
    _made[function] = function  # for helpers that call it in turn
    if names.isdisjoint(("kernel", "rule", "type")):
        _made[function] = with_kernels(function, names)
    return _made[function]


def names_in(code: CodeType) -> Iterator[str]:
    """The names that a function looks up, the functions written in it included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def with_kernels(function: FunctionType, names: set[str]) -> FunctionType:
    """A copy of a function that finds kernels under the names of ops."""
    known = function.__globals__
    found = {name: known[name] for name in names & known.keys()}
    others = {name: instead_of(value) for name, value in found.items()}
    changed = {n: value for n, value in others.items() if value is not found[n]}
    if not changed:
        return function
    copy = FunctionType(
        function.__code__,
        {**known, **changed},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def instead_of(value: Any) -> Any:
    """What to call instead: an op's kernel, or a helper that calls kernels."""
    if isinstance(value, Op):
        quiet = value.context == SILENT.copy and value.inputs
        return value.kernel if quiet else value
    ours = isinstance(value, FunctionType) and value.__module__.startswith(__package__)
    return for_arrays(value) if ours else value
