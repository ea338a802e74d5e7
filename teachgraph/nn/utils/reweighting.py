"""Weights made of other parameters each time their layer is called.

A hook before `forward` computes the weight from what is learnt in its place, so that
the layer itself need not know of it.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from teachgraph.autograd.hooks import HookHandle
from teachgraph.core.errors import InvalidValueError, at_user_line
from teachgraph.core.modes import no_grad
from teachgraph.nn.conv import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from teachgraph.nn.layer import Layer
from teachgraph.nn.linear import Linear
from teachgraph.ops.functions.manipulation import reshape
from teachgraph.ops.functions.random import standard_normal
from teachgraph.ops.initializer import Assign
from teachgraph.ops.lengths import lengths
from teachgraph.ops.spectral_norm import power_iteration, rows_first
from teachgraph.ops.spectral_norm import spectral_norm as divided

__all__ = ["remove_weight_norm", "spectral_norm", "weight_norm"]


class Reweighting:
    """What computes one weight of a layer, as a hook.

    Attributes:
        name: Of the weight.
        handle: Takes the hook away.
    """

    handle: HookHandle

    def __init__(self, name: str) -> None:
        self.name = name

    def weight(self, layer: Layer) -> Any:
        """The weight, of the layer's other parameters."""
        raise NotImplementedError

    def __call__(self, layer: Layer, inputs: Any) -> None:
        """Put the weight where the layer looks for it."""
        setattr(layer, self.name, self.weight(layer))


class LengthAndDirection(Reweighting):
    """w = g v / |v|."""

    def __init__(self, name: str, dim: int | None) -> None:
        super().__init__(name)
        self.dim = dim

    def weight(self, layer: Layer) -> Any:
        """The direction v, brought to the length g."""
        g, v = getattr(layer, f"{self.name}_g"), getattr(layer, f"{self.name}_v")
        divisor = lengths(v, self.dim)
        return v * (reshape(g, divisor.shape) / divisor)


class Unstretching(Reweighting):
    """w / s, where power iteration comes nearer to s with every training call."""

    def __init__(self, name: str, dim: int, steps: int, eps: float) -> None:
        super().__init__(name)
        self.dim, self.steps, self.eps = dim, steps, eps

    def weight(self, layer: Layer) -> Any:
        """The weight over its largest singular value."""
        w, u, v = (getattr(layer, f"{self.name}_{end}") for end in ("orig", "u", "v"))
        if layer.training:
            with no_grad():
                matrix = rows_first(w, self.dim)
                found = power_iteration(matrix, u, v, self.steps, self.eps)
            for vector, nearer in zip((u, v), found, strict=True):
                vector.set_value(nearer.numpy())
        return divided(w, u, v, dim=self.dim, power_iters=0, eps=self.eps)


def weight_norm(layer: Layer, name: str = "weight", dim: int | None = 0) -> Layer:
    """Let a layer learn a weight's length and direction apart: w = g v / |v|.

    Args:
        layer: Its parameter `name` gives way to `name_g` and `name_v`.
        name: The weight.
        dim: The dimension at each of whose places v has a length of its own; None or
            -1 for one length of all.

    Returns:
        The layer.

    Raises:
        InvalidValueError: The layer has no such parameter, or that no such dimension.

    Source: Salimans and Kingma 2016, https://arxiv.org/abs/1602.07868. In Paddle this
    is `paddle.nn.utils.weight_norm`; in a program, `static.WeightNormParamAttr`.

    >>> import teachgraph as tg
    >>> layer = weight_norm(tg.nn.Linear(2, 3), dim=1)
    >>> sorted(name for name, _ in layer.named_parameters())
    ['bias', 'weight_g', 'weight_v']
    """
    axis = None if dim == -1 else dim
    weight = taken(layer, name, axis)
    sizes = lengths(weight.data, axis).ravel()
    for end, value in (("g", sizes), ("v", weight.data)):
        learnt(layer, f"{name}_{end}", value)
    return hooked(layer, LengthAndDirection(name, axis))


def remove_weight_norm(layer: Layer, name: str = "weight") -> Layer:
    """Make the weight that `weight_norm` took apart a parameter again.

    Raises:
        InvalidValueError: It was not taken apart.

    In Paddle this is `paddle.nn.utils.remove_weight_norm`.
    """
    for hook in layer._pre_hooks.values():
        if isinstance(hook, LengthAndDirection) and hook.name == name:
            break
    else:
        reason = f"remove_weight_norm: {layer.full_name()} has no normalised {name!r}"
        raise InvalidValueError(at_user_line(reason))
    value = hook.weight(layer).numpy()
    hook.handle.remove()
    for end in ("", "_g", "_v"):
        delattr(layer, name + end)
    learnt(layer, name, value)
    return layer


def spectral_norm(
    layer: Layer,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Layer:
    """Divide a layer's weight by its largest singular value each time it is called.

    Args:
        layer: Its parameter `name` gives way to `name_orig`, and vectors to iterate
            from, which training calls bring nearer.
        name: The weight.
        n_power_iterations: How many steps a training call makes.
        eps: Keeps the divisions finite.
        dim: Which dimension counts the outputs: by default 1 for `Linear` and the
            transposed convolutions, else 0.

    Returns:
        The layer.

    Raises:
        InvalidValueError: The layer has no such parameter, or that no such dimension.

    Source: Miyato et al. 2018, https://arxiv.org/abs/1802.05957. In Paddle this is
    `paddle.nn.utils.spectral_norm`.

    >>> import teachgraph as tg
    >>> layer = spectral_norm(tg.nn.Linear(2, 2), n_power_iterations=50)
    >>> _ = layer(tg.zeros([1, 2]))
    >>> round(tg.linalg.svd(layer.weight)[1].tolist()[0], 4)
    1.0
    """
    if dim is None:
        kinds = (Linear, Conv1DTranspose, Conv2DTranspose, Conv3DTranspose)
        dim = int(isinstance(layer, kinds))
    weight = taken(layer, name, dim)
    rows = weight.shape[dim]
    learnt(layer, f"{name}_orig", weight.data)
    for end, size in (("u", rows), ("v", prod(weight.shape) // rows)):
        vector = standard_normal([size], dtype=weight.dtype)
        layer.register_buffer(f"{name}_{end}", vector)
    return hooked(layer, Unstretching(name, dim, n_power_iterations, eps))


def taken(layer: Layer, name: str, dim: int | None) -> Any:
    """A parameter, taken from its layer.

    Raises:
        InvalidValueError: There is none of that name, or it has no such dimension.
    """
    weight = dict(layer.named_parameters()).get(name)
    if weight is None or not (dim is None or 0 <= dim < weight.ndim):
        has = "no such parameter" if weight is None else f"{weight.ndim} dimensions"
        reason = f"{name!r} of {layer.full_name()}, at dim = {dim}: it has {has}"
        raise InvalidValueError(at_user_line(reason))
    delattr(layer, name)
    return weight


def learnt(layer: Layer, name: str, value: Any) -> None:
    """Make a parameter that starts as `value`."""
    array = np.asarray(value)
    start = Assign(array)
    setattr(
        layer,
        name,
        layer.create_parameter(array.shape, None, array.dtype, False, start),
    )


def hooked(layer: Layer, hook: Reweighting) -> Layer:
    """The layer, with the weight computed now and before each call."""
    hook.handle = layer.register_forward_pre_hook(hook)
    hook(layer, ())
    return layer
