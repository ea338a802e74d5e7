"""`static_pylayer`: a part of a program with a gradient of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from teachgraph.control_flow.pytree import flat, packed
from teachgraph.core import unique_name
from teachgraph.core.backward import Backward, Parts
from teachgraph.core.errors import (
    GradientShapeError,
    InvalidValueError,
    ModeError,
    ProgramError,
)
from teachgraph.core.modes import in_dynamic_mode
from teachgraph.core.op import op
from teachgraph.core.program import Operator, Variable, current_block, fits
from teachgraph.ops import naming
from teachgraph.ops.functions import zeros_like
from teachgraph.ops.math import assign
from teachgraph.ops.py_func import register, registered

__all__ = ["pylayer", "static_pylayer"]


@op
def pylayer(*x: Any, taken: int, backward_id: int = -1) -> Any:
    """Copy the results of a part of a program, which follow the variables it takes.

    Args:
        x: What the part takes, then its results.
        taken: The number of variables that it takes.
        backward_id: The number of the function that appends its gradient.
    """
    results = tuple(np.array(result) for result in x[taken:])
    return results[0] if len(results) == 1 else results


@op
def no_gradient_saved(x: Any, dout: Any) -> Any:
    """Refuse to run: a program is saved without the functions of its process."""
    raise InvalidValueError(
        "the program of a PyLayer was saved without its backward, a Python function: "
        "differentiate the layer that was saved"
    )


@no_gradient_saved.infers
def shape_of_input(x: Any, dout: Any) -> Any:
    """Infer the shape of a gradient: that of its input."""
    return [(x.shape, x.dtype)]


def static_pylayer(
    forward_fn: Callable[..., Any],
    inputs: Sequence[Variable],
    backward_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """Append what `forward_fn` computes, with the gradient that `backward_fn` appends.

    Args:
        forward_fn: Takes the inputs; returns a Variable, or a nest of them.
        inputs: The Variables to differentiate with respect to.
        backward_fn: Takes the gradient of each result; returns one of each input. It
            may use Variables of the forward. Without it no gradient passes.
        name: Accepted for Paddle's sake.

    Returns:
        The results, as `forward_fn` nests them.

    Raises:
        ModeError: In dynamic mode, where `autograd.PyLayer` does this.
        InvalidValueError: Without `backward_fn`, if an input wants a gradient.

    In Paddle this is `paddle.static.nn.static_pylayer`.

    >>> import teachgraph as tg
    >>> from teachgraph import static
    >>> tg.enable_static()
    >>> with static.program_guard(static.Program()):
    ...     x = static.data("x", [2])
    ...     x.stop_gradient = False
    ...     y = static_pylayer(lambda x: x * x, [x], lambda dy: dy * 5.0)
    ...     (dx,) = static.gradients(y, x)
    ...     static.Executor().run(feed={"x": [1.0, 2.0]}, fetch_list=[dx])[0].tolist()
    [5.0, 5.0]
    >>> tg.disable_static()
    """
    check(inputs, backward_fn)
    block = current_block()
    known = {*block.vars}
    results = forward_fn(*inputs)
    # A copy of a variable that is only passed on: its `stop_gradient` must stay.
    leaves = [
        assign(leaf) if leaf.name in known or leaf.name not in block.vars else leaf
        for leaf in flat(results)
        if leaf is not None
    ]
    stop, own = all(x.stop_gradient for x in inputs), []
    for leaf in leaves:
        own.append(create_like(leaf, stop))
        leaf.stop_gradient = True  # so that no gradient goes into what computed it
    attrs = {"taken": len(inputs)}
    if backward_fn is not None:
        attrs["backward_id"] = register(backward_fn, ())
    slots = [v.name for v in (*inputs, *leaves)], [v.name for v in own]
    complete = pylayer.complete(attrs)
    block.insert(
        len(block.ops), "pylayer", {"X": slots[0]}, {"Out": slots[1]}, complete
    )
    rest = iter(own)
    return packed(results, [v if v is None else next(rest) for v in flat(results)])


def check(inputs: Sequence[Any], backward_fn: Any) -> None:
    """Refuse dynamic mode, and a gradient that nothing computes."""
    if in_dynamic_mode():
        message = "static_pylayer is for programs: use autograd.PyLayer"
        raise ModeError.here(message)
    wanting = [x.name for x in inputs if not x.stop_gradient]
    if backward_fn is None and wanting:
        raise InvalidValueError.here(
            "without backward_fn the stop_gradient of all inputs is True, but "
            f"{wanting} want a gradient"
        )


def create_like(variable: Variable, stop: bool) -> Variable:
    """Create a variable for a result."""
    name = unique_name.generate("pylayer_0.tmp")
    shape, dtype = variable.shape, variable.dtype
    return current_block().create_var(name, shape, dtype, stop_gradient=stop)


@pylayer.grad_builder
def build_gradient(backward: Backward, operator: Operator, parts: Parts) -> None:
    """Append the operators of `backward_fn`, and name what they compute."""
    block = backward.block
    upstream = []
    for name in operator.output_arg_names:
        dout = backward.names.get(name)
        out = block._var_recursive(name)
        upstream.append(zeros_like(out) if dout is None else block._var_recursive(dout))
    count, number = operator.attrs["taken"], operator.attrs.get("backward_id", -1)
    if number < 0:
        taken = [
            block._var_recursive(name) for name in operator.input_arg_names[:count]
        ]
        gradients = [no_gradient_saved(x, upstream[0]) for x in taken]
    else:
        gradients = flat(registered(number).function(*upstream))
    if len(gradients) != count:
        raise ProgramError.here(
            f"backward_fn returned {len(gradients)} gradients for {count} inputs",
            operator.callsite,
        )
    for position, part in parts.items():
        require_shape(operator, position, gradients[position])
        with naming.called(part):
            assign(gradients[position])


def require_shape(operator: Operator, position: int, gradient: Any) -> None:
    """Refuse a gradient of another shape than its input.

    Raises:
        GradientShapeError: Sizes that are known on both sides differ, or the ranks.
    """
    x = operator.block._var_recursive(operator.input_arg_names[position])
    if not fits(gradient.shape, x.shape):
        raise GradientShapeError.here(
            f"backward_fn returned a gradient of shape {[*gradient.shape]} for "
            f"'{x.name}', of shape {[*x.shape]}: they must be equal",
            operator.callsite,
        )
