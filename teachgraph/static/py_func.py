"""`py_func`: the user's own function as an operator, and its gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.core.backward import Backward, Parts, has_gradient
from teachgraph.core.errors import DTypeError, ProgramError
from teachgraph.core.program import EMPTY, Operator, OpRole
from teachgraph.ops import py_func as ops
from teachgraph.ops.as_list import as_list
from teachgraph.ops.error_context import all_in_words
from teachgraph.ops.py_func import OutputSpec, register
from teachgraph.static.append_op import insert_named
from teachgraph.static.program import current_block
from teachgraph.static.variable import Variable

__all__ = ["py_func"]

Variables = Variable | Sequence[Variable] | None


def py_func(
    func: Callable[..., Any],
    x: Variables,
    out: Variables,
    backward_func: Callable[..., Any] | None = None,
    skip_vars_in_backward_input: Variables = None,
) -> Any:
    """Append an operator that calls `func` when the program runs.

    Args:
        func: Called with one array per `x`; returns one per `out`.
        x: What it reads.
        out: What it writes: variables made beforehand with their shape, by
            `Block.create_var`. A result of another shape is refused at run time.
        backward_func: Called with the arrays of `x`, of `out`, and the gradients of
            `out`, in this order; returns one gradient per `x`, None where none is
            wanted. Without it no gradient passes.
        skip_vars_in_backward_input: Those of `x` and `out` that it is not given.

    Returns:
        `out`, as it came.

    Raises:
        DTypeError: `func` is no function, or `x` no variables.
        ProgramError: `out` has no shape, or a skipped variable is none of them.

    In Paddle this is `paddle.static.py_func` and, in 1.x, `fluid.layers.py_func`.
    """
    inputs, outputs = variables("X", x), variables("Out", out)
    skipped = variables("skip_vars_in_backward_input", skip_vars_in_backward_input)
    check_functions(func, backward_func)
    check_skipped(skipped, [*inputs, *outputs])
    check_shapes(outputs)
    has_gradient.wrap(unless_without_backward)
    forward, backward = register(func, [declared_spec(v) for v in outputs]), -1
    if backward_func is not None:
        backward = register(backward_func, [declared_spec(v) for v in inputs])
    block = inputs[0].block.program.current_block() if inputs else current_block()
    insert_named(
        block,
        len(block.ops),
        "py_func",
        {"X": inputs},
        {"Out": outputs},
        {
            "forward_callable_id": forward,
            "backward_callable_id": backward,
            "backward_skip_vars": [v.name for v in skipped],
        },
    )
    return out


def variables(what: str, value: Any) -> list[Variable]:
    """None, one variable or several, as a list."""
    items = as_list(value)
    if value is None:
        return []
    if not all(isinstance(v, Variable) for v in items):
        raise DTypeError.here(
            f"The type of '{what}' in py_func must be (list, tuple, Variable, "
            f"NoneType), but received {type(value)}"
        )
    return items


def check_functions(func: Any, backward_func: Any) -> None:
    """Refuse what can't be called."""
    for function in (func, *([] if backward_func is None else [backward_func])):
        if not callable(function):
            raise DTypeError.here(
                f"func must be a Python function, got {type(function)}"
            )


def check_shapes(outputs: Sequence[Variable]) -> None:
    """The user alone knows the shapes of what the function returns."""
    for variable in outputs:
        if not variable.shape:
            raise ProgramError.here(
                "Output shapes of py_func op should be provided by users manually: "
                f"{variable.name!r} has none"
            )


def check_skipped(skipped: Sequence[Variable], known: Sequence[Variable]) -> None:
    """A skipped variable must be one that backward_func would be given."""
    names = {v.name for v in known}
    for variable in skipped:
        if variable.name not in names:
            raise ProgramError.here(
                f"Variable {variable.name} is not found in forward inputs and outputs"
            )


def declared_spec(variable: Variable) -> OutputSpec:
    """The shape and dtype that the function must return for this variable."""
    return OutputSpec(variable.name, variable.shape, variable.dtype)


@ops.py_func.grad_builder
def build_py_func_grad(backward: Backward, operator: Operator, parts: Parts) -> None:
    """Append the operator that calls `backward_func`: itself a `py_func`."""
    skipped = operator.attrs["backward_skip_vars"]
    names = [*operator.input_arg_names, *operator.output_arg_names]
    saved = [name for name in names if name not in skipped]
    arriving = [backward.names.get(n, EMPTY) for n in operator.output_arg_names]
    attrs = {
        "forward_callable_id": operator.attrs["backward_callable_id"],
        # There is no third function, so gradients end here.
        "backward_callable_id": -1,
        "backward_skip_vars": [],
        "required": sorted(parts),
        "op_role": int(OpRole.BACKWARD),
    }
    positions = range(len(operator.input_arg_names))
    outputs = {"Out": [parts.get(position, EMPTY) for position in positions]}
    slots, block = {"X": [*saved, *arriving]}, backward.block
    block.insert(len(block.ops), "py_func", slots, outputs, attrs)


def unless_without_backward(inner: Any) -> Any:
    """Let no gradient pass a `py_func` that has no `backward_func`."""
    return lambda operator: (
        inner(operator) and operator.attrs.get("backward_callable_id", 0) >= 0
    )


all_in_words(["py_func"], globals())
