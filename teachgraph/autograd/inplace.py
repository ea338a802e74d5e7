"""Ops in place: `x.add_(y)` is `x + y`, after which `x` is the result.

The array itself is not written to. The tensor takes the result's array and its place on
the tape, as do its views, and what a node kept before stays what it was, but is out of
date.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log1p, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from teachgraph.autograd.versions import now, overwrite
from teachgraph.autograd.views import (
    enter_pending_views,
    refuse_view_of_leaf,
    shared_by,
    store,
)
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.modes import is_recording
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import Traced
from teachgraph.ops import functions
from teachgraph.ops.diagonal import fill_diagonal, fill_diagonal_tensor
from teachgraph.ops.inplace import overwritten_by
from teachgraph.ops.math import sigmoid
from teachgraph.ops.operators import warn_of_new_variable

if TYPE_CHECKING:
    from teachgraph.autograd.tensor import Tensor

__all__ = ["IN_PLACE", "InPlace", "in_place", "refuse_leaf", "take_values"]


def refuse_leaf(tensor: Tensor) -> None:
    """A leaf that wants a gradient must stay what the gradient is for.

    Raises:
        InvalidValueError: It is one, and ops are being recorded.
    """
    if tensor.is_leaf and not tensor.stop_gradient and is_recording():
        raise InvalidValueError.here(
            f"Leaf Tensor {tensor.label or tensor.shape} that doesn't stop "
            "gradient can't use inplace strategy: its gradient would be that of "
            "a value it no longer has; change it under no_grad, or a clone()"
        )


def take_values(
    tensor: Tensor,
    result: Tensor,
    *,
    reshapes: bool = False,
    recasts: bool = False,
    since: int | None = None,
) -> Tensor:
    """Give `tensor` the values of `result`, and where those came from.

    Args:
        tensor: The tensor; what lies in its memory changes with it.
        result: What it becomes; if that is off the tape, the gradient of what the
            tensor was is zeros.
        reshapes: Whether it may have another shape then: a view of what it was.
        recasts: Whether it may have another dtype: in a memory of its own.
        since: When the op in place began.

    Raises:
        InvalidValueError: The result has another shape or dtype, or `tensor` is a leaf
            that wants a gradient, or a view of one.
    """
    # First of all: views made since the last change are not in their memories yet.
    enter_pending_views()
    refuse_leaf(tensor)
    if not recasts:  # another dtype lies elsewhere, which leaves the leaf what it is
        refuse_view_of_leaf(tensor)
    same_dtype = recasts or result.dtype == tensor.dtype
    if not (same_dtype and (reshapes or result.shape == tensor.shape)):
        raise InvalidValueError.here(
            f"in place, {tensor.dtype} {tensor.shape} cannot become "
            f"{result.dtype} {result.shape}"
        )
    cut = result.stop_gradient and not tensor.stop_gradient
    alike = (result.shape, result.dtype) == (tensor.shape, tensor.dtype)
    if is_recording() and cut and alike:
        result = overwritten_by(tensor, result)
    arrays = [tensor.data]
    shared = shared_by(tensor)
    if shared is None or reshapes or recasts:
        tensor.data = result.data
    else:
        arrays += store(tensor, result.data, result if is_recording() else None)
    if shared is not None and recasts:
        del tensor._shared
    overwrite(*arrays, since=since, version=tensor.inplace_version)
    if is_recording():
        tensor.node, tensor.stop_gradient = result.node, result.stop_gradient
    tensor.inplace_version += 1
    if observers:
        announce("tensor_became", tensor, result)
    return tensor


def in_place(function: Callable[..., Any], **may: bool) -> Any:
    """The method that runs a function and makes the tensor its result.

    As a function of a Variable it says that the result is a new one.

    Args:
        function: What it runs.
        may: What `take_values` allows, by name.
    """

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(self, Traced) and not hasattr(self, "inplace_version"):
            warn_of_new_variable(getattr(function, "__name__", "it"))
            return function(self, *args, **kwargs)
        refuse_leaf(self)
        since = now()
        return take_values(self, function(self, *args, **kwargs), since=since, **may)

    story = (function.__doc__ or "").partition("\n")[0]
    method.__doc__ = f"In place: {story}"
    return method


def fill_diagonal_of(
    x: Any, value: float, offset: int = 0, wrap: bool = False, name: Any = None
) -> Any:
    """Replace what stands on the diagonal by a number."""
    return fill_diagonal(x, value=value, offset=offset, wrap=wrap)


def filled_diagonal(
    x: Any, y: Any, offset: int = 0, dim1: int = 0, dim2: int = 1, name: Any = None
) -> Any:
    """Replace the diagonals of the matrices that two axes span by those given."""
    return fill_diagonal_tensor(x, y, offset=offset, dim1=dim1, dim2=dim2)


class InPlace:
    """The ops of a Tensor that end in `_`: the same, in place."""

    __slots__ = ()

    abs_ = in_place(functions.abs)
    acos_ = in_place(functions.acos)
    acosh_ = in_place(functions.acosh)
    add_ = in_place(functions.add)
    addmm_ = in_place(functions.addmm)
    asin_ = in_place(functions.asin)
    asinh_ = in_place(functions.asinh)
    atan_ = in_place(functions.atan)
    atanh_ = in_place(functions.atanh)
    bitwise_and_ = in_place(functions.bitwise_and)
    bitwise_not_ = in_place(functions.bitwise_not)
    bitwise_or_ = in_place(functions.bitwise_or)
    bitwise_xor_ = in_place(functions.bitwise_xor)
    ceil_ = in_place(functions.ceil)
    clip_ = in_place(functions.clip)
    cos_ = in_place(functions.cos)
    cosh_ = in_place(functions.cosh)
    cumprod_ = in_place(functions.cumprod)
    cumsum_ = in_place(functions.cumsum, reshapes=True)
    digamma_ = in_place(functions.digamma)
    divide_ = in_place(functions.divide)
    erf_ = in_place(functions.erf)
    erfinv_ = in_place(functions.erfinv)
    exp_ = in_place(functions.exp)
    expm1_ = in_place(functions.expm1)
    fill_diagonal_ = in_place(fill_diagonal_of)
    fill_diagonal_tensor_ = in_place(filled_diagonal)
    floor_ = in_place(functions.floor)
    floor_divide_ = in_place(functions.floor_divide)
    floor_mod_ = in_place(functions.floor_mod)
    frac_ = in_place(functions.frac)
    gcd_ = in_place(functions.gcd)
    hypot_ = in_place(functions.hypot)
    i0_ = in_place(functions.i0)
    index_add_ = in_place(functions.index_add)
    index_fill_ = in_place(functions.index_fill)
    index_put_ = in_place(functions.index_put)
    lcm_ = in_place(functions.lcm)
    ldexp_ = in_place(functions.ldexp)
    lerp_ = in_place(functions.lerp)
    lgamma_ = in_place(functions.lgamma)
    log10_ = in_place(functions.log10)
    log1p_ = in_place(functions.log1p)
    log2_ = in_place(functions.log2)
    log_ = in_place(functions.log)
    logit_ = in_place(functions.logit)
    masked_fill_ = in_place(functions.masked_fill)
    mod_ = in_place(functions.mod)
    multigammaln_ = in_place(functions.multigammaln)
    multiply_ = in_place(functions.multiply)
    nan_to_num_ = in_place(functions.nan_to_num)
    neg_ = in_place(functions.neg)
    polygamma_ = in_place(functions.polygamma)
    pow_ = in_place(functions.pow)
    put_along_axis_ = in_place(functions.put_along_axis)
    reciprocal_ = in_place(functions.reciprocal)
    remainder_ = in_place(functions.remainder)
    renorm_ = in_place(functions.renorm)
    round_ = in_place(functions.round)
    rsqrt_ = in_place(functions.rsqrt)
    scale_ = in_place(functions.scale)
    scatter_ = in_place(functions.scatter)
    sigmoid_ = in_place(sigmoid)
    sin_ = in_place(functions.sin)
    sinh_ = in_place(functions.sinh)
    sqrt_ = in_place(functions.sqrt)
    square_ = in_place(functions.square)
    subtract_ = in_place(functions.subtract)
    tan_ = in_place(functions.tan)
    tanh_ = in_place(functions.tanh)
    tril_ = in_place(functions.tril)
    triu_ = in_place(functions.triu)
    trunc_ = in_place(functions.trunc)

    cast_ = in_place(functions.cast, recasts=True)
    equal_ = in_place(functions.equal, recasts=True)
    greater_equal_ = in_place(functions.greater_equal, recasts=True)
    greater_than_ = in_place(functions.greater_than, recasts=True)
    less_equal_ = in_place(functions.less_equal, recasts=True)
    less_than_ = in_place(functions.less_than, recasts=True)
    logical_and_ = in_place(functions.logical_and, recasts=True)
    logical_not_ = in_place(functions.logical_not, recasts=True)
    logical_or_ = in_place(functions.logical_or, recasts=True)
    logical_xor_ = in_place(functions.logical_xor, recasts=True)
    not_equal_ = in_place(functions.not_equal, recasts=True)

    flatten_ = in_place(functions.flatten, reshapes=True)
    reshape_ = in_place(functions.reshape, reshapes=True)
    squeeze_ = in_place(functions.squeeze, reshapes=True)
    t_ = in_place(functions.t, reshapes=True)
    transpose_ = in_place(functions.transpose, reshapes=True)
    unsqueeze_ = in_place(functions.unsqueeze, reshapes=True)

    fill_ = in_place(functions.full_like)
    normal_ = in_place(lambda x, mean=0.0, std=1.0: normal_like(x, mean, std))
    uniform_ = in_place(lambda x, min=-1.0, max=1.0: uniform_like(x, min, max))
    zero_ = in_place(functions.zeros_like)

    cauchy_ = in_place(lambda x, loc=0.0, scale=1.0: cauchy_like(x, loc, scale))
    exponential_ = in_place(lambda x, lam=1.0: waiting_like(x, lam))
    geometric_ = in_place(lambda x, probs: waiting_like(x, -log1p(-probs)))

    def where_(self, x: Any, y: Any) -> Any:
        """In place of `x`: that where this is True, `y` elsewhere."""
        refuse_leaf(x)
        since = now()
        return take_values(x, functions.where(self, x, y), since=since)


IN_PLACE = tuple(sorted(name for name in vars(InPlace) if not name.startswith("_")))
"""Their names; as functions they take the tensor first."""


def normal_like(x: Tensor, mean: float, std: float) -> Any:
    """Normally distributed numbers, as many as in `x`."""
    return functions.cast(functions.normal(mean, std, x.shape), x.dtype)


def uniform_like(x: Tensor, low: float, high: float) -> Any:
    """Numbers spread evenly over [low, high), as many as in `x`."""
    return functions.uniform(x.shape, x.dtype, low, high)


def cauchy_like(x: Tensor, loc: float, scale: float) -> Any:
    """Heights of random angles at a distance: Cauchy's distribution."""
    angles = uniform_like(x, -pi / 2.0, pi / 2.0)
    return functions.tan(angles) * scale + loc


def waiting_like(x: Tensor, rate: float) -> Any:
    """Waiting times of events at this rate: exponentially distributed.

    In Paddle `geometric_` is also that, not rounded to whole numbers of attempts.
    """
    # Uniform numbers may be 0, whose logarithm is infinite.
    least = float(np.finfo(x.dtype).tiny)
    return functions.log(uniform_like(x, least, 1.0)) * (-1.0 / rate)
