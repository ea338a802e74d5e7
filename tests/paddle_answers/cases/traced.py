"""What functions of `to_static` may hold: gradients, hooks, attributes, odd inputs."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np

__all__ = ["STORIES"]


def gradients_inside(paddle: Any) -> Any:
    @paddle.jit.to_static
    def slope(x: Any) -> Any:
        x.stop_gradient = False
        y = x * x * x
        (dx,) = paddle.grad([y.sum()], [x])
        return dx + 1

    return slope(paddle.to_tensor([1.0, 2.0], stop_gradient=False))


def gradients_inside_of_gradients(paddle: Any) -> Any:
    @paddle.jit.to_static
    def slope(x: Any) -> Any:
        y = x * x * x
        dx = paddle.grad(y, x, create_graph=True)[0]
        return dx.sum()

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    out = slope(x)
    out.backward()
    return [out, x.grad]


def hooks_inside(paddle: Any) -> Any:
    @paddle.jit.to_static
    def function(x: Any) -> Any:
        y = x * 2
        if x.sum() > 0:
            y = y + 1
        y.register_hook(lambda dy: dy * 3)
        z = y * y
        z.register_hook(lambda dz: None)
        return z

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    out = function(x)
    out.sum().backward()
    return [out, x.grad]


def variables_made_inside(paddle: Any) -> Any:
    to_variable = paddle.base.dygraph.to_variable

    @paddle.jit.to_static
    def function(x: Any) -> Any:
        x = to_variable(x)
        if x.sum() > 1:
            x = x * to_variable(np.array([2.0, 3.0], "float32"))
        return x

    return [function(paddle.ones([2])), function(np.ones([2], "float32"))]


def attributes_of_the_objects_of_a_loop(paddle: Any) -> Any:
    class Net(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            half = paddle.nn.initializer.Constant(0.5)
            linear = paddle.nn.Linear(2, 2, half)
            self.parts = paddle.nn.LayerList([linear, paddle.nn.Dropout(0.5)])

        @paddle.jit.to_static
        def forward(self, x: Any) -> Any:
            for part in self.parts:
                if isinstance(part, paddle.nn.Dropout):
                    part.training = False
                x = part(x)
            return x

    return Net()(paddle.ones([1, 2]))


def inputs_unlike_their_spec(paddle: Any) -> Any:
    spec = paddle.static.InputSpec([None, 2], "float32", "x")

    @paddle.jit.to_static(input_spec=[spec])
    def double(x: Any) -> Any:
        return x * 2

    arrays = [np.ones([3, 2], "float64"), np.ones([3, 2], "int64"), np.ones([3, 3])]
    return [double(paddle.to_tensor(array)) for array in arrays]


def a_function_has_a_mode_of_its_own(paddle: Any) -> Any:
    @paddle.jit.to_static
    def function(x: Any) -> Any:
        return x * 2

    function.eval()
    first = function(paddle.ones([2]))
    function.train()
    return [first, function(paddle.ones([2]))]


def the_mode_of_a_layer_is_set_by_the_layer(paddle: Any) -> Any:
    class Net(paddle.nn.Layer):
        @paddle.jit.to_static
        def forward(self, x: Any) -> Any:
            return x * 2

    net = Net()
    net(paddle.ones([2]))
    net.forward.eval()


def all_results_are_saved(paddle: Any) -> Any:
    class Net(paddle.nn.Layer):
        @paddle.jit.to_static
        def forward(self, x: Any) -> Any:
            return x * 2, x.sum()

    net, x = Net(), paddle.ones([1, 2])
    results = list(net(x))
    with tempfile.TemporaryDirectory() as folder:
        paddle.jit.save(net, f"{folder}/net", output_spec=results)
        return list(paddle.jit.load(f"{folder}/net")(x))


def tensors_of_parts(paddle: Any) -> Any:
    @paddle.jit.to_static
    def function(x: Any) -> Any:
        pair = paddle.to_tensor([x.sum(), 2.0])
        return pair, paddle.to_tensor([x[0], x[1] * 2]), paddle.to_tensor([[1], [2]])

    return list(function(paddle.ones([2])))


def an_input_is_asked_for_its_values_inside(paddle: Any) -> Any:
    @paddle.jit.to_static
    def function(x: Any) -> Any:
        if x.sum().numpy() > 1:
            return x + 1
        return x - 1

    return [function(paddle.ones([2])), function(-paddle.ones([2]))]


def an_input_is_compared_inside(paddle: Any) -> Any:
    @paddle.jit.to_static
    def function(x: Any) -> Any:
        if x.sum() > 1:
            return x + 1
        return x - 1

    return [function(paddle.ones([2])), function(-paddle.ones([2]))]


def an_input_is_asked_whether_it_wants_a_gradient(paddle: Any) -> Any:
    @paddle.jit.to_static
    def function(x: Any) -> Any:
        return x * 2 if x.stop_gradient else x * 3

    x = paddle.ones([2])
    x.stop_gradient = False
    return [function(paddle.ones([2])), function(x), function(paddle.ones([2]))]


def a_weight_is_asked_whether_it_is_trained(paddle: Any) -> Any:
    layer = paddle.nn.Linear(2, 2)

    @paddle.jit.to_static
    def function(x: Any) -> Any:
        return x * 2 if layer.weight.stop_gradient else x * len(layer.parameters())

    found = [function(paddle.ones([2]))]
    layer.more = paddle.nn.Linear(2, 3)
    found.append(function(paddle.ones([2])))
    layer.weight.stop_gradient = True
    return [*found, function(paddle.ones([2]))]


def the_default_dtype_changes_between_calls(paddle: Any) -> Any:
    @paddle.jit.to_static
    def function(x: Any) -> Any:
        return x + paddle.ones([2]).astype("float32"), paddle.zeros([1])

    found = []
    for dtype in ("float32", "float64", "float32"):
        paddle.set_default_dtype(dtype)
        found.append(function(paddle.ones([2], "float32"))[1])
    return found


STORIES = [
    an_input_is_asked_whether_it_wants_a_gradient,
    a_weight_is_asked_whether_it_is_trained,
    the_default_dtype_changes_between_calls,
    gradients_inside,
    gradients_inside_of_gradients,
    hooks_inside,
    variables_made_inside,
    attributes_of_the_objects_of_a_loop,
    inputs_unlike_their_spec,
    a_function_has_a_mode_of_its_own,
    the_mode_of_a_layer_is_set_by_the_layer,
    all_results_are_saved,
    tensors_of_parts,
    an_input_is_asked_for_its_values_inside,
    an_input_is_compared_inside,
]
