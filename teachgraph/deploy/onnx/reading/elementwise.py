"""Functions of single elements, of one tensor or two."""

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
    """A number of the same type."""
    return np.array(value, x.dtype)


def one(function: Callable[[Any], Any]) -> Importer:
    """Called on the input."""
    return lambda node: function(node.x())


def two(function: Callable[[Any, Any], Any]) -> Importer:
    """Called on both."""
    return lambda node: function(node.x(), aligned(node))


def aligned(node: Node) -> Any:
    """The second input; before opset 7 it could stand at an axis of the first."""
    x, y = node.x(), node.x(1)
    axis = node.attr("axis")
    if axis is None or node.opset >= 7:
        return y
    return f.unsqueeze(y, list(range(len(y.shape), len(x.shape) - axis)) or [0])


IMPORTERS.update({theirs: one(ours) for theirs, ours in ONE.items()})
IMPORTERS.update({theirs: two(ours) for theirs, ours in TWO.items()})


@reads("Round")
def round_(node: Node) -> Any:
    """To the nearest whole number; a half to the nearest even one."""
    return rounded(node.x())


def rounded(x: Any) -> Any:
    """The same of a value."""
    half = f.equal(x - f.floor(x), zero(x, 0.5))
    even = f.multiply(f.round(f.multiply(x, zero(x, 0.5))), zero(x, 2))
    return f.where(half, even, f.round(x))


@reads("Div")
def div(node: Node) -> Any:
    """The quotient; whole numbers are cut towards zero."""
    x, y = node.x(), aligned(node)
    return f.divide(x, y) if x.dtype.kind == "f" else cut(x, y)


def cut(x: Any, y: Any) -> Any:
    """The quotient of whole numbers, cut towards zero."""
    if x.dtype.kind == "u":
        return f.floor_divide(x, y)
    size = f.floor_divide(f.abs(x), f.abs(y))
    return f.where(
        f.equal(f.less_than(x, zero(x)), f.less_than(y, zero(y))), size, -size
    )


@reads("Mod")
def mod(node: Node) -> Any:
    """The remainder, with the sign of the divisor, or (`fmod`) of the dividend."""
    x, y = node.x(), node.x(1)
    if not node.attr("fmod", 0):
        return f.mod(x, y)
    if x.dtype.kind == "f":
        return x - y * f.trunc(f.divide(x, y))
    return x - y * cut(x, y)


@reads("Pow")
def power(node: Node) -> Any:
    """X to the y, in the type of x."""
    x, y = node.x(), aligned(node)
    wide = np.result_type(x.dtype, y.dtype)
    if x.dtype == y.dtype:
        return f.pow(x, y)
    return f.cast(f.pow(f.cast(x, wide), f.cast(y, wide)), x.dtype)


@reads("Max", "Min", "Sum", "Mean")
def among(node: Node) -> Any:
    """Of any number of inputs."""
    fold = {"Max": f.maximum, "Min": f.minimum}.get(node.type, f.add)
    found = reduce(fold, node.all())
    return found / zero(found, len(node)) if node.type == "Mean" else found


@reads("Where")
def where(node: Node) -> Any:
    """The second where the first holds, else the third."""
    return f.where(node.x(0), node.x(1), node.x(2))


@reads("Cast")
def cast(node: Node) -> Any:
    """In another type."""
    return converted(node.x(), dtype_of(node.attr("to")))


@reads("CastLike")
def cast_like(node: Node) -> Any:
    """In the type of the other."""
    return converted(node.x(), node.x(1).dtype)


def converted(x: Any, dtype: Any) -> Any:
    """In another type, if it is one."""
    return x if x.dtype == dtype else f.cast(x, dtype)


@reads("Clip")
def clip(node: Node) -> Any:
    """Between two bounds, each of which may be left out."""
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
    """Alpha (exp(x) - 1) below 0."""
    return nnf.elu(node.x(), node.attr("alpha", 1.0))


@reads("Celu")
def celu(node: Node) -> Any:
    """Alpha (exp(x / alpha) - 1) below 0."""
    return nnf.celu(node.x(), node.attr("alpha", 1.0))


@reads("Selu")
def selu(node: Node) -> Any:
    """The one that normalises itself."""
    alpha, gamma = node.attr("alpha", 1.67326319), node.attr("gamma", 1.05070102)
    return selu_op(node.x(), alpha=alpha, scale=gamma)


@reads("LeakyRelu")
def leaky_relu(node: Node) -> Any:
    """Alpha x below 0."""
    return nnf.leaky_relu(node.x(), node.attr("alpha", 0.01))


@reads("PRelu")
def prelu(node: Node) -> Any:
    """The same with slopes that broadcast."""
    x, slope = node.x(), node.x(1)
    return f.where(f.less_than(x, zero(x)), f.multiply(slope, x), x)


@reads("ThresholdedRelu")
def thresholded_relu(node: Node) -> Any:
    """X above alpha, else 0."""
    return nnf.thresholded_relu(node.x(), node.attr("alpha", 1.0))


@reads("HardSigmoid")
def hardsigmoid(node: Node) -> Any:
    """min(max(alpha x + beta, 0), 1)."""
    slope, offset = node.attr("alpha", 0.2), node.attr("beta", 0.5)
    return hard_sigmoid(node.x(), slope=slope, offset=offset)


@reads("Gelu")
def gelu(node: Node) -> Any:
    """X Phi(x)."""
    return nnf.gelu(node.x(), approximate=node.attr("approximate", "none") == "tanh")


@reads("Swish")
def swish(node: Node) -> Any:
    """X sigmoid(alpha x)."""
    x = node.x()
    return x * nnf.sigmoid(x * zero(x, node.attr("alpha", 1.0)))


@reads("Shrink")
def shrink(node: Node) -> Any:
    """Nearer to 0 by `bias`, and 0 where |x| is at most `lambd`."""
    x = node.x()
    bias, edge = zero(x, node.attr("bias", 0.0)), zero(x, node.attr("lambd", 0.5))
    high = f.where(f.greater_than(x, edge), x - bias, zero(x) * x)
    return f.where(f.less_than(x, -edge), x + bias, high)


@reads("IsInf")
def isinf(node: Node) -> Any:
    """Whether it is infinite, above or below."""
    x = node.x()
    found = f.isinf(x)
    if not node.attr("detect_positive", 1):
        found = f.logical_and(found, f.less_than(x, zero(x)))
    if not node.attr("detect_negative", 1):
        found = f.logical_and(found, f.greater_than(x, zero(x)))
    return found


@reads("BitShift")
def bit_shift(node: Node) -> Any:
    """Times or by a power of 2; what is moved further than there are bits is gone."""
    x, wide = node.x(), f.cast(node.x(), "int64")
    steps, left = f.cast(node.x(1), "int64"), node.attr("direction") == "LEFT"
    bits, none = np.array(min(8 * x.dtype.itemsize, 63 + left)), np.array(0)
    far = f.logical_or(f.less_than(steps, none), f.greater_equal(steps, bits))
    times = f.pow(np.array([2]), f.where(far, none, steps))
    sign = none if left else f.where(f.less_than(wide, none), np.array(-1), none)
    found = f.multiply(wide, times) if left else f.floor_divide(wide, times)
    return f.cast(f.where(far, sign, found), x.dtype)
