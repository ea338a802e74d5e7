"""`py_func`: an op whose kernel is a user's Python function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from teachgraph.core import modes
from teachgraph.errors import PyFuncError
from teachgraph.ops.foreign import foreign_op

__all__ = ["Array", "OutputSpec", "UserFunction", "py_func", "register", "registered"]


class Array(np.ndarray):
    """Argument of a user's function: an ndarray with a `.numpy()` method."""

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return a plain ndarray."""
        return np.asarray(self)

    @classmethod
    def of(cls, value: np.ndarray[Any, Any]) -> Self:
        """Copy `value`, so that the function may modify it."""
        return np.array(value).view(cls)


class OutputSpec(NamedTuple):
    """Spec of one result: name, shape (-1 for any size) and dtype of its variable."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def check(self, value: Any, function: str) -> np.ndarray[Any, Any]:
        """Convert the result to an array of the declared dtype.

        Raises:
            PyFuncError: It has another shape or kind.
        """
        array = np.asarray(value)
        fits = len(array.shape) == len(self.shape) and all(
            want in (-1, got) for want, got in zip(self.shape, array.shape, strict=True)
        )
        if not fits:
            raise PyFuncError(
                f"{function} returned shape {list(array.shape)} for {self.name!r}, "
                f"which was declared {list(self.shape)}"
            )
        if not np.can_cast(array.dtype, self.dtype, "same_kind"):
            raise PyFuncError(
                f"{function} returned {array.dtype} for {self.name!r}, "
                f"which was declared {self.dtype}"
            )
        return array.astype(self.dtype, copy=False)


class UserFunction(NamedTuple):
    """Registered function with the specs of its results."""

    function: Callable[..., Any]
    outputs: tuple[OutputSpec, ...]

    @property
    def name(self) -> str:
        """The function's name."""
        return getattr(self.function, "__name__", repr(self.function))

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """Call the function on copies and check its results; None: no result."""
        name = self.name
        arguments = [None if x is None else Array.of(np.asarray(x)) for x in arrays]
        try:
            with modes.using(False):  # a program may have called it
                results = self.function(*arguments)
        except Exception as error:
            raise failure(name, error) from error
        if not isinstance(results, (list, tuple)):
            results = () if results is None and not self.outputs else (results,)
        if len(results) != len(self.outputs):
            raise PyFuncError(
                f"{name} returned {len(results)} values, but the op has "
                f"{len(self.outputs)} outputs"
            )
        return tuple(
            None if value is None else spec.check(value, name)
            for spec, value in zip(self.outputs, results, strict=True)
        )


def failure(name: str, error: Exception) -> PyFuncError:
    """Create an error that is both a PyFuncError and of the user's error class."""
    message = f"{name} raised {type(error).__name__}: {error}"
    try:
        kind = type(f"PyFunc{type(error).__name__}", (PyFuncError, type(error)), {})
        wrapped = kind(message)
    except TypeError:
        return PyFuncError(message)
    assert isinstance(wrapped, PyFuncError)
    return wrapped


_functions: list[UserFunction] = []


def register(function: Callable[..., Any], outputs: Sequence[OutputSpec]) -> int:
    """Register a function for the life of the process; programs refer to its number."""
    _functions.append(UserFunction(function, tuple(outputs)))
    return len(_functions) - 1


def registered(number: int) -> UserFunction:
    """Look up the function of an operator.

    Raises:
        PyFuncError: It was registered by another process (a saved program, say).
    """
    if not 0 <= number < len(_functions):
        raise PyFuncError(f"no function {number} is registered in this process")
    return _functions[number]


@foreign_op()
def py_func(
    *x: Any,
    forward_callable_id: int,
    backward_callable_id: int = -1,
    backward_skip_vars: Sequence[str] = (),
    required: Sequence[int] | None = None,
) -> Any:
    """Call the user's function on the inputs.

    `required` marks results that must not be None: by default, all.
    """
    function = registered(forward_callable_id)
    results = function(*x)
    for position in range(len(results)) if required is None else required:
        if results[position] is None:
            name = function.outputs[position].name
            raise PyFuncError(f"{function.name} returned None for {name!r}")
    return results[0] if len(results) == 1 else results
