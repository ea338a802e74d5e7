"""Layers and functions that come back: what they make, and whether it is trained."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["STORIES"]

IMAGES = np.arange(16, dtype="float32").reshape(1, 4, 2, 2)


def normalised(paddle: Any, layer: Callable[[Any], Any]) -> Any:
    """What a layer makes of images in a program, and how many parameters it has."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [1, 4, 2, 2], "float32")
        out = layer(x)
        executor = paddle.static.Executor()
        with paddle.static.scope_guard(paddle.static.Scope()):
            executor.run(startup)
            values = executor.run(main, {"x": IMAGES}, [out])
    shapes = [list(p.shape) for p in main.all_parameters()]
    return [values, shapes, [op.type for op in main.global_block().ops]]


def a_group_norm(paddle: Any) -> Any:
    return normalised(paddle, lambda x: paddle.static.nn.group_norm(x, 2))


def a_group_norm_with_a_scale(paddle: Any) -> Any:
    def layer(x: Any) -> Any:
        scale = paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(2.0))
        return paddle.static.nn.group_norm(x, 2, param_attr=scale)

    return normalised(paddle, layer)


def a_group_norm_with_a_bias(paddle: Any) -> Any:
    def layer(x: Any) -> Any:
        bias = paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(2.0))
        return paddle.static.nn.group_norm(x, 2, bias_attr=bias)

    return normalised(paddle, layer)


def a_group_norm_without_either(paddle: Any) -> Any:
    def layer(x: Any) -> Any:
        return paddle.static.nn.group_norm(x, 2, param_attr=False, bias_attr=False)

    return normalised(paddle, layer)


def an_instance_norm(paddle: Any) -> Any:
    return normalised(paddle, paddle.static.nn.instance_norm)


def an_instance_norm_with_a_scale(paddle: Any) -> Any:
    def layer(x: Any) -> Any:
        scale = paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(2.0))
        return paddle.static.nn.instance_norm(x, param_attr=scale)

    return normalised(paddle, layer)


def an_instance_norm_without_either(paddle: Any) -> Any:
    def layer(x: Any) -> Any:
        return paddle.static.nn.instance_norm(x, param_attr=False, bias_attr=False)

    return normalised(paddle, layer)


def a_layer_norm_in_a_program(paddle: Any) -> Any:
    return normalised(paddle, paddle.static.nn.layer_norm)


def a_batch_norm_in_a_program(paddle: Any) -> Any:
    return normalised(paddle, paddle.static.nn.batch_norm)[1:]


def a_prelu_in_a_program(paddle: Any) -> Any:
    return normalised(paddle, lambda x: paddle.static.nn.prelu(x, "all"))


def layers_that_normalise(paddle: Any) -> Any:
    nn = paddle.nn
    layers = [nn.GroupNorm(2, 4), nn.InstanceNorm2D(4), nn.LayerNorm([4, 2, 2])]
    return [[list(p.shape) for p in layer.parameters()] for layer in layers]


def saved(paddle: Any, value: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "value")
        paddle.save(value, path)
        return paddle.load(path)


def a_loaded_tensor_stops_gradients(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0])
    y = paddle.to_tensor([1.0], stop_gradient=False)
    found = [saved(paddle, {"x": one})["x"] for one in (x, y)]
    return [t.stop_gradient for t in found] + [t.persistable for t in found]


def a_loaded_tensor_alone(paddle: Any) -> Any:
    y = paddle.to_tensor([1.0], stop_gradient=False)
    return saved(paddle, y).stop_gradient


def a_loaded_parameter(paddle: Any) -> Any:
    layer = paddle.nn.Linear(2, 2)
    found = saved(paddle, layer.state_dict())["weight"]
    return found.stop_gradient


def a_loaded_state_trains(paddle: Any) -> Any:
    layer = paddle.nn.Linear(2, 2)
    layer.set_state_dict(saved(paddle, layer.state_dict()))
    return [p.stop_gradient for p in layer.parameters()]


def a_loaded_optimizer_state(paddle: Any) -> Any:
    layer = paddle.nn.Linear(2, 2)
    adam = paddle.optimizer.Adam(parameters=layer.parameters())
    layer(paddle.ones([1, 2])).sum().backward()
    adam.step()
    state = saved(paddle, adam.state_dict())
    return sorted({type(v).__name__ for v in state.values()}), [
        v.stop_gradient for v in state.values() if hasattr(v, "stop_gradient")
    ]


def the_hessian_is_differentiable(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    found = paddle.autograd.hessian((x * x * x).sum(), x)
    whole = found[:]
    return [whole, whole.stop_gradient]


def the_jacobian_is_differentiable(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    whole = paddle.autograd.jacobian(x * x, x)[:]
    return [whole, whole.stop_gradient]


def through_a_hessian(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    whole = paddle.autograd.hessian((x * x * x * x).sum(), x)[:]
    return paddle.grad(whole.sum(), x)


STORIES = (
    a_group_norm,
    a_group_norm_with_a_scale,
    a_group_norm_with_a_bias,
    a_group_norm_without_either,
    an_instance_norm,
    an_instance_norm_with_a_scale,
    an_instance_norm_without_either,
    a_layer_norm_in_a_program,
    a_batch_norm_in_a_program,
    a_prelu_in_a_program,
    layers_that_normalise,
    a_loaded_tensor_stops_gradients,
    a_loaded_tensor_alone,
    a_loaded_parameter,
    a_loaded_state_trains,
    a_loaded_optimizer_state,
    the_hessian_is_differentiable,
    the_jacobian_is_differentiable,
    through_a_hessian,
)
