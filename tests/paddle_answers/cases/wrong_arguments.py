"""Arguments of another kind: texts for lists, numbers for tensors, unknown names."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

from tests.paddle_answers.stories import Story, named

__all__ = ["LINES", "STORIES"]

LINES = """
paddle.einsum("i...->i", t([[1.0, 2], [3, 4]]))
paddle.einsum("...i->i", t([[1.0, 2], [3, 4]]))
paddle.einsum("...->", t([[1.0, 2], [3, 4]]))
paddle.einsum("i...->i", t([1.0, 2]))
paddle.einsum("i...,i...->i", t([[1.0, 2], [3, 4]]), t([[1.0, 2], [3, 4]]))
paddle.einsum("i...->...", t([[1.0, 2], [3, 4]]))
paddle.einsum("...i->i...", t([[1.0, 2], [3, 4]]))
paddle.einsum("ij->i...", t([[1.0, 2], [3, 4]]))
paddle.einsum("i...j", t([[[1.0, 2], [3, 4]]]))
paddle.einsum("...k...", t([[1.0, 2], [3, 4]]))
paddle.einsum("...k...->k", t([[1.0, 2], [3, 4]]))
paddle.einsum("i..->i", t([[1.0, 2], [3, 4]]))
paddle.einsum("i....->i", t([[1.0, 2], [3, 4]]))
paddle.einsum("i.j->ij", t([[1.0, 2], [3, 4]]))
paddle.einsum("i1->i", t([[1.0, 2], [3, 4]]))
paddle.einsum("ij->ij->i", t([[1.0, 2], [3, 4]]))
paddle.static.nn.case([], default=lambda: t([1.0, 2]) * 2.0)
paddle.static.nn.case([])
paddle.static.nn.switch_case(t([1], "int64"), {}, default=lambda: t([1.0]) * 2.0)
paddle.static.nn.switch_case(t([1], "int64"), [], default=lambda: t([1.0]) * 2.0)
paddle.static.nn.switch_case(t([1], "int64"), [])
"""


def appended(act: Callable[..., Any]) -> Story:
    """Names of the (parameter, gradient) pairs that an action appends to a program."""

    def story(paddle: Any) -> Any:
        paddle.enable_static()
        main, startup = paddle.static.Program(), paddle.static.Program()
        with (
            paddle.static.program_guard(main, startup),
            paddle.utils.unique_name.guard(),
        ):
            x = paddle.static.data("x", [2, 3])
            w = paddle.static.create_parameter([3, 1], "float32", name="w")
            b = paddle.static.create_parameter([1], "float32", name="b")
            y = paddle.matmul(x, w) + b
            return [[p.name, g.name] for p, g in act(paddle, y, w)]

    return story


def backward(**arguments: Any) -> Story:
    """`append_backward` with these arguments, "the Variable" for a parameter."""

    def act(paddle: Any, y: Any, w: Any) -> Any:
        given = {k: w if v == "the Variable" else v for k, v in arguments.items()}
        return paddle.static.append_backward(paddle.mean(y), **given)

    return appended(act)


def minimize(loss: Callable[[Any, Any], Any], **arguments: Any) -> Story:
    """`minimize` of a loss with these arguments."""

    def act(paddle: Any, y: Any, w: Any) -> Any:
        return paddle.optimizer.SGD(0.1).minimize(loss(paddle, y), **arguments)[1]

    return appended(act)


def gradients(**arguments: Any) -> Story:
    """`gradients` with these arguments instead of right ones."""

    def act(paddle: Any, y: Any, w: Any) -> Any:
        given = {"targets": [paddle.mean(y)], "inputs": [w]} | arguments
        return [(w, dw) for dw in paddle.static.gradients(**given)]

    return appended(act)


def mean(paddle: Any, y: Any) -> Any:
    return paddle.mean(y)


def linear(paddle: Any, size: int = 1) -> Any:
    return paddle.nn.Linear(size, size)


def inserted(index: Any) -> Story:
    """The sizes of a list of layers of sizes 1 and 2 into which one of 9 is put."""

    def story(paddle: Any) -> Any:
        layers = paddle.nn.LayerList([linear(paddle), linear(paddle, 2)])
        layers.insert(index, linear(paddle, 9))
        return [layer.weight.shape[0] for layer in layers]

    return story


def put_into(act: Callable[[Any, Any], Any]) -> Story:
    """The state of a layer after an action, or of what the action returns."""

    def story(paddle: Any) -> Any:
        layer = paddle.nn.Layer()
        made = act(paddle, layer)
        return list((layer if made is None else made).state_dict())

    return story


def void(_: Any) -> None:
    """Leave out what a method returns."""


def buffer(name: Any, create: Callable[[Any], Any]) -> Story:
    return put_into(lambda paddle, layer: layer.register_buffer(name, create(paddle)))


def sequence(*of: Callable[[Any], Any]) -> Story:
    return put_into(lambda paddle, _: paddle.nn.Sequential(*[f(paddle) for f in of]))


def by_name(create: Callable[[Any], Any]) -> Story:
    return put_into(lambda paddle, _: paddle.nn.LayerDict(create(paddle)))


def kept(**settings: Any) -> Story:
    """A tensor that was saved with these settings, as it is loaded."""

    def story(paddle: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            paddle.save({"a": paddle.ones([1])}, f"{folder}/state", **settings)
            return paddle.load(f"{folder}/state")

    return story


def loaded(**settings: Any) -> Story:
    """The type of a value that is loaded with these settings."""

    def story(paddle: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            paddle.save({"a": paddle.ones([1])}, f"{folder}/state")
            return type(paddle.load(f"{folder}/state", **settings)["a"]).__name__

    return story


def leaf(paddle: Any) -> list[Any]:
    """A leaf and its double."""
    x = paddle.to_tensor(1.0, stop_gradient=False)
    return [x, x * 2.0]


def two_backward(paddle: Any) -> Any:
    x, double = leaf(paddle)
    paddle.autograd.backward([double, x * 3.0])
    return x.grad


STORIES: list[Story] = [
    named(name, story)
    for name, story in {
        "no_grad_set is a set of names": backward(no_grad_set={"w"}),
        "no_grad_set is a list of names": backward(no_grad_set=["w"]),
        "no_grad_set has an unknown name": backward(no_grad_set={"other"}),
        "no_grad_set is a text": backward(no_grad_set="w"),
        "no_grad_set is a Variable": backward(no_grad_set="the Variable"),
        "no_grad_set is a number": backward(no_grad_set=3),
        "parameter_list is a list of names": backward(parameter_list=["w"]),
        "parameter_list is a text": backward(parameter_list="w"),
        "parameter_list is a Variable": backward(parameter_list="the Variable"),
        "parameter_list holds a number": backward(parameter_list=[3]),
        "callbacks are a number": backward(callbacks=3),
        "minimize takes no text as no_grad_set": minimize(mean, no_grad_set="w"),
        "minimize takes no text as parameters": minimize(mean, parameters="w"),
        "minimize takes names of parameters": minimize(mean, parameters=["w"]),
        "gradients takes no text as no_grad_set": gradients(no_grad_set="w"),
        "gradients takes no text as inputs": gradients(inputs="w"),
        "gradients takes no text as targets": gradients(targets="w"),
        "gradients takes no number as target_gradients": gradients(target_gradients=3),
        "a loss of two elements is minimized": minimize(lambda paddle, y: y),
        "a loss of unknown size is minimized": minimize(
            lambda paddle, y: paddle.static.data("q", [-1]) * paddle.mean(y)
        ),
        "a loss of shape 1 1 is minimized": minimize(
            lambda paddle, y: paddle.mean(y).reshape([1, 1])
        ),
        "a number is minimized": minimize(lambda paddle, y: 3),
        "a list is minimized": minimize(lambda paddle, y: [paddle.mean(y)]),
        "a loss of two elements goes backward": appended(
            lambda paddle, y, w: paddle.static.append_backward(y)
        ),
        "a number goes backward": appended(
            lambda paddle, y, w: paddle.static.append_backward(3)
        ),
        "a parameter is no buffer": buffer("b", lambda p: linear(p).weight),
        "an array is no buffer": buffer("b", lambda p: [1.0]),
        "a number is no name of a buffer": buffer(3, lambda p: p.ones([1])),
        "a tensor is a buffer": buffer("b", lambda p: p.ones([1])),
        "a number is no name of a parameter": put_into(
            lambda p, layer: void(layer.add_parameter(3, linear(p).weight))
        ),
        "nothing is no name of a sublayer": put_into(
            lambda p, layer: void(layer.add_sublayer(None, linear(p)))
        ),
        "a number is no name of a sublayer": put_into(
            lambda p, layer: void(layer.add_sublayer(3, linear(p)))
        ),
        "a sublayer has a dot in its name": put_into(
            lambda p, layer: void(layer.add_sublayer("a.b", linear(p)))
        ),
        "a layer is put before the first": inserted(0),
        "a layer is put before the last": inserted(-1),
        "a layer is put before the second from the end": inserted(-2),
        "a layer is put behind the last": inserted(2),
        "a layer is put behind the end": inserted(5),
        "a layer is put before the start": inserted(-3),
        "a layer is put at half an index": inserted(0.5),
        "a layer is put at no index": inserted(None),
        "a sequence of layers in a list": sequence(lambda p: [linear(p), p.nn.ReLU()]),
        "a sequence of three in a list": sequence(lambda p: [linear(p)] * 3),
        "a sequence of a pair in a list": sequence(lambda p: ["a", linear(p)]),
        "a sequence of a number": sequence(lambda p: 3),
        "a sequence of a name and a number": sequence(lambda p: ("a", 3)),
        "a dict of a number": by_name(lambda p: 3),
        "a dict of layers without names": by_name(lambda p: [linear(p)]),
        "a dict of triples": by_name(lambda p: [("a", linear(p), 3)]),
        "a dict of numbers": by_name(lambda p: {"a": 3}),
        "a dict of pairs": by_name(lambda p: [("a", linear(p)), ["b", linear(p)]]),
        "a sequence loses what it has not": put_into(
            lambda p, _: p.nn.Sequential(linear(p)).__delitem__(9)
        ),
        "a sequence is asked for what it has not": put_into(
            lambda p, _: p.nn.Sequential(linear(p))[1]
        ),
        **{f"a state is saved by protocol {n}": kept(protocol=n) for n in range(6)},
        "a state is saved by protocol true": kept(protocol=True),
        "a state is saved by a protocol in letters": kept(protocol="4"),
        "a state is saved by a fraction of a protocol": kept(protocol=4.0),
        "a state is saved by no protocol": kept(protocol=None),
        "a state is saved by the old word": kept(pickle_protocol=4),
        "a state is saved by an old protocol in the old word": kept(pickle_protocol=1),
        "a state is saved with an unknown setting": kept(other=3),
        "a state is saved with a number for a switch": kept(use_binary_format=3),
        "a state is saved as before": kept(use_binary_format=False),
        "a state is loaded as arrays for a number": loaded(return_numpy=3),
        "a state is loaded with an unknown setting": loaded(other=3),
        "a state is loaded with a name of a file": loaded(model_filename="a"),
        "a state is loaded with a number for a switch": loaded(keep_name_table=3),
        "a state is saved to a number": lambda p: p.save({"a": 1}, 3.5),
        "a state is loaded from nothing": lambda p: p.load(None),
        "a number is differentiated": lambda p: p.autograd.backward(3),
        "nothing is differentiated": lambda p: p.autograd.backward([]),
        "none is differentiated": lambda p: p.autograd.backward(None),
        "a list of numbers is differentiated": lambda p: p.autograd.backward([3]),
        "a tensor is differentiated twice": lambda p: p.autograd.backward(
            [leaf(p)[1]] * 2
        ),
        "two tensors are differentiated": two_backward,
        "flags are a number": lambda p: p.set_flags(3),
        "flags are names": lambda p: p.set_flags(["FLAGS_check_nan_inf"]),
        "a number of flags is read": lambda p: p.get_flags(3),
    }.items()
]
