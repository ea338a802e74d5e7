"""Normalisations that create their own scales and shifts."""

from __future__ import annotations

from math import prod
from typing import Any

from teachgraph.nn.functional.norm import layout
from teachgraph.nn.parametric.inputs import channels_of, known_sizes, variable
from teachgraph.ops import activation, naming, norm
from teachgraph.ops.activation import activated
from teachgraph.ops.batch_norm import batch_norm as batch_norm_op
from teachgraph.ops.error_context import all_in_words
from teachgraph.ops.initializer import Constant
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.static.layers import parameter
from teachgraph.static.variable import Variable

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm"]

ONE, ZERO = Constant(1.0), Constant(0.0)


def batch_norm(
    input: Variable,
    act: str | None = None,
    is_test: bool = False,
    momentum: float = 0.9,
    epsilon: float = 1e-5,
    param_attr: Any = None,
    bias_attr: Any = None,
    data_layout: str = "NCHW",
    in_place: bool = False,
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    use_global_stats: bool = False,
) -> Variable:
    """Batch normalisation: act(scale (x - mean) / sqrt(variance + epsilon) + bias).

    Args:
        input: [N, C, ...], or [N, ..., C] with `data_layout="NHWC"`.
        act: The type of an op to apply.
        is_test: Use the running moments.
        momentum: The weight of the old value in them.
        epsilon: Keeps the denominator from 0.
        param_attr: ParamAttr of the scale [C], which starts at 1.
        bias_attr: ParamAttr of the bias [C], which starts at 0.
        data_layout: Where the channels are.
        in_place: Accepted for Paddle's sake.
        name: Instead of `batch_norm_N`.
        moving_mean_name: The running mean's name.
        moving_variance_name: The running variance's name.
        do_model_average_for_mean_and_var: Accepted for Paddle's sake.
        use_global_stats: Use the running moments while training, too.

    In Paddle this is `paddle.static.nn.batch_norm` and `fluid.layers.batch_norm`.
    """
    x = variable("batch_norm", input, 2, 3, 4, 5)
    size = [channels_of("batch_norm", x, data_layout)[1]]
    act_op = activation.activation(act)
    with naming.layer("batch_norm", name) as layer:
        parameters = [
            parameter(layer.name, suffix, size, x.dtype, attr, default)
            for suffix, attr, default in (
                ("w", param_attr, ONE),
                ("b", bias_attr, ZERO),
                ("w", ParamAttr(moving_mean_name, ZERO, trainable=False), ZERO),
                ("w", ParamAttr(moving_variance_name, ONE, trainable=False), ONE),
            )
        ]
        with naming.scope(output_names(layer, is_test=is_test)):
            out = batch_norm_op(
                x,
                *parameters,
                momentum=momentum,
                epsilon=epsilon,
                is_test=is_test,
                data_layout=layout(data_layout),
                use_global_stats=use_global_stats,
                trainable_statistics=False,
            )[-1]
        return act_op(out)  # type: ignore[no-any-return]


def output_names(layer: naming.Layer, *, is_test: bool) -> naming.Namer:
    """Generate the results' names as Paddle numbers them."""
    # While training Paddle's op has one more output, which takes a number here, too.
    names = [layer() for _ in range(3 if is_test else 4)]
    numbered = iter([*names[:2], names[-1]])
    return lambda _: next(numbered)


def layer_norm(
    input: Variable,
    scale: bool = True,
    shift: bool = True,
    begin_norm_axis: int = 1,
    epsilon: float = 1e-5,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    name: str | None = None,
) -> Variable:
    """Layer normalisation over the dimensions from `begin_norm_axis` on.

    Args:
        input: Any shape; the sizes from `begin_norm_axis` on must be known.
        scale: Multiply by a trained scale.
        shift: Add a trained shift.
        begin_norm_axis: The first dimension that the moments are taken over.
        epsilon: Keeps the denominator from 0.
        param_attr: ParamAttr of the scale, one number for each element, 1 at first.
        bias_attr: ParamAttr of the shift, likewise, 0 at first.
        act: The type of an op to apply.
        name: Instead of `layer_norm_N`.

    In Paddle this is `paddle.static.nn.layer_norm` and `fluid.layers.layer_norm`.
    """
    x = variable("layer_norm", input)
    size = [prod(known_sizes("layer_norm", x, x.shape[begin_norm_axis:]))]
    with naming.layer("layer_norm", name) as layer:
        weight = bias = None
        if scale:
            weight = parameter(layer.name, "w", size, x.dtype, param_attr, ONE)
        if shift:
            bias = parameter(layer.name, "b", size, x.dtype, bias_attr, ZERO)
        attrs = {"epsilon": epsilon, "begin_norm_axis": begin_norm_axis}
        out = norm.layer_norm(x, weight, bias, **attrs)[-1]
        return activated(out, act)  # type: ignore[no-any-return]


def group_norm(
    input: Variable,
    groups: int,
    epsilon: float = 1e-5,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    data_layout: str = "NCHW",
    name: str | None = None,
) -> Variable:
    """Group normalisation: moments of groups of a sample's channels.

    A scale and a shift are trained if their attr is given: None is none, as in Paddle.

    In Paddle this is `paddle.static.nn.group_norm` and `fluid.layers.group_norm`.
    """
    x = variable("group_norm", input)
    size = [channels_of("group_norm", x, data_layout)[1]]
    with naming.layer("group_norm", name) as layer:
        scale, shift = param_attr or False, bias_attr or False
        weight = parameter(layer.name, "w", size, x.dtype, scale, ONE)
        bias = parameter(layer.name, "b", size, x.dtype, shift, ZERO)
        attrs = {"groups": groups, "data_layout": layout(data_layout)}
        with naming.plain("_generated_var"):
            out = norm.group_norm(x, weight, bias, epsilon=epsilon, **attrs)[-1]
        return activated(out, act)  # type: ignore[no-any-return]


def instance_norm(
    input: Variable,
    epsilon: float = 1e-5,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Variable:
    """Instance normalisation: moments of each channel of each sample.

    A scale and a shift are trained if their attr is given: None is none, as in Paddle.

    In Paddle this is `paddle.static.nn.instance_norm`.
    """
    x = variable("instance_norm", input, 2, 3, 4, 5)
    size = [channels_of("instance_norm", x, "NCHW")[1]]
    with naming.layer("instance_norm", name) as layer:
        scale, shift = param_attr or False, bias_attr or False
        weight = parameter(layer.name, "w", size, x.dtype, scale, ONE)
        bias = parameter(layer.name, "b", size, x.dtype, shift, ZERO)
        out: Variable = norm.instance_norm(x, weight, bias, epsilon=epsilon)[-1]
    return out


all_in_words(__all__, globals())
