"""Recurrent cells: one step of a simple RNN, LSTM or GRU, written in ops."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.tensor import Tensor
from teachgraph.nn import functional
from teachgraph.nn.initializer import Uniform
from teachgraph.nn.layer import Layer
from teachgraph.ops import functions
from teachgraph.ops.gru import rnn_gru
from teachgraph.ops.lstm import rnn_lstm
from teachgraph.ops.recurrent import rnn_simple

__all__ = ["GRUCell", "LSTMCell", "RNNCellBase", "SimpleRNNCell"]

WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")

States = Any
"""A state [batch, hidden], or for LSTM the pair (h, c)."""


class RNNCellBase(Layer):
    """Base of cells: maps inputs and states to output and new states.

    Subclasses define `forward(inputs, states)`, and `hidden_size` or `state_shape`.

    In Paddle this is `paddle.nn.RNNCellBase`.
    """

    hidden_size: int

    @property
    def state_shape(self) -> Sequence[Any]:
        """Shape of a state without its batch, or a list or tuple of such shapes."""
        return (self.hidden_size,)

    def get_initial_states(
        self,
        batch_ref: Any,
        shape: Sequence[Any] | None = None,
        dtype: Any = None,
        init_value: float = 0.0,
        batch_dim_idx: int = 0,
    ) -> States:
        """Create states for the batch size of a tensor.

        Args:
            batch_ref: The tensor, or a list of some; the first one counts.
            shape: As `state_shape`, which it is by default; it may begin with -1.
            dtype: Of the states; by default that of `batch_ref`, if it is floating.
            init_value: The value of all elements.
            batch_dim_idx: The dimension of `batch_ref` that is the batch.
        """
        if isinstance(batch_ref, (list, tuple)):
            batch_ref = batch_ref[0]
        if dtype is None and batch_ref.dtype.kind == "f":
            dtype = batch_ref.dtype

        def states(shape: Any) -> States:
            if not all(isinstance(size, int) for size in shape):
                return type(shape)(map(states, shape))
            sizes = shape[1:] if shape[0] == -1 else shape
            return constant(batch_ref, batch_dim_idx, sizes, init_value, dtype)

        return states(self.state_shape if shape is None else shape)


class AffineCell(RNNCellBase):
    """Base of cells whose gates are functions of W_ih x + b_ih and W_hh h + b_hh.

    All weights are initialised uniformly within 1 / sqrt(hidden).

    Attributes:
        gates: The number of gates, each of `hidden_size` rows.
        weight_ih: [gates * hidden, input].
        weight_hh: [gates * hidden, hidden].
        bias_ih, bias_hh: [gates * hidden], or None.
    """

    gates = 1
    weight_ih: Any
    weight_hh: Any
    bias_ih: Any
    bias_hh: Any

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        if hidden_size <= 0:
            raise InvalidValueError.here(
                f"hidden_size of {type(self).__name__} must be greater than 0, "
                f"but got {hidden_size}"
            )
        self.input_size, self.hidden_size = input_size, hidden_size
        limit, rows = 1.0 / sqrt(hidden_size), self.gates * hidden_size
        start = Uniform(-limit, limit)
        attrs = [weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr]
        shapes = [[rows, input_size], [rows, hidden_size], [rows], [rows]]
        for weight, shape, attr in zip(WEIGHTS, shapes, attrs, strict=True):
            bias = weight.startswith("bias")
            parameter = self.create_parameter(shape, attr, None, bias, start)
            setattr(self, weight, parameter)

    @property
    def weights(self) -> list[Any]:
        """W_ih, W_hh and both biases; None for a missing one."""
        return [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]

    def sums(self, inputs: Any, h: Any) -> tuple[Any, Any]:
        """Compute W_ih x + b_ih and W_hh h + b_hh."""
        from_x = functions.matmul(inputs, self.weight_ih, transpose_y=True)
        from_h = functions.matmul(h, self.weight_hh, transpose_y=True)
        from_x = from_x if self.bias_ih is None else from_x + self.bias_ih
        return from_x, from_h if self.bias_hh is None else from_h + self.bias_hh

    def sequence(
        self, inputs: Any, states: States, lengths: Any, *, is_reverse: bool
    ) -> tuple[Any, States]:
        """Run all steps of time-major inputs as one op."""
        raise NotImplementedError(f"{type(self).__name__} has no op for all steps")

    def extra_repr(self) -> str:
        """Format the sizes for `repr`."""
        return f"{self.input_size}, {self.hidden_size}"


class SimpleRNNCell(AffineCell):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu of that (Elman, 1990).

    In Paddle this is `paddle.nn.SimpleRNNCell`.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        activation: str = "tanh",
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        if activation not in ("tanh", "relu"):
            raise InvalidValueError.here(
                "activation for SimpleRNNCell should be tanh or relu, but got "
                f"{activation}"
            )
        attrs = [weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr]
        super().__init__(input_size, hidden_size, *attrs)
        self.activation = activation

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, Any]:
        """Run one step: x [batch, input], h [batch, hidden] to (h', h')."""
        h = self.get_initial_states(inputs) if states is None else states
        from_x, from_h = self.sums(inputs, h)
        h = getattr(functional, self.activation)(from_x + from_h)
        return h, h

    def sequence(
        self, inputs: Any, states: Any, lengths: Any, *, is_reverse: bool
    ) -> tuple[Any, Any]:
        """Apply the op `rnn_simple`."""
        attrs = {"activation": self.activation, "is_reverse": is_reverse}
        return rnn_simple(inputs, states, *self.weights, lengths, **attrs)[:2]  # type: ignore[no-any-return]

    def extra_repr(self) -> str:
        """Format the sizes, and an unusual activation, for `repr`."""
        unusual = "" if self.activation == "tanh" else f", activation={self.activation}"
        return super().extra_repr() + unusual


class LSTMCell(AffineCell):
    """c' = f c + i g, h' = o tanh c'; i, f, g, o from x and h (see `ops/lstm.py`).

    In Paddle this is `paddle.nn.LSTMCell`.
    """

    gates = 4

    @property
    def state_shape(self) -> Sequence[Any]:
        """Shapes of h and of c."""
        return (self.hidden_size,), (self.hidden_size,)

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, Any]:
        """Run one step: x [batch, input], (h, c) to h' and (h', c')."""
        h, c = self.get_initial_states(inputs) if states is None else states
        from_x, from_h = self.sums(inputs, h)
        i, f, g, o = functions.split(from_x + from_h, 4, axis=-1)
        c = functional.sigmoid(f) * c + functional.sigmoid(i) * functions.tanh(g)
        h = functional.sigmoid(o) * functions.tanh(c)
        return h, (h, c)

    def sequence(
        self, inputs: Any, states: Any, lengths: Any, *, is_reverse: bool
    ) -> tuple[Any, Any]:
        """Apply the op `rnn_lstm`."""
        out, h, c, *_ = rnn_lstm(
            inputs, *states, *self.weights, lengths, is_reverse=is_reverse
        )
        return out, (h, c)


