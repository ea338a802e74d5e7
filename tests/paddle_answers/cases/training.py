"""Things around a training loop: attributes, samplers, hooks, metrics, set parts."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np

from tests.paddle_answers.ask import refused
from tests.paddle_answers.stories import Story, named

__all__ = ["STORIES"]


def each(create: Callable[[Any], Any], values: tuple[Any, ...]) -> list[Any]:
    """The result of each value, or its refusal."""

    def tried(value: Any) -> Any:
        try:
            return create(value)
        except Exception as error:
            return refused(error)

    return [tried(value) for value in values]


def a_decay_is_an_attr(paddle: Any) -> Any:
    decay = paddle.regularizer.L2Decay(0.5)
    w = paddle.nn.Linear(1, 1, weight_attr=decay).weight
    return [str(w.regularizer), w.optimize_attr, w.need_clip]


def an_attr_is_followed(paddle: Any) -> Any:
    attr = paddle.ParamAttr(
        learning_rate=0.5, trainable=False, need_clip=False, do_model_average=False
    )
    w = paddle.nn.Linear(1, 1, weight_attr=attr).weight
    b = paddle.nn.Linear(1, 1).bias
    return [[p.need_clip, p.do_model_average, p.trainable] for p in (w, b)]


def trainers_visit_in_the_same_order(paddle: Any) -> Any:
    orders = []
    for rank in (0, 1):
        sampler = paddle.io.DistributedBatchSampler(
            [*range(11)], 2, num_replicas=2, rank=rank, shuffle=True
        )
        sampler.set_epoch(3)
        orders += [[*sampler], [*sampler], sampler.epoch]
    return orders


def hooks_return_odd_things(paddle: Any) -> Any:
    def gradient(hook: Any) -> Any:
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        x.register_hook(hook)
        (x * x).sum().backward()
        return x.grad

    return each(gradient, (lambda g: g * 2.0, lambda g: None, 3))


def an_accuracy_counts(paddle: Any) -> Any:
    metric = paddle.metric.Accuracy(topk=(1, 2))
    scores = paddle.to_tensor([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]])
    metric.update(metric.compute(scores, paddle.to_tensor([[1], [2]])))
    counted = [[float(n) for n in metric.total], [int(n) for n in metric.count]]
    metric.reset()
    return [*counted, metric.total, metric.count]


def predictions_of_samples_are_stacked(paddle: Any) -> Any:
    layer = paddle.nn.Linear(2, 2)
    layer.weight.set_value(np.ones([2, 2], "float32"))
    model = paddle.Model(layer)
    model.prepare()
    samples = [(np.ones(2, "float32") * i,) for i in range(3)]
    return model.predict(samples, stack_outputs=True, verbose=0)


def arrays_are_saved(paddle: Any) -> Any:
    array, tensor = np.ones(2), paddle.ones([1])
    states = (
        array,
        {"a": array},
        [array, 3],
        {"a": array, "b": tensor},
        {"a": {"b": array}, "c": (array, tensor)},
        {"w": array, "LR_Scheduler": {"last_epoch": 1, "rates": array}},
    )
    kinds = []
    for state in states:
        file = BytesIO()
        paddle.save(state, file)
        loaded = [
            paddle.load(rewound(file)),
            paddle.load(rewound(file), return_numpy=True),
        ]
        kinds.append([kinds_in(paddle, part) for part in loaded])
    return kinds


def rewound(file: BytesIO) -> BytesIO:
    """A file from its start."""
    file.seek(0)
    return file


def kinds_in(paddle: Any, state: Any) -> Any:
    """The kind of each leaf of a state."""
    if isinstance(state, dict):
        return {key: kinds_in(paddle, part) for key, part in state.items()}
    if isinstance(state, (list, tuple)):
        return [kinds_in(paddle, part) for part in state]
    return "Tensor" if paddle.is_tensor(state) else type(state).__name__


def a_part_is_recomputed(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = paddle.distributed.fleet.utils.recompute(lambda x: x * x * x, x)
    y.sum().backward()
    return [y, x.grad]


def versions_are_required(paddle: Any) -> Any:
    require = paddle.utils.require_version
    pairs = (("2.0.0",), ("0.0.1", "9.9.9"), ("99.0.0",), (3,), ("1.0", 3), ("a.b",))
    return each(lambda pair: require(*pair), pairs)


def initializers_take_numbers(paddle: Any) -> Any:
    init = paddle.nn.initializer

    def created(pair: Any) -> str:
        pair[0](*pair[1])
        return "taken"

    return each(
        created,
        (
            (init.Uniform, (2.0, 1.0)),
            (init.Uniform, (1.0, 1.0)),
            (init.Assign, ("a",)),
            (init.Assign, ([1.0],)),
        ),
    )


def a_cosine_has_whole_epochs(paddle: Any) -> Any:
    return each(
        lambda n: paddle.optimizer.lr.CosineAnnealingDecay(0.5, n)(), (2, 2.5, "a", 0)
    )


def sizes_and_frames_of_images(paddle: Any) -> Any:
    transforms = paddle.vision.transforms

    def created(pair: Any) -> str:
        pair[0](*pair[1:])
        return "taken"

    return each(
        created,
        (
            (transforms.Resize, 2),
            (transforms.Resize, "a"),
            (transforms.Resize, (2, 3)),
            (transforms.Pad, 1),
            (transforms.Pad, "a"),
            (transforms.Pad, (1, 2)),
            (transforms.Pad, 1, 0, "edge"),
            (transforms.Pad, 1, 0, "a"),
        ),
    )


def momentum_scales_gradients(paddle: Any) -> Any:
    w = paddle.to_tensor([1.0, -2.0], stop_gradient=False)
    optimizer = paddle.optimizer.Momentum(0.1, 0.9, [w], rescale_grad=0.5)
    (w * w).sum().backward()
    optimizer.step()
    return w


def a_filter_enlarges_bilinearly(paddle: Any) -> Any:
    bilinear = paddle.nn.initializer.Bilinear()
    return paddle.create_parameter([1, 1, 4, 4], "float32", None, None, False, bilinear)


def written(index: Any, value: Any) -> Story:
    """The result and slope of a program in which a part of a variable is another."""

    def story(paddle: Any) -> Any:
        paddle.enable_static()
        static, main = paddle.static, paddle.static.Program()
        with static.program_guard(main):
            x = static.data("x", [2, 2])
            x.stop_gradient = False
            h = x * 2.0
            y = static.setitem(h, index(x), value(paddle))
            (dx,) = static.gradients((y * y).sum(), x)
            feed = {"x": np.array([[1.0, -1.0], [0.5, 2.0]], "float32")}
            return static.Executor().run(main, feed, [h, y, dx])

    return story


def a_part_of_a_variable_is_assigned(paddle: Any) -> Any:
    paddle.enable_static()
    with paddle.static.program_guard(paddle.static.Program()):
        x = paddle.static.data("x", [2, 2])
        x[0] = 5.0


STORIES: list[Story] = [
    a_decay_is_an_attr,
    an_attr_is_followed,
    trainers_visit_in_the_same_order,
    hooks_return_odd_things,
    an_accuracy_counts,
    predictions_of_samples_are_stacked,
    arrays_are_saved,
    a_part_is_recomputed,
    versions_are_required,
    initializers_take_numbers,
    a_cosine_has_whole_epochs,
    sizes_and_frames_of_images,
    momentum_scales_gradients,
    a_filter_enlarges_bilinearly,
    a_part_of_a_variable_is_assigned,
    named("a row is set", written(lambda x: 0, lambda p: 5.0)),
    named(
        "a column is set",
        written(lambda x: (slice(None), 1), lambda p: p.ones([2]) * 3.0),
    ),
    named("what is positive is set", written(lambda x: x > 0, lambda p: 9.0)),
    named("a text is no index to set", written(lambda x: "a", lambda p: 5.0)),
    named("a row too far is set", written(lambda x: 5, lambda p: 5.0)),
    named("a row is set to a text", written(lambda x: 0, lambda p: "a")),
]
