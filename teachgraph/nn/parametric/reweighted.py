"""Spectral normalisation of weights, in a Program."""

from __future__ import annotations

from math import prod

from teachgraph.core.errors import InvalidValueError
from teachgraph.nn.parametric.inputs import known_sizes, variable
from teachgraph.ops import naming
from teachgraph.ops import spectral_norm as norms
from teachgraph.ops.error_context import all_in_words
from teachgraph.ops.initializer import Normal
from teachgraph.static.layers import parameter
from teachgraph.static.variable import Variable

__all__ = ["spectral_norm"]


def spectral_norm(
    weight: Variable,
    dim: int = 0,
    power_iters: int = 1,
    eps: float = 1e-12,
    name: str | None = None,
) -> Variable:
    """Divide a weight by its largest singular value: the result has spectral norm 1.

    Args:
        weight: Any shape of two dimensions or more, all sizes known.
        dim: The dimension of the rows of the matrix.
        power_iters: The number of power iterations per run.
        eps: Keeps the divisions finite.
        name: Instead of `spectral_norm_N`.

    Raises:
        DTypeError: `weight` is no Variable.
        InvalidValueError: `dim` is out of range.

    In Paddle this is `paddle.static.nn.spectral_norm`.
    """
    w = variable("spectral_norm", weight)
    sizes = known_sizes("spectral_norm", w, w.shape)
    if not 0 <= dim < len(sizes):
        raise InvalidValueError.here(
            f"spectral_norm: no dimension {dim} in a weight {sizes}"
        )
    with naming.layer("spectral_norm", name) as layer:
        vectors = [
            parameter(layer.name, "w", [size], w.dtype, None, Normal(0.0, 1.0))
            for size in (sizes[dim], prod(sizes) // sizes[dim])
        ]
        for vector in vectors:
            assert vector is not None
            vector.stop_gradient = True
        attrs = {"dim": dim, "power_iters": power_iters, "eps": eps}
        with naming.plain("_generated_var"):
            out: Variable = norms.spectral_norm(w, *vectors, **attrs)
    return out


all_in_words(__all__, globals())