class GRUCell(AffineCell):
    """h' = (1 - z) n + z h; r, z, n from x and h (see `ops/gru.py`).

    In Paddle this is `paddle.nn.GRUCell`.
    """

    gates = 3

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, Any]:
        """Run one step: x [batch, input], h [batch, hidden] to (h', h')."""
        h = self.get_initial_states(inputs) if states is None else states
        from_x, from_h = self.sums(inputs, h)
        x_r, x_z, x_n = functions.split(from_x, 3, axis=-1)
        h_r, h_z, h_n = functions.split(from_h, 3, axis=-1)
        r, z = functional.sigmoid(x_r + h_r), functional.sigmoid(x_z + h_z)
        n = functions.tanh(x_n + r * h_n)
        h = (1 - z) * n + z * h
        return h, h

    def sequence(
        self, inputs: Any, states: Any, lengths: Any, *, is_reverse: bool
    ) -> tuple[Any, Any]:
        """Apply the op `rnn_gru`."""
        weights = self.weights
        return rnn_gru(inputs, states, *weights, lengths, is_reverse=is_reverse)[:2]  # type: ignore[no-any-return]


def constant(
    batch_ref: Any, batch_dim_idx: int, sizes: Sequence[int], value: float, dtype: Any
) -> Any:
    """Create [batch, *sizes] of one value."""
    if isinstance(batch_ref, Tensor):
        return functions.full([batch_ref.shape[batch_dim_idx], *sizes], value, dtype)
    # Not `full`: in a Program the batch size may be unknown until it runs.
    first = batch_ref[0] if batch_dim_idx == 1 else batch_ref
    while len(first.shape) > 2:
        first = first[:, 0]
    column = functions.full_like(first[:, :1], value, dtype)
    if len(sizes) != 1:
        column = functions.reshape(column, [-1, *[1] * len(sizes)])
    return functions.expand(column, [-1, *sizes])
