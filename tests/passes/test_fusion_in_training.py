"""Fusions where a backward stands: one gradient for those of the parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import passes, static
from teachgraph.nn import functional as F
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable
from tests.passes.same import types, unchanged
from tests.passes.test_fusion import by_inverse_root, by_root, of_heads
from tests.static.fresh import Fresh

ROUNDING = 1e-12


def fed(*shape: int) -> dict[str, Any]:
    return {"x": np.random.default_rng(1).normal(size=shape)}


def data(*shape: int | None) -> Variable:
    x = static.data("x", list(shape), "float64")
    x.stop_gradient = False
    return x


def sloped(
    programs: Fresh, names: Any, loss: Variable, x: Variable, *shape: int
) -> passes.Optimised:
    """Fused and plain, a program gives one loss and the same slopes of x."""
    slopes = [v for v in static.gradients(loss, [x]) if v is not None]
    if programs.main.all_parameters():
        Executor().run(programs.startup)
    given = fed(*shape)
    scope = programs.scope
    return unchanged(programs.main, names, given, [loss, *slopes], scope, ROUNDING)


@pytest.mark.parametrize("activation", [None, "relu", "sigmoid", "tanh", "gelu"])
def test_layers_and_their_gradients(activation: str | None, programs: Fresh) -> None:
    x = static.data("x", [None, 3], "float64")
    hidden = static.nn.fc(x, 4, activation=activation)
    out = static.nn.fc(hidden, 2, activation=activation)
    loss = tg.mean(out * out)
    tg.optimizer.Adam(0.1).minimize(loss)
    Executor().run(programs.startup)
    made = unchanged(
        programs.main, "fc_fuse", fed(4, 3), [loss], programs.scope, ROUNDING, steps=3
    )
    found = types(made)
    assert (found.count("fc"), found.count("fc_grad")) == (2, 2)
    assert not {"mul", "mul_grad", "elementwise_add", "elementwise_add_grad"} & {*found}
    grad = next(op for op in made.global_block().ops if op.type == "fc_grad")
    assert {origin.type for origin in grad.origins} >= {"mul_grad"}


def test_a_value_that_goes_two_ways_gets_both_gradients(programs: Fresh) -> None:
    x = static.data("x", [None, 3], "float64")
    first = static.nn.fc(x, 3, activation="tanh")
    second = static.nn.fc(first, 3, activation="tanh") + first
    loss = tg.mean(second * second * first)
    tg.optimizer.SGD(0.1).minimize(loss)
    Executor().run(programs.startup)
    made = unchanged(
        programs.main, "fc_fuse", fed(4, 3), [loss], programs.scope, ROUNDING
    )
    assert types(made).count("fc_grad") == 2


def test_a_gradient_cut_inside_stays_cut(programs: Fresh) -> None:
    x = data(None, 3)
    mean = tg.mean(x, axis=-1, keepdim=True)
    mean.stop_gradient = True
    centred = x - mean
    variance = tg.mean(tg.square(centred), axis=-1, keepdim=True)
    out = centred / tg.sqrt(variance + 1e-5)
    made = sloped(programs, "layer_norm", tg.sum(out * out * out), x, 4, 3)
    assert "layer_norm" not in types(made)


def test_what_is_read_inside_stays(programs: Fresh) -> None:
    x = static.data("x", [None, 3], "float64")
    hidden = static.nn.fc(x, 3)
    loss = tg.mean(tg.tanh(hidden) * hidden)
    tg.optimizer.SGD(0.1).minimize(loss)
    Executor().run(programs.startup)
    made = unchanged(
        programs.main, "fc_fuse", fed(4, 3), [loss], programs.scope, ROUNDING
    )
    found = types(made)
    assert (found.count("fc"), found.count("tanh")) == (1, 1)


@pytest.mark.parametrize("before", [lambda x: x, tg.tanh])
def test_softmax_and_its_cross_entropy(before: Any, programs: Fresh) -> None:
    label, x = static.data("l", [None, 1], "int64"), data(None, 3)
    share = F.softmax(before(x))
    loss = tg.mean(tg.fluid.layers.cross_entropy(share, label))
    slopes = [v for v in static.gradients(loss, [x]) if v is not None]
    names = "softmax_cross_entropy"
    fetches = [loss, share, *slopes]
    given = fed(4, 3) | {"l": np.array([[0], [2], [1], [1]])}
    made = unchanged(programs.main, names, given, fetches, None, ROUNDING)
    assert "softmax_with_cross_entropy_grad" in types(made)
    assert "softmax_grad" not in types(made)


@pytest.mark.parametrize("normal", [by_root, by_inverse_root])
@pytest.mark.parametrize("before", [lambda x: x, tg.tanh])
def test_a_written_out_layer_norm(normal: Any, before: Any, programs: Fresh) -> None:
    x = data(None, 3)
    out = normal(before(x))
    made = sloped(programs, "layer_norm", tg.sum(out * out * out), x, 4, 3)
    assert types(made).count("layer_norm") == 1
    assert types(made).count("layer_norm_grad") == 1
    assert "sqrt_grad" not in types(made)


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("scaled", ["before", "after", ""])
@pytest.mark.parametrize("itself", [True, False])
def test_attention(masked: bool, scaled: str, itself: bool, programs: Fresh) -> None:
    x = data(2, 4, 3)
    q, k, v = (x, x, x) if itself else (tg.tanh(x), tg.exp(x), x * 2.0)
    scores = tg.matmul(q * 0.5 if scaled == "before" else q, k, transpose_y=True)
    scores = scores * 0.5 if scaled == "after" else scores
    if masked:
        scores = scores + tg.tanh(tg.matmul(x, x, transpose_y=True))
    out = tg.matmul(F.softmax(scores), v)
    made = sloped(programs, "attention_fuse", tg.sum(out * out), x, 2, 4, 3)
    found = types(made)
    assert found.count("fused_dot_product_attention") == 1
    assert found.count("fused_dot_product_attention_grad") == 1
    assert "softmax_grad" not in found


def test_attention_of_heads_side_by_side(programs: Fresh) -> None:
    x = data(2, 3, 4)
    out = of_heads(x)
    made = sloped(programs, "attention_fuse", tg.sum(out * out), x, 2, 3, 4)
    assert not {"transpose2", "reshape2", "transpose2_grad"} & set(types(made))
    assert types(made).count("fused_dot_product_attention_grad") == 1


def test_a_transformer_layer_takes_the_same_steps(programs: Fresh) -> None:
    layer: Callable[[Any], Any] = tg.nn.TransformerEncoderLayer(
        8, 2, 16, dropout=0.0, activation="relu"
    )
    x = static.data("x", [2, 4, 8])
    loss = tg.mean(tg.square(layer(x)))
    tg.optimizer.Momentum(0.01, 0.9).minimize(loss)
    Executor().run(programs.startup)
    names = ["attention_fuse", "layer_norm", "fc_fuse", "optimizer_fuse"]
    given = {"x": fed(2, 4, 8)["x"].astype("float32")}
    made = unchanged(programs.main, names, given, [loss], programs.scope, 2e-5, steps=3)
    assert types(made).count("fc_grad") >= 4
    assert len(types(made)) < 0.7 * len(types(programs.main))


def test_a_chain_of_slopes(programs: Fresh) -> None:
    x = data(None, 3)
    y = tg.exp(tg.tanh(tg.square(F.relu(tg.abs(F.sigmoid(x) - 0.6)))))
    loss = tg.mean(tg.log(tg.sqrt(y + 1.0)))
    slopes = [v for v in static.gradients(loss, [x]) if v is not None]
    names = "elementwise_fusion"
    made = unchanged(programs.main, names, fed(4, 3), [loss, *slopes], None)
    assert types(made).count("fused_elementwise") >= 2
    steps = [op.attr("steps") for op in made.global_block().ops if op.has_attr("steps")]
    assert max(map(len, steps)) >= 7


def test_a_gradient_weighed_by_a_fed_value_is_not_lost(programs: Fresh) -> None:
    """It arrives under the name of the feed, which says not whose gradient it is."""
    x, weights = data(2, 3, 4), static.data("weights", [3, 4, 2], "float64")
    turned = tg.transpose(tg.transpose(x, [0, 2, 1]), [2, 1, 0])
    slopes = static.gradients([turned], [x], [weights])
    given = np.random.default_rng(1).normal(size=(3, 4, 2))
    feed = {"x": np.zeros((2, 3, 4)), "weights": given}
    (found,) = Executor().run(programs.main, feed, slopes)
    np.testing.assert_array_equal(found, given.transpose(2, 0, 1))
