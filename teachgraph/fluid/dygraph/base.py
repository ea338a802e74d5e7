"""Paddle 1.x's dynamic mode: guards, tensors, gradients, and states on disk."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from teachgraph.autograd.creation import Parameter, tensor_of
from teachgraph.autograd.gradient import grad as gradient
from teachgraph.autograd.intermediate import keep_gradients, keeping_gradients
from teachgraph.autograd.places import check_place
from teachgraph.autograd.tensor import Tensor
from teachgraph.core import modes
from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    ModeError,
)
from teachgraph.core.modes import no_grad
from teachgraph.core.program import Variable, current_block
from teachgraph.io import saving
from teachgraph.io.prefix import file_prefix
from teachgraph.nn import training

__all__ = [
    "Enabled",
    "disable_dygraph",
    "disable_imperative",
    "enable_dygraph",
    "enable_imperative",
    "enabled",
    "grad",
    "guard",
    "load_dygraph",
    "no_grad",
    "save_dygraph",
    "to_variable",
]


@contextmanager
def guard(place: Any = None) -> Iterator[None]:
    """Run ops inside at once, in dynamic mode.

    Raises:
        InvalidValueError: The place is not the CPU.

    >>> with guard():
    ...     enabled()
    True
    """
    check_place(place)
    with modes.using(static=False), keeping_gradients(), training.training_mode(True):
        yield


class Enabled:
    """Result of `enable_dygraph`: as a `with` block it switches back at the end."""

    def __init__(self, before: bool | None) -> None:
        self._before = before

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        modes.choose(self._before)
        keep_gradients(False)


def enable_dygraph(place: Any = None) -> Enabled:
    """Switch to dynamic mode; as a `with` statement, only inside it.

    Raises:
        InvalidValueError: The place is not the CPU.
    """
    check_place(place)
    keep_gradients()
    return Enabled(modes.choose(False))


def disable_dygraph() -> None:
    """Switch to static mode: layers build programs."""
    keep_gradients(False)
    modes.choose(True)


enable_imperative = enable_dygraph
disable_imperative = disable_dygraph


def enabled() -> bool:
    """True in dynamic mode, which 1.x code must switch on.

    >>> with guard():
    ...     enabled()
    True
    """
    return modes.chosen() is False


def to_variable(
    value: Any,
    name: str | None = None,
    zero_copy: bool | None = None,
    dtype: Any = None,
) -> Any:
    """Create a Tensor of an array's values; a tensor is returned as it is.

    Raises:
        ModeError: Outside `guard()`, and of a traced function.
        DTypeError: The value is a single number.

    >>> with guard():
    ...     to_variable([1.0, 2.0]).shape
    [2]
    """
    if isinstance(value, (Tensor, Variable)):
        return value
    if zero_copy:
        reason = "zero_copy is not supported: the values are copied"
        warnings.warn(reason, stacklevel=2)
    if not enabled() and getattr(current_block().program, "adopt", None) is None:
        raise ModeError.here(
            "We Only support to_variable in imperative mode, please use "
            "fluid.dygraph.guard() as context to run it in imperative Mode"
        )
    if not isinstance(value, (np.ndarray, list, tuple)):
        kind = type(value).__name__
        message = f"to_variable takes an array, a list or a tuple, got {kind}"
        raise DTypeError.here(f"{message}: to_tensor takes numbers")
    tensor = tensor_of(value, dtype)
    if name is not None:
        tensor.name = name
    return tensor


def save_dygraph(state_dict: Mapping[str, Any], model_path: Any) -> None:
    """Write a state: `.pdparams` of a layer, `.pdopt` of an optimizer.

    Raises:
        InvalidValueError: The state is empty, as that of an optimizer before its first
            step may be: written as a layer's, it would replace that one's file. Or the
            path has no name of a file.

    In Paddle 1.x this is `fluid.save_dygraph`.
    """
    if not state_dict:
        message = "state_dict is empty, no need to save: nothing would be in the file"
        raise InvalidValueError.here(message)
    file_prefix(model_path, "model_path", part="filename")
    parts = state_dict.values()
    trained = (isinstance(v, Tensor) and not v.stop_gradient for v in parts)
    layers = any(trained) or any(isinstance(v, Parameter) for v in parts)
    suffix = ".pdparams" if layers else ".pdopt"
    saving.save(state_dict, f"{model_path}{suffix}")


def load_dygraph(model_path: Any, keep_name_table: bool = False) -> tuple[Any, Any]:
    """Load the states of a layer and of an optimizer as arrays, None for no file.

    Args:
        model_path: Without `.pdparams`.
        keep_name_table: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: There is neither.

    In Paddle 1.x this is `fluid.load_dygraph`.
    """
    files = [Path(f"{model_path}{suffix}") for suffix in (".pdparams", ".pdopt")]
    if not any(file.is_file() for file in files):
        saving.load(files[0])
    states = [saving.load(file, True) if file.is_file() else None for file in files]
    return states[0], states[1]


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Any = None,
    backward_strategy: Any = None,
) -> Any:
    """Compute gradients of some tensors with respect to others; see `teachgraph.grad`.

    >>> with guard():
    ...     x = to_variable([3.0])
    ...     x.stop_gradient = False
    ...     grad(x * x, x)[0].tolist()
    [6.0]
    """
    options = (grad_outputs, retain_graph, create_graph, only_inputs, allow_unused)
    return gradient(outputs, inputs, *options, no_grad_vars)
