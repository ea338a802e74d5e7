"""`TracedLayer`: the program of one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import fluid, jit, nn, static
from teachgraph.core.errors import DTypeError, FeedError, InvalidValueError, ModeError
from teachgraph.errors import ConversionError
from teachgraph.jit import TracedLayer


class Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.inner, self.norm = nn.Linear(3, 4), nn.BatchNorm1D(4)

    def forward(self, x: Any) -> Any:
        hidden = self.norm(self.inner(x))
        while hidden.abs().sum() < 50.0:
            hidden = hidden * 2.0
        return hidden, hidden.detach().sum() + tg.ones([])


def batch(seed: int) -> Any:
    return tg.to_tensor(np.random.default_rng(seed).normal(size=(5, 3)), "float32")


def test_it_returns_what_the_layer_does_and_runs_the_same_again() -> None:
    net = Net()
    net.eval()
    x = batch(0)
    outputs, traced = TracedLayer.trace(net, inputs=[x])
    for ours, theirs in zip(traced([x]), outputs, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-6)
    assert outputs[0].node is not None


def test_branches_and_loops_are_frozen_as_they_went() -> None:
    net = Net()
    net.eval()
    x = batch(0)
    (wanted, _), traced = TracedLayer.trace(net, [x])
    kinds = {op.type for op in traced.program.global_block().ops}
    assert traced.program.num_blocks == 1
    assert "while" not in kinds
    small = x * 0.0
    times = wanted.numpy() / net.norm(net.inner(x)).numpy()
    again = net.norm(net.inner(small)).numpy() * times.mean()
    np.testing.assert_allclose(traced([small])[0], again, rtol=1e-4)


def test_its_weights_are_the_layers_whatever_they_become() -> None:
    net = nn.Linear(3, 2)
    x = batch(1)
    _, traced = TracedLayer.trace(net, x)
    net.weight.set_value(net.weight.numpy() * 2.0)
    np.testing.assert_allclose(traced([x])[0], net(x).numpy(), rtol=1e-6)


def test_in_training_it_goes_on_counting_as_the_layer_does() -> None:
    tg.seed(0)
    one, other = nn.BatchNorm1D(3), nn.BatchNorm1D(3)
    _, traced = TracedLayer.trace(one, batch(0))
    traced([batch(1)])
    other(batch(0))
    other(batch(1))
    np.testing.assert_allclose(one._mean.numpy(), other._mean.numpy(), rtol=1e-6)


def test_a_tensor_changed_in_place_is_the_new_value() -> None:
    class Grown(nn.Layer):
        def forward(self, x: Any) -> Any:
            y = x * 2.0
            y.add_(x)
            y[0] = 7.0
            return y * x.detach()

    x = tg.to_tensor([1.0, 2.0])
    outputs, traced = TracedLayer.trace(Grown(), x)
    assert traced([x])[0].tolist() == outputs.tolist() == [7.0, 12.0]
    assert traced([tg.to_tensor([2.0, 3.0])])[0].tolist() == [14.0, 27.0]


def test_a_method_of_to_static_inside_runs_op_by_op() -> None:
    net = jit.to_static(Net())
    net.eval()
    x = batch(2)
    outputs, traced = TracedLayer.trace(net, x)
    np.testing.assert_allclose(traced([x])[0], outputs[0].numpy(), rtol=1e-6)
    assert traced.program.num_blocks == 1


def test_it_is_saved_for_use(tmp_path: Path) -> None:
    net = Net()
    net.eval()
    x = batch(3)
    outputs, traced = fluid.dygraph.TracedLayer.trace(net, [x])
    path = str(tmp_path / "net")
    traced.save_inference_model(path, feed=[0], fetch=[0])
    loaded = jit.load(path)
    np.testing.assert_allclose(loaded(x).numpy(), outputs[0].numpy(), rtol=1e-6)
    with pytest.raises(InvalidValueError, match="0 to 1"):
        traced.save_inference_model(path, fetch=[2])


def test_a_strategy_is_chosen_before_the_first_run() -> None:
    net, x = nn.Linear(3, 2), batch(0)
    outputs, traced = TracedLayer.trace(net, [x])
    with pytest.raises(DTypeError, match="BuildStrategy"):
        traced.set_strategy("fast")
    traced.set_strategy(static.BuildStrategy(enable_auto_fusion=True))
    np.testing.assert_allclose(traced([x])[0], outputs.numpy(), rtol=1e-6)
    with pytest.raises(ModeError, match="after run"):
        traced.set_strategy(static.BuildStrategy())


def test_what_is_wrong_is_said() -> None:
    x = batch(0)
    with pytest.raises(DTypeError, match=r"must be paddle\.nn\.Layer"):
        TracedLayer.trace(lambda v: v, [x])
    with pytest.raises(DTypeError, match="each element of inputs"):
        TracedLayer.trace(nn.Linear(3, 2), [1.0])
    _, traced = TracedLayer.trace(nn.Linear(3, 2), [x])
    with pytest.raises(FeedError, match="list or tuple of 1"):
        traced([x, x])
    with pytest.raises(FeedError, match="data type"):
        traced([x.astype("float64")])
    tg.enable_static()
    try:
        with pytest.raises(ModeError, match="dynamic mode"):
            TracedLayer.trace(nn.Linear(3, 2), [x])
    finally:
        tg.disable_static()


def test_a_loaded_layer_cannot_be_watched(tmp_path: Path) -> None:
    net = Net()
    net.eval()
    jit.save(net, tmp_path / "net", [static.InputSpec([None, 3])])
    with pytest.raises(ConversionError, match="to_static"):
        TracedLayer.trace(jit.load(tmp_path / "net"), [batch(0)])
