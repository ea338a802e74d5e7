"""Paddle 1.x's dynamic mode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from teachgraph import mode
from teachgraph.eager import Tensor, to_tensor
from teachgraph.errors import ModeError, at_user_line
from teachgraph.mode import no_grad
from teachgraph.nn import Layer, Sequential
from teachgraph.nn import Linear as _Linear

__all__ = [
    "Layer",
    "Linear",
    "Sequential",
    "disable_dygraph",
    "disable_imperative",
    "enable_dygraph",
    "enable_imperative",
    "enabled",
    "guard",
    "no_grad",
    "to_variable",
]


@contextmanager
def guard(place: Any = None) -> Iterator[None]:
    """Inside, everything runs at once.

    >>> with guard():
    ...     enabled()
    True
    """
    with mode.using(static=False):
        yield


class Enabled:
    """What `enable_dygraph` returns: leaving it in a `with` block switches back."""

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
        mode.choose(self._before)


def enable_dygraph(place: Any = None) -> Enabled:
    """From now on everything runs at once; in a `with` statement, only inside it."""
    return Enabled(mode.choose(False))


def disable_dygraph() -> None:
    """From now on layers build programs."""
    mode.choose(True)


enable_imperative = enable_dygraph
disable_imperative = disable_dygraph


def enabled() -> bool:
    """Whether 1.x code runs at once just now; it does not unless it asked to.

    >>> with guard():
    ...     enabled()
    True
    """
    return mode.chosen() is False


def to_variable(value: Any, name: str | None = None, zero_copy: bool = False) -> Tensor:
    """A Tensor of an array's values.

    Raises:
        ModeError: Outside `guard()`.

    >>> with guard():
    ...     to_variable([1.0, 2.0]).shape
    [2]
    """
    if not enabled():
        raise ModeError(
            at_user_line(
                "We Only support to_variable in imperative mode, please use "
                "fluid.dygraph.guard() as context to run it in imperative Mode"
            )
        )
    tensor = to_tensor(value)
    if name is not None:
        tensor.name = name
    return tensor


class Linear(_Linear):
    """A fully connected layer by 1.x's argument names: act(x W + b).

    In Paddle this is `fluid.dygraph.Linear`.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        act: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(input_dim, output_dim, param_attr, bias_attr)
        self._act = act

    def forward(self, x: Any) -> Any:
        """x W + b, then the activation."""
        from teachgraph.fluid.layers import activated

        return activated(super().forward(x), self._act)
