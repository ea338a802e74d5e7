"""Paddle 1.x's words do the same things: in programs, and inside a guard."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import fluid, static
from teachgraph.core.errors import InvalidValueError, ModeError
from teachgraph.fluid import layers
from teachgraph.static import default_main_program

X = np.array([[1.0, 4.0, 9.0], [0.25, 1.0, 2.25]], "float32")
Y = np.array([[2.0, 1.0, 3.0], [4.0, 0.5, 2.0]], "float32")


def softmax(x: Any) -> Any:
    power = np.exp(x)
    return power / power.sum(axis=1, keepdims=True)


LAYERS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "abs": (layers.abs, np.abs),
    "exp": (layers.exp, np.exp),
    "log": (layers.log, np.log),
    "sqrt": (layers.sqrt, np.sqrt),
    "square": (layers.square, np.square),
    "tanh": (layers.tanh, np.tanh),
    "relu": (lambda x: layers.relu(x - 2.0), lambda x: np.maximum(x - 2, 0)),
    "sigmoid": (layers.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    "softmax": (layers.softmax, softmax),
    "mean": (layers.mean, np.mean),
    "reduce_sum": (lambda x: layers.reduce_sum(x, dim=1), lambda x: x.sum(1)),
    "keep_dim": (
        lambda x: layers.reduce_sum(x, dim=[0], keep_dim=True),
        lambda x: x.sum(0, keepdims=True),
    ),
    "scale": (
        lambda x: layers.scale(x, 2.0, 1.0, bias_after_scale=False, act="tanh"),
        lambda x: np.tanh(2 * (x + 1)),
    ),
    "reshape": (
        lambda x: layers.reshape(x, [3, -1], act="sqrt"),
        lambda x: np.sqrt(x.reshape(3, 2)),
    ),
    "transpose": (lambda x: layers.transpose(x, [1, 0]), np.transpose),
    "concat": (
        lambda x: layers.concat([x, x], axis=1),
        lambda x: np.concatenate([x, x], 1),
    ),
    "cast": (lambda x: layers.cast(x, "int64"), lambda x: x.astype("int64")),
    "argmax": (lambda x: layers.argmax(x, axis=1), lambda x: x.argmax(1)),
}
PAIRS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "add": (layers.elementwise_add, np.add),
    "sub": (layers.elementwise_sub, np.subtract),
    "mul": (layers.elementwise_mul, np.multiply),
    "div": (layers.elementwise_div, np.divide),
    "max": (layers.elementwise_max, np.maximum),
    "min": (layers.elementwise_min, np.minimum),
    "pow": (layers.elementwise_pow, np.power),
    "act": (
        lambda x, y: layers.elementwise_sub(x, y, act="relu"),
        lambda x, y: np.maximum(x - y, 0),
    ),
    "matmul": (
        lambda x, y: layers.matmul(x, y, transpose_y=True, alpha=0.5),
        lambda x, y: 0.5 * x @ y.T,
    ),
    "square_error_cost": (layers.square_error_cost, lambda x, y: (x - y) ** 2),
}
ALL = {**LAYERS, **PAIRS}


def in_a_program(layer: Callable[..., Any], *values: Any) -> Any:
    names = [f"in{i}" for i in range(len(values))]
    inputs = [
        fluid.data(name, list(value.shape), str(value.dtype))
        for name, value in zip(names, values, strict=True)
    ]
    feed = dict(zip(names, values, strict=True))
    return fluid.Executor(fluid.CPUPlace()).run(feed=feed, fetch_list=[layer(*inputs)])[
        0
    ]


def in_a_guard(layer: Callable[..., Any], *values: Any) -> Any:
    with fluid.dygraph.guard():
        return layer(*map(fluid.dygraph.to_variable, values)).numpy()


@pytest.mark.parametrize("how", [in_a_program, in_a_guard])
@pytest.mark.parametrize("name", ALL)
def test_a_layer_computes_what_its_name_says(
    name: str, how: Callable[..., Any]
) -> None:
    layer, wanted = ALL[name]
    values = (X, Y) if name in PAIRS else (X,)
    found, want = how(layer, *values), np.atleast_1d(wanted(*values))
    assert found.shape == want.shape
    np.testing.assert_allclose(found, want, rtol=1e-5)


@pytest.mark.parametrize("how", [in_a_program, in_a_guard])
def test_the_old_cross_entropy_is_of_probabilities_row_by_row(how: Any) -> None:
    probability = np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]], "float32")
    label = np.array([[1], [0], [-100]])
    found = how(layers.cross_entropy, probability, label)
    np.testing.assert_allclose(found, [[-np.log(0.75)], [0.0], [0.0]], rtol=1e-6)


def test_the_log_of_nothing_is_large_but_finite() -> None:
    found = in_a_guard(
        layers.cross_entropy, np.array([[1.0, 0.0]], "float32"), np.array([[1]])
    )
    np.testing.assert_array_equal(found, [[np.float32(1e20)]])


def test_elementwise_layers_align_the_second_at_an_axis() -> None:
    column = np.array([10.0, 20.0], "float32")
    found = in_a_program(lambda x, y: layers.elementwise_add(x, y, axis=0), X, column)
    np.testing.assert_array_equal(found, X + column[:, None])


@pytest.mark.parametrize("how", [in_a_program, in_a_guard])
def test_topk_gives_values_and_where_they_stood(how: Any) -> None:
    values = how(lambda x: layers.topk(x, 2)[0], Y)
    places = how(lambda x: layers.topk(x, 2)[1].astype("int64"), Y)
    np.testing.assert_array_equal(values, [[3.0, 2.0], [4.0, 2.0]])
    np.testing.assert_array_equal(places, [[2, 0], [0, 2]])


def test_layers_data_puts_a_batch_in_front_and_fluid_data_does_not() -> None:
    assert layers.data("a", [3]).shape == (-1, 3)
    assert layers.data("b", [3], append_batch_size=False).shape == (3,)
    assert layers.data("c", [-1, 3], dtype="int64").shape == (-1, 3)
    assert fluid.data("d", [3]).shape == (3,)


def test_fc_takes_its_old_argument_names() -> None:
    out = layers.fc(
        input=layers.data("x", [3]),
        size=2,
        param_attr=fluid.ParamAttr(
            name="w", initializer=fluid.initializer.ConstantInitializer(1.0)
        ),
        bias_attr=fluid.ParamAttr(
            name="b", initializer=fluid.initializer.Constant(2.0)
        ),
        act="sqrt",
    )
    executor = fluid.Executor()
    executor.run(fluid.default_startup_program())
    (found,) = executor.run(feed={"x": X}, fetch_list=[out])
    wanted = np.sqrt(X.sum(axis=1, keepdims=True) + 2).repeat(2, 1)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_constants_are_operators_unless_inside_a_guard() -> None:
    static_one = layers.fill_constant([2], "int64", 3)
    assert isinstance(static_one, fluid.Variable)
    assert default_main_program().global_block().ops[0].type == "fill_constant"
    with fluid.dygraph.guard():
        now = layers.fill_constant(shape=[2], dtype="int64", value=3)
    assert now.tolist() == [3, 3]


@pytest.fixture
def undecided() -> Any:
    """As before anybody has chosen a mode."""
    with tg.modes.using(static=None):
        yield


def test_who_has_not_chosen_means_static_in_the_old_words(undecided: None) -> None:
    assert not fluid.dygraph.enabled()
    assert isinstance(layers.fill_constant([1], "float32", 1.0), static.Variable)
    assert isinstance(tg.full([1], 1.0), tg.Tensor)
    with pytest.raises(
        ModeError, match="We Only support to_variable in imperative mode"
    ):
        fluid.dygraph.to_variable(X)


@pytest.mark.parametrize("enable", [fluid.enable_imperative, fluid.enable_dygraph])
def test_dynamic_mode_is_switched_on_and_off_or_for_a_block(
    enable: Any, undecided: None
) -> None:
    with enable():
        assert fluid.dygraph.enabled()
        assert fluid.dygraph.to_variable(X, name="x").name == "x"
    assert not fluid.dygraph.enabled()
    enable(fluid.CPUPlace())
    assert fluid.dygraph.enabled()
    fluid.disable_imperative()
    assert not fluid.dygraph.enabled()


def test_a_guard_ends_when_something_is_raised() -> None:
    before = fluid.in_dynamic_mode()
    with pytest.raises(ZeroDivisionError), fluid.dygraph.guard(fluid.CPUPlace()):
        _ = 1 / 0
    assert fluid.in_dynamic_mode() is before


def test_a_linear_layer_has_an_activation_in_the_old_names() -> None:
    with fluid.dygraph.guard():
        weight = fluid.initializer.NumpyArrayInitializer(np.eye(3, dtype="float32"))
        layer = fluid.dygraph.Linear(
            3, 3, param_attr=fluid.ParamAttr(initializer=weight), act="sqrt"
        )
        found = layer(fluid.dygraph.to_variable(X))
    np.testing.assert_allclose(found.numpy(), np.sqrt(X), rtol=1e-6)


def test_there_is_only_the_cpu() -> None:
    assert repr(fluid.CPUPlace()) == "Place(cpu)"
    assert not fluid.is_compiled_with_cuda()
    with pytest.raises(InvalidValueError, match="there is no GPU 0 here"):
        fluid.CUDAPlace(0)


def test_who_writes_2_x_code_does_not_pay_for_1_x_at_the_start() -> None:
    """`fluid` comes when it is asked for, and is listed before."""
    script = (
        "import sys, teachgraph as tg\n"
        "assert 'fluid' in dir(tg) and 'teachgraph.fluid' not in sys.modules\n"
        "import teachgraph.fluid as fluid\n"
        "print(tg.fluid is fluid, tg.CPUPlace() == tg.fluid.CPUPlace())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "True"]


def mean_in_a_program() -> Any:
    x = fluid.data("x", [2])
    exe = fluid.Executor()
    feed = {"x": np.array([1.0, 2.0], "float32")}
    return exe.run(feed=feed, fetch_list=[layers.mean(x)])[0]


def mean_in_a_guard() -> Any:
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.array([1.0, 2.0], "float32"))
        return layers.mean(x).numpy()


@pytest.mark.parametrize("scalar", [mean_in_a_program, mean_in_a_guard])
def test_a_scalar_is_an_array_of_one_element(programs: Any, scalar: Any) -> None:
    value = scalar()
    assert value.shape == (1,)
    assert value[0] == 1.5
    assert repr(value) == "array([1.5], dtype=float32)"
    assert (float(value), int(value), f"{value:.2f}") == (1.5, 1, "1.50")
    assert f"{value}" == "[1.5]"


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("layers.nn", "fc"),
        ("layers.tensor", "fill_constant"),
        ("layers.ops", "exp"),
        ("layers.control_flow", "StaticRNN"),
        ("layers.loss", "cross_entropy"),
        ("layers.learning_rate_scheduler", "noam_decay"),
        ("dygraph.layers", "Layer"),
        ("dygraph.container", "Sequential"),
        ("dygraph.checkpoint", "save_dygraph"),
        ("dygraph.learning_rate_scheduler", "NoamDecay"),
        ("unique_name", "generate"),
    ],
)
def test_names_are_found_in_the_modules_that_define_them(
    module: str, name: str
) -> None:
    assert hasattr(import_module(f"teachgraph.fluid.{module}"), name)
