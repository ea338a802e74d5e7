"""Paddle 1.x's `fluid.layers`, for Variables, and for Tensors inside a guard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import isfunction
from typing import TYPE_CHECKING, Any

from teachgraph.core.op import find
from teachgraph.fluid import (
    activations,
    control_flow,
    learning_rates,
    loss,
    math,
    nn,
    rnn_units,
    tensors,
)
from teachgraph.fluid.activations import *  # noqa: F403
from teachgraph.fluid.aliases import alias, all_static_unless_chosen, renamed
from teachgraph.fluid.control_flow import *  # noqa: F403
from teachgraph.fluid.learning_rates import *  # noqa: F403
from teachgraph.fluid.loss import *  # noqa: F403
from teachgraph.fluid.math import *  # noqa: F403
from teachgraph.fluid.nn import *  # noqa: F403
from teachgraph.fluid.rnn_units import *  # noqa: F403
from teachgraph.fluid.tensors import *  # noqa: F403
from teachgraph.nn import functional
from teachgraph.nn.functional import softmax_with_cross_entropy, square_error_cost
from teachgraph.ops import functions
from teachgraph.ops import softmax as softmaxes
from teachgraph.ops.activation import activated
from teachgraph.ops.error_context import all_in_words
from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as
from teachgraph.static import layers as static_layers
from teachgraph.static import py_func
from teachgraph.static.layers import accuracy, auc, create_global_var

__all__ = [
    "abs",
    "accuracy",
    "auc",
    "cast",
    "concat",
    "create_global_var",
    "cross_entropy",
    "data",
    "elementwise_add",
    "elementwise_div",
    "elementwise_max",
    "elementwise_min",
    "elementwise_mul",
    "elementwise_pow",
    "elementwise_sub",
    "exp",
    "fc",
    "fill_constant",
    "log",
    "matmul",
    "mean",
    "py_func",
    "relu",
    "reshape",
    "scale",
    "sigmoid",
    "softmax",
    "softmax_with_cross_entropy",
    "sqrt",
    "square",
    "square_error_cost",
    "tanh",
    "topk",
]
__all__ += activations.__all__ + learning_rates.__all__
__all__ += math.__all__ + rnn_units.__all__ + loss.__all__
__all__ += nn.__all__ + tensors.__all__ + control_flow.__all__

abs = functions.abs
cast = functions.cast
exp = functions.exp
log = functions.log
relu = functional.relu
sigmoid = functional.sigmoid
sqrt = functions.sqrt
square = functions.square
tanh = functions.tanh
topk = alias(functions.topk, "input, k, name=None")


def data(
    name: str,
    shape: Sequence[int | None],
    append_batch_size: bool = True,
    dtype: Any = "float32",
    lod_level: int = 0,
    type: Any = None,
    stop_gradient: bool = True,
) -> Any:
    """Declare a fed variable, with a batch dimension before a shape of known sizes.

    `fluid.data` is the same without that dimension.
    """
    is_open = any(size is None or size < 0 for size in shape)
    sizes = [*shape] if is_open or not append_batch_size else [-1, *shape]
    result = static_layers.data(name, sizes, dtype, lod_level)
    result.stop_gradient = stop_gradient
    return result


mean = renamed(functions.mean, "x, name=None")
fc = renamed(
    static_layers.fc,
    "input, size, num_flatten_dims=1, param_attr=None, bias_attr=None, act=None, "
    "name=None",
    input="x",
    param_attr="weight_attr",
    act="activation",
)


def fill_constant(
    shape: Sequence[int],
    dtype: Any,
    value: float,
    force_cpu: bool = False,
    out: Any = None,
    name: str | None = None,
) -> Any:
    """Create a tensor of one value, or write it to `out`."""
    result = functions.full(shape, value, dtype)
    return result if out is None else functions.assign(result, out)


def softmax(
    input: Any, use_cudnn: bool = False, name: Any = None, axis: int = -1
) -> Any:
    """Compute exp(input) / sum exp(input) along `axis`."""
    return softmaxes.softmax(input, axis=axis)


def cross_entropy(
    input: Any, label: Any, soft_label: bool = False, ignore_index: int = -100
) -> Any:
    """Compute -log input[label] of probabilities: [N, C] and [N, 1] give [N, 1].

    Unlike 2.x's function of that name it takes no logits and no mean. Op
    `cross_entropy2`.

    With `soft_label` the label is a distribution [N, C]: -sum label log input.
    """
    if soft_label:
        logarithm = functions.clip(functions.log(input), min=-1e20)
        surprise = functions.multiply(label, logarithm)
        return functions.scale(functions.sum(surprise, -1, keepdim=True), -1.0)
    return softmaxes.cross_entropy2(input, label, ignore_index=ignore_index)[0]


def reshape(
    x: Any,
    shape: Sequence[int],
    actual_shape: Any = None,
    act: str | None = None,
    inplace: bool = False,
    name: str | None = None,
) -> Any:
    """Reshape a tensor.

    Args:
        x: The tensor.
        shape: The new sizes: 0 keeps one, -1 is inferred.
        actual_shape: Overrides `shape`.
        act: The type of an op to apply.
        inplace: Accepted for Paddle's sake.
        name: The name of the layer.
    """
    shape = shape if actual_shape is None else actual_shape
    return activated(functions.reshape(x, shape), act)


def concat(input: Sequence[Any], axis: int = 0, name: str | None = None) -> Any:
    """Concatenate tensors along `axis`."""
    return functions.concat(input, axis)


def matmul(
    x: Any,
    y: Any,
    transpose_x: bool = False,
    transpose_y: bool = False,
    alpha: float = 1.0,
    name: str | None = None,
) -> Any:
    """Compute alpha times the product of two matrices."""
    out = functions.matmul(x, y, transpose_x, transpose_y)
    return out if alpha == 1.0 else out * alpha


def scale(
    x: Any,
    scale: float = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> Any:
    """Compute scale x + bias."""
    return functions.scale(x, scale, bias, bias_after_scale, act)


def elementwise(type: str) -> Callable[..., Any]:
    """Return the 1.x layer of an elementwise op, with `axis` and an activation."""
    op = find(type)

    def layer(
        x: Any, y: Any, axis: int = -1, act: str | None = None, name: Any = None
    ) -> Any:
        return activated(op(x, y, axis=axis), act)

    layer.__doc__ = f"{op.__doc__} y begins at dimension `axis` of x; `act` follows."
    layer.__name__ = type
    return layer


elementwise_add = elementwise("elementwise_add")
elementwise_sub = elementwise("elementwise_sub")
elementwise_mul = elementwise("elementwise_mul")
elementwise_div = elementwise("elementwise_div")
elementwise_max = elementwise("elementwise_max")
elementwise_min = elementwise("elementwise_min")
elementwise_pow = elementwise("elementwise_pow")

all_in_words([name for name in __all__ if isfunction(globals()[name])], globals())
# `fc` and `mean` need no mode: Variables append themselves.
all_static_unless_chosen([n for n in __all__ if n not in {"fc", "mean"}], globals())

if not TYPE_CHECKING:
    __getattr__ = absent("fluid.layers")

known_as("fluid.layers")
