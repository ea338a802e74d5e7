"""Things of another kind than a function takes, and names where numbers are usual."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.paddle_answers.stories import Story, named

__all__ = ["STORIES"]


def linear(paddle: Any) -> Any:
    """A layer whose weights are 0, 1, ..."""
    layer = paddle.nn.Linear(2, 3)
    layer.weight.set_value(np.arange(6, dtype="float32").reshape(2, 3))
    return layer


def spec(paddle: Any) -> Any:
    return paddle.static.InputSpec([None, 2])


def summary(*arguments: Callable[[Any], Any], **named: Any) -> Story:
    def story(paddle: Any) -> Any:
        net = named.get("net", linear)(paddle)
        counts = paddle.summary(net, *[argument(paddle) for argument in arguments])
        return {name: int(count) for name, count in counts.items()}

    return story


def saved(input_spec: Callable[[Any], Any], **configs: Any) -> Story:
    """The result of a layer that is saved with this spec, and loaded."""

    def story(paddle: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/layer"
            paddle.jit.save(linear(paddle), path, input_spec(paddle), **configs)
            return paddle.jit.load(path)(paddle.ones([1, 2]))

    return story


def traced(**options: Any) -> Story:
    """The result of a function that is converted with these options."""

    def story(paddle: Any) -> Any:
        values = {k: v(paddle) if callable(v) else v for k, v in options.items()}
        return paddle.jit.to_static(lambda x: x + x, **values)(paddle.ones([1, 2]))

    return story


def program(act: Callable[[Any, Any], Any]) -> Story:
    """The result of an action on an empty program."""

    def story(paddle: Any) -> Any:
        return act(paddle, paddle.static.Program())

    return story


def container(create: Callable[[Any], Any], act: Callable[[Any, Any], Any]) -> Story:
    """A container after an action, and what the action gives."""

    def story(paddle: Any) -> Any:
        layers = create(paddle)
        given = act(paddle, layers)
        return [
            repr(layers),
            repr(given) if isinstance(given, paddle.nn.Layer) else given,
        ]

    return story


def bends(paddle: Any) -> Any:
    return paddle.nn.LayerList([paddle.nn.ReLU(), paddle.nn.Tanh()])


def by_name(paddle: Any) -> Any:
    return paddle.nn.LayerDict({"a": paddle.nn.ReLU()})


def chain(paddle: Any) -> Any:
    return paddle.nn.Sequential(("first", paddle.nn.ReLU()), ("last", paddle.nn.Tanh()))


def plain(paddle: Any) -> Any:
    return paddle.nn.Layer()


def weights(paddle: Any) -> Any:
    return paddle.nn.ParameterList([linear(paddle).weight])


def put(name: Any, create: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """Put a thing under an index or a name."""

    def act(paddle: Any, layers: Any) -> None:
        layers[name] = create(paddle)

    return act


def lost(name: Any) -> Callable[[Any, Any], Any]:
    def act(paddle: Any, layers: Any) -> None:
        del layers[name]

    return act


def tanh(paddle: Any) -> Any:
    return paddle.nn.Tanh()


def trained(parameters: Callable[[Any], Any]) -> Story:
    """The parameters of a layer after a step of an optimizer of these."""

    def story(paddle: Any) -> Any:
        layer = linear(paddle)
        sgd = paddle.optimizer.SGD(0.1, parameters=parameters(layer))
        layer(paddle.ones([1, 2])).sum().backward()
        sgd.step()
        return [layer.weight, layer.bias]

    return story


def stepped(
    act: Callable[[Any, Any, Any, Any], Any], kind: str = "SGD", **more: Any
) -> Story:
    """The result of an optimizer's action on a loss, and the parameters after it."""

    def story(paddle: Any) -> Any:
        layer = linear(paddle)
        if more.get("clip"):
            more["grad_clip"] = paddle.nn.ClipGradByGlobalNorm(more.pop("clip"))
        optimizer = getattr(paddle.optimizer, kind)(
            0.1, parameters=layer.parameters(), **more
        )
        loss = layer(paddle.ones([1, 2])).sum()
        loss.backward()
        found = act(paddle, optimizer, layer, loss)
        return [found, layer.weight, layer.bias, len(optimizer.state_dict())]

    return story


def minimized(parameters: Callable[[Any], Any]) -> Callable[..., Any]:
    def act(paddle: Any, optimizer: Any, layer: Any, loss: Any) -> Any:
        ops, pairs = optimizer.minimize(loss, parameters=parameters(layer))
        return [len(ops), [grad for _, grad in pairs]]

    return act


