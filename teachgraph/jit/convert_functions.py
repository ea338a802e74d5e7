"""Functions of tensors whose lists or sizes are known only when the program runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.autograd.gradient import grad
from teachgraph.control_flow.arrays import ARRAY
from teachgraph.core.errors import InvalidValueError
from teachgraph.jit.convert_shape import axis_of
from teachgraph.jit.fill_sizes import fill_sizes
from teachgraph.jit.tracing import as_variable
from teachgraph.ops import functions
from teachgraph.ops.array_lists import tensor_array_to_tensor
from teachgraph.ops.functions.creation import code_of
from teachgraph.static.append_backward import gradients
from teachgraph.static.operator import OpRole
from teachgraph.static.variable import Variable

__all__ = ["FUNCTIONS"]


def convert_stack(x: Any, axis: int = 0, name: Any = None) -> Any:
    """`stack`, also of a tensor array."""
    if isinstance(x, Variable) and x.type == ARRAY:
        return tensor_array_to_tensor(x, axis=axis, use_stack=True)
    return functions.stack(x, axis)


def convert_concat(x: Any, axis: Any = 0, name: Any = None) -> Any:
    """`concat`, also of a tensor array."""
    if isinstance(x, Variable) and x.type == ARRAY:
        return tensor_array_to_tensor(x, axis=axis)
    return functions.concat(x, axis)


def convert_reshape(x: Any, *shape: Any, **named: Any) -> Any:
    """`reshape`, also to sizes that are tensors."""
    wanted = named.get("shape", shape[0] if len(shape) == 1 else shape)
    value = as_variable(x)
    if not isinstance(wanted, (list, tuple)) or not any(map(is_later, wanted)):
        return functions.reshape(value, *shape, **named)
    sizes = [static_size(value, size, place) for place, size in enumerate(wanted)]
    return functions.reshape(value, wanted if sizes.count(-1) > 1 else sizes)


def static_size(x: Variable, size: Any, place: int) -> int:
    """Return a size as `reshape` takes it: 0 keeps that of x, -1 takes what is left."""
    if not is_later(size):
        return int(size)
    return 0 if axis_of(size) == (x.name, place) else -1


def is_later(size: Any) -> bool:
    """True if a size is known only when the program runs."""
    return isinstance(size, Variable)


def filled(usual: Any) -> Callable[..., Any]:
    """Convert `full`, `zeros` or `ones`, also for sizes that are tensors."""
    value = {functions.zeros: 0.0, functions.ones: 1.0}.get(usual)

    def fill(shape: Any, *rest: Any, **named: Any) -> Any:
        if not isinstance(shape, (list, tuple)) or not any(map(is_later, shape)):
            return usual(shape, *rest, **named)
        names = ("fill_value", "dtype") if value is None else ("dtype",)
        arguments = dict(zip(names, rest, strict=False)) | named
        number = arguments.get("fill_value", value)
        return of_sizes(shape, number, arguments.get("dtype"))

    return fill


def of_sizes(shape: Sequence[Any], value: Any, dtype: Any) -> Any:
    """Fill a tensor with one value; some of its sizes are tensors."""
    known = [-1 if is_later(size) else int(size) for size in shape]
    sizes = [size for size in shape if is_later(size)]
    return fill_sizes(*sizes, shape=known, value=value, dtype=code_of(dtype))


def convert_grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Any = None,
) -> list[Any]:
    """`paddle.grad`: appends the operators of the gradients to the program.

    Raises:
        InvalidValueError: The outputs do not depend on an input.
    """
    roots, leaves = variables(outputs), variables(inputs)
    weights = None if grad_outputs is None else variables(grad_outputs)
    constants = [] if no_grad_vars is None else variables(no_grad_vars)
    block = roots[0].block
    first = len(block.ops)
    grads = gradients(roots, leaves, weights, constants)
    if not allow_unused and any(dx is None for dx in grads):
        raise InvalidValueError.here(
            "the outputs do not depend on an input: say allow_unused=True"
        )
    for operator in block.ops[first:]:  # they are part of what the function computes
        operator.set_attr("op_role", int(OpRole.FORWARD))
    for dx in grads:
        if dx is not None:
            dx.stop_gradient = not create_graph
    return grads


def variables(value: Any) -> list[Any]:
    """Return one tensor, or several, as Variables."""
    values = value if isinstance(value, (list, tuple)) else [value]
    return [None if v is None else as_variable(v) for v in values]


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    functions.concat: convert_concat,
    functions.full: filled(functions.full),
    grad: convert_grad,
    functions.ones: filled(functions.ones),
    functions.reshape: convert_reshape,
    functions.stack: convert_stack,
    functions.zeros: filled(functions.zeros),
}
"""Replacements of functions inside converted code."""
