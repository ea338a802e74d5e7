"""Parameter groups: parameters with their learning rate, decay, clip and options.

Most optimizers have one group, with the settings of the optimizer. A list of dicts
makes several; a missing setting is the optimizer's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.nn.clip import ClipGradBase
from teachgraph.ops.error_message import describe
from teachgraph.optimizer.checks import is_number
from teachgraph.regularizer import L2Decay, WeightDecayRegularizer
from teachgraph.static.variable import Variable

__all__ = ["Group", "clip_of", "groups_of", "parameter_list", "regularizer_of"]

TENSORS = (Tensor, Variable)
KINDS = (*TENSORS, str)


@dataclass(frozen=True, eq=False)
class Group:
    """Parameters with common settings.

    Attributes:
        parameters: Tensors, or Variables or their names; None for all.
        learning_rate: A factor; None for each parameter's own.
        regularizer: The decay, or None.
        clip: The gradient clipping, or None.
        options: The optimizer's hyper-parameters, such as `beta1`.
    """

    parameters: Sequence[Any] | None = None
    learning_rate: float | None = None
    regularizer: WeightDecayRegularizer | None = None
    clip: ClipGradBase | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def groups_of(
    parameters: Any, common: Group, kinds: tuple[type, ...] = TENSORS
) -> list[Group]:
    """Build the groups of the argument `parameters`, with defaults from `common`.

    Args:
        parameters: Parameters, or dicts with some as `params`.
        common: The settings that a dict leaves open.
        kinds: The classes of parameters that are allowed.

    Raises:
        DTypeError: The parameters are neither Tensors nor dicts.
        InvalidValueError: A dict has no `params`, an unknown option, or a parameter of
            another group.
    """
    if isinstance(parameters, Mapping):
        raise DTypeError.here(
            "`parameters` argument should not get dict type, if parameter groups is "
            "needed, please set `parameters` as list of dict"
        )
    items = parameter_list(parameters, (*kinds, Mapping))
    if not any(isinstance(item, Mapping) for item in items):
        return [replace(common, parameters=items)]
    groups = [group_of(item, common, kinds) for item in items]
    named = [name_of(p) for group in groups for p in group.parameters or ()]
    if len(set(named)) < len(named):
        raise InvalidValueError.here(
            "some parameters appear in more than one parameter group"
        )
    for group in groups:
        for parameter in group.parameters or ():
            impose(parameter, group, decays="weight_decay" not in common.options)
    return groups


def impose(parameter: Any, group: Group, *, decays: bool) -> None:
    """Give a parameter the factor and the decay of its group, over those of its own.

    Args:
        parameter: A plain Tensor has neither, and a name neither.
        group: Its group.
        decays: Whether the decay is one that is added to gradients.
    """
    if hasattr(parameter, "optimize_attr"):
        factor = group.learning_rate
        parameter.optimize_attr["learning_rate"] = 1.0 if factor is None else factor
        if decays:
            parameter.regularizer = group.regularizer


def group_of(given: Any, common: Group, kinds: tuple[type, ...]) -> Group:
    """Build one group from a dict."""
    if not isinstance(given, Mapping) or "params" not in given:
        raise InvalidValueError.here(
            f"each parameter group is a dict with 'params', got {given!r}"
        )
    settings = dict(given)
    own: dict[str, Any] = {"parameters": parameter_list(settings.pop("params"), kinds)}
    if "learning_rate" in settings:
        own["learning_rate"] = factor_of(settings.pop("learning_rate"))
    if "grad_clip" in settings:
        own["clip"] = clip_of(settings.pop("grad_clip"))
    if "weight_decay" in settings and "weight_decay" not in common.options:
        own["regularizer"] = regularizer_of(settings.pop("weight_decay"))
    if unknown := [name for name in settings if name not in common.options]:
        known = ["learning_rate", "weight_decay", "grad_clip", *common.options]
        raise InvalidValueError.here(
            f"a parameter group takes {', '.join(known)}, not {unknown}"
        )
    return replace(common, options={**common.options, **settings}, **own)


def parameter_list(parameters: Any, kinds: tuple[type, ...]) -> list[Any]:
    """Convert the parameters to a list.

    Raises:
        DTypeError: They are a single Tensor, or no Tensors.
    """
    alone = isinstance(parameters, KINDS) or not isinstance(parameters, Iterable)
    items = None if alone else list(parameters)
    if items is None or not all(isinstance(p, kinds) for p in items):
        odd = parameters if items is None else items
        raise DTypeError.here(
            "`parameters` argument given to the optimizer should be an iterable of "
            f"Tensors, such as layer.parameters(), got {in_short(odd)}"
        )
    return items


def in_short(given: Any) -> str:
    """Describe an argument without the values of tensors."""
    if isinstance(given, list):
        return f"a list of {', '.join(describe(p) for p in given)}"
    return describe(given)


def name_of(parameter: Any) -> str:
    """Name of a parameter, which may be given by name."""
    return parameter if isinstance(parameter, str) else str(parameter.name)


def factor_of(value: Any) -> float:
    """Require a factor of the learning rate.

    Raises:
        InvalidValueError: The value is no number of at least 0.
    """
    if not is_number(value) or not value >= 0:
        raise InvalidValueError.here(
            f"a group's learning_rate is a factor, got {value!r}"
        )
    return float(value)


def clip_of(value: Any) -> ClipGradBase | None:
    """Require a gradient clipping or None.

    Raises:
        DTypeError: The value is something else.
    """
    if value is None or isinstance(value, ClipGradBase):
        return value
    raise DTypeError.here(
        "'grad_clip' should be an instance of GradientClipBase's derived class, "
        f"such as nn.ClipGradByNorm(1.0), got {value!r}"
    )


def regularizer_of(value: Any) -> WeightDecayRegularizer | None:
    """Resolve a decay; a number is an L2Decay of that strength.

    Raises:
        DTypeError: The value is neither.
    """
    if value is None or isinstance(value, WeightDecayRegularizer):
        return value
    if not is_number(value):
        raise DTypeError.here(
            f"weight_decay is a number, L1Decay or L2Decay, got {value!r}"
        )
    return L2Decay(value)
