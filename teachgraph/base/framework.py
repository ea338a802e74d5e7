"""Paddle 2.6's `base.framework`: 1.x's, dynamic before a mode is chosen."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from teachgraph.autograd.creation import Parameter as EagerParamBase
from teachgraph.autograd.places import CPUPlace
from teachgraph.base.op_protos import OpProtoHolder
from teachgraph.core.errors import ModeError
from teachgraph.core.modes import in_dynamic_mode, recording
from teachgraph.fluid import framework as _fluid
from teachgraph.fluid.framework import *  # noqa: F403
from teachgraph.utils import require_version

__all__ = [
    "EagerParamBase",
    "OpProtoHolder",
    "dygraph_only",
    "grad_var_name",
    "in_dynamic_or_pir_mode",
    "in_pir_mode",
    "require_version",
    "static_only",
]
__all__ += _fluid.__all__

in_dygraph_mode = in_dynamic_or_pir_mode = in_dynamic_mode


def in_pir_mode() -> bool:
    """Return False: programs have one representation here.

    >>> in_pir_mode()
    False
    """
    return False


def dygraph_only(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function that raises ModeError in static mode."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not in_dynamic_mode():
            raise ModeError.here(
                f"We only support '{function.__name__}()' in dynamic graph mode, "
                "please call 'disable_static()' to enter it"
            )
        return function(*args, **kwargs)

    return call


def static_only(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function that raises ModeError in dynamic mode."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if in_dynamic_mode():
            raise ModeError.here(
                f"'{function.__name__}()' is only supported in static graph mode: "
                "please call 'enable_static()' before"
            )
        return function(*args, **kwargs)

    return call


def grad_var_name(var_name: str) -> str:
    """Name the gradient of a Variable.

    >>> grad_var_name("x")
    'x@GRAD'
    """
    return f"{var_name}@GRAD"


def _current_expected_place() -> CPUPlace:
    """The place where ops run."""
    return CPUPlace()


class Tracer:
    """Dynamic mode's recorder, as far as code of Paddle asks it: does it record."""

    @property
    def _has_grad(self) -> bool:
        return recording.get()

    @_has_grad.setter
    def _has_grad(self, value: bool) -> None:
        recording.set(value)


_tracer = Tracer()


def _dygraph_tracer() -> Tracer | None:
    """The recorder of dynamic mode; None in static mode."""
    return _tracer if in_dynamic_mode() else None


def __getattr__(name: str) -> Any:
    return getattr(_fluid, name)
