"""Paddle 1.x's dynamic mode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from teachgraph import modes
from teachgraph.eager import Tensor, to_tensor
from teachgraph.errors import ModeError, at_user_line
from teachgraph.fluid import dygraph_layers as nn
from teachgraph.fluid.decays import (
    CosineDecay,
    ExponentialDecay,
    InverseTimeDecay,
    LambdaDecay,
    LearningRateDecay,
    LinearLrWarmup,
    MultiStepDecay,
    NaturalExpDecay,
    NoamDecay,
    PiecewiseDecay,
    PolynomialDecay,
    ReduceLROnPlateau,
    StepDecay,
)
from teachgraph.fluid.dygraph_layers import (
    FC,
    BatchNorm,
    Conv2D,
    Conv2DTranspose,
    Dropout,
    Embedding,
    GroupNorm,
    LayerNorm,
    Linear,
    Pool2D,
    PRelu,
)
from teachgraph.fluid.program_translator import ProgramTranslator, declarative
from teachgraph.io import saving
from teachgraph.jit import TracedLayer
from teachgraph.modes import no_grad
from teachgraph.nn import Layer, LayerList, ParameterList, Sequential

__all__ = [
    "FC",
    "BatchNorm",
    "Conv2D",
    "Conv2DTranspose",
    "CosineDecay",
    "Dropout",
    "Embedding",
    "ExponentialDecay",
    "GroupNorm",
    "InverseTimeDecay",
    "LambdaDecay",
    "Layer",
    "LayerList",
    "LayerNorm",
    "LearningRateDecay",
    "Linear",
    "LinearLrWarmup",
    "MultiStepDecay",
    "NaturalExpDecay",
    "NoamDecay",
    "PRelu",
    "ParameterList",
    "PiecewiseDecay",
    "PolynomialDecay",
    "Pool2D",
    "ProgramTranslator",
    "ReduceLROnPlateau",
    "Sequential",
    "StepDecay",
    "TracedLayer",
    "declarative",
    "disable_dygraph",
    "disable_imperative",
    "enable_dygraph",
    "enable_imperative",
    "enabled",
    "guard",
    "load_dygraph",
    "nn",
    "no_grad",
    "save_dygraph",
    "to_variable",
]


@contextmanager
def guard(place: Any = None) -> Iterator[None]:
    """Inside, everything runs at once.

    >>> with guard():
    ...     enabled()
    True
    """
    with modes.using(static=False):
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
        modes.choose(self._before)


def enable_dygraph(place: Any = None) -> Enabled:
    """From now on everything runs at once; in a `with` statement, only inside it."""
    return Enabled(modes.choose(False))


def disable_dygraph() -> None:
    """From now on layers build programs."""
    modes.choose(True)


enable_imperative = enable_dygraph
disable_imperative = disable_dygraph


def enabled() -> bool:
    """Whether 1.x code runs at once just now; it does not unless it asked to.

    >>> with guard():
    ...     enabled()
    True
    """
    return modes.chosen() is False


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


def save_dygraph(state_dict: Mapping[str, Any], model_path: Any) -> None:
    """Write a state: `.pdparams` of a layer, `.pdopt` of an optimizer.

    In Paddle 1.x this is `fluid.save_dygraph`.
    """
    parts = state_dict.values()
    layers = any(isinstance(v, Tensor) and not v.stop_gradient for v in parts)
    suffix = ".pdparams" if layers or not state_dict else ".pdopt"
    saving.save(state_dict, f"{model_path}{suffix}")


def load_dygraph(model_path: Any) -> tuple[Any, Any]:
    """What `save_dygraph` wrote of a layer and of an optimizer, None for neither.

    Raises:
        InvalidValueError: There is neither.

    In Paddle 1.x this is `fluid.load_dygraph`.
    """
    files = [Path(f"{model_path}{suffix}") for suffix in (".pdparams", ".pdopt")]
    if not any(file.is_file() for file in files):
        saving.load(files[0])
    found = [saving.load(file) if file.is_file() else None for file in files]
    return found[0], found[1]
