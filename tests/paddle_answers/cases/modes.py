"""A process: is it recording, which seed does it draw from, which names are taken."""

from __future__ import annotations

import copy
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["STORIES"]


def recording_is_switched(paddle: Any) -> Any:
    said = []
    with paddle.set_grad_enabled(False):
        said.append(paddle.is_grad_enabled())
    said.append(paddle.is_grad_enabled())
    switch = paddle.set_grad_enabled(False)
    said.append(paddle.is_grad_enabled())
    with paddle.set_grad_enabled(True):
        said.append(paddle.is_grad_enabled())
    said.append(paddle.is_grad_enabled())
    with switch:
        said.append(paddle.is_grad_enabled())
    said.append(paddle.is_grad_enabled())
    with paddle.no_grad():
        paddle.set_grad_enabled(True)
        said.append(paddle.is_grad_enabled())
    paddle.set_grad_enabled(True)
    return said


def what_was_not_recorded_stops_gradients(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0], stop_gradient=False)
    paddle.set_grad_enabled(False)
    y = x * 2
    paddle.set_grad_enabled(True)
    return [y.stop_gradient, (x * 2).stop_gradient]


def drawn_twice(paddle: Any, draw: Any) -> bool:
    """Whether two seeds of everything give the same, with one of the main program."""
    main, found = paddle.static.default_main_program(), []
    for seed in (1, 2):
        paddle.seed(seed)
        main.random_seed = 7
        found.append(draw().numpy().tolist())
    main.random_seed = 0
    return bool(found[0] == found[1])


def a_program_seeds_initializers(paddle: Any) -> Any:
    def drawn(initializer: Any) -> bool:
        attr = paddle.ParamAttr(initializer=initializer)
        return drawn_twice(
            paddle, lambda: paddle.nn.Linear(2, 2, weight_attr=attr).weight
        )

    names = (
        *("XavierNormal", "XavierUniform", "KaimingNormal", "KaimingUniform"),
        *("Normal", "Uniform", "TruncatedNormal", "Orthogonal"),
    )
    return [drawn(getattr(paddle.nn.initializer, name)()) for name in names]


def a_program_seeds_dropout_and_no_other_random_op(paddle: Any) -> Any:
    x = paddle.ones([64])
    return [
        drawn_twice(paddle, lambda: paddle.nn.functional.dropout(x)),
        drawn_twice(paddle, lambda: paddle.rand([64])),
        drawn_twice(paddle, lambda: paddle.nn.functional.alpha_dropout(x)),
    ]


def a_copied_layer_keeps_its_state_apart(paddle: Any) -> Any:
    ones = paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(1.0))
    layer = paddle.nn.Linear(2, 1, weight_attr=ones, bias_attr=False)
    layers = [layer, copy.deepcopy(layer), copy.deepcopy(layer)]
    weights = [one.weight for one in layers]
    optimizer = paddle.optimizer.Momentum(0.1, parameters=weights)
    for factor, weight in enumerate(weights, 1):
        (weight * factor).sum().backward()
    optimizer.step()
    kept = [one for one in optimizer.state_dict().values() if hasattr(one, "shape")]
    return [len({w.name for w in weights}), [np.array(one) for one in kept]]


def base_tells_the_mode_as_paddle_does(paddle: Any) -> Any:
    base = paddle.base
    tells = [
        base.in_dygraph_mode,
        base.in_dynamic_or_pir_mode,
        base.framework.in_dygraph_mode,
        base.framework.in_dynamic_or_pir_mode,
        base.dygraph.enabled,
    ]

    def said() -> list[bool]:
        return [tell() for tell in (*tells, paddle.in_dynamic_mode)]

    with paddle.static.program_guard(paddle.static.Program()):
        modes = [said()]
    paddle.enable_static()
    modes.append(said())
    with base.dygraph.guard():
        modes.append(said())
    return modes


def raised(function: Any, *args: Any) -> bool:
    try:
        function(*args)
    except Exception:
        return True
    return False


def base_framework_holds_what_code_imports(paddle: Any) -> Any:
    framework = import_module(f"{paddle.__name__}.base.framework")
    dygraph = framework.dygraph_only(lambda x: x + 1)
    static = framework.static_only(lambda x: x + 1)
    holder = framework.OpProtoHolder.instance()
    relu = holder.get_op_proto("relu")
    weight = paddle.nn.Linear(1, 1).weight
    tracer = framework._dygraph_tracer()
    recorded = [tracer._has_grad]
    with paddle.no_grad():
        recorded.append(tracer._has_grad)
    tracer._has_grad = False
    recorded.append((weight * 2).stop_gradient)
    tracer._has_grad = True
    said = [
        [paddle.base.in_pir_mode(), framework.in_pir_mode()],
        [dygraph(2), raised(static, 2)],
        str(framework._current_expected_place()),
        isinstance(weight, framework.EagerParamBase),
        isinstance(weight * 2, framework.EagerParamBase),
        [holder is framework.OpProtoHolder.instance()],
        [relu.type, relu.inputs[0].name, relu.outputs[0].name],
        [holder.has_op_proto("relu"), holder.has_op_proto("relux")],
        raised(holder.get_op_proto, "relux"),
        raised(framework.convert_np_dtype_to_dtype_, "abc"),
        framework.convert_np_dtype_to_dtype_(np.int64) == paddle.int64,
        framework.core is paddle.base.core,
        framework.unique_name is paddle.base.unique_name,
        framework.grad_var_name("x"),
        weight.dtype == framework.core.VarDesc.VarType.FP32,
        framework.is_compiled_with_cuda(),
        [raised(framework.cuda_places), raised(paddle.base.cuda_places, [0])],
        raised(paddle.static.cuda_places),
        [framework.require_version("2.0", "2.6.2")],
        [raised(framework.require_version, wanted) for wanted in ("2.7", "x", 2)],
        recorded,
    ]
    paddle.enable_static()
    return [*said, static(2), raised(dygraph, 2), framework._dygraph_tracer()]


STORIES = (
    recording_is_switched,
    what_was_not_recorded_stops_gradients,
    a_program_seeds_initializers,
    a_program_seeds_dropout_and_no_other_random_op,
    a_copied_layer_keeps_its_state_apart,
    base_tells_the_mode_as_paddle_does,
    base_framework_holds_what_code_imports,
)
