"""What an optimizer may be told: groups, rates, decays, clips; and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import fluid, static
from teachgraph.core.errors import DTypeError, InvalidValueError, ModeError
from teachgraph.nn import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from teachgraph.optimizer import lr
from teachgraph.planning.executor import Executor
from tests.static.fresh import fresh

opt = tg.optimizer


def layer() -> tg.nn.Linear:
    """Its weight is [[1, 2], [3, 4]] and its bias [1, 2]."""
    found = tg.nn.Linear(2, 2)
    found.weight.set_value(np.array([[1, 2], [3, 4]], "float32"))
    found.bias.set_value(np.array([1, 2], "float32"))
    return found


def stepped(found: tg.nn.Linear, optimizer: Any) -> tuple[Any, Any]:
    """Weight and bias after a step along gradients of ones."""
    found(tg.to_tensor(np.ones((1, 2), "float32"))).sum().backward()
    optimizer.step()
    return found.weight.numpy(), found.bias.numpy()


def grouped(*settings: dict[str, Any], **common: Any) -> tuple[Any, Any]:
    model = layer()
    groups = [
        {"params": [p], **own}
        for p, own in zip(model.parameters(), settings, strict=True)
    ]
    return stepped(model, opt.SGD(0.1, parameters=groups, **common))


def test_a_group_has_a_factor_and_a_decay_of_its_own() -> None:
    """The numbers are those of Paddle 2.6.2."""
    own = {"learning_rate": 0.1, "weight_decay": 0.5}
    weight, bias = grouped(own, {}, weight_decay=0.01)
    np.testing.assert_allclose(weight, [[0.985, 1.98], [2.975, 3.97]], rtol=1e-6)
    np.testing.assert_allclose(bias, [0.899, 1.898], rtol=1e-6)


def test_a_group_is_clipped_by_itself_and_grad_stays_as_it_is() -> None:
    model = layer()
    own = {"params": [model.weight], "grad_clip": ClipGradByGlobalNorm(0.5)}
    optimizer = opt.SGD(1.0, parameters=[own, {"params": [model.bias]}])
    weight, bias = stepped(model, optimizer)
    np.testing.assert_allclose(weight, [[0.75, 1.75], [2.75, 3.75]], rtol=1e-6)
    np.testing.assert_array_equal(bias, [0, 1])
    assert model.weight.grad.tolist() == [[1, 1], [1, 1]]


def test_a_group_has_numbers_of_its_own() -> None:
    model = layer()
    own = {"params": [model.weight], "learning_rate": 0.1, "beta1": 0.5, "epsilon": 1.0}
    optimizer = opt.Adam(0.1, parameters=[own, {"params": [model.bias]}])
    weight, bias = stepped(model, optimizer)
    np.testing.assert_allclose(weight, [[0.995, 1.995], [2.995, 3.995]], rtol=1e-6)
    np.testing.assert_allclose(bias, [0.9, 1.9], rtol=1e-6)
    power = optimizer.state_dict()[f"{model.weight.name}_beta1_pow_acc_0"]
    assert power.tolist() == [0.25]


def test_weight_decay_of_a_group_of_adamw_shrinks() -> None:
    model = layer()
    groups = [{"params": [model.weight], "weight_decay": 1.0}, {"params": [model.bias]}]
    weight, bias = stepped(model, opt.AdamW(0.5, weight_decay=0.0, parameters=groups))
    np.testing.assert_allclose(weight, [[0.0, 0.5], [1.0, 1.5]], atol=1e-5)
    np.testing.assert_allclose(bias, [0.5, 1.5], atol=1e-5)


@pytest.mark.parametrize(
    ("parameters", "error", "says"),
    [
        (lambda m: [{"foo": 3}], InvalidValueError, "a dict with 'params'"),
        (lambda m: {"params": m.parameters()}, TypeError, "list of dict"),
        (
            lambda m: [{"params": [m.weight]}, {"params": [m.weight]}],
            InvalidValueError,
            "more than one parameter group",
        ),
        (
            lambda m: [{"params": [m.weight], "beta": 3}],
            InvalidValueError,
            r"not \['beta'\]",
        ),
        (
            lambda m: [{"params": [m.weight], "learning_rate": -1.0}],
            InvalidValueError,
            "learning_rate is a factor",
        ),
        (lambda m: [{"params": m.weight}], TypeError, "iterable of Tensors"),
        (lambda m: 3, TypeError, "iterable of Tensors"),
    ],
)
def test_groups_that_make_no_sense(
    parameters: Callable[[Any], Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        opt.SGD(0.1, parameters=parameters(layer()))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: opt.Adam(beta1=1.0), r"beta1 must be a number in \[0, 1\), got 1.0"),
        (lambda: opt.Adam(beta2=-1.0), "beta2"),
        (lambda: opt.Adam(epsilon=-1.0), "epsilon"),
        (lambda: opt.AdamW(weight_decay="a"), "weight_decay"),
        (lambda: opt.Adamax(beta1=3.0), "beta1"),
        (lambda: opt.Lamb(beta2=1.0), "beta2"),
        (lambda: opt.Momentum(momentum=None), "momentum"),
        (lambda: opt.RMSProp(0.1, rho=-2.0), "rho"),
        (lambda: opt.Adadelta(rho=float("nan")), "rho"),
        (lambda: opt.Adagrad(0.1, initial_accumulator_value=-1.0), "initial"),
        (lambda: opt.Adam(-1.0), "learning rate must be 0 or more"),
        (lambda: opt.Adam(beta1=True), "beta1"),
    ],
)
def test_numbers_out_of_their_range(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(InvalidValueError, match=says):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: opt.SGD(weight_decay="strong"),
        lambda: opt.SGD(grad_clip=3),
        lambda: opt.AdamW(apply_decay_param_fun="w"),
        lambda: opt.Lamb(exclude_from_weight_decay_fn=3),
    ],
)
def test_settings_of_the_wrong_kind(make: Callable[[], Any]) -> None:
    with pytest.raises(DTypeError):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: ClipGradByNorm(-1.0),
        lambda: ClipGradByNorm("a"),
        lambda: ClipGradByGlobalNorm(0.0),
        lambda: ClipGradByValue(-1.0),
        lambda: ClipGradByValue(1.0, 2.0),
        lambda: ClipGradByValue(float("nan"), 0.0),
        lambda: tg.regularizer.L2Decay("a"),
    ],
)
def test_bounds_that_bound_nothing(make: Callable[[], Any]) -> None:
    with pytest.raises(InvalidValueError):
        make()


def test_clips_are_told_as_paddle_tells_them() -> None:
    assert str(ClipGradByNorm(1.0)) == "Gradient Clip By Norm, clip_norm=1.000000"
    wanted = "Clip Gradient By Value, min = -1.000000, max=1.000000"
    assert str(ClipGradByValue(1.0)) == wanted
    assert str(tg.regularizer.L1Decay(0.1)) == "L1Decay, coeff=0.100000"


def test_a_global_norm_joins_dtypes_and_scalars_that_want_it() -> None:
    made = [tg.to_tensor(np.ones((), "float32")), tg.to_tensor(np.ones(2, "float64"))]
    grads = [tg.to_tensor(np.array(3.0, "float32")), tg.to_tensor(np.array([0.0, 4.0]))]
    free = tg.nn.Linear(1, 1, bias_attr=tg.ParamAttr(need_clip=False)).bias
    pairs = [*zip(made, grads, strict=True), (free, tg.to_tensor([9.0]))]
    found = [g for _, g in ClipGradByGlobalNorm(2.5)(pairs)]
    assert [g.tolist() for g in found] == [1.5, [0.0, 2.0], [9.0]]
    assert [str(g.dtype) for g in found] == ["float32", "float64", "float32"]
    assert grads[1].tolist() == [0.0, 4.0]


@pytest.mark.parametrize("name", ["SGD", "Momentum", "Adam", "Adamax", "Lamb", "AdamW"])
def test_a_parameter_keeps_its_shape_and_dtype(name: str) -> None:
    for value in (np.ones((), "float32"), np.ones((2, 0)), np.ones(3)):
        w = tg.to_tensor(value, stop_gradient=False)
        optimizer = getattr(opt, name)(0.1, parameters=[w])
        for _ in range(2):
            (w * w).sum().backward()
            optimizer.step()
        assert (w.data.shape, w.dtype) == (value.shape, value.dtype)
        assert isinstance(w.data, np.ndarray)
        assert (w.numpy() < 1.0).all()


def test_a_schedule_moves_the_rate_in_dynamic_mode() -> None:
    model, rate = layer(), lr.StepDecay(0.5, 1, 0.5)
    optimizer = opt.SGD(rate, parameters=model.parameters())
    stepped(model, optimizer)
    rate.step()
    optimizer.clear_grad()
    assert stepped(model, optimizer)[1].tolist() == [0.25, 1.25]
    assert optimizer.get_lr() == 0.25
    with pytest.raises(ModeError, match="can't be LRScheduler"):
        optimizer.set_lr(0.1)
    optimizer.set_lr_scheduler(lr.StepDecay(0.125, 1))
    assert optimizer.get_lr() == 0.125


def test_a_schedule_moves_the_variable_of_each_program_that_has_it() -> None:
    """As in Paddle: 0.5, 0.05, 0.005, and the same in a clone."""
    with fresh() as programs:
        x = static.data("x", [None, 2])
        rate, other = lr.StepDecay(0.5, 1, 0.1), lr.StepDecay(0.25, 1, 0.1)
        opt.SGD(rate).minimize(tg.mean(static.nn.fc(x, 1)))
        opt.SGD(other).minimize(tg.mean(static.nn.fc(x, 1)))
        executor, feed = Executor(), {"x": np.ones((1, 2), "float32")}
        executor.run(programs.startup)
        names = ["learning_rate_0", "learning_rate_1"]
        found = []
        for program in (programs.main, programs.main, programs.main.clone()):
            found.append([float(v) for v in executor.run(program, feed, names)])
            rate.step()
        executor.run(programs.main.clone(for_test=True), feed)
    np.testing.assert_allclose(found, [[0.5, 0.25], [0.05, 0.25], [0.005, 0.25]])


def test_a_decay_of_ones_own_is_added_in_both_modes() -> None:
    class Toward(tg.regularizer.WeightDecayRegularizer):
        def gradient(self, parameter: Any) -> Any:
            return (parameter - 1.0) * self.coeff

    model = layer()
    _, bias = stepped(model, opt.SGD(1.0, model.parameters(), Toward(0.5)))
    assert bias.tolist() == [0.0, 0.5]
    with fresh():
        loss = tg.mean(static.nn.fc(static.data("x", [1, 2]), 1))
        updates, _ = opt.SGD(1.0, weight_decay=Toward(0.5)).minimize(loss)
    assert [op.type for op in updates] == ["sgd", "sgd"]


@pytest.mark.parametrize(
    "name",
    ["SGD", "Momentum", "Adagrad", "RMSProp", "Adam", "Adamax", "Lamb"],
)
def test_the_old_names_take_the_old_words(name: str) -> None:
    old, new = getattr(fluid.optimizer, f"{name}Optimizer"), getattr(opt, name)
    more: dict[str, Any] = {"momentum": 0.9} if name == "Momentum" else {}
    found = []
    for make, words in (
        (old, ("parameter_list", "regularization")),
        (new, ("parameters", "weight_decay")),
    ):
        model = layer()
        given = {words[0]: model.parameters(), "grad_clip": ClipGradByNorm(0.5), **more}
        if name != "Lamb":
            given[words[1]] = tg.regularizer.L1Decay(0.25)
        found.append(stepped(model, make(learning_rate=0.1, **given)))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    assert (found[0][0] != [[1, 2], [3, 4]]).all()


def test_gradients_clipped_by_hand() -> None:
    """The factor is that of Paddle and PyTorch, max_norm / (length + 1e-6)."""
    model = layer()
    model(tg.to_tensor(np.ones((1, 2), "float32"))).sum().backward()
    utils = tg.nn.utils
    length = utils.clip_grad_norm_(model.parameters(), 3.0)
    np.testing.assert_allclose(length.numpy(), np.sqrt(6.0), rtol=1e-6)
    assert model.bias.grad.tolist() == [1.0, 1.0]
    utils.clip_grad_norm_(model.parameters(), 1.0)
    np.testing.assert_allclose(model.bias.grad.numpy(), 1 / np.sqrt(6.0), rtol=1e-5)
    assert utils.clip_grad_norm_(model.weight, 0.2, float("inf")).item() < 0.41
    np.testing.assert_allclose(model.weight.grad.numpy(), 0.2, rtol=1e-4)
    utils.clip_grad_value_(model.weight, 0.125)
    assert model.weight.grad.tolist() == [[0.125] * 2] * 2
    model.weight.grad = tg.to_tensor(np.full((2, 2), np.nan, "float32"))
    with pytest.raises(InvalidValueError, match="norm is nan"):
        utils.clip_grad_norm_(model.weight, 1.0, error_if_nonfinite=True)
