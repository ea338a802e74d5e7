"""Importers of elementwise ops."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from teachgraph.deploy.onnx.reading.reader import IMPORTERS, Importer, Node, reads
from teachgraph.deploy.onnx.types import dtype_of
from teachgraph.nn import functional as nnf
from teachgraph.ops import functions as f
from teachgraph.ops.activation import hard_sigmoid
from teachgraph.ops.activation import selu as selu_op

ONE: dict[str, Callable[[Any], Any]] = {
    "Abs": f.abs,
    "Acos": f.acos,
    "Acosh": f.acosh,
    "Asin": f.asin,
    "Asinh": f.asinh,
    "Atan": f.atan,
    "Atanh": f.atanh,
    "BitwiseNot": f.bitwise_not,
    "Ceil": f.ceil,
    "Cos": f.cos,
    "Cosh": f.cosh,
    "Erf": f.erf,
    "Exp": f.exp,
    "Floor": f.floor,
    "HardSwish": nnf.hardswish,
    "Identity": lambda x: x,
    "IsNaN": f.isnan,
    "Log": f.log,
    "Mish": nnf.mish,
    "Neg": f.neg,
    "Not": f.logical_not,
    "Reciprocal": f.reciprocal,
    "Relu": lambda x: nnf.relu(x) if x.dtype.kind == "f" else f.maximum(x, zero(x)),
    "Sigmoid": nnf.sigmoid,
    "Sign": f.sign,
    "Sin": f.sin,
    "Sinh": f.sinh,
    "Softplus": lambda x: f.log1p(f.exp(-f.abs(x))) + nnf.relu(x),
    "Softsign": nnf.softsign,
    "Sqrt": f.sqrt,
    "Tan": f.tan,
    "Tanh": f.tanh,
}
"""Ops of one input and no attributes."""

TWO: dict[str, Callable[[Any, Any], Any]] = {
    "Add": f.add,
    "And": f.logical_and,
    "BitwiseAnd": f.bitwise_and,
    "BitwiseOr": f.bitwise_or,
    "BitwiseXor": f.bitwise_xor,
    "Equal": f.equal,
    "Greater": f.greater_than,
    "GreaterOrEqual": f.greater_equal,
    "Less": f.less_than,
    "LessOrEqual": f.less_equal,
    "Mul": f.multiply,
    "Or": f.logical_or,
    "Sub": f.subtract,
    "Xor": f.logical_xor,
}
"""Ops of two inputs, which broadcast."""


def zero(x: Any, value: float = 0) -> Any:
    """Return a number of the dtype of x."""
    return np.array(value, x.dtype)


def unary_importer(function: Callable[[Any], Any]) -> Importer:
    """Return the importer that calls a function on the input."""
    return lambda node: function(node.x())


def binary_importer(function: Callable[[Any, Any], Any]) -> Importer:
    """Return the importer that calls a function on both inputs."""
    return lambda node: function(node.x(), aligned(node))


def aligned(node: Node) -> Any:
    """Return the second input; before opset 7 it could be aligned to an axis."""
    x, y = node.x(), node.x(1)
    axis = node.attr("axis")
    if axis is None or node.opset >= 7:
        return y
    return f.unsqueeze(y, list(range(len(y.shape), len(x.shape) - axis)) or [0])


IMPORTERS.update({theirs: unary_importer(ours) for theirs, ours in ONE.items()})
IMPORTERS.update({theirs: binary_importer(ours) for theirs, ours in TWO.items()})


@reads("Round")
def round_(node: Node) -> Any:
    """Round to the nearest integer, a half to the even one."""
    return rounded(node.x())


def rounded(x: Any) -> Any:
    """Round a value, a half to the even integer; our `round` goes away from 0."""
    half = f.equal(x - f.floor(x), zero(x, 0.5))
    even = f.multiply(f.round(f.multiply(x, zero(x, 0.5))), zero(x, 2))
    return f.where(half, even, f.round(x))


@reads("Div")
def div(node: Node) -> Any:
    """Divide; integers are truncated towards zero."""
    x, y = node.x(), aligned(node)
    return f.divide(x, y) if x.dtype.kind == "f" else truncated_quotient(x, y)


def truncated_quotient(x: Any, y: Any) -> Any:
    """Divide integers, truncated towards zero."""
    if x.dtype.kind == "u":
        return f.floor_divide(x, y)
    size = f.floor_divide(f.abs(x), f.abs(y))
    return f.where(
        f.equal(f.less_than(x, zero(x)), f.less_than(y, zero(y))), size, -size
    )


@reads("Mod")
def mod(node: Node) -> Any:
    """Compute the remainder, with the sign of the divisor or (`fmod`) the dividend."""
    x, y = node.x(), node.x(1)
    if not node.attr("fmod", 0):
        return f.mod(x, y)
    if x.dtype.kind == "f":
        return x - y * f.trunc(f.divide(x, y))
    return x - y * truncated_quotient(x, y)


@reads("Pow")
def power(node: Node) -> Any:
    """Compute x to the power y, in the dtype of x."""
    x, y = node.x(), aligned(node)
    wide = np.result_type(x.dtype, y.dtype)
    if x.dtype == y.dtype:
        return f.pow(x, y)
    return f.cast(f.pow(f.cast(x, wide), f.cast(y, wide)), x.dtype)


@reads("Max", "Min", "Sum", "Mean")
def reduce_inputs(node: Node) -> Any:
    """Reduce any number of inputs, element by element."""
    fold = {"Max": f.maximum, "Min": f.minimum}.get(node.type, f.add)
    out = reduce(fold, node.all())
    return out / zero(out, len(node)) if node.type == "Mean" else out


@reads("Where")
def where(node: Node) -> Any:
    """Select the second input where the first holds, else the third."""
    return f.where(node.x(0), node.x(1), node.x(2))


@reads("Cast")
def cast(node: Node) -> Any:
    """Cast to a dtype."""
    return converted(node.x(), dtype_of(node.attr("to")))


@reads("CastLike")
def cast_like(node: Node) -> Any:
    """Cast to the dtype of the second input."""
    return converted(node.x(), node.x(1).dtype)


def converted(x: Any, dtype: Any) -> Any:
    """Cast to a dtype, unless x has it."""
    return x if x.dtype == dtype else f.cast(x, dtype)


@reads("Clip")
def clip(node: Node) -> Any:
    """Clip to two bounds, each of which is optional."""
    x = node.x()
    low = node.x(1) if node.has(1) else node.attr("min")
    high = node.x(2) if node.has(2) else node.attr("max")
    if low is not None:
        x = f.maximum(x, zero(x, low) if isinstance(low, float) else low)
    if high is not None:
        x = f.minimum(x, zero(x, high) if isinstance(high, float) else high)
    return x


@reads("Elu")
def elu(node: Node) -> Any:
    """Compute alpha (exp(x) - 1) for x < 0."""
    return nnf.elu(node.x(), node.attr("alpha", 1.0))


@reads("Celu")
def celu(node: Node) -> Any:
    """Compute alpha (exp(x / alpha) - 1) for x < 0."""
    return nnf.celu(node.x(), node.attr("alpha", 1.0))


@reads("Selu")
def selu(node: Node) -> Any:
    """Compute gamma x, and gamma alpha (exp(x) - 1) for x < 0."""
    alpha, gamma = node.attr("alpha", 1.67326319), node.attr("gamma", 1.05070102)
    return selu_op(node.x(), alpha=alpha, scale=gamma)


@reads("LeakyRelu")
def leaky_relu(node: Node) -> Any:
    """Compute alpha x for x < 0."""
    return nnf.leaky_relu(node.x(), node.attr("alpha", 0.01))


@reads("PRelu")
def prelu(node: Node) -> Any:
    """Compute slope x for x < 0; the slopes are broadcast."""
    x, slope = node.x(), node.x(1)
    return f.where(f.less_than(x, zero(x)), f.multiply(slope, x), x)


@reads("ThresholdedRelu")
def thresholded_relu(node: Node) -> Any:
    """Compute x for x > alpha, else 0."""
    return nnf.thresholded_relu(node.x(), node.attr("alpha", 1.0))


@reads("HardSigmoid")
def hardsigmoid(node: Node) -> Any:
    """Compute min(max(alpha x + beta, 0), 1)."""
    slope, offset = node.attr("alpha", 0.2), node.attr("beta", 0.5)
    return hard_sigmoid(node.x(), slope=slope, offset=offset)


@reads("Gelu")
def gelu(node: Node) -> Any:
    """Compute x Phi(x)."""
    return nnf.gelu(node.x(), approximate=node.attr("approximate", "none") == "tanh")


@reads("Swish")
def swish(node: Node) -> Any:
    """Compute x sigmoid(alpha x)."""
    x = node.x()
    return x * nnf.sigmoid(x * zero(x, node.attr("alpha", 1.0)))


@reads("Shrink")
def shrink(node: Node) -> Any:
    """Move x towards 0 by `bias`; 0 where |x| is at most `lambd`."""
    x = node.x()
    bias, edge = zero(x, node.attr("bias", 0.0)), zero(x, node.attr("lambd", 0.5))
    high = f.where(f.greater_than(x, edge), x - bias, zero(x) * x)
    return f.where(f.less_than(x, -edge), x + bias, high)


@reads("IsInf")
def isinf(node: Node) -> Any:
    """Test for infinite elements, of either sign or one."""
    x = node.x()
    out = f.isinf(x)
    if not node.attr("detect_positive", 1):
        out = f.logical_and(out, f.less_than(x, zero(x)))
    if not node.attr("detect_negative", 1):
        out = f.logical_and(out, f.greater_than(x, zero(x)))
    return out


@reads("BitShift")
def bit_shift(node: Node) -> Any:
    """Shift bits, as a product or quotient with a power of 2.

    A shift by more bits than there are gives 0, or -1 for a negative x to the right.
    """
    x, wide = node.x(), f.cast(node.x(), "int64")
    steps, left = f.cast(node.x(1), "int64"), node.attr("direction") == "LEFT"
    bits, none = np.array(min(8 * x.dtype.itemsize, 63 + left)), np.array(0)
    far = f.logical_or(f.less_than(steps, none), f.greater_equal(steps, bits))
    times = f.pow(np.array([2]), f.where(far, none, steps))
    sign = none if left else f.where(f.less_than(wide, none), np.array(-1), none)
    out = f.multiply(wide, times) if left else f.floor_divide(wide, times)
    return f.cast(f.where(far, sign, out), x.dtype)
