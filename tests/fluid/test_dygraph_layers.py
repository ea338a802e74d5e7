"""1.x's layers of dynamic mode, beside the functions they call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from teachgraph import fluid
from teachgraph.core.errors import InvalidValueError
from teachgraph.fluid import dygraph
from teachgraph.fluid.regularizer import L1Decay, L2Decay
from teachgraph.nn import functional

IMAGE = np.sin(np.arange(64.0)).reshape(2, 2, 4, 4).astype("float32")


def ran(layer: Any, value: Any = IMAGE) -> Any:
    return layer(dygraph.to_variable(value)).numpy()


def test_a_convolution_has_an_activation() -> None:
    with dygraph.guard():
        layer = dygraph.Conv2D(2, 3, filter_size=3, padding=1, act="relu")
        back = dygraph.Conv2DTranspose(2, 3, filter_size=2, stride=2, act="relu")
        w, b = layer.weight.numpy(), layer.bias.numpy()
        wanted = np.maximum(functional.conv2d(IMAGE, w, b, padding=1), 0)
        np.testing.assert_allclose(ran(layer), wanted, rtol=1e-5, atol=1e-6)
        w, b = back.weight.numpy(), back.bias.numpy()
        wanted = np.maximum(functional.conv2d_transpose(IMAGE, w, b, stride=2), 0)
        np.testing.assert_allclose(ran(back), wanted, rtol=1e-5, atol=1e-6)


def test_pools_normalisations_and_slopes() -> None:
    with dygraph.guard():
        pooled = ran(dygraph.Pool2D(2, "avg", pool_stride=2))
        wanted = IMAGE.reshape(2, 2, 2, 2, 2, 2).mean((3, 5))
        np.testing.assert_allclose(pooled, wanted, rtol=1e-5, atol=1e-6)
        whole = ran(dygraph.LayerNorm([2, 4, 4], act="relu"))
        flat = IMAGE.reshape(2, -1)
        spread = (flat - flat.mean(1, keepdims=True)) / flat.std(1, keepdims=True)
        np.testing.assert_allclose(
            whole.reshape(2, -1), np.maximum(spread, 0), atol=1e-4
        )
        grouped = ran(dygraph.GroupNorm(2, 1))
        np.testing.assert_allclose(grouped.reshape(2, -1), spread, atol=1e-4)
        slopes = ran(dygraph.PRelu("channel", channel=2))
        np.testing.assert_allclose(slopes, np.where(IMAGE > 0, IMAGE, IMAGE / 4))
        assert ran(dygraph.BatchNorm(2, act="relu")).min() == 0


def test_a_layer_norm_may_learn_nothing() -> None:
    with dygraph.guard():
        assert dygraph.LayerNorm([4], scale=False, shift=False).parameters() == []


def test_dropout_makes_up_for_itself_in_a_test() -> None:
    with dygraph.guard():
        layer = dygraph.Dropout(0.25)
        assert set(np.unique(ran(layer, np.ones(100, "float32")))) == {0.0, 1.0}
        layer.eval()
        np.testing.assert_allclose(ran(layer), 0.75 * IMAGE, rtol=1e-6)


def test_a_table_is_given_by_its_size() -> None:
    with dygraph.guard():
        layer = dygraph.Embedding(size=[5, 3], padding_idx=0)
        found = ran(layer, np.array([[0, 4]]))
        np.testing.assert_array_equal(found[0], [[0, 0, 0], layer.weight.numpy()[4]])


def test_the_oldest_layer_learns_its_size_from_its_input() -> None:
    with dygraph.guard():
        layer = dygraph.nn.FC("fc", size=3, act="relu")
        assert layer.parameters() == []
        found = ran(layer)
        w, b = (p.numpy() for p in layer.parameters())
        wanted = np.maximum(IMAGE.reshape(2, -1) @ w + b, 0)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_states_are_saved_and_found_again(tmp_path: Path) -> None:
    with dygraph.guard():
        layer = dygraph.Linear(2, 2)
        fluid.save_dygraph(layer.state_dict(), tmp_path / "m")
        parameters, optimizer = fluid.load_dygraph(tmp_path / "m")
        assert optimizer is None
        np.testing.assert_array_equal(parameters["weight"], layer.weight.numpy())
        adam = fluid.optimizer.Adam(0.1, parameter_list=layer.parameters())
        layer(dygraph.to_variable(np.ones((1, 2), "float32"))).backward()
        adam.minimize(layer.weight)
        fluid.save_dygraph(adam.state_dict(), tmp_path / "m")
        kept = fluid.load_dygraph(tmp_path / "m")[1]
        assert set(kept) == set(adam.state_dict())
        with pytest.raises(InvalidValueError, match="to load model not exists"):
            fluid.load_dygraph(tmp_path / "other")


def test_gradients_are_clipped_and_decayed_by_the_old_names() -> None:
    assert fluid.clip.GradientClipByNorm(2.0).clip_norm == 2.0
    assert fluid.regularizer.L2DecayRegularizer(regularization_coeff=0.5).coeff == 0.5
    assert [str(decay(0.5)) for decay in (L1Decay, L2Decay)] == [
        "L1Decay, regularization_coeff=0.500000",
        "L2Decay, regularization_coeff=0.500000",
    ]


def test_a_backward_pass_takes_a_strategy() -> None:
    strategy = dygraph.BackwardStrategy()
    strategy.sort_sum_gradient = True
    with dygraph.guard():
        layer = dygraph.Linear(2, 1)
        loss = fluid.layers.mean(layer(dygraph.to_variable(np.ones((1, 2), "float32"))))
        loss.backward(strategy)
        np.testing.assert_array_equal(layer.weight.gradient(), [[1], [1]])


def test_the_slopes_of_a_prelu_are_named_as_in_1x() -> None:
    with dygraph.guard(), fluid.unique_name.guard():
        assert dygraph.PRelu("all").weight.name == "prelu_0.w_0"


def test_a_loaded_state_is_of_arrays(tmp_path: Path) -> None:
    with dygraph.guard():
        layer = dygraph.Linear(2, 1)
        fluid.save_dygraph(layer.state_dict(), str(tmp_path / "net"))
        state, _ = fluid.load_dygraph(str(tmp_path / "net"))
        assert {type(value) for value in state.values()} == {np.ndarray}
        assert isinstance(layer.weight, fluid.core.VarBase)


def test_a_pooling_that_is_none_is_refused_when_it_is_made() -> None:
    with pytest.raises(ValueError, match="pool_type is 'max' or"):
        dygraph.Pool2D(2, "bad")
    with pytest.raises(ValueError, match="pool_size"):
        dygraph.Pool2D()


def test_a_state_needs_a_file_name(tmp_path: Path) -> None:
    with dygraph.guard():
        state = dygraph.Linear(1, 1).state_dict()
    for path in ("", f"{tmp_path}/"):
        with pytest.raises(InvalidValueError, match="filename is empty"):
            fluid.save_dygraph(state, path)
