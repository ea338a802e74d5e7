"""Converters of elementwise functions of one tensor."""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt

import numpy as np

from teachgraph.deploy.onnx.writing.writer import CONVERTERS, Converter, Step, writes

SAME = {
    "abs": "Abs",
    "acos": "Acos",
    "acosh": "Acosh",
    "asin": "Asin",
    "asinh": "Asinh",
    "assign": "Identity",
    "atan": "Atan",
    "atanh": "Atanh",
    "ceil": "Ceil",
    "cos": "Cos",
    "cosh": "Cosh",
    "erf": "Erf",
    "floor": "Floor",
    "isinf_v2": "IsInf",
    "isnan_v2": "IsNaN",
    "print": "Identity",
    "reciprocal": "Reciprocal",
    "relu": "Relu",
    "rnn_memory_helper": "Identity",
    "sigmoid": "Sigmoid",
    "sign": "Sign",
    "sin": "Sin",
    "sinh": "Sinh",
    "softsign": "Softsign",
    "sqrt": "Sqrt",
    "tan": "Tan",
    "tanh": "Tanh",
}
"""Ops with an equivalent of ONNX, without attributes."""

RENAMED: dict[str, tuple[str, dict[str, str]]] = {
    "celu": ("Celu", {"alpha": "alpha"}),
    "elu": ("Elu", {"alpha": "alpha"}),
    "hard_shrink": ("Shrink", {"lambd": "threshold"}),
    "hard_sigmoid": ("HardSigmoid", {"alpha": "slope", "beta": "offset"}),
    "leaky_relu": ("LeakyRelu", {"alpha": "alpha"}),
    "log_softmax": ("LogSoftmax", {"axis": "axis"}),
    "selu": ("Selu", {"alpha": "alpha", "gamma": "scale"}),
    "softmax": ("Softmax", {"axis": "axis"}),
    "softshrink": ("Shrink", {"lambd": "lambda_", "bias": "lambda_"}),
    "thresholded_relu": ("ThresholdedRelu", {"alpha": "threshold"}),
}
"""Ops with an equivalent whose attributes have other names."""


def to_node(theirs: str) -> Converter:
    """Return the converter to one node."""
    return lambda step: step.give(theirs, step.get())


def renamed(theirs: str, names: dict[str, str]) -> Converter:
    """Return the converter to one node with renamed attributes."""
    return lambda step: step.give(
        theirs, step.get(), **{n: step.attrs[ours] for n, ours in names.items()}
    )


CONVERTERS.update({ours: to_node(theirs) for ours, theirs in SAME.items()})
CONVERTERS.update({ours: renamed(*theirs) for ours, theirs in RENAMED.items()})


def bounded(low: float, high: float) -> Callable[[Step], str]:
    """Return the converter to a `Clip` with constant bounds."""
    return lambda step: step.put("Clip", step.get(), step.like(low), step.like(high))


@writes("relu6")
def relu6(step: Step) -> None:
    """Export min(max(x, 0), 6)."""
    step.give("Clip", step.get(), step.like(0), step.like(6))


@writes("clip")
def clip(step: Step) -> None:
    """Export min(max(x, min), max); an infinite bound is omitted."""
    low, high = step.attrs["min"], step.attrs["max"]
    bounds = ["" if abs(n) == float("inf") else step.like(n) for n in (low, high)]
    step.give("Clip", step.get(), *bounds)


@writes("brelu")
def brelu(step: Step) -> None:
    """Export a clip to two thresholds."""
    low, high = step.like(step.attrs["t_min"]), step.like(step.attrs["t_max"])
    step.give("Clip", step.get(), low, high)


@writes("silu", "swish")
def silu(step: Step) -> None:
    """Export x sigmoid(x)."""
    step.give("Mul", step.get(), step.put("Sigmoid", step.get()))


@writes("hard_swish")
def hard_swish(step: Step) -> None:
    """Export x min(max(x + offset, 0), threshold) / scale."""
    shifted = step.put("Add", step.get(), step.like(step.attrs["offset"]))
    gate = step.put("Clip", shifted, step.like(0), step.like(step.attrs["threshold"]))
    product = step.put("Mul", step.get(), gate)
    step.give("Div", product, step.like(step.attrs["scale"]))


@writes("gelu")
def gelu(step: Step) -> None:
    """Export x Phi(x), with Phi by erf or approximately by tanh."""
    x, half, one = step.get(), step.like(0.5), step.like(1)
    if step.attrs["approximate"]:
        cube = step.put(
            "Mul", step.put("Mul", step.put("Mul", x, x), x), step.like(0.044715)
        )
        slope = step.put(
            "Mul", step.put("Add", x, cube), step.like(sqrt(2 / 3.141592653589793))
        )
        curve = step.put("Tanh", slope)
    else:
        curve = step.put("Erf", step.put("Mul", x, step.like(sqrt(0.5))))
    phi = step.put("Mul", step.put("Add", curve, one), half)
    step.give("Mul", x, phi)


STEEP = 18
"""Beyond it softplus is x in float32: exp(-18) is below the last digit of 18."""


@writes("softplus")
def softplus(step: Step) -> None:
    """Export log(1 + exp(beta x)) / beta; beyond a threshold x itself."""
    beta = step.like(step.attrs["beta"])
    scaled = step.put("Mul", step.get(), beta)
    smooth = step.put("Div", step.put("Softplus", scaled), beta)
    if step.attrs["threshold"] >= STEEP:
        return step.give("Identity", smooth)
    straight = step.put("Greater", scaled, step.like(step.attrs["threshold"]))
    return step.give("Where", straight, step.get(), smooth)


