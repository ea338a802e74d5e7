"""Weights trained with PyTorch, taken over name by name.

PyTorch keeps the weight of a linear layer as [out, in], Paddle and we as [in, out]. All
else is a matter of names, of which each model brings a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from teachgraph.core.errors import DataError, InvalidValueError, at_user_line
from teachgraph.io import saving
from teachgraph.nn import Layer, Linear

__all__ = ["Names", "from_file", "load_pytorch", "renamed"]

Names = Sequence[tuple[str, str]]
"""Parts of a name that are replaced, one pair after the other: theirs, ours."""


def renamed(name: str, names: Names) -> str:
    """Our name for one of theirs.

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
    """Give a network the values of a PyTorch state dict.

    Args:
        net: The network.
        state: Arrays by PyTorch's names, or a safetensors file of them.
        names: How to get from their names to ours.
        ignored: Ends of names that have no counterpart here and need none.
        strict: Whether every value must find its parameter, and the other way round.

    Returns:
        Our names that got no value, and their names that found no parameter.

    Raises:
        DataError: There are such names, with `strict`; nothing has changed.
        InvalidValueError: A value has another shape or dtype; nothing has changed.

    >>> import numpy as np
    >>> net = Linear(3, 2)
    >>> load_pytorch(net, {"weight": np.ones((2, 3), "f"), "bias": np.ones(2, "f")})
    ([], [])
    """
    given = state if isinstance(state, Mapping) else saving.load(state)
    kept = [name for name in given if not name.endswith(tuple(ignored))]
    ours = {renamed(name, names): name for name in kept}
    own = net.state_dict()
    missing = [name for name in own if name not in ours]
    unexpected = [name for mine, name in ours.items() if mine not in own]
    if strict and (missing or unexpected):
        told = f"no value for {missing}, no parameter for {unexpected}"
        raise DataError(at_user_line(f"{type(net).__name__}: {told}"))
    turned = linear_weights(net)
    found = {
        mine: np.asarray(given[name]).T if mine in turned else given[name]
        for mine, name in ours.items()
        if mine in own
    }
    net.set_state_dict({**own, **found})
    return missing, unexpected


def linear_weights(net: Layer) -> set[str]:
    """The names of the weights that PyTorch keeps the other way round."""
    layers = net.named_sublayers(include_self=True)
    linear = [path for path, layer in layers if isinstance(layer, Linear)]
    return {f"{path}.weight".lstrip(".") for path in linear}


def from_file(net: Any, pretrained: Any, names: Names, ignored: Sequence[str]) -> Any:
    """The network, with the weights of a file if one is given as `pretrained`.

    Raises:
        InvalidValueError: `pretrained` is True: no weights come with the framework.
    """
    if pretrained is True:
        raise InvalidValueError(
            at_user_line(
                "pretrained: no weights come along; give the path of a safetensors "
                "file with PyTorch's names instead of True"
            )
        )
    if pretrained:
        load_pytorch(net, pretrained, names, ignored)
    return net
