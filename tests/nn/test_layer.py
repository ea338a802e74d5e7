"""Layers as Paddle has them: names, order, state, hooks, and what they refuse."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import nn, static
from teachgraph.autograd.creation import NAMED
from teachgraph.core.errors import DTypeError, InvalidValueError


@pytest.fixture(autouse=True)
def _names_from_zero() -> Iterator[None]:
    with tg.unique_name.guard():
        yield


class Inner(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.w = self.create_parameter([2, 2])
        self.b = self.create_parameter([2], is_bias=True)

    def forward(self, x: Any) -> Any:
        return x @ self.w + self.b


class MyNet(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()
        self.own = self.create_parameter([3])
        self.second = nn.Linear(2, 1)
        self.register_buffer("count", tg.ones([2]))
        self.register_buffer("scratch", tg.zeros([2]), persistable=False)

    def forward(self, x: Any) -> Any:
        return self.second(self.inner(x))


ROW = np.array([[1.0, -2.0]], "float32")


def test_names_count_up_by_class() -> None:
    net, other = MyNet(), MyNet()
    assert [net.full_name(), other.full_name()] == ["my_net_0", "my_net_1"]
    assert net.inner.full_name() == "inner_0"
    assert nn.Layer("my").full_name() == "my_0"
    assert [p.name for p in net.parameters()] == [
        "my_net_0.w_0",
        "inner_0.w_0",
        "inner_0.b_0",
        "linear_0.w_0",
        "linear_0.b_0",
    ]


def test_own_parameters_come_first_then_depth_first() -> None:
    net = MyNet()
    names = ["own", "inner.w", "inner.b", "second.weight", "second.bias"]
    assert [name for name, _ in net.named_parameters()] == names
    assert [name for name, _ in net.named_parameters(include_sublayers=False)] == [
        "own"
    ]
    assert [name for name, _ in net.named_parameters("net")] == [
        f"net.{name}" for name in names
    ]


def test_the_state_is_parameters_and_persistable_buffers_layer_by_layer() -> None:
    assert list(MyNet().state_dict()) == [
        "own", "count", "inner.w", "inner.b", "second.weight", "second.bias",
    ]  # fmt: skip


def test_buffers_are_no_parameters() -> None:
    net = MyNet()
    assert [name for name, _ in net.named_buffers()] == ["count", "scratch"]
    assert net.count.stop_gradient
    net.count = tg.full([2], 7.0)
    assert net.state_dict()["count"].tolist() == [7.0, 7.0]


def test_what_is_shared_counts_once_but_is_saved_under_each_name() -> None:
    net = MyNet()
    net.again, net.own_too = net.second, net.own
    assert len(net.parameters()) == 5
    assert [name for name, _ in net.named_sublayers()] == ["inner", "second"]
    assert [name for name in net.state_dict() if "again" in name or "too" in name] == [
        "own_too",
        "again.weight",
        "again.bias",
    ]


def test_layers_within_and_their_order() -> None:
    net = nn.Sequential(MyNet(), nn.Sequential(nn.ReLU(), nn.Linear(1, 1)))
    assert [name for name, _ in net.named_sublayers()] == [
        "0", "0.inner", "0.second", "1", "1.0", "1.1",
    ]  # fmt: skip
    assert next(net.named_sublayers(include_self=True)) == ("", net)
    assert [name for name, _ in net.named_children()] == ["0", "1"]
    assert net.sublayers(include_self=True)[0] is net
    assert len(net.sublayers()) == 6


def test_apply_reaches_the_innermost_first() -> None:
    seen: list[str] = []
    net = MyNet()
    assert net.apply(lambda layer: seen.append(layer.full_name())) is net
    assert seen == ["inner_0", "linear_0", "my_net_0"]


def test_training_is_switched_everywhere() -> None:
    net = MyNet()
    assert net.training
    net.eval()
    assert [layer.training for layer in net.sublayers(include_self=True)] == [False] * 3
    net.inner.train()
    assert (net.training, net.inner.training) == (False, True)
    net.train()
    assert all(layer.training for layer in net.sublayers(include_self=True))


def test_a_state_brings_the_same_answers_to_another_net() -> None:
    net, other = MyNet(), MyNet()
    x = tg.to_tensor(ROW)
    assert net(x).item() != other(x).item()
    assert other.set_state_dict(net.state_dict()) == ([], [])
    assert net(x).item() == other(x).item()
    other.own.set_value(np.zeros(3, "float32"))
    assert net.own.tolist() != [0.0, 0.0, 0.0]


def test_a_state_may_be_arrays_and_go_by_parameter_names() -> None:
    net, other = MyNet(), MyNet()
    arrays = {name: value.numpy() for name, value in net.state_dict().items()}
    assert other.set_dict(arrays) == ([], [])
    renamed = {p.name: p.numpy() + 1 for p in net.parameters()}
    with pytest.warns(UserWarning, match="Skip loading for"):
        missing, unexpected = net.set_state_dict(renamed, use_structured_name=False)
    assert (len(missing), unexpected) == (1, [])  # the buffer
    assert net.own.tolist() == (arrays["own"] + 1).tolist()


def test_what_is_missing_is_told_and_what_is_too_much_is_named() -> None:
    net = MyNet()
    state = net.state_dict()
    own = state.pop("own")
    with pytest.warns(UserWarning, match="Skip loading for own. own is not found"):
        assert net.set_state_dict({**state, "more": own}) == (["own"], ["more"])


@pytest.mark.parametrize(
    ("layer", "names"),
    [
        (lambda: nn.Linear(2, 3, name="own"), ["linear_0.w_0", "linear_0.b_0"]),
        (lambda: nn.Embedding(2, 3, name="own"), ["embedding_0.w_0"]),
        (lambda: nn.LayerNorm(2, name="own"), ["layer_norm_0.w_0", "layer_norm_0.b_0"]),
        (
            lambda: nn.BatchNorm1D(2, name="own"),
            ["batch_norm1d_0.w_0", "batch_norm1d_0.b_0", "own_mean", "own_variance"],
        ),
    ],
)
def test_a_name_names_no_parameters(layer: Any, names: list[str]) -> None:
    """As in Paddle, where it names results in a program, and running moments."""
    assert [value.name for value in layer().state_dict().values()] == names


def test_a_program_calls_the_results_of_a_linear_layer_by_its_name() -> None:
    tg.enable_static()
    with static.program_guard(static.Program(), static.Program()):
        layer = nn.Linear(2, 3, name="own")
        assert layer(static.data("x", [None, 2])).name == "own.tmp_1"
    tg.disable_static()
    assert (
        repr(layer) == "Linear(in_features=2, out_features=3, dtype=float32, name=own)"
    )


def test_what_has_another_shape_is_skipped() -> None:
    """As in Paddle: what is trained further on other classes gets a head of its own."""
    head = nn.Linear(2, 3)
    before = head.weight.numpy().copy()
    state = {"weight": np.ones((2, 4), "float32"), "bias": np.ones(3, "float32")}
    wanted = "Skip loading for weight. weight receives a shape [2, 4], but the expected"
    with pytest.warns(UserWarning, match=re.escape(f"{wanted} shape is [2, 3].")):
        missing, unexpected = head.set_state_dict({**state, "more": 1})
    assert (missing, unexpected) == (["weight"], ["weight", "more"])
    np.testing.assert_array_equal(head.weight.numpy(), before)
    assert head.bias.tolist() == [1.0, 1.0, 1.0]


def test_a_state_of_another_dtype_changes_nothing() -> None:
    net = MyNet()
    before = {name: value.numpy().copy() for name, value in net.state_dict().items()}
    state: dict[str, Any] = {name: value + 1 for name, value in before.items()}
    with pytest.raises(
        InvalidValueError, match=r"second\.bias: set_value got"
    ) as caught:
        net.set_state_dict({**state, "second.bias": np.ones(1)})
    assert __file__ in str(caught.value)
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), before[name])


def test_hooks_run_in_order_and_can_be_taken_off() -> None:
    net, heard = MyNet(), []
    first = net.register_forward_pre_hook(
        lambda layer, inputs: heard.append(("first", layer is net, type(inputs)))
    )
    net.register_forward_pre_hook(lambda layer, inputs: heard.append("second"))
    net.register_forward_post_hook(
        lambda layer, inputs, output: heard.append((len(inputs), output.shape))
    )
    net(tg.to_tensor(ROW))
    assert heard == [("first", True, tuple), "second", (1, [1, 1])]
    first.remove()
    first.remove()
    heard.clear()
    net(tg.to_tensor(ROW))
    assert heard == ["second", (1, [1, 1])]


def test_hooks_may_change_what_goes_in_and_what_comes_out() -> None:
    layer = nn.ReLU()
    layer.register_forward_pre_hook(lambda layer, inputs: inputs[0] + 1.0)
    layer.register_forward_pre_hook(lambda layer, inputs: (inputs[0] * 10.0,))
    layer.register_forward_post_hook(lambda layer, inputs, output: output - 5.0)
    layer.register_forward_post_hook(lambda layer, inputs, output: (output, inputs))
    output, inputs = layer(tg.to_tensor([1.0, -3.0]))
    assert output.tolist() == [15.0, -5.0]
    assert inputs[0].tolist() == [20.0, -20.0]


def test_a_hook_may_take_itself_off_while_it_runs() -> None:
    layer, calls = nn.ReLU(), []

    def once(layer: Any, inputs: Any) -> None:
        calls.append(1)
        handle.remove()

    handle = layer.register_forward_pre_hook(once)
    layer(tg.to_tensor(ROW))
    layer(tg.to_tensor(ROW))
    assert calls == [1]


def test_parameters_are_made_as_their_attr_says() -> None:
    layer = nn.Layer()
    weight = layer.create_parameter([200, 100])
    assert abs(weight.numpy()).max() == pytest.approx((6 / 300) ** 0.5, rel=1e-2)
    assert layer.create_parameter([3], is_bias=True).tolist() == [0.0, 0.0, 0.0]
    assert layer.create_parameter([2], attr=False) is None
    named = layer.create_parameter([2], attr="mine")
    assert named.name == "mine"
    half = nn.initializer.Constant(0.5)
    assert layer.create_parameter([2], attr=half).tolist() == [0.5, 0.5]
    assert layer.create_parameter([2], default_initializer=half).tolist() == [0.5, 0.5]
    fixed = layer.create_parameter([2], attr=tg.ParamAttr(trainable=False))
    assert fixed.stop_gradient
    assert not fixed.trainable
    assert str(layer.create_parameter([2], dtype="float64").dtype) == "float64"
    assert str(nn.Layer(dtype="float64").create_parameter([2]).dtype) == "float64"


def test_clear_gradients_clears_them_all() -> None:
    net = MyNet()
    net(tg.to_tensor(ROW)).backward()
    assert net.second.bias.grad.tolist() == [1.0]
    net.clear_gradients()
    assert net.second.bias.grad.tolist() == [0.0]
    assert net.own.grad is None


def test_repr_shows_the_tree() -> None:
    net = nn.Sequential(nn.Linear(3, 2), nn.Sequential(nn.ReLU()))
    assert repr(net) == (
        "Sequential(\n"
        "  (0): Linear(in_features=3, out_features=2, dtype=float32)\n"
        "  (1): Sequential(\n"
        "    (0): ReLU()\n"
        "  )\n"
        ")"
    )


def test_assignments_that_cannot_be_right() -> None:
    net = MyNet()
    with pytest.raises(TypeError, match="sublayer 'second' should be of type Layer"):
        net.second = 5
    with pytest.raises(TypeError, match="parameter 'own' should be of type Parameter"):
        net.own = tg.ones([3])
    net.second = None
    assert list(net.state_dict()) == ["own", "count", "inner.w", "inner.b"]
    del net.inner
    assert list(net.state_dict()) == ["own", "count"]


def test_a_layer_begins_with_its_base_class() -> None:
    class Hasty(nn.Layer):
        def __init__(self) -> None:
            self.linear = nn.Linear(1, 1)

    with pytest.raises(ValueError, match=r"__init__.* should be called first"):
        Hasty()


def test_what_is_added_by_name_must_be_what_it_is_said_to_be() -> None:
    net = MyNet()
    for name in ("own", "a.b", ""):
        with pytest.raises(KeyError):
            net.add_parameter(name, net.second.weight)
        with pytest.raises(KeyError):
            net.register_buffer(name, tg.ones([1]))
    for add in (net.add_parameter, net.add_sublayer, net.register_buffer):
        with pytest.raises(DTypeError, match="but got 'int'") as caught:
            add("five", 5)
        assert __file__ in str(caught.value)
    with pytest.raises(DTypeError, match=r"parameter .* but got 'Tensor'"):
        net.add_parameter("tensor", tg.ones([1]))
    assert not hasattr(net, "five")
    assert net.add_sublayer("third", nn.ReLU()) is net.third
    assert net.add_parameter("extra", net.create_parameter([1])) is net.extra


def test_what_a_layer_does_not_have() -> None:
    layer = nn.Layer()
    with pytest.raises(AttributeError, match="nothing"):
        _ = layer.nothing
    with pytest.raises(NotImplementedError, match="Layer has no forward"):
        layer(1)
    with pytest.raises(ValueError, match="shouldn't implement backward"):
        layer.backward()


def test_the_same_layer_builds_a_program_in_static_mode() -> None:
    eager = MyNet()
    main, startup = static.Program(), static.Program()
    tg.enable_static()
    try:
        with tg.unique_name.guard(), static.program_guard(main, startup):
            net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
            x = static.data("x", [None, 2], "float32")
            out = net(x)
    finally:
        tg.disable_static()
    names = ["linear_0.w_0", "linear_0.b_0", "linear_1.w_0", "linear_1.b_0"]
    assert [p.name for p in net.parameters()] == names
    scope = static.Scope()
    run = static.Executor().run
    run(startup, scope=scope)
    weights = run(main, {"x": ROW}, [*names, out], scope=scope)
    w0, b0, w1, b1, found = weights
    np.testing.assert_allclose(found, np.tanh(ROW @ w0 + b0) @ w1 + b1, rtol=1e-5)
    assert eager(tg.to_tensor(ROW)).shape == [1, 1]


def test_a_layer_changes_its_dtype_with_all_within() -> None:
    net = tg.nn.Sequential(tg.nn.Linear(2, 3), tg.nn.BatchNorm1D(3))
    before = net[0].weight.numpy()
    assert net.to(dtype="float64") is net
    assert {str(t.dtype) for t in net.state_dict().values()} == {"float64"}
    np.testing.assert_array_equal(net[0].weight.numpy(), before)
    x = tg.to_tensor(np.ones((4, 2)), stop_gradient=False)
    net(x).sum().backward()
    assert net[0].weight.grad.dtype == tg.float64
    assert net.float()[0].bias.dtype == tg.float32


def test_there_is_one_device_and_floats_are_needed() -> None:
    layer = tg.nn.Linear(2, 3)
    assert layer.to("cpu") is layer
    with pytest.raises(tg.errors.InvalidValueError, match="should not be 'gpu:0'"):
        layer.to("gpu:0")
    with pytest.raises(tg.errors.DTypeError, match="computes in floats"):
        layer.astype("int64")


def test_a_variable_of_a_layer_is_there_to_be_written_to() -> None:
    layer = nn.Layer("own")
    counter = layer.create_variable("count", dtype="int64")
    assert (counter.name, counter.item(), counter.stop_gradient) == (
        "own_0.count",
        0,
        True,
    )
    assert layer.create_tensor().name == "own_0._generated_var_0"
    assert list(layer.state_dict()) == []
    tg.enable_static()
    with static.program_guard(static.Program()):
        moment = layer.create_variable("moment", persistable=True)
    tg.disable_static()
    assert (moment.name, moment.persistable) == ("own_0.moment", True)


def of_name(name: str) -> nn.Layer:
    return nn.Linear(2, 2, weight_attr=tg.ParamAttr(name=name), bias_attr=False)


def test_a_name_of_a_parameter_is_taken_as_long_as_it_is_in_use() -> None:
    kept = of_name("mine")
    with pytest.raises(InvalidValueError, match=r"parameter name \[mine\]"):
        of_name("mine")
    del kept
    gc.collect()
    assert of_name("mine").weight.name == "mine"


def test_a_name_is_taken_under_its_own_guard() -> None:
    """As in Paddle, also after a guard inside in which the name was given again."""
    outer = of_name("mine")
    with tg.unique_name.guard():
        inner = of_name("mine")
        with pytest.raises(InvalidValueError, match=r"parameter name \[mine\]"):
            of_name("mine")
    with pytest.raises(InvalidValueError, match=r"parameter name \[mine\]"):
        of_name("mine")
    assert outer.weight.name == inner.weight.name


def test_names_of_models_that_are_gone_are_not_kept() -> None:
    gc.collect()
    before = len(NAMED)
    for number in range(10_000):
        of_name(f"w_{number}")
    gc.collect()
    assert len(NAMED) == before
