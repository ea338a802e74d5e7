"""A `PyLayer` in a traced function: a part of the program, with the user's gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.autograd.py_layer import PyLayerContext
from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.pytree import flat, mapped
from teachgraph.jit.tracing import as_variable
from teachgraph.ops.as_list import as_list
from teachgraph.ops.functions import zeros_like
from teachgraph.static.program import current_block
from teachgraph.static.static_pylayer import static_pylayer
from teachgraph.static.variable import Variable

__all__ = ["append_pylayer"]

Function = Callable[..., Any]


def append_pylayer(
    forward: Function, backward: Function, args: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Append what `forward` computes; `backward` is traced with the gradient.

    `set_materialize_grads` has no effect: the upstream gradient of an unused result is
    zeros.
    """
    args, named = mapped((args, named), adopted)
    ctx = PyLayerContext()
    inputs = [v for v in (*args, *named.values()) if isinstance(v, Variable)]
    results: list[Any] = []

    def forward_fn(*_: Any) -> Any:
        results.append(forward(ctx, *args, **named))
        return variables_in(results[0])

    def backward_fn(*douts: Any) -> Any:
        seen = PyLayerContext()
        vars(seen).update(mapped(vars(ctx), visible))
        gradients = as_list(backward(seen, *douts))
        if len(gradients) != len(inputs):
            return gradients  # which is refused
        pairs = zip(gradients, inputs, strict=True)
        return [zeros_like(visible(x)) if dx is None else dx for dx, x in pairs]

    taken = static_pylayer(forward_fn, inputs, backward_fn)
    for inner, outer in zip(variables_in(results[0]), taken, strict=True):
        outer.stop_gradient |= id(inner) in ctx._no_gradient
    rest = iter(taken)
    return mapped(results[0], lambda v: next(rest) if isinstance(v, Variable) else v)


def variables_in(tree: Any) -> list[Any]:
    """List the Variables of a pytree, in order."""
    return [leaf for leaf in flat(tree) if isinstance(leaf, Variable)]


def adopted(value: Any) -> Any:
    """A Tensor's variable in the program; anything else as it is."""
    return as_variable(value) if isinstance(value, Tensor) else value


def visible(value: Any) -> Any:
    """The variable of that name in the copy of the program that the gradient is of."""
    if not isinstance(value, Variable):
        return value
    return current_block()._var_recursive(value.name)
