"""Fusions: the operators there are afterwards, and the same results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import passes, static
from teachgraph.nn import functional as F
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable
from tests.passes.same import types, unchanged
from tests.static.fresh import Fresh

ROUNDING = 1e-9


def feed(*shape: int) -> dict[str, Any]:
    return {"x": np.random.default_rng(1).normal(size=shape)}


def data(*shape: int | None) -> Variable:
    return static.data("x", list(shape), "float64")


@pytest.mark.parametrize("activation", ["relu", "sigmoid", "tanh", "gelu"])
def test_a_layer_becomes_one_fc(activation: str, programs: Fresh) -> None:
    out = static.nn.fc(data(None, 3), 2, activation=activation)
    Executor().run(programs.startup)
    made = unchanged(
        programs.main, "fc_fuse", feed(4, 3), [out], programs.scope, ROUNDING
    )
    (layer,) = made.global_block().ops
    assert (layer.type, layer.attr("activation_type")) == ("fc", activation)
    assert [origin.type for origin in layer.origins] == types(programs.main)
    assert layer.callsite == programs.main.global_block().ops[-1].callsite


def test_a_linear_layer_of_a_sequence_becomes_one_fc(programs: Fresh) -> None:
    layer = tg.nn.Linear(3, 2)
    out = layer(tg.cast(data(None, 5, 3), "float32"))
    Executor().run(programs.startup)
    made = unchanged(
        programs.main, "fc_fuse", feed(4, 5, 3), [out], programs.scope, 1e-6
    )
    assert types(made) == ["cast", "fc"]
    assert made.global_block().ops[1].attr("in_num_col_dims") == 2


def test_a_sum_that_somebody_fetches_stays(programs: Fresh) -> None:
    before = static.nn.fc(data(None, 3), 2)
    after = tg.tanh(before)
    Executor().run(programs.startup)
    scope = programs.scope
    made = unchanged(
        programs.main, "fc_fuse", feed(4, 3), [before, after], scope, ROUNDING
    )
    assert types(made) == ["fc", "tanh"]


def test_softmax_and_its_cross_entropy_are_one(programs: Fresh) -> None:
    label = static.data("label", [None, 1], "int64")
    share = F.softmax(data(None, 3))
    loss = tg.mean(tg.fluid.layers.cross_entropy(share, label))
    given = feed(4, 3) | {"label": np.array([[0], [2], [1], [1]])}
    made = unchanged(
        programs.main, "softmax_cross_entropy", given, [loss, share], None, ROUNDING
    )
    assert types(made) == ["softmax_with_cross_entropy", "reduce_mean"]


def test_probabilities_that_are_read_before_the_loss_stay(programs: Fresh) -> None:
    label = static.data("label", [None, 1], "int64")
    share = F.softmax(data(None, 3))
    early = tg.exp(share)
    loss = tg.fluid.layers.cross_entropy(share, label)
    made = passes.apply_pass(
        programs.main, "softmax_cross_entropy", fetches=[early, loss]
    )
    assert types(made) == types(programs.main)


def by_root(x: Any) -> Any:
    centred = x - tg.mean(x, axis=-1, keepdim=True)
    variance = tg.mean(tg.square(centred), axis=-1, keepdim=True)
    return centred / tg.sqrt(variance + 1e-5)


def by_inverse_root(x: Any) -> Any:
    centred = x - tg.mean(x, axis=1, keepdim=True)
    variance = tg.mean(centred * centred, axis=1, keepdim=True)
    return centred * tg.rsqrt(variance + 1e-5)


@pytest.mark.parametrize("normal", [by_root, by_inverse_root])
@pytest.mark.parametrize("vectors", ["sb", "s", "b", ""])
def test_a_written_out_layer_norm_becomes_the_op(
    normal: Any, vectors: str, programs: Fresh
) -> None:
    out = normal(data(None, 3))
    constants = {
        "s": tg.cast(tg.assign(np.array([1.0, 2.0, 3.0])), "float64"),
        "b": tg.cast(tg.assign(np.array([0.5, 0.0, -1.0])), "float64"),
    }
    out = out * constants["s"] if "s" in vectors else out
    out = constants["b"] + out if "b" in vectors else out
    names = ["constant_folding", "layer_norm", "dead_code"]
    made = unchanged(programs.main, names, feed(4, 3), [out], None, ROUNDING)
    assert types(made) == ["assign_value"] * len(vectors) + ["layer_norm"]
    assert made.global_block().ops[-1].attr("epsilon") == 1e-5


def test_a_mean_of_other_squares_is_no_layer_norm(programs: Fresh) -> None:
    x = data(None, 3)
    centred = x - tg.mean(x, axis=-1, keepdim=True)
    variance = tg.mean(tg.square(x), axis=-1, keepdim=True)
    out = centred / tg.sqrt(variance + 1e-5)
    made = passes.apply_pass(programs.main, "layer_norm", fetches=[out])
    assert types(made) == types(programs.main)


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("scaled", ["before", "after", ""])
def test_attention_becomes_one_op(masked: bool, scaled: str, programs: Fresh) -> None:
    x = data(2, 4, 3)
    q, k, v = x * 0.5, tg.tanh(x), tg.exp(x)
    q = q * 0.25 if scaled == "before" else q
    scores = tg.matmul(q, k, transpose_y=True)
    scores = scores * 0.25 if scaled == "after" else scores
    if masked:
        mask = tg.assign(np.triu(np.full((4, 4), -1e9), 1))
        scores = tg.cast(mask, "float64") + scores
    out = tg.matmul(F.softmax(scores), v)
    made = unchanged(
        programs.main, "attention_fuse", feed(2, 4, 3), [out], None, ROUNDING
    )
    fused = made.global_block().ops[-1]
    assert fused.type == "fused_dot_product_attention"
    assert len(fused.inputs) == 3 + masked
    assert not {"softmax", "matmul_v2"} & set(types(made))


def test_the_attention_of_the_library_becomes_one_op(programs: Fresh) -> None:
    x = data(2, 5, 2, 3)
    out = F.scaled_dot_product_attention(x, tg.tanh(x), x, training=False)
    names = ["identities", "attention_fuse"]
    made = unchanged(programs.main, names, feed(2, 5, 2, 3), [out], None, ROUNDING)
    assert "softmax" not in types(made)


HEADS_FIRST = [0, 2, 1, 3]


def of_heads(x: Any, turned: list[int] = HEADS_FIRST) -> Any:
    """Attention of two heads that lie side by side, [N, L, 2 D] in and out."""
    parted = (tg.reshape(y, [0, 0, 2, y.shape[2] // 2]) for y in (x, tg.tanh(x), x * x))
    q, k, v = (tg.transpose(y, turned) for y in parted)
    weights = F.softmax(tg.matmul(q, k, transpose_y=True) * 0.5)
    out = tg.transpose(tg.matmul(weights, v), np.argsort(turned).tolist())
    return tg.reshape(out, [0, 0, x.shape[2]])


@pytest.mark.parametrize("samples", [2, None])
def test_attention_takes_its_heads_apart_itself(
    samples: int | None, programs: Fresh
) -> None:
    out = of_heads(data(samples, 3, 4))
    made = unchanged(
        programs.main, "attention_fuse", feed(2, 3, 4), [out], None, ROUNDING
    )
    assert types(made) == ["tanh", "elementwise_mul", "fused_dot_product_attention"]
    assert made.global_block().ops[-1].attr("num_heads") == 2


def test_heads_that_lie_otherwise_stay(programs: Fresh) -> None:
    out = of_heads(data(3, 3, 4), [2, 0, 1, 3])
    made = unchanged(
        programs.main, "attention_fuse", feed(3, 3, 4), [out], None, ROUNDING
    )
    assert types(made).count("transpose2") == 4


@pytest.mark.parametrize("biased", [True, False])
def test_batch_norm_is_folded_into_the_convolution(
    biased: bool, programs: Fresh
) -> None:
    net = tg.nn.Sequential(
        tg.nn.Conv2D(2, 3, 2, bias_attr=None if biased else False),
        tg.nn.BatchNorm2D(3),
        tg.nn.ReLU(),
    )
    net.eval()
    out = net(static.data("x", [None, 2, 4, 4]))
    Executor().run(programs.startup)
    rng = np.random.default_rng(2)
    for name, value in programs.scope.values.items():
        if value is not None:
            programs.scope.values[name] = rng.uniform(0.5, 2, value.shape).astype("f")
    given = {"x": rng.normal(size=(2, 2, 4, 4)).astype("float32")}
    made = unchanged(programs.main, "conv_bn_fuse", given, [out], programs.scope, 1e-4)
    assert types(made) == ["conv2d", "elementwise_add", "relu"]


def test_batch_norm_in_training_stays(programs: Fresh) -> None:
    net = tg.nn.Sequential(tg.nn.Conv2D(2, 3, 2), tg.nn.BatchNorm2D(3))
    out = net(static.data("x", [None, 2, 4, 4]))
    Executor().run(programs.startup)
    made = passes.apply_pass(
        programs.main, "conv_bn_fuse", fetches=[out], scope=programs.scope
    )
    assert types(made) == types(programs.main)


def chain(x: Variable) -> Variable:
    y = tg.tanh(x * 2.0 + 0.5)
    return tg.maximum(y - x, F.relu(y)) / tg.exp(x[0])


@pytest.mark.parametrize("rows", [1, 4])
def test_elementwise_chains_are_one_function(rows: int, programs: Fresh) -> None:
    out = chain(data(None, 3))
    made = unchanged(programs.main, "elementwise_fusion", feed(rows, 3), [out])
    assert types(made) == ["slice", "fused_elementwise"]
    assert made.global_block().ops[1].attr("steps") == [
        "scale(x0, scale=2.0)",
        "scale(t0, bias=0.5)",
        "tanh(t1)",
        "elementwise_sub(t2, x0)",
        "relu(t2)",
        "elementwise_max(t3, t4)",
        "exp(x1)",
        "elementwise_div(t5, t6)",
    ]


def test_long_arrays_go_through_a_chain_in_parts(programs: Fresh) -> None:
    """As exactly, and where parts have an odd end too."""
    x = data(500_001)
    out = tg.tanh(x * 2.0 + 0.5) - tg.exp(x) * x
    made = unchanged(programs.main, "elementwise_fusion", feed(500_001), [out])
    assert types(made) == ["fused_elementwise"]


def test_a_chain_of_numbers_without_dimensions(programs: Fresh) -> None:
    x = data()
    out = tg.tanh(x * 2.0) + tg.exp(x)
    made = unchanged(programs.main, "elementwise_fusion", feed(), [out])
    assert types(made) == ["fused_elementwise"]


def test_integers_and_mixed_dtypes_are_no_chain(programs: Fresh) -> None:
    x = static.data("x", [3], "int64")
    out = (x * 2 + 1) * x
    made = unchanged(programs.main, "elementwise_fusion", {"x": np.arange(3)}, [out])
    assert types(made) == types(programs.main)


def test_a_chain_does_not_read_a_parameter_after_its_update(programs: Fresh) -> None:
    x = data(None, 3)
    y = static.nn.fc(x, 2, bias_attr=False)
    weight = programs.main.all_parameters()[0]
    before = tg.square(weight)
    tg.optimizer.SGD(0.1).minimize(tg.mean(y))
    out = tg.exp(before) + weight
    Executor().run(programs.startup)
    made = unchanged(
        programs.main, "elementwise_fusion", feed(4, 3), [out], programs.scope
    )
    assert types(made).count("square") == 1
    assert types(made)[-1] == "fused_elementwise"


def test_a_long_chain_is_cut(programs: Fresh) -> None:
    x = data(2)
    y = x
    for _ in range(50):
        y = tg.tanh(y) * 0.5
    made = unchanged(programs.main, "elementwise_fusion", feed(2), [y])
    assert types(made) == ["fused_elementwise"] * 4
