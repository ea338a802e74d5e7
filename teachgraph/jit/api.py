"""`to_static`, its exceptions, and the settings of conversion."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType, ModuleType
from typing import Any

from teachgraph.core.errors import ConversionError, at_user_line
from teachgraph.jit.convert_call import LEFT_ALONE, ignored
from teachgraph.jit.logs import conversion_log, log_to_stdout
from teachgraph.jit.static_function import StaticFunction, switch
from teachgraph.nn import Layer

__all__ = [
    "enable_to_static",
    "ignore_module",
    "not_to_static",
    "set_code_level",
    "set_verbosity",
    "to_static",
]


def to_static(
    function: Any = None,
    input_spec: Any = None,
    build_strategy: Any = None,
    backend: str | None = None,
    full_graph: bool = True,
    **options: Any,
) -> Any:
    """Convert a function or layer into one that runs as a program.

    Its source is transformed so that an `if` or a loop that depends on a tensor becomes
    part of the program. The program is traced once for each shape and dtype of its
    tensors and each value of its other arguments, in training and evaluation.

    Args:
        function: A function, a method or a layer; left out, this is a decorator.
        input_spec: `InputSpec`s of its tensors, with None for sizes that may differ.
        build_strategy: Accepted for Paddle's sake.
        backend: Accepted for Paddle's sake.
        full_graph: Accepted for Paddle's sake; all of a function is one program.
        **options: Accepted for Paddle's sake.

    Returns:
        A StaticFunction; of a layer, the layer itself, whose `forward` is one.

    Raises:
        ConversionError: It is nothing that can be converted.

    In Paddle this is `paddle.jit.to_static`.

    >>> import teachgraph as tg
    >>> @tg.jit.to_static
    ... def clipped(x):
    ...     if x.sum() > 1.0:
    ...         x = x * 0.0
    ...     return x
    >>> clipped(tg.to_tensor([2.0])).tolist()
    [0.0]
    """
    if function is None:
        return lambda decorated: to_static(decorated, input_spec)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(to_static(function.__func__, input_spec))
    if isinstance(function, StaticFunction):
        return StaticFunction(function.function, input_spec, function.receiver)
    if isinstance(function, Layer):
        forward = function.forward
        plain: Any = getattr(forward, "dygraph_function", forward)
        static = StaticFunction(plain.__func__, input_spec, function)
        # Not `function.forward = static`: that would count as a change of the layer.
        object.__setattr__(function, "forward", static)
        return function
    if isinstance(function, MethodType):
        return StaticFunction(function.__func__, input_spec, function.__self__)
    if not callable(function) or isinstance(function, type):
        raise ConversionError(
            at_user_line(f"to_static takes a function or a Layer, got {function!r}")
        )
    return StaticFunction(function, input_spec)


def not_to_static(func: Callable[..., Any] | None = None) -> Any:
    """Leave a function as it is where another one is converted; a decorator.

    In Paddle this is `paddle.jit.not_to_static`.
    """
    if func is None:
        return not_to_static
    setattr(func, LEFT_ALONE, True)
    return func


def ignore_module(modules: list[ModuleType] | ModuleType) -> None:
    """Leave the functions of some modules as they are.

    In Paddle this is `paddle.jit.ignore_module`.
    """
    several = modules if isinstance(modules, (list, tuple)) else [modules]
    ignored.update(module.__name__ for module in several)


def enable_to_static(enable_to_static_bool: bool) -> None:
    """Make programs of functions, or run them op by op.

    In Paddle this is `paddle.jit.enable_to_static`.
    """
    switch.on = bool(enable_to_static_bool)


def set_code_level(level: int = 100, also_to_stdout: bool = False) -> None:
    """Log the code of each function that is converted from now on; 0 for no more.

    Args:
        level: The number of the transformer whose result is logged; any larger one
            means the last.
        also_to_stdout: True to write to standard output as well.

    In Paddle this is `paddle.jit.set_code_level`.
    """
    conversion_log.code_level = level
    log_to_stdout(also_to_stdout)


def set_verbosity(level: int = 0, also_to_stdout: bool = False) -> None:
    """Log which functions are converted, from level 1 on.

    In Paddle this is `paddle.jit.set_verbosity`.
    """
    conversion_log.verbosity = level
    log_to_stdout(also_to_stdout)
