"""Loading of PyTorch's weights: names are mapped, linear weights transposed.

PyTorch stores the weight of a linear layer as [out, in], Paddle and teachgraph as
[in, out]. The rest is a mapping of names, of which each model has a table; a model
that has no twin in PyTorch reads Paddle's own files, whose names are its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.errors import DataError
from teachgraph.io import saving
from teachgraph.nn import Layer, Linear
from teachgraph.nn.layer import mismatch

__all__ = ["Names", "from_file", "from_paddle", "load_pytorch", "renamed"]

Names = Sequence[tuple[str, str]]
"""Replacements in a name, applied in order: (theirs, ours)."""


def renamed(name: str, names: Names) -> str:
    """Map one of their names to ours.

    >>> renamed("bn1.running_var", [("running_mean", "_mean"), ("running_var", "_v")])
    'bn1._v'
    """
    for theirs, ours in names:
        name = name.replace(theirs, ours)
    return name


def load_pytorch(
    net: Layer,
    state: Mapping[str, Any] | str | PathLike[str],
    names: Names = (),
    ignored: Iterable[str] = (),
    strict: bool = True,
) -> tuple[list[str], list[str]]:
    """Load a PyTorch state dict into a network.

    Args:
        net: The network.
        state: Arrays by PyTorch's names, or a safetensors file of them.
        names: The replacements that map their names to ours.
        ignored: Suffixes of names that have no counterpart here and need none.
        strict: Refuse missing and unexpected names.

    Returns:
        The missing names (ours) and the unexpected names (theirs).

    Raises:
        DataError: With `strict`, there are such names; nothing has changed.
        InvalidValueError: A value has another shape or dtype; nothing has changed.

    >>> import numpy as np
    >>> net = Linear(3, 2)
    >>> load_pytorch(net, {"weight": np.ones((2, 3), "f"), "bias": np.ones(2, "f")})
    ([], [])
    """
    arrays = state if isinstance(state, Mapping) else saving.load(state)
    relevant = [name for name in arrays if not name.endswith(tuple(ignored))]
    ours = {renamed(name, names): name for name in relevant}
    own = net.state_dict()
    missing = [name for name in own if name not in ours]
    unexpected = [name for mine, name in ours.items() if mine not in own]
    if strict:
        check_names(net, missing, unexpected)
    transposed = linear_weights(net)
    loaded = {
        mine: np.asarray(arrays[name]).T if mine in transposed else arrays[name]
        for mine, name in ours.items()
        if mine in own
    }
    check_shapes(own, loaded)
    net.set_state_dict({**own, **loaded})
    return missing, unexpected


def check_names(net: Layer, missing: Sequence[str], unexpected: Sequence[str]) -> None:
    """Refuse missing and unexpected names.

    Raises:
        DataError: There are such names.
    """
    if missing or unexpected:
        reason = f"no value for {missing}, no parameter for {unexpected}"
        raise DataError.here(f"{type(net).__name__}: {reason}")


def check_shapes(own: Mapping[str, Any], loaded: Mapping[str, Any]) -> None:
    """Refuse values of other shapes, which `set_state_dict` skips.

    Raises:
        InvalidValueError: There is such a value.
    """
    for name, value in loaded.items():
        if reason := mismatch(name, own[name], value):
            raise InvalidValueError.here(reason)


def linear_weights(net: Layer) -> set[str]:
    """Names of the weights that PyTorch stores transposed."""
    layers = net.named_sublayers(include_self=True)
    linear = [path for path, layer in layers if isinstance(layer, Linear)]
    return {f"{path}.weight".lstrip(".") for path in linear}


def from_file(net: Any, pretrained: Any, names: Names, ignored: Sequence[str]) -> Any:
    """Load the file `pretrained`, if one is given, into a network; return the network.

    Raises:
        InvalidValueError: `pretrained` is True: no weights come with the framework.
    """
    check_is_file(pretrained, "a safetensors file with PyTorch's names")
    if pretrained:
        load_pytorch(net, pretrained, names, ignored)
    return net


def from_paddle(net: Any, pretrained: Any) -> Any:
    """Load a file with Paddle's names, if one is given, into a network; return it.

    Raises:
        DataError: The file has other names; nothing has changed.
        InvalidValueError: A value has another shape, or `pretrained` is True: no
            weights come with the framework.
    """
    check_is_file(pretrained, "a .pdparams file with Paddle's names")
    if pretrained:
        state, own = saving.load(pretrained), net.state_dict()
        # What Paddle saves beside the values: the parameters' own names.
        state.pop("StructuredToParameterName@@", None)
        missing = [name for name in own if name not in state]
        check_names(net, missing, [name for name in state if name not in own])
        check_shapes(own, state)
        net.set_state_dict(state)
    return net


def check_is_file(pretrained: Any, wanted: str) -> None:
    """Refuse True in place of a path.

    Raises:
        InvalidValueError: It is True: no weights come with the framework.
    """
    if pretrained is True:
        reason = f"no weights come along; give the path of {wanted} instead of True"
        raise InvalidValueError.here(f"pretrained: {reason}")
