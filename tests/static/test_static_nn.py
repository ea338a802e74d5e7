"""`static.nn`: what its layers compute, learn and refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    ProgramError,
    ShapeError,
    UnknownOpError,
)
from teachgraph.nn import functional
from teachgraph.planning.executor import Executor
from teachgraph.static import nn
from teachgraph.static.scope import global_scope
from tests.static.fresh import Fresh

IMAGE = np.cos(np.arange(96.0)).reshape(2, 3, 4, 4).astype("float32")


def run(programs: Fresh, fetch: Any, **feed: Any) -> list[Any]:
    executor = Executor()
    executor.run(programs.startup)
    return executor.run(programs.main, feed, fetch)


def image() -> Any:
    return static.data("x", [None, 3, 4, 4])


Function = Callable[..., Any]

LAYERS: dict[str, tuple[Function, Function]] = {
    "conv2d": (
        lambda x: nn.conv2d(
            x, 2, 3, 2, 1, act="relu", bias_attr=tg.nn.initializer.Constant(0.5)
        ),
        lambda x, w, b: functional.relu(functional.conv2d(x, w, b, 2, 1)),
    ),
    "conv2d of channels": (
        lambda x: nn.conv2d(x, 3, 2, groups=3, use_cudnn=False, bias_attr=False),
        lambda x, w: functional.conv2d(x, w, groups=3),
    ),
    "conv2d_transpose": (
        lambda x: nn.conv2d_transpose(x, 2, filter_size=2, stride=2, bias_attr=False),
        lambda x, w: functional.conv2d_transpose(x, w, stride=2),
    ),
    "conv2d_transpose to a size": (
        lambda x: nn.conv2d_transpose(x, 2, [9, 8], stride=2, padding=[1, 0]),
        lambda x, w, b: functional.conv2d_transpose(
            x, w, b, stride=2, padding=[1, 0], output_size=[9, 8]
        ),
    ),
    "layer_norm": (
        lambda x: nn.layer_norm(x, begin_norm_axis=2, shift=False, epsilon=0.1),
        lambda x, w: functional.layer_norm(x, [4, 4], w, epsilon=0.1),
    ),
    "group_norm": (
        lambda x: nn.group_norm(x, 3, act="tanh", param_attr="w", bias_attr="b"),
        lambda x, w, b: np.tanh(functional.group_norm(x, 3, 1e-5, w, b)),
    ),
    "instance_norm": (
        lambda x: nn.instance_norm(x, param_attr="w", bias_attr="b"),
        lambda x, w, b: functional.group_norm(x, 3, 1e-5, w, b),
    ),
    "prelu, one slope": (
        lambda x: nn.prelu(x, "all"),
        lambda x, a: np.where(x > 0, x, a * x),
    ),
    "prelu, a slope a channel": (
        lambda x: nn.prelu(x, "channel"),
        lambda x, a: np.where(x > 0, x, a * x),
    ),
    "prelu, a slope an element": (
        lambda x: nn.prelu(x, "element"),
        lambda x, a: np.where(x > 0, x, a * x),
    ),
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_the_function_with_parameters_of_its_own(
    name: str, programs: Fresh
) -> None:
    layer, function = LAYERS[name]
    out = layer(image())
    found, *parameters = run(programs, [out, *programs.main.all_parameters()], x=IMAGE)
    wanted = function(IMAGE, *parameters)
    assert found.shape[1:] == out.shape[1:]
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_volumes_are_convolved_too(programs: Fresh) -> None:
    volume = np.sin(np.arange(54.0)).reshape(1, 2, 3, 3, 3).astype("float32")
    there = nn.conv3d(static.data("x", [None, 2, 3, 3, 3]), 3, 2, bias_attr=False)
    back = nn.conv3d_transpose(there, 2, filter_size=2, bias_attr=False)
    parameters = programs.main.all_parameters()
    found, first, second = run(programs, [back, *parameters], x=volume)
    hidden = functional.conv3d(volume, first)
    wanted = functional.conv3d_transpose(hidden, second)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_filters_begin_with_a_variance_that_keeps_the_signals(programs: Fresh) -> None:
    nn.conv2d(static.data("x", [None, 50, 4, 4]), 80, 3)
    (weight,) = values(programs, "conv2d_0.w_0")
    assert abs(weight.std() / np.sqrt(2 / (50 * 9)) - 1) < 0.05


def test_batch_normalisation_learns_moments_and_uses_them_in_a_test(
    programs: Fresh,
) -> None:
    out = nn.batch_norm(image(), momentum=0.5, moving_mean_name="m")
    test = programs.main.clone(for_test=True)
    (trained,) = run(programs, [out], x=IMAGE)
    dims = (0, 2, 3)
    mean, variance = IMAGE.mean(dims), IMAGE.var(dims)
    wanted = (IMAGE - mean[:, None, None]) / np.sqrt(variance + 1e-5)[:, None, None]
    np.testing.assert_allclose(trained, wanted, atol=1e-4)
    scope = global_scope()
    moving = np.array(scope.find_var("m").get_tensor())
    spread = np.array(scope.find_var("batch_norm_0.w_1").get_tensor())
    np.testing.assert_allclose(moving, mean / 2, rtol=1e-5)
    np.testing.assert_allclose(spread, (1 + variance) / 2, rtol=1e-5)
    (tested,) = Executor().run(test, {"x": IMAGE}, [out.name])
    wanted = (IMAGE - moving[:, None, None]) / np.sqrt(spread + 1e-5)[:, None, None]
    np.testing.assert_allclose(tested, wanted, atol=1e-5)


def test_a_padding_row_is_zeros_and_is_not_trained(programs: Fresh) -> None:
    ids = static.data("ids", [None, 2], "int64")
    rows = nn.embedding(ids, [3, 2], padding_idx=-1)
    tg.optimizer.SGD(1.0).minimize(tg.mean(rows))
    executor = Executor()
    executor.run(programs.startup)
    before = np.array(global_scope().find_var("embedding_0.w_0").get_tensor())
    feed = {"ids": np.array([[0, 2], [0, 1]])}
    found, after = executor.run(programs.main, feed, [rows, "embedding_0.w_0"])
    np.testing.assert_array_equal(found[0], [before[0], [0, 0]])
    wanted = [[0.25] * 2, [0.125] * 2, [0, 0]]
    np.testing.assert_allclose(before - after, wanted, atol=1e-6)


def test_a_sparse_table_is_a_table(programs: Fresh) -> None:
    ids = static.data("ids", [None], "int64")
    rows = nn.sparse_embedding(ids, [3, 2])
    found, table = run(
        programs, [rows, "embedding_0.w_0"], ids=np.array([2, 0], "int64")
    )
    np.testing.assert_array_equal(found, table[[2, 0]])


def test_a_bilinear_product_is_linear_in_each(programs: Fresh) -> None:
    x, y = static.data("x", [None, 2]), static.data("y", [None, 3])
    out = nn.bilinear_tensor_product(x, y, 4)
    a, b = np.arange(4.0).reshape(2, 2), np.arange(6.0).reshape(2, 3)
    a, b = a.astype("float32"), b.astype("float32")
    found, w, bias = run(programs, [out, *programs.main.all_parameters()], x=a, y=b)
    wanted = np.einsum("ni,kij,nj->nk", a, w, b) + bias
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


def test_layers_of_one_name_share_their_parameters(programs: Fresh) -> None:
    shared = tg.ParamAttr(name="shared")
    first = nn.conv2d(image(), 3, 1, param_attr=shared, bias_attr=False)
    nn.conv2d(first, 3, 1, param_attr=shared, bias_attr=False)
    assert [p.name for p in programs.main.all_parameters()] == ["shared"]
    assert len(programs.startup.global_block().ops) == 1


WRONG: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "an array": (
        lambda: nn.conv2d(IMAGE, 2, 3),
        DTypeError,
        "input must be a Variable",
    ),
    "a row": (
        lambda: nn.conv2d(static.data("r", [2, 3]), 2, 3),
        ShapeError,
        "'r' must have 4 dimensions, got .2, 3.",
    ),
    "channels of an unknown number": (
        lambda: nn.conv2d(static.data("r", [2, None, 4, 4]), 2, 3),
        ShapeError,
        r"follows from 'r', whose shape .2, -1, 4, 4. is not known",
    ),
    "a window larger than the image": (
        lambda: nn.conv2d(image(), 2, 9),
        ShapeError,
        "conv2d cannot take these inputs",
    ),
    "groups that do not divide": (
        lambda: nn.conv2d(image(), 2, 3, groups=2),
        InvalidValueError,
        "2 groups do not divide 3 channels and 2 filters",
    ),
    "no groups": (
        lambda: nn.conv2d(image(), 2, 3, groups=0),
        InvalidValueError,
        "0 gr",
    ),
    "no filters": (lambda: nn.conv2d(image(), 0, 3), InvalidValueError, "0 filters"),
    "no size at all": (
        lambda: nn.conv2d_transpose(image(), 2),
        InvalidValueError,
        "output_size must be set when filter_size is None",
    ),
    "a format that is none": (
        lambda: nn.batch_norm(image(), data_layout="CHWN"),
        InvalidValueError,
        "data_format is NCHW, NHWC or the like",
    ),
    "an activation that is none": (
        lambda: nn.batch_norm(image(), act="nosuch"),
        UnknownOpError,
        'Operator "nosuch" has not been registered',
    ),
    "a mode that is none": (
        lambda: nn.prelu(image(), "row"),
        InvalidValueError,
        "mode should be one of all, channel, element, got 'row'",
    ),
    "a table without columns": (
        lambda: nn.embedding(static.data("i", [2], "int64"), [3]),
        InvalidValueError,
        "size is .rows, columns., got .3.",
    ),
    "a padding row that is none": (
        lambda: nn.embedding(static.data("i", [2], "int64"), [3, 2], padding_idx=3),
        InvalidValueError,
        "padding_idx must be within",
    ),
    "numbers that are no rows": (
        lambda: nn.embedding(static.data("i", [2]), [3, 2]),
        DTypeError,
        "lookup_table_v2 cannot take these inputs",
    ),
    "a parameter that is none": (
        lambda: static.create_parameter([2], "float32", attr=False),
        ProgramError,
        "attr is False",
    ),
    "a parameter of no size": (
        lambda: static.create_parameter([0], "float32"),
        ProgramError,
        "must be greater than 0, but received .0.",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_a_layer_cannot_be_made_of_is_refused(what: str) -> None:
    layer, error, message = WRONG[what]
    with pytest.raises(error, match=message):
        layer()


def test_a_layer_that_is_none_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'deform_conv2d'"):
        nn.deform_conv2d  # noqa: B018


def test_a_parameter_starts_as_it_is_told(programs: Fresh) -> None:
    static.create_parameter([2], "float32", name="b", is_bias=True)
    five = tg.nn.initializer.Constant(5.0)
    static.create_parameter([2], "float64", name="w", default_initializer=five)
    b, w = values(programs, "b", "w")
    assert (b.tolist(), w.tolist(), str(w.dtype)) == ([0, 0], [5, 5], "float64")


def values(programs: Fresh, *names: str) -> list[Any]:
    Executor().run(programs.startup)
    return [np.array(global_scope().find_var(name).get_tensor()) for name in names]


def test_a_name_scope_has_a_name() -> None:
    with pytest.raises(InvalidValueError, match="prefix can not be empty"):
        static.name_scope("").__enter__()


def test_a_normalised_weight_starts_as_its_direction_and_learns_its_length(
    programs: Fresh,
) -> None:
    attr = static.WeightNormParamAttr(dim=1, name="w")
    y = nn.fc(static.data("x", [2, 3]), 4, weight_attr=attr, bias_attr=False)
    (g_grad, v_grad) = static.gradients(y, [find("w_g"), find("w_v")])
    x = np.cos(np.arange(6.0)).reshape(2, 3).astype("float32")
    fetched = run(programs, [y, "w_g", "w_v", g_grad, v_grad], x=x)
    out, g, v, dg, dv = fetched
    np.testing.assert_allclose(g, np.linalg.norm(v, axis=0, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(out, x @ v, rtol=1e-4)
    dw, unit = x.T @ np.ones((2, 4)), v / g
    np.testing.assert_allclose(dg, (dw * unit).sum(0, keepdims=True), rtol=1e-4)
    across = dw - unit * (dw * unit).sum(0)  # a change along v changes nothing
    np.testing.assert_allclose(dv, across, rtol=1e-3, atol=1e-5)


def find(name: str) -> Any:
    return static.default_main_program().global_block().var(name)


def test_a_normalised_weight_needs_the_dimension_that_it_has(programs: Fresh) -> None:
    attr = static.WeightNormParamAttr(dim=2)
    with pytest.raises(InvalidValueError, match=r"no dimension 2 .* \[3, 4\]"):
        nn.fc(static.data("x", [2, 3]), 4, weight_attr=attr)


def test_a_spectral_norm_is_1_after_many_steps(programs: Fresh) -> None:
    weight = static.data("weight", [3, 2, 2], "float64")
    out = nn.spectral_norm(weight, dim=1, power_iters=60)
    given = np.cos(np.arange(12.0)).reshape(3, 2, 2)
    (found,) = run(programs, [out], weight=given)
    rows = np.moveaxis(found, 1, 0).reshape(2, 6)
    np.testing.assert_allclose(np.linalg.norm(rows, 2), 1.0, rtol=1e-9)
    with pytest.raises(InvalidValueError, match="no dimension 3"):
        nn.spectral_norm(weight, dim=3)


def test_a_normalised_weight_may_be_left_out_of_clipping() -> None:
    attr = static.WeightNormParamAttr(dim=0, do_model_average=True, need_clip=False)
    assert (attr.do_model_average, attr.need_clip) == (True, False)
