"""State: buffers of layers, elements of tensors, files in memory, flags."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

__all__ = ["LINES", "STORIES"]

LINES = """
paddle.nn.functional.cross_entropy(t([[1, 2, 3], [3, 1, 2]], "float32"), t([[0, 1, 0], [0, 0, 1]], "float32"), label_smoothing=0.1)
paddle.nn.functional.cross_entropy(t([[1, 2, 3], [3, 1, 2]], "float32"), t([[0, 1, 0], [0, 0, 1]], "float32"), t([1, 2, 3], "float32"), label_smoothing=0.1)
paddle.nn.functional.cross_entropy(t([[1, 2, 3], [3, 1, 2]], "float32"), t([1, 2], "int64"), t([1, 2, 3], "float32"), label_smoothing=0.1)
"""  # noqa: E501


def buffers(layer: Any) -> list[Any]:
    return [[name, buffer.tolist()] for name, buffer in layer.named_buffers()]


def a_tensor_that_a_layer_is_given_is_a_buffer(paddle: Any) -> Any:
    layer, found = paddle.nn.Linear(2, 2), []
    layer.t = paddle.ones([1])
    found.append([buffers(layer), list(layer.state_dict())])
    layer.t = paddle.zeros([2])
    found.append(buffers(layer))
    layer.t = None
    found.append([buffers(layer), layer.t])
    layer.u = 3
    layer.u = paddle.ones([1])
    found.append(buffers(layer))
    del layer.u
    found.append(buffers(layer))
    return found


def a_buffer_may_be_registered_again(paddle: Any) -> Any:
    layer = paddle.nn.Linear(2, 2)
    layer.register_buffer("w", paddle.ones([1]))
    layer.register_buffer("w", paddle.zeros([1]), persistable=False)
    return [list(layer.state_dict()), buffers(layer)]


def a_buffer_stays_a_tensor(paddle: Any) -> Any:
    layer = paddle.nn.Linear(2, 2)
    layer.t = paddle.ones([1])
    refused = []
    for act in (
        lambda: setattr(layer, "t", "text"),
        lambda: layer.register_buffer("weight", paddle.ones([1])),
    ):
        try:
            act()
        except (TypeError, KeyError) as error:
            refused.append(
                next(k.__name__ for k in (TypeError, KeyError) if isinstance(error, k))
            )
    return [refused, buffers(layer)]


def an_element_has_a_place_or_an_index(paddle: Any) -> Any:
    x = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found = [x.item(2), x.item(1, 0), paddle.to_tensor(True).item()]
    for index in ((6,), (-1,), (0, 5), (1.5,), ()):
        try:
            found.append(x.item(*index))
        except ValueError:
            found.append("ValueError")
    return found


def files_may_be_in_memory(paddle: Any) -> Any:
    file = io.BytesIO()
    paddle.save({"w": paddle.to_tensor([1.0, 2.0]), "epoch": 3}, file)
    file.seek(0)
    state = paddle.load(file)
    return [state["w"].tolist(), state["epoch"]]


def some_flags_are_kept(paddle: Any) -> Any:
    name = "FLAGS_eager_delete_tensor_gb"
    before = paddle.get_flags(name)
    paddle.set_flags({name: 1.0})
    after = paddle.get_flags([name])
    paddle.set_flags(before)
    try:
        paddle.get_flags("FLAGS_nonsense")
    except ValueError:
        return [before, after, "ValueError"]
    return [before, after]


def an_output_becomes_what_it_is_assigned(paddle: Any) -> Any:
    out = paddle.zeros([3, 3])
    paddle.assign(np.array([[1, 2]], "int64"), out)
    return out


def gradients_of_leaves_want_gradients_themselves(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y, seen = x * 2.0, []
    y.retain_grads()
    y.register_hook(lambda dy: seen.append(dy.stop_gradient))
    (y * y).sum().backward()
    found = [x.grad.stop_gradient, y.grad.stop_gradient, *seen]
    (dx,) = paddle.grad((x * x).sum(), x)
    x.clear_gradient()
    return [*found, dx.stop_gradient, x.grad.stop_gradient, x.grad.tolist()]


STORIES = [
    a_tensor_that_a_layer_is_given_is_a_buffer,
    a_buffer_may_be_registered_again,
    a_buffer_stays_a_tensor,
    an_element_has_a_place_or_an_index,
    files_may_be_in_memory,
    some_flags_are_kept,
    an_output_becomes_what_it_is_assigned,
    gradients_of_leaves_want_gradients_themselves,
]
