"""Calls that are rare, and that Paddle takes: odd shapes, axes, dtypes, arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["LINES", "STORIES"]

LINES = """
paddle.linalg.det(t([[1, 2], [2, 4]], "float32"))
paddle.meshgrid(t(1, "float32"), t([1, 2], "float32"))
paddle.einsum("ij,jk->ik", t([[1], [2]], "float32"), t([[1, 2], [3, 4], [5, 6]], "float32"))
paddle.linalg.solve(t([[[2, 0], [0, 4]], [[1, 1], [0, 1]]], "float32"), t([[1, 2], [3, 4]], "float32"))
paddle.nn.functional.pad(t([[[[1, 2, 3], [4, 5, 6]]]], "float32"), [-1, 0, 0, 1])
paddle.nn.functional.softmax(t([[], []], "float32"))
paddle.squeeze(t(1, "float32"), 0)
paddle.gather_nd(t([[1, 2], [3, 4]], "float32"), t([[], []], "int64"))
paddle.put_along_axis(t([[0, 1, 2], [3, 4, 5]], "float32"), t([[0, 0], [2, 2]], "int64"), t([[10, 1], [5, 7]], "float32"), 1, "mean")
paddle.put_along_axis(t([[0, 1, 2], [3, 4, 5]], "float32"), t([[0, 0], [2, 2]], "int64"), t([[10, 1], [5, 7]], "float32"), 1, "amax")
paddle.put_along_axis(t([[0, 1, 2], [3, 4, 5]], "float32"), t([[0, 0], [2, 2]], "int64"), t([[10, 1], [5, 7]], "float32"), 1, "amin")
paddle.put_along_axis(t([[0, 1, 2], [3, 4, 5]], "float32"), t([[0, 0], [2, 2]], "int64"), t([[10, 1], [6, 7]], "float32"), 1, "mean", include_self=False)
paddle.put_along_axis(t([[0, 1, 2], [3, 4, 5]], "int64"), t([[0, 0], [2, 2]], "int64"), t([[10, 1], [5, 7]], "int64"), 1, "mean")
paddle.nn.functional.interpolate(t([[[[1, 2], [3, 4]]]], "int64"), size=[4, 4], mode="nearest")
"""  # noqa: E501


def a_part_takes_a_value_with_more_dimensions(paddle: Any) -> Any:
    x = paddle.to_tensor([[1.0, 2.0, 3.0]], stop_gradient=False)
    y = paddle.zeros([2, 3])
    y[0] = x * 2.0
    (y * y).sum().backward()
    return [y.tolist(), x.grad.tolist()]


def a_bool_tensor_takes_a_number(paddle: Any) -> Any:
    x = paddle.to_tensor([True, False, False])
    x[1] = 2
    return x


def sums_in_place_are_flat(paddle: Any) -> Any:
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    x.cumsum_()
    return x


def a_rate_may_be_zero(paddle: Any) -> Any:
    weight = paddle.create_parameter([2], "float32")
    optimizer = paddle.optimizer.SGD(learning_rate=0.0, parameters=[weight])
    before = weight.numpy()
    (weight * 2.0).sum().backward()
    optimizer.step()
    same = bool((weight.numpy() == before).all())
    optimizer.set_lr(0.5)
    optimizer.set_lr(0.0)
    return [optimizer.get_lr(), same]


def a_layer_may_be_put_into_a_sequence(paddle: Any) -> Any:
    nn = paddle.nn
    net = nn.Sequential(nn.ReLU(), nn.Tanh())
    net[1] = nn.Sigmoid()
    net["0"] = nn.ReLU6()
    return [type(layer).__name__ for layer in net]


def an_initializer_acts_on_a_parameter(paddle: Any) -> Any:
    weight = paddle.create_parameter([2, 2], "float32")
    constant = paddle.nn.initializer.Constant(3.0)
    constant(weight)
    first = weight.tolist()
    paddle.nn.initializer.Assign(np.array([[1.0, 2.0], [3.0, 4.0]], "float32"))(weight)
    return [first, weight.tolist()]


def an_assigned_parameter_takes_the_shape_of_the_array(paddle: Any) -> Any:
    array = np.array([2.0, 2.0], "float32")
    layer = paddle.nn.Linear(2, 2, paddle.nn.initializer.Assign(array))
    return [list(layer.weight.shape), layer.weight.tolist()]


def layers_have_their_insides(paddle: Any) -> Any:
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.LSTM(3, 3))
    net[1].flatten_parameters()
    return [list(net._sub_layers), list(net[0]._parameters), list(net[0]._buffers)]


def one_process_is_parallel_by_itself(paddle: Any) -> Any:
    layer = paddle.nn.Linear(2, 2, paddle.nn.initializer.Constant(1.0))
    parallel = paddle.DataParallel(layer)
    y = parallel(paddle.ones([1, 2]))
    y.sum().backward()
    names = list(parallel.state_dict())
    return [y.tolist(), layer.weight.grad.tolist(), names, len(parallel.parameters())]


def layers_of_programs_take_odd_arguments(paddle: Any) -> Any:
    paddle.enable_static()
    static = paddle.static
    names, main = paddle.utils.unique_name.guard(), static.Program()
    with names, static.program_guard(main, static.Program()):
        x = static.data("x", [2, 3, 4], "float32")
        a, b = static.data("a", [2, 3], "float32"), static.data("b", [2, 4], "float32")
        attrs = [paddle.ParamAttr(name="A"), paddle.ParamAttr(name="B")]
        images = static.data("images", [None, 3, 8, 8], "float32")
        block = static.default_main_program().global_block()
        weight = block.create_parameter(
            name="w",
            shape=[2],
            dtype="float32",
            initializer=paddle.nn.initializer.Constant(2.0),
            trainable=False,
        )
        return [
            list(static.nn.fc(x, 5, num_flatten_dims=-1).shape),
            list(static.nn.fc([a, b], 5, weight_attr=attrs).shape),
            list(
                static.nn.conv2d_transpose(
                    images, 4, output_size=[16, 16], stride=2
                ).shape
            ),
            [list(weight.shape), weight.trainable],
            [p.name for p in static.default_main_program().all_parameters()][:4],
        ]


def a_parameter_of_a_block_has_a_rate_of_its_own(paddle: Any) -> Any:
    paddle.enable_static()
    static = paddle.static
    main, startup = static.Program(), static.Program()
    ones = paddle.nn.initializer.Constant(1.0)
    with static.program_guard(main, startup), static.scope_guard(static.Scope()):
        weights = []
        for name, factor in (("slow", 0.5), ("usual", 1.0), ("still", 0.0)):
            made = {"name": name, "shape": [2], "dtype": "float32"}
            rate = {"learning_rate": factor}
            weight = main.global_block().create_parameter(**made, optimize_attr=rate)
            start = startup.global_block()
            start.create_parameter(**made, initializer=ones)
            weights.append(weight)
        loss = paddle.add_n(weights).sum()
        paddle.optimizer.SGD(0.1).minimize(loss)
        run = static.Executor().run
        run(startup)
        run(main)
        return run(main, fetch_list=weights)


STORIES = [
    a_part_takes_a_value_with_more_dimensions,
    a_bool_tensor_takes_a_number,
    sums_in_place_are_flat,
    a_rate_may_be_zero,
    a_layer_may_be_put_into_a_sequence,
    an_initializer_acts_on_a_parameter,
    an_assigned_parameter_takes_the_shape_of_the_array,
    layers_have_their_insides,
    one_process_is_parallel_by_itself,
    layers_of_programs_take_odd_arguments,
    a_parameter_of_a_block_has_a_rate_of_its_own,
]
