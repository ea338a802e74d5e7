"""Settings of groups of parameters, clips without gradients, gradients of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["LINES", "STORIES"]

LINES = """
paddle.tensordot(t([[1], [2]], "float32"), t([[1, 2], [3, 4], [5, 6]], "float32"), 1)
paddle.tensordot(t([[1, 2, 3], [4, 5, 6]], "float32"), t([[1, 2]], "float32"), 1)
paddle.tensordot(t([[[1, 2, 3], [4, 5, 6]]], "float32"), t([[[1, 2, 3]], [[4, 5, 6]]], "float32"), [[0, 1, 2], [0, 1, 2]])
F.dropout(t([1, 2], "float32"), paddle.to_tensor(0.0))
paddle.gather_nd(t([1, 2, 3], "float32"), t([[-1]], "int64"))
paddle.scatter_nd_add(t([1, 2, 3], "float32"), t([[-1]], "int64"), t([1], "float32"))
paddle.index_add(t([1, 2, 3], "float32"), t([-1], "int64"), 0, t([1], "float32"))
paddle.index_sample(t([[1, 2]], "float32"), t([[-1]], "int64"))
paddle.scatter(t([1, 2, 3], "float32"), t([-1], "int64"), t([1], "float32"))
paddle.take(t([1, 2, 3], "float32"), t([-1], "int64"))
paddle.take(t([1, 2, 3], "float32"), t([-4], "int64"))
paddle.index_fill(t([1, 2, 3], "float32"), t([-1], "int64"), 0, 5.0)
paddle.tril_indices(0, 2, 0)
"""  # noqa: E501


def stepped(
    paddle: Any,
    groups: Callable[[Any], Any],
    change: Callable[[Any], None] | None = None,
) -> Any:
    """One step of a layer with a factor and a decay of its own, in groups."""
    one = paddle.nn.initializer.Constant(1.0)
    decay = paddle.regularizer.L2Decay(0.5)
    own = paddle.ParamAttr(learning_rate=0.5, regularizer=decay, initializer=one)
    layer = paddle.nn.Linear(2, 1, own, False)
    optimizer = groups(layer)
    if change is not None:
        change(layer.weight)
    layer(paddle.ones([1, 2])).sum().backward()
    optimizer.step()
    weight = layer.weight
    return [weight.tolist(), weight.optimize_attr, type(weight.regularizer).__name__]


def sgd(paddle: Any, group: dict[str, Any], **options: Any) -> Callable[[Any], Any]:
    return lambda layer: paddle.optimizer.SGD(
        1.0, parameters=[{"params": layer.parameters(), **group}], **options
    )


def a_group_replaces_the_settings_of_a_parameter(paddle: Any) -> Any:
    return stepped(paddle, sgd(paddle, {}))


def a_group_has_a_factor_and_a_decay(paddle: Any) -> Any:
    return stepped(paddle, sgd(paddle, {"learning_rate": 0.1, "weight_decay": 0.1}))


def a_group_has_the_decay_of_the_optimizer(paddle: Any) -> Any:
    return stepped(paddle, sgd(paddle, {}, weight_decay=0.1))


def a_factor_changes_after_grouping(paddle: Any) -> Any:
    return stepped(
        paddle,
        sgd(paddle, {"learning_rate": 0.1}),
        lambda weight: weight.optimize_attr.update(learning_rate=0.25),
    )


def a_decay_changes_after_grouping(paddle: Any) -> Any:
    decay = paddle.regularizer.L2Decay(2.0)
    return stepped(
        paddle,
        sgd(paddle, {"weight_decay": 0.1}),
        lambda weight: setattr(weight, "regularizer", decay),
    )


def without_groups_a_parameter_keeps_its_settings(paddle: Any) -> Any:
    def optimizer(layer: Any) -> Any:
        own = layer.parameters()
        return paddle.optimizer.SGD(1.0, parameters=own, weight_decay=0.1)

    return stepped(paddle, optimizer)


def groups_of_adamw_leave_regularizers_alone(paddle: Any) -> Any:
    return stepped(
        paddle,
        lambda layer: paddle.optimizer.AdamW(
            0.1,
            parameters=[{"params": layer.parameters(), "weight_decay": 0.2}],
            weight_decay=0.1,
        ),
    )


def the_groups_of_an_optimizer_hold_for_the_next_one(paddle: Any) -> Any:
    def optimizer(layer: Any) -> Any:
        sgd(paddle, {"learning_rate": 0.1})(layer)
        return paddle.optimizer.SGD(1.0, parameters=layer.parameters())

    return stepped(paddle, optimizer)


def clips_leave_out_what_has_no_gradient(paddle: Any) -> Any:
    a, b, g = (paddle.to_tensor([value]) for value in (1.0, 2.0, 3.0))
    nn = paddle.nn
    clips = (
        nn.ClipGradByValue(1.0),
        nn.ClipGradByNorm(1.0),
        nn.ClipGradByGlobalNorm(1.0),
    )
    lists = [(a, g), (b, None)], [(b, None)], []
    return [[[p.tolist() for p, _ in clip(pairs)] for pairs in lists] for clip in clips]


def moments_are_numbers_in_tensors(paddle: Any) -> Any:
    w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    beta1, beta2 = paddle.to_tensor([0.9]), paddle.to_tensor(0.999)
    adam = paddle.optimizer.Adam(0.1, beta1, beta2, parameters=[w])
    (w * w).sum().backward()
    adam.step()
    return w


def pylayer(
    paddle: Any,
    forward: Callable[..., Any],
    backward: Callable[..., Any] | None,
    count: int = 1,
) -> Any:
    """What a part of a program computes, and its gradients."""
    paddle.enable_static()
    static = paddle.static
    main = static.Program()
    with static.program_guard(main, static.Program()):
        inputs = [static.data(f"x{i}", [2], "float32") for i in range(count)]
        for x in inputs:
            x.stop_gradient = backward is None
        found = static.nn.static_pylayer(forward, inputs, backward)
        results = list(found) if isinstance(found, (list, tuple)) else [found]
        feed = {f"x{i}": np.array([2.0 + i, 3.0], "float32") for i in range(count)}
        stop = [y.stop_gradient for y in results]
        if backward is not None:
            total = sum((y * 2.0).sum() for y in results)
            results += static.gradients(total, inputs)
        return [static.Executor().run(main, feed, results), stop]


def a_part_has_a_gradient_of_its_own(paddle: Any) -> Any:
    return pylayer(paddle, lambda x: x * x, lambda dy: dy * 5.0)


def a_part_of_two_inputs_and_results(paddle: Any) -> Any:
    def forward(x: Any, y: Any) -> Any:
        return x * y, x + y

    return pylayer(paddle, forward, lambda dx, dy: (dx * 2.0, dy * 3.0), 2)


def a_part_gives_what_it_takes(paddle: Any) -> Any:
    return pylayer(paddle, lambda x: x * 1.0, paddle.exp)


def a_part_without_a_gradient(paddle: Any) -> Any:
    return pylayer(paddle, lambda x: x * x, None)


def a_part_without_a_gradient_refuses_inputs_that_want_one(paddle: Any) -> Any:
    paddle.enable_static()
    static = paddle.static
    with static.program_guard(static.Program(), static.Program()):
        x = static.data("x", [2], "float32")
        x.stop_gradient = False
        return static.nn.static_pylayer(lambda x: x, [x])


def a_part_of_a_program_trains(paddle: Any) -> Any:
    paddle.enable_static()
    static = paddle.static
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), static.scope_guard(static.Scope()):
        x = static.data("x", [2], "float32")
        two = paddle.nn.initializer.Constant(2.0)
        w = paddle.create_parameter([2], "float32", default_initializer=two)
        y = static.nn.static_pylayer(lambda h: h * h, [x * w], lambda dy: dy * 5.0)
        paddle.optimizer.SGD(0.1).minimize(y.sum())
        executor = static.Executor()
        executor.run(startup)
        feed = {"x": np.array([2.0, 3.0], "float32")}
        executor.run(main, feed)
        return executor.run(main, feed, [w, y])


def variables_are_made_of_arrays(paddle: Any) -> Any:
    to_variable = paddle.base.dygraph.to_variable
    x = paddle.ones([2])
    x.stop_gradient = False
    array = np.array([1.0, 2.0])
    with paddle.base.dygraph.guard():
        inside = to_variable(array)
    return [
        to_variable(array),
        to_variable([1, 2]),
        to_variable(array, dtype="float32"),
        to_variable(array, name="named").name,
        to_variable(x) is x,
        to_variable(x).stop_gradient,
        inside,
    ]


def a_traced_layer_refuses_another_mode(paddle: Any) -> Any:
    class Net(paddle.nn.Layer):
        def forward(self, x: Any) -> Any:
            return x * 2.0

    found, net = [], paddle.jit.to_static(Net(), full_graph=True)
    for mode in ("train", "eval"):
        getattr(net, mode)()
        for wanted in ("train", "eval"):
            try:
                getattr(net.forward, wanted)()
                found.append("taken")
            except RuntimeError:
                found.append("raised")
    return found


def a_tensor_may_be_told_to_last(paddle: Any) -> Any:
    x, w = paddle.ones([1]), paddle.create_parameter([1], "float32")
    found = [x.persistable, w.persistable]
    x.persistable, w.persistable = True, False
    return [*found, x.persistable, w.persistable, (x * 2.0).persistable]


def a_second_optimizer_names_its_state(paddle: Any) -> Any:
    weight = paddle.create_parameter([2], "float32", name="twice_trained")
    keys = []
    for _ in range(2):
        optimizer = paddle.optimizer.Adam(parameters=[weight])
        (weight * weight).sum().backward()
        optimizer.step()
        keys.append(sorted(optimizer.state_dict()))
    return keys


STORIES = [
    a_tensor_may_be_told_to_last,
    a_group_replaces_the_settings_of_a_parameter,
    a_group_has_a_factor_and_a_decay,
    a_group_has_the_decay_of_the_optimizer,
    a_factor_changes_after_grouping,
    a_decay_changes_after_grouping,
    without_groups_a_parameter_keeps_its_settings,
    groups_of_adamw_leave_regularizers_alone,
    the_groups_of_an_optimizer_hold_for_the_next_one,
    clips_leave_out_what_has_no_gradient,
    moments_are_numbers_in_tensors,
    a_part_has_a_gradient_of_its_own,
    a_part_of_two_inputs_and_results,
    a_part_gives_what_it_takes,
    a_part_without_a_gradient,
    a_part_without_a_gradient_refuses_inputs_that_want_one,
    a_part_of_a_program_trains,
    variables_are_made_of_arrays,
    a_traced_layer_refuses_another_mode,
    a_second_optimizer_names_its_state,
]