def applied(paddle: Any, optimizer: Any, layer: Any, loss: Any) -> Any:
    pairs = [(layer.bias, paddle.ones([3]) * 3.0)]
    return [optimizer.apply_gradients(pairs), layer.bias.grad]


STORIES: list[Story] = [
    named(name, story)
    for name, story in {
        "a summary of nothing": summary(lambda p: None),
        "a summary of a number": summary(lambda p: 2),
        "a summary of another number": summary(lambda p: 3),
        "a summary of a text": summary(lambda p: "a"),
        "a summary of an empty list": summary(lambda p: []),
        "a summary of a pair": summary(lambda p: (1, 2)),
        "a summary of a list of pairs": summary(lambda p: [(None, 2)]),
        "a summary of a spec": summary(spec),
        "a summary of a list of specs": summary(lambda p: [spec(p)]),
        "a summary of a number for dtypes": summary(lambda p: (1, 2), lambda p: 3),
        "a summary of no network": summary(lambda p: (1, 2), net=lambda p: 3),
        "a summary of a model": summary(
            lambda p: (1, 2), net=lambda p: p.Model(linear(p))
        ),
        "flops of nothing": lambda p: p.flops(linear(p), None),
        "flops of a number": lambda p: p.flops(linear(p), 3),
        "flops of a sequence": lambda p: p.flops(
            p.nn.Sequential(linear(p), p.nn.ReLU()), [1, 2]
        ),
        "flops by a number": lambda p: p.flops(linear(p), [1, 2], custom_ops=3),
        "a layer is saved for a number": saved(lambda p: 3),
        "a layer is saved for a list of a number": saved(lambda p: [3]),
        "a layer is saved for a text": saved(lambda p: "a"),
        "a layer is saved for a list of a text": saved(lambda p: ["a"]),
        "a layer is saved for a spec": saved(spec),
        "a layer is saved for a list of a spec": saved(lambda p: [spec(p)]),
        "a layer is saved for a tuple of a spec": saved(lambda p: (spec(p),)),
        "a layer is saved for a dict of a spec": saved(lambda p: {"x": spec(p)}),
        "a layer is saved for a tensor": saved(lambda p: p.ones([1, 2])),
        "a layer is saved for a list of a tensor": saved(lambda p: [p.ones([1, 2])]),
        "a layer is saved for two specs": saved(lambda p: [spec(p)] * 2),
        "a layer is saved with a number as results": saved(
            lambda p: [spec(p)], output_spec=3
        ),
        "a layer is loaded from a number": lambda p: p.jit.load(3),
        "a spec for a function": traced(input_spec=spec),
        "a list of specs for a function": traced(input_spec=lambda p: [spec(p)]),
        "a tuple of specs for a function": traced(input_spec=lambda p: (spec(p),)),
        "a dict of specs for a function": traced(input_spec=lambda p: {"x": spec(p)}),
        "a number as a spec for a function": traced(input_spec=3),
        "a text as a spec for a function": traced(input_spec="a"),
        "a tensor as a spec for a function": traced(input_spec=lambda p: p.ones([1])),
        "a number as a strategy": traced(build_strategy=3),
        "a strategy": traced(build_strategy=lambda p: p.static.BuildStrategy()),
        "a number as a backend": traced(backend=3),
        "an unknown backend": traced(backend="abc"),
        "no backend": traced(backend=None),
        "a number as a module": lambda p: p.jit.ignore_module(3),
        "a spec of a number": lambda p: p.static.InputSpec(3),
        "a spec of nothing": lambda p: p.static.InputSpec(None),
        "a spec from a number": lambda p: p.static.InputSpec.from_tensor(3),
        "a spec with a text for batches": lambda p: spec(p).batch("a"),
        "a spec with two batches": lambda p: spec(p).batch([3, 4]),
        "the state of a program in a number": program(
            lambda p, prog: prog.state_dict(scope=1)
        ),
        "all the state of a program in a number": program(
            lambda p, prog: prog.state_dict("all", 1)
        ),
        "the state of a program in a scope": program(
            lambda p, prog: prog.state_dict(scope=p.static.Scope())
        ),
        "the state of a program is a number": program(
            lambda p, prog: prog.set_state_dict(3)
        ),
        "a norm over a text": lambda p: p.nn.LayerNorm("a"),
        "a norm over a list": lambda p: p.nn.LayerNorm([2, 3]).weight,
        "a norm over a tuple": lambda p: p.nn.LayerNorm((2,)).weight,
        "a list by a name": container(bends, lambda p, c: c["0"]),
        "a list by another name": container(bends, lambda p, c: c["a"]),
        "a list by a name too far": container(bends, lambda p, c: c["2"]),
        "a list by half an index": container(bends, lambda p, c: c[0.5]),
        "a list is written by a name": container(bends, put("0", tanh)),
        "a list is written with a number": container(bends, put(0, lambda p: 3)),
        "a list loses a name": container(bends, lost("0")),
        "a list loses a name that it has not": container(bends, lost("2")),
        "a dict by a number": container(by_name, lambda p, c: c[0]),
        "a dict by a name that it has not": container(by_name, lambda p, c: c["b"]),
        "a dict is written by a number": container(by_name, put(0, tanh)),
        "a dict is written by a name": container(by_name, put("b", tanh)),
        "a dict is written with a number": container(by_name, put("b", lambda p: 3)),
        "a dict loses a number": container(by_name, lost(0)),
        "a dict loses a name that it has not": container(by_name, lost("b")),
        "a dict holds a number": container(by_name, lambda p, c: 0 in c),
        "a dict is updated by numbers": container(
            by_name, lambda p, c: c.update({0: tanh(p)})
        ),
        "a dict pops a number": container(by_name, lambda p, c: c.pop(0)),
        "a dict pops a name": container(by_name, lambda p, c: c.pop("a")),
        "a sequence by a name": container(chain, lambda p, c: c["last"]),
        "a sequence by a number": container(chain, lambda p, c: c[1]),
        "a sequence by a name that it has not": container(chain, lambda p, c: c["b"]),
        "a sequence by half an index": container(chain, lambda p, c: c[0.5]),
        "a sequence by nothing": container(chain, lambda p, c: c[None]),
        "parameters by a name": container(weights, lambda p, c: c["0"]),
        "parameters by a name too far": container(weights, lambda p, c: c["1"]),
        "a sublayer without a name": container(
            plain, lambda p, c: c.add_sublayer("", tanh(p))
        ),
        "a sublayer named as a method": container(
            plain, lambda p, c: c.add_sublayer("forward", tanh(p))
        ),
        "a parameter without a name": container(
            plain, lambda p, c: c.add_parameter("", linear(p).weight)
        ),
        "a parameter with a dot in its name": container(
            plain, lambda p, c: c.add_parameter("a.b", linear(p).weight)
        ),
        "a parameter named as a method": container(
            plain, lambda p, c: c.add_parameter("forward", linear(p).weight)
        ),
        "a buffer without a name": container(
            plain, lambda p, c: c.register_buffer("", p.ones([1]))
        ),
        "a buffer with a dot in its name": container(
            plain, lambda p, c: c.register_buffer("a.b", p.ones([1]))
        ),
        "a buffer named as a method": container(
            plain, lambda p, c: c.register_buffer("forward", p.ones([1]))
        ),
        "a buffer named as a sublayer": container(
            bends, lambda p, c: c.register_buffer("0", p.ones([1]))
        ),
        "an optimizer of names": trained(lambda layer: ["linear_0.w_0"]),
        "an optimizer of a group of names": trained(lambda layer: [{"params": ["w"]}]),
        "an optimizer of a dict": trained(lambda layer: layer.state_dict()),
        "an optimizer of a text": trained(lambda layer: "w"),
        "an optimizer of a number": trained(lambda layer: 3),
        "an optimizer of a list of a number": trained(lambda layer: [3]),
        "an optimizer of a layer": trained(lambda layer: layer),
        "an optimizer of pairs": trained(lambda layer: [*layer.named_parameters()]),
        "an optimizer of a generator": trained(lambda layer: iter(layer.parameters())),
        "an optimizer of a tuple": trained(lambda layer: (layer.weight,)),
        "a loss is minimized along one parameter": stepped(
            minimized(lambda layer: [layer.bias])
        ),
        "a loss is minimized by adam along one parameter": stepped(
            minimized(lambda layer: [layer.bias]), "Adam"
        ),
        "a loss is minimized along no parameter": stepped(minimized(lambda layer: [])),
        "a loss is minimized along all parameters": stepped(
            minimized(lambda layer: None)
        ),
        "a loss is minimized along a name": stepped(
            minimized(lambda layer: [layer.bias.name])
        ),
        "a loss is minimized along one clipped parameter": stepped(
            minimized(lambda layer: [layer.bias]), clip=0.1
        ),
        "a gradient of ones own is applied": stepped(applied),
        "a gradient of ones own is applied by adam": stepped(applied, "Adam"),
    }.items()
]
