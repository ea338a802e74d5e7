"""Recurrent layers: one op a layer and a Python loop say the same, in both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import nn, static
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.ops.lstm import IN_CACHE

CELLS = {
    "SimpleRNN": nn.SimpleRNNCell,
    "LSTM": nn.LSTMCell,
    "GRU": nn.GRUCell,
}


@pytest.fixture
def x() -> tg.Tensor:
    return tg.to_tensor(np.linspace(-1, 1, 24).reshape(2, 4, 3).astype("float32"))


def parts(states: Any) -> list[Any]:
    return list(states) if isinstance(states, (tuple, list)) else [states]


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("lengths", [None, [4, 2]])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("copies", [1, 8])
def test_a_loop_over_a_cell_gives_what_one_op_gives(
    kind: str, lengths: Any, reverse: bool, copies: int, x: tg.Tensor
) -> None:
    cell = CELLS[kind](3, 5)
    x = tg.concat([x / k for k in range(1, copies + 1)])
    ends = None if lengths is None else tg.to_tensor(lengths * copies)
    looped, last = nn.RNN(cell, is_reverse=reverse)(x, None, ends)
    first = cell.get_initial_states(x)
    major = tg.transpose(x, [1, 0, 2])
    at_once, end = cell.sequence(major, first, ends, is_reverse=reverse)
    at_once = tg.transpose(at_once, [1, 0, 2])
    np.testing.assert_allclose(looped.numpy(), at_once.numpy(), atol=1e-6)
    for one, other in zip(parts(last), parts(end), strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), atol=1e-6)

    def gradients(out: Any) -> list[Any]:
        found = tg.grad((out * out).sum(), cell.parameters())
        return [dx.numpy() for dx in found if dx is not None]

    for one, other in zip(gradients(looped), gradients(at_once), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("reverse", [False, True])
def test_blocks_of_steps_have_the_gradients_of_recorded_steps(reverse: bool) -> None:
    batch, hidden = 256, 64
    assert IN_CACHE // (4 * batch * hidden * 4) == 2
    cell = nn.LSTMCell(3, hidden)
    inputs = [tg.randn([5, batch, 3]), *(tg.randn([batch, hidden]) for _ in "hc")]
    for tensor in inputs:
        tensor.stop_gradient = False
    x, *first = inputs
    out, (h, c) = cell.sequence(x, first, None, is_reverse=reverse)
    loss = (out * out).mean() + h.mean() + (c * c).mean()
    inputs += cell.parameters()
    recorded = tg.grad(loss, inputs, create_graph=True)
    for one, other in zip(tg.grad(loss, inputs), recorded, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("batch", [1, 16, 32, 64])
@pytest.mark.parametrize("bias", [None, False])
def test_pieces_of_a_product_give_what_a_loop_over_the_cell_gives(
    batch: int, bias: Any
) -> None:
    cell = nn.LSTMCell(3, 128, bias_ih_attr=bias, bias_hh_attr=bias)
    x = tg.randn([batch, 3, 3])
    looped, _ = nn.RNN(cell)(x)
    first = cell.get_initial_states(x)
    out, _ = cell.sequence(tg.transpose(x, [1, 0, 2]), first, None, is_reverse=False)
    out = tg.transpose(out, [1, 0, 2])
    np.testing.assert_allclose(looped.numpy(), out.numpy(), atol=1e-6)


@pytest.mark.parametrize("kind", CELLS)
def test_padding_changes_nothing(kind: str, x: tg.Tensor) -> None:
    net = getattr(nn, kind)(3, 5, num_layers=2, direction="bidirect")
    ends = tg.to_tensor([4, 2])
    out, last = net(x, sequence_length=ends)
    noise = x.numpy()
    noise[1, 2:] = 100.0
    other, same = net(tg.to_tensor(noise), sequence_length=ends)
    assert out.tolist() == other.tolist()
    assert [s.tolist() for s in parts(last)] == [s.tolist() for s in parts(same)]
    assert not out.numpy()[1, 2:].any()
    short, _ = net(x[1:, :2])
    np.testing.assert_allclose(short.numpy()[0], out.numpy()[1, :2], atol=1e-6)


@pytest.mark.parametrize("kind", CELLS)
def test_states_can_be_handed_on(kind: str, x: tg.Tensor) -> None:
    net = getattr(nn, kind)(3, 5, num_layers=2)
    whole, end = net(x)
    first, state = net(x[:, :2])
    second, last = net(x[:, 2:], state)
    both = np.concatenate([first.numpy(), second.numpy()], axis=1)
    np.testing.assert_allclose(both, whole.numpy(), atol=1e-6)
    for one, other in zip(parts(end), parts(last), strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), atol=1e-6)


def test_weights_have_paddles_names_and_start_within_their_limit() -> None:
    with tg.unique_name.guard():
        net = nn.LSTM(3, 4, num_layers=2, direction="bidirect")
    named = dict(net.named_parameters())
    assert len(named) == 16
    assert named["weight_ih_l1_reverse"].name == "lstm_cell_3.w_0"
    assert named["weight_hh_l0"].name == "lstm_cell_0.w_1"
    assert named["bias_hh_l0"].shape == [16]
    assert "0.cell_bw.weight_ih" in net.state_dict()
    assert all(np.abs(p.numpy()).max() <= 0.5 for p in net.parameters())
    assert repr(net).startswith(
        "LSTM(3, 4, num_layers=2\n  (0): BiRNN(\n    (cell_fw):"
    )


@pytest.mark.parametrize("kind", CELLS)
def test_a_program_gives_the_same_for_any_batch(kind: str, x: tg.Tensor) -> None:
    net = getattr(nn, kind)(3, 5)
    wanted = net(x)[0].numpy()
    program, startup = static.Program(), static.Program()
    tg.enable_static()
    try:
        with static.program_guard(program, startup):
            data = static.data("x", [None, 4, 3])
            twin = getattr(nn, kind)(3, 5)
            out, _ = twin(data)
            tg.optimizer.SGD(0.1).minimize((out * out).mean())
    finally:
        tg.disable_static()
    scope = static.Scope()
    executor = static.Executor()
    executor.run(startup, scope=scope)
    for ours, theirs in zip(twin.parameters(), net.parameters(), strict=True):
        scope.var(ours.name).get_tensor().set(theirs.numpy())
    (found,) = executor.run(program, {"x": x.numpy()}, [out], scope=scope)
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    (after,) = executor.run(program, {"x": x.numpy()}, [out], scope=scope)
    assert np.square(after).mean() < np.square(found).mean()


def test_dropout_between_layers_only_in_training(x: tg.Tensor) -> None:
    net = nn.GRU(3, 5, num_layers=2, dropout=0.9)
    assert not np.array_equal(net(x)[0].numpy(), net(x)[0].numpy())
    net.eval()
    assert np.array_equal(net(x)[0].numpy(), net(x)[0].numpy())


def test_what_cannot_be_is_refused(x: tg.Tensor) -> None:
    with pytest.raises(InvalidValueError, match="direction should be forward"):
        nn.LSTM(3, 4, direction="backward")
    with pytest.raises(InvalidValueError, match="tanh or relu"):
        nn.SimpleRNNCell(3, 4, activation="sigmoid")
    with pytest.raises(InvalidValueError, match="hidden_size of GRUCell"):
        nn.GRUCell(3, 0)
    with pytest.raises(ShapeError, match="rnn_lstm"):
        nn.LSTM(7, 4)(x)


class Leaky(nn.RNNCellBase):
    """A cell as users write one: no weights, no arguments for the base class."""

    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, Any]:
        h = self.get_initial_states(inputs) if states is None else states
        h = 0.5 * h + inputs
        return h, h


def test_a_cell_of_ones_own_runs_and_prints(x: tg.Tensor) -> None:
    cell = Leaky(3)
    out, last = nn.RNN(cell)(x)
    h = np.zeros((2, 3))
    for t in range(4):
        h = 0.5 * h + x.numpy()[:, t]
        np.testing.assert_allclose(out.numpy()[:, t], h, rtol=1e-6)
    np.testing.assert_allclose(last.numpy(), h, rtol=1e-6)
    assert repr(cell) == "Leaky()"


class Grid(nn.RNNCellBase):
    """A cell whose state is a pair, as its `state_shape` says."""

    @property
    def state_shape(self) -> Any:
        return (2,), (-1, 2, 2)

    def forward(self, inputs: Any, states: Any) -> tuple[Any, Any]:
        h, c = states
        return h, (h + 1.0, c)


def test_a_cell_says_the_shape_of_its_states(x: tg.Tensor) -> None:
    out, (h, c) = nn.RNN(Grid())(x)
    assert out.shape == [2, 4, 2]
    assert (h.tolist(), c.shape) == ([[4.0, 4.0]] * 2, [2, 2, 2])
    assert repr(nn.SimpleRNNCell(2, 3, "relu")) == (
        "SimpleRNNCell(2, 3, activation=relu)"
    )
    assert nn.LSTMCell(2, 3).state_shape == ((3,), (3,))
    assert nn.GRUCell(2, 3).state_shape == (3,)
    state = nn.GRUCell(2, 3).get_initial_states(x, [5], "float64", 1.5, 1)
    assert state.numpy().dtype == np.float64
    assert state.tolist() == [[1.5] * 5] * 4


def test_states_have_the_dtype_of_what_they_are_for() -> None:
    x = tg.ones([2, 3], "float64")
    assert nn.GRUCell(3, 4).get_initial_states(x).numpy().dtype == np.float64
