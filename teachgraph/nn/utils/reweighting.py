"""Reparametrisation of weights: weight norm and spectral norm.

A forward pre-hook computes the weight from the parameters that replace it, so the layer
itself is unchanged.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from teachgraph.autograd.hooks import HookHandle
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.modes import no_grad
from teachgraph.nn.conv import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from teachgraph.nn.layer import Layer
from teachgraph.nn.linear import Linear
from teachgraph.ops.functions.manipulation import reshape
from teachgraph.ops.functions.random import standard_normal
from teachgraph.ops.initializer import Assign
from teachgraph.ops.inplace import overwrite
from teachgraph.ops.lengths import lengths
from teachgraph.ops.spectral_norm import power_iteration, rows_first
from teachgraph.ops.spectral_norm import spectral_norm as divided

__all__ = ["remove_weight_norm", "spectral_norm", "weight_norm"]


class Reweighting:
    """Base of hooks that compute one weight of a layer.

    Attributes:
        name: The weight's name.
        handle: Removes the hook.
    """

    handle: HookHandle

    def __init__(self, name: str) -> None:
        self.name = name

    def weight(self, layer: Layer) -> Any:
        """Compute the weight from the layer's other parameters."""
        raise NotImplementedError

    def __call__(self, layer: Layer, inputs: Any) -> None:
        """Set the layer's attribute to the computed weight."""
        setattr(layer, self.name, self.weight(layer))


class WeightNormHook(Reweighting):
    """Weight norm, w = g v / |v|."""

    def __init__(self, name: str, dim: int | None) -> None:
        super().__init__(name)
        self.dim = dim

    def weight(self, layer: Layer) -> Any:
        """Compute the vector of direction v and norm g."""
        g, v = getattr(layer, f"{self.name}_g"), getattr(layer, f"{self.name}_v")
        divisor = lengths(v, self.dim)
        return v * (reshape(g, divisor.shape) / divisor)


class SpectralNormHook(Reweighting):
    """Spectral norm, w / s; power iteration refines s with every training call."""

    def __init__(self, name: str, dim: int, steps: int, eps: float) -> None:
        super().__init__(name)
        self.dim, self.steps, self.eps = dim, steps, eps

    def weight(self, layer: Layer) -> Any:
        """Divide the weight by its largest singular value."""
        w, u, v = (getattr(layer, f"{self.name}_{end}") for end in ("orig", "u", "v"))
        if layer.training:
            with no_grad():
                matrix = rows_first(w, self.dim)
                refined = power_iteration(matrix, u, v, self.steps, self.eps)
            for vector, new in zip((u, v), refined, strict=True):
                overwrite(vector, new)
        return divided(w, u, v, dim=self.dim, power_iters=0, eps=self.eps)


def weight_norm(layer: Layer, name: str = "weight", dim: int | None = 0) -> Layer:
    """Split a layer's weight into norm and direction: w = g v / |v|.

    Args:
        layer: Its parameter `name` is replaced by `name_g` and `name_v`.
        name: The weight.
        dim: The norm is taken over all other dimensions; None or -1 for one norm of all
            elements.

    Returns:
        The layer.

    Raises:
        InvalidValueError: No such parameter, or `dim` is out of range.

    Source: Salimans and Kingma 2016, https://arxiv.org/abs/1602.07868. In Paddle this
    is `paddle.nn.utils.weight_norm`; in a program, `static.WeightNormParamAttr`.

    >>> import teachgraph as tg
    >>> layer = weight_norm(tg.nn.Linear(2, 3), dim=1)
    >>> sorted(name for name, _ in layer.named_parameters())
    ['bias', 'weight_g', 'weight_v']
    """
    axis = None if dim == -1 else dim
    weight = removed_parameter(layer, name, axis)
    sizes = lengths(weight.data, axis).reshape([] if axis is None else [-1])
    for end, value in (("v", weight.data), ("g", sizes)):
        add_initialized(layer, f"{name}_{end}", value)
    return hooked(layer, WeightNormHook(name, axis))


def remove_weight_norm(layer: Layer, name: str = "weight") -> Layer:
    """Undo `weight_norm`: make the weight a parameter again.

    Raises:
        InvalidValueError: `weight_norm` was not applied.

    In Paddle this is `paddle.nn.utils.remove_weight_norm`.
    """
    for hook in layer._pre_hooks.values():
        if isinstance(hook, WeightNormHook) and hook.name == name:
            break
    else:
        reason = f"remove_weight_norm: {layer.full_name()} has no normalised {name!r}"
        raise InvalidValueError.here(reason)
    value = hook.weight(layer).numpy()
    hook.handle.remove()
    for end in ("", "_g", "_v"):
        delattr(layer, name + end)
    add_initialized(layer, name, value)
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
        layer: Its parameter `name` is replaced by `name_orig` and the vectors of the
            power iteration, which training calls refine.
        name: The weight.
        n_power_iterations: The number of iterations of a training call.
        eps: Keeps the divisions finite.
        dim: The dimension of the outputs: by default 1 for `Linear` and the transposed
            convolutions, else 0.

    Returns:
        The layer.

    Raises:
        InvalidValueError: No such parameter, or `dim` is out of range.

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
    weight = removed_parameter(layer, name, dim)
    rows = weight.shape[dim]
    add_initialized(layer, f"{name}_orig", weight.data)
    for end, size in (("u", rows), ("v", prod(weight.shape) // rows)):
        vector = standard_normal([size], dtype=weight.dtype)
        layer.register_buffer(f"{name}_{end}", vector)
    return hooked(layer, SpectralNormHook(name, dim, n_power_iterations, eps))


def removed_parameter(layer: Layer, name: str, dim: int | None) -> Any:
    """Remove a parameter from its layer and return it.

    Raises:
        InvalidValueError: No such parameter, or `dim` is out of range.
    """
    weight = dict(layer.named_parameters()).get(name)
    if weight is None or not (dim is None or 0 <= dim < weight.ndim):
        has = "no such parameter" if weight is None else f"{weight.ndim} dimensions"
        reason = f"{name!r} of {layer.full_name()}, at dim = {dim}: it has {has}"
        raise InvalidValueError.here(reason)
    delattr(layer, name)
    return weight


def add_initialized(layer: Layer, name: str, value: Any) -> None:
    """Create a parameter with the initial value `value`."""
    array = np.asarray(value)
    start = Assign(array)
    setattr(
        layer,
        name,
        layer.create_parameter(array.shape, None, array.dtype, False, start),
    )


def hooked(layer: Layer, hook: Reweighting) -> Layer:
    """Register the hook and run it once; return the layer."""
    hook.handle = layer.register_forward_pre_hook(hook)
    hook(layer, ())
    return layer
