"""A `PyLayer` in a function that is converted: branches, loops, layers, files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

__all__ = ["STORIES"]


def cube(paddle: Any) -> Any:
    """The class of x^3, whose gradient is ten times the right one."""

    class Cube(paddle.autograd.PyLayer):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            (x,) = ctx.saved_tensor()
            return dy * x * x * 30.0

    return Cube


def rounded(paddle: Any) -> Any:
    """The class of the nearest integer, whose gradient passes straight through."""

    class Rounded(paddle.autograd.PyLayer):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.round()

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy

    return Rounded


def scaled(paddle: Any) -> Any:
    """The class of x y k and x + y, with a number in the context."""

    class Scaled(paddle.autograd.PyLayer):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any, k: Any) -> Any:
            ctx.save_for_backward(x, y)
            ctx.k = k
            return x * y * k, x + y

        @staticmethod
        def backward(ctx: Any, da: Any, db: Any) -> Any:
            x, y = ctx.saved_tensor()
            return da * y * ctx.k + db, da * x * ctx.k + db

    return Scaled


def signed(paddle: Any) -> Any:
    """The class of 2 x or 3 x by the sign of the sum, whose gradient branches, too."""

    class Signed(paddle.autograd.PyLayer):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            if x.sum() > 0:  # noqa: SIM108  the branch is the subject
                y = x * 2.0
            else:
                y = x * 3.0
            return y

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            (x,) = ctx.saved_tensor()
            if x.sum() > 0:  # noqa: SIM108  the branch is the subject
                dx = dy * 5.0
            else:
                dx = dy * 7.0
            return dx

    return Signed


def leaf(paddle: Any, *values: float) -> Any:
    return paddle.to_tensor([*values], stop_gradient=False)


def differentiated(paddle: Any, function: Callable[..., Any], *leaves: Any) -> Any:
    """The result of a converted function, and the gradients of its sum."""
    y = paddle.jit.to_static(function)(*leaves)
    y.sum().backward()
    return [y, *[x.grad for x in leaves]]


def a_pylayer_is_traced(paddle: Any) -> Any:
    layer = cube(paddle)

    def function(x: Any) -> Any:
        return layer.apply(x) + 1.0

    return differentiated(paddle, function, leaf(paddle, 1.0, 2.0))


def a_pylayer_is_traced_twice(paddle: Any) -> Any:
    layer = cube(paddle)

    def function(x: Any) -> Any:
        for _ in range(2):
            x = layer.apply(x)
        return x

    return differentiated(paddle, function, leaf(paddle, 1.0, 2.0))


def a_pylayer_of_two_results_is_traced(paddle: Any) -> Any:
    layer = scaled(paddle)

    def function(x: Any, y: Any) -> Any:
        a, b = layer.apply(x, y, 3.0)
        return a * b

    x, y = leaf(paddle, 1.0, 2.0), leaf(paddle, 3.0, 2.0)
    return differentiated(paddle, function, x, y)


def a_result_of_a_traced_pylayer_is_not_used(paddle: Any) -> Any:
    layer = scaled(paddle)

    def function(x: Any, y: Any) -> Any:
        a, _ = layer.apply(x, y, 3.0)
        return a

    x, y = leaf(paddle, 1.0, 2.0), leaf(paddle, 3.0, 2.0)
    return differentiated(paddle, function, x, y)


def a_traced_pylayer_branches(paddle: Any) -> Any:
    layer = signed(paddle)

    def function(x: Any) -> Any:
        return layer.apply(x)

    return [
        differentiated(paddle, function, leaf(paddle, 1.0, 2.0)),
        differentiated(paddle, function, leaf(paddle, -1.0, -2.0)),
    ]


def a_pylayer_in_a_branch(paddle: Any) -> Any:
    layer = cube(paddle)

    def function(x: Any) -> Any:
        if x.sum() > 0:  # noqa: SIM108
            y = layer.apply(x)
        else:
            y = x * 2.0
        return y

    return [
        differentiated(paddle, function, leaf(paddle, 1.0, 2.0)),
        differentiated(paddle, function, leaf(paddle, -1.0, -2.0)),
    ]


def a_pylayer_with_a_name(paddle: Any) -> Any:
    layer = rounded(paddle)

    def function(x: Any) -> Any:
        return layer.apply(x=x) * 2.0

    return differentiated(paddle, function, leaf(paddle, 0.7, 1.2))


def a_function_is_given_to_a_traced_pylayer(paddle: Any) -> Any:
    class Applied(paddle.autograd.PyLayer):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, first: Any, second: Any = paddle.square) -> Any:
            ctx.second = second
            y = first(x)
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            (y,) = ctx.saved_tensor()
            return dy * (1.0 - ctx.second(y))

    def function(x: Any) -> Any:
        return Applied.apply(x, paddle.tanh)

    return differentiated(paddle, function, leaf(paddle, 1.0, 2.0))


def net(paddle: Any) -> Any:
    """A layer that rounds what another one gives."""

    class Net(paddle.nn.Layer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            weight = paddle.nn.initializer.Constant(0.7)
            self.inner = paddle.nn.Linear(2, 1, weight_attr=weight)
            self.rounded = rounded(paddle)  # Paddle's `jit.save` finds no closure

        def forward(self, x: Any) -> Any:
            return self.rounded.apply(self.inner(x))

    return Net()


def a_layer_with_a_pylayer_is_trained(paddle: Any) -> Any:
    layer = net(paddle)
    paddle.jit.to_static(layer)
    sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    losses = []
    for _ in range(3):
        loss = layer(paddle.to_tensor([[1.0, 2.0]])).sum()
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        losses.append(loss)
    return [losses, layer.inner.weight, layer.inner.bias]


def a_parameter_goes_into_a_traced_pylayer(paddle: Any) -> Any:
    layer = cube(paddle)

    class Cubed(paddle.nn.Layer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            two = paddle.nn.initializer.Constant(2.0)
            self.w = self.create_parameter([2], default_initializer=two)

        def forward(self, x: Any) -> Any:
            return layer.apply(self.w) * x

    cubed = paddle.jit.to_static(Cubed())
    y = cubed(paddle.to_tensor([1.0, 3.0]))
    y.sum().backward()
    return [y, cubed.w.grad]


def a_layer_with_a_pylayer_is_saved(paddle: Any) -> Any:
    layer = net(paddle)
    layer.eval()
    with tempfile.TemporaryDirectory() as folder:
        spec = [paddle.static.InputSpec([None, 2])]
        paddle.jit.save(paddle.jit.to_static(layer), f"{folder}/net", spec)
        return paddle.jit.load(f"{folder}/net")(paddle.to_tensor([[1.0, 2.0]]))


def a_traced_pylayer_under_no_grad(paddle: Any) -> Any:
    layer = cube(paddle)

    def function(x: Any) -> Any:
        return layer.apply(x)

    with paddle.no_grad():
        y = paddle.jit.to_static(function)(leaf(paddle, 1.0, 2.0))
    return [y, y.stop_gradient]


def a_traced_pylayer_takes_constants(paddle: Any) -> Any:
    layer = cube(paddle)

    def function(x: Any) -> Any:
        return layer.apply(x)

    y = paddle.jit.to_static(function)(paddle.to_tensor([1.0, 2.0]))
    return [y, y.stop_gradient]


def a_traced_pylayer_has_too_many_gradients(paddle: Any) -> Any:
    class Wrong(paddle.autograd.PyLayer):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2.0

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return dy, dy

    def function(x: Any) -> Any:
        return Wrong.apply(x)

    return differentiated(paddle, function, leaf(paddle, 1.0))


STORIES = [
    a_pylayer_is_traced,
    a_pylayer_is_traced_twice,
    a_pylayer_of_two_results_is_traced,
    a_result_of_a_traced_pylayer_is_not_used,
    a_traced_pylayer_branches,
    a_pylayer_in_a_branch,
    a_pylayer_with_a_name,
    a_function_is_given_to_a_traced_pylayer,
    a_layer_with_a_pylayer_is_trained,
    a_parameter_goes_into_a_traced_pylayer,
    a_layer_with_a_pylayer_is_saved,
    a_traced_pylayer_under_no_grad,
    a_traced_pylayer_takes_constants,
    a_traced_pylayer_has_too_many_gradients,
]