@writes("mish")
def mish(step: Step) -> None:
    """Export x tanh(softplus(x))."""
    step.give("Mul", step.get(), step.put("Tanh", step.put("Softplus", step.get())))


@writes("logsigmoid")
def logsigmoid(step: Step) -> None:
    """Export -log(1 + exp(-x))."""
    step.give("Neg", step.put("Softplus", step.put("Neg", step.get())))


@writes("round")
def round_(step: Step) -> None:
    """Export rounding away from 0 for a half; ONNX's Round takes the even integer."""
    size = step.put("Add", step.put("Abs", step.get()), step.like(0.5))
    step.give("Mul", step.put("Sign", step.get()), step.put("Floor", size))


@writes("logical_not")
def logical_not(step: Step) -> None:
    """Export logical not, of a number x == 0."""
    step.give("Not", step.get_as("x", np.bool_))


@writes("trunc")
def trunc(step: Step) -> None:
    """Export truncation; integers stay as they are."""
    if step.variable("x").dtype.kind in "iu":
        return step.give("Identity", step.get())
    size = step.put("Floor", step.put("Abs", step.get()))
    return step.give("Mul", step.put("Sign", step.get()), size)


@writes("bitwise_not")
def bitwise_not(step: Step) -> None:
    """Export bitwise not; of booleans, logical not."""
    if step.variable("x").dtype == np.bool_:
        return step.give("Not", step.get())
    if step.writer.opset < 18:
        step.refuse("the bits of whole numbers need opset_version=18")
    return step.give("BitwiseNot", step.get())


@writes("square")
def square(step: Step) -> None:
    """Export x squared."""
    step.give("Mul", step.get(), step.get())


@writes("rsqrt")
def rsqrt(step: Step) -> None:
    """Export 1 / sqrt(x)."""
    step.give("Reciprocal", step.put("Sqrt", step.get()))


@writes("pow")
def power(step: Step) -> None:
    """Export x to a constant power."""
    step.give("Pow", step.get(), step.like(step.attrs["factor"]))


def in_result(step: Step) -> str:
    """Return the input in the dtype of the result, which of integers is floating."""
    return step.get_as("x", step.result().dtype)


@writes("exp", "log")
def exponential(step: Step) -> None:
    """Export exp and log."""
    step.give(step.operator.type.capitalize(), in_result(step))


@writes("log1p")
def log1p(step: Step) -> None:
    """Export log(1 + x)."""
    one = step.constant(1, step.result().dtype)
    step.give("Log", step.put("Add", in_result(step), one))


@writes("expm1")
def expm1(step: Step) -> None:
    """Export exp(x) - 1."""
    one = step.constant(1, step.result().dtype)
    step.give("Sub", step.put("Exp", in_result(step)), one)


@writes("log2", "log10")
def other_logarithm(step: Step) -> None:
    """Export the logarithm to base 2 or 10."""
    base = 2 if step.operator.type == "log2" else 10
    divisor = step.constant(log(base), step.result().dtype)
    step.give("Div", step.put("Log", in_result(step)), divisor)


@writes("stanh")
def stanh(step: Step) -> None:
    """Export b tanh(a x)."""
    inner = step.put("Mul", step.get(), step.like(step.attrs["scale_a"]))
    step.give("Mul", step.put("Tanh", inner), step.like(step.attrs["scale_b"]))


@writes("tanh_shrink")
def tanh_shrink(step: Step) -> None:
    """Export x - tanh(x)."""
    step.give("Sub", step.get(), step.put("Tanh", step.get()))


@writes("isfinite_v2")
def isfinite(step: Step) -> None:
    """Export: neither infinite nor NaN."""
    wrong = step.put("Or", step.put("IsNaN", step.get()), step.put("IsInf", step.get()))
    step.give("Not", wrong)


@writes("scale")
def scale(step: Step) -> None:
    """Export scale x + bias, or scale (x + bias)."""
    factor, bias = step.attrs["scale"], step.attrs["bias"]
    if not bias:
        return step.give("Mul", step.get(), step.like(factor))
    if step.attrs["bias_after_scale"]:
        x = (
            step.get()
            if factor == 1
            else step.put("Mul", step.get(), step.like(factor))
        )
        return step.give("Add", x, step.like(bias))
    shifted = step.put("Add", step.get(), step.like(bias))
    return step.give("Mul", shifted, step.like(factor))


@writes("increment")
def increment(step: Step) -> None:
    """Export x + step."""
    step.give("Add", step.get(), step.like(step.attrs["step"]))


@writes("dropout")
def dropout(step: Step) -> None:
    """Export dropout in evaluation mode."""
    if not step.attrs["is_test"]:
        step.refuse("it draws numbers; export a model for use, in eval mode")
    if step.attrs["dropout_implementation"] == "upscale_in_train":
        return step.give("Identity", step.get())
    return step.give("Mul", step.get(), step.like(1.0 - step.attrs["dropout_prob"]))


@writes("prelu")
def prelu(step: Step) -> None:
    """Export a learned slope for x < 0, one for all or one for each channel."""
    alpha, ndim = step.get("alpha"), step.ndim
    if step.attrs["mode"] == "channel" and step.attrs["data_format"] == "NCHW":
        shape = step.ints(-1, *[1] * (ndim - 2))
        alpha = step.put("Reshape", alpha, shape)
    elif not ndim:
        alpha = step.put("Reshape", alpha, step.ints())
    step.give("PRelu", step.get(), alpha)
