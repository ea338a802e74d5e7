"""Sharing by a name or by two owners, and states that belong to others."""

from __future__ import annotations

from typing import Any

__all__ = ["STORIES"]


def a_layer_at_two_names_is_one_child(paddle: Any) -> Any:
    nn = paddle.nn

    class Net(nn.Layer):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.x = nn.Linear(1, 1)
            self.y = self.x
            self.z = nn.Sequential(self.x, nn.ReLU(), self.x)

    net = Net()
    return {
        "children": [name for name, _ in net.named_children()],
        "count": len(list(net.children())),
        "sublayers": [name for name, _ in net.named_sublayers()],
        "parameters": [name for name, _ in net.named_parameters()],
        "state": list(net.state_dict()),
        "inside": [name for name, _ in net.z.named_children()],
        "length": len(net.z),
        "passes": len([layer for layer in net.z]),  # noqa: C416
    }


def layers_of_lists_and_dicts_may_repeat(paddle: Any) -> Any:
    nn = paddle.nn
    layer = nn.ReLU()
    several, named = nn.LayerList([layer, layer]), nn.LayerDict({"a": layer})
    named["b"] = layer
    return [
        len(several),
        len(list(several)),
        len(list(several.children())),
        len(named),
        list(named.keys()),
        [name for name, _ in named.named_children()],
        nn.Sequential(layer, layer)[1] is layer,
    ]


def a_name_is_of_one_parameter_only(paddle: Any) -> Any:
    attr = paddle.ParamAttr(name="of_one")
    first = paddle.nn.Linear(2, 2, weight_attr=attr)
    return [first.weight.name, paddle.nn.Linear(2, 2, weight_attr=attr).weight.name]


def a_name_is_of_one_parameter_only_in_one_layer(paddle: Any) -> Any:
    attr = paddle.ParamAttr(name="of_weight")
    layer = paddle.nn.Linear(2, 2, weight_attr=attr, bias_attr=attr)
    return [layer.weight.name, layer.bias.name]


def a_name_may_come_again_under_a_guard(paddle: Any) -> Any:
    names, layers = [], []
    for _ in range(2):
        with paddle.utils.unique_name.guard():
            attr = paddle.ParamAttr(name="guarded")
            layers.append(paddle.nn.Linear(2, 2, weight_attr=attr))
            names.append(layers[-1].weight.name)
    return names


def a_name_is_shared_in_a_program(paddle: Any) -> Any:
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    attr = paddle.ParamAttr(name="w")
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [2, 2])
        paddle.static.nn.fc(
            paddle.static.nn.fc(x, 2, weight_attr=attr), 2, weight_attr=attr
        )
    return [len([p for p in main.all_parameters() if p.name == "w"])]


def trained(paddle: Any, kind: str) -> tuple[Any, Any]:
    layer = paddle.nn.Linear(2, 1)
    optimizer = getattr(paddle.optimizer, kind)(0.1, parameters=layer.parameters())
    layer(paddle.ones([1, 2])).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    return layer, optimizer


def sgd_ignores_the_state_of_others(paddle: Any) -> Any:
    (_, adam), (layer, sgd) = trained(paddle, "Adam"), trained(paddle, "SGD")
    before = layer.bias.numpy()
    sgd.set_state_dict(adam.state_dict())
    layer(paddle.ones([1, 2])).sum().backward()
    sgd.step()
    return [before - layer.bias.numpy(), len(sgd.state_dict())]


def adam_refuses_the_state_of_another_layer(paddle: Any) -> Any:
    (_, first), (_, second) = trained(paddle, "Adam"), trained(paddle, "Adam")
    second.set_state_dict(first.state_dict())


def more_than_its_state_is_ignored(paddle: Any) -> Any:
    _, momentum = trained(paddle, "Momentum")
    state = momentum.state_dict()
    momentum.set_state_dict({**state, "unknown": paddle.ones([3])})
    return len(momentum.state_dict()) == len(state)


def parts_of_an_array_are_joined(paddle: Any) -> Any:
    join = paddle.tensor.manipulation.tensor_array_to_tensor
    x, y = paddle.ones([2, 1]), paddle.zeros([2, 2])
    x.stop_gradient = False
    joined, sizes = join([x, y])
    stacked, ones = join([x * 2.0, x], axis=0, use_stack=True)
    (joined.sum() + stacked.sum()).backward()
    return [joined, sizes, stacked, ones, x.grad]


def parts_of_an_array_are_joined_in_a_program(paddle: Any) -> Any:
    paddle.enable_static()
    join, told = paddle.tensor.manipulation.tensor_array_to_tensor, []
    for axis, use_stack in ((0, False), (1, False), (0, True), (1, True)):
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            array = paddle.tensor.create_array("float32")
            for i in range(2):
                at = paddle.full([1], i, "int64")
                paddle.tensor.array_write(paddle.full([2, 2], 1.0 + i), at, array)
            joined, _ = join(array, axis, use_stack)
        value = paddle.static.Executor().run(main, fetch_list=[joined])
        told.append([list(joined.shape), value])
    return told


def an_executor_has_a_place(paddle: Any) -> Any:
    places = [paddle.static.Executor().place, paddle.static.Executor(paddle.CPUPlace())]
    return [repr(places[0]), repr(places[1].place)]


STORIES = [
    a_layer_at_two_names_is_one_child,
    layers_of_lists_and_dicts_may_repeat,
    a_name_is_of_one_parameter_only,
    a_name_is_of_one_parameter_only_in_one_layer,
    a_name_may_come_again_under_a_guard,
    a_name_is_shared_in_a_program,
    sgd_ignores_the_state_of_others,
    adam_refuses_the_state_of_another_layer,
    more_than_its_state_is_ignored,
    parts_of_an_array_are_joined,
    parts_of_an_array_are_joined_in_a_program,
    an_executor_has_a_place,
]
