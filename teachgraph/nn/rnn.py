"""Recurrent networks: the same cell, step after step.

A cell is one step, written in ops. `RNN` runs any cell in a Python loop; `SimpleRNN`,
`LSTM` and `GRU` run all steps of a layer as one op, several layers and both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

from teachgraph.errors import InvalidValueError, at_user_line
from teachgraph.nn import functional
from teachgraph.nn.initializer import Uniform
from teachgraph.nn.layer import Layer
from teachgraph.ops import functions
from teachgraph.ops.gru import rnn_gru
from teachgraph.ops.lstm import rnn_lstm
from teachgraph.ops.recurrent import alive, kept, rnn_simple

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "BiRNN",
    "GRUCell",
    "LSTMCell",
    "RNNCellBase",
    "SimpleRNN",
    "SimpleRNNCell",
]

States = Any
"""A state [batch, hidden], or for LSTM the pair (h, c)."""


class RNNCellBase(Layer):
    """One step of a recurrent network: inputs and states in, output and states out.

    In Paddle this is `paddle.nn.RNNCellBase`.
    """

    gates = 1
    hidden_size: int
    weight_ih: Any
    weight_hh: Any
    bias_ih: Any
    bias_hh: Any

    def create_weights(
        self, input_size: int, hidden_size: int, attrs: Sequence[Any]
    ) -> None:
        """W_ih [gates * hidden, input], W_hh [gates * hidden, hidden] and two biases.

        All start uniform within 1 / sqrt(hidden).
        """
        if hidden_size <= 0:
            raise InvalidValueError(
                at_user_line(
                    f"hidden_size of {type(self).__name__} must be greater than 0, "
                    f"but got {hidden_size}"
                )
            )
        self.input_size, self.hidden_size = input_size, hidden_size
        limit, rows = 1.0 / sqrt(hidden_size), self.gates * hidden_size
        start = Uniform(-limit, limit)
        shapes = [[rows, input_size], [rows, hidden_size], [rows], [rows]]
        names = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
        for name, shape, attr in zip(names, shapes, attrs, strict=True):
            bias = name.startswith("bias")
            made = self.create_parameter(shape, attr, None, bias, start)
            setattr(self, name, made)

    @property
    def weights(self) -> list[Any]:
        """W_ih, W_hh and both biases; None for one that is left out."""
        return [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]

    def get_initial_states(self, batch_ref: Any, batch_dim_idx: int = 0) -> States:
        """Zeros for each sequence of `batch_ref`."""
        return zero_state(batch_ref, batch_dim_idx, self.hidden_size)

    def sums(self, inputs: Any, h: Any) -> tuple[Any, Any]:
        """W_ih x + b_ih and W_hh h + b_hh."""
        from_x = functions.matmul(inputs, self.weight_ih, transpose_y=True)
        from_h = functions.matmul(h, self.weight_hh, transpose_y=True)
        from_x = from_x if self.bias_ih is None else from_x + self.bias_ih
        return from_x, from_h if self.bias_hh is None else from_h + self.bias_hh

    def sequence(
        self, inputs: Any, states: States, lengths: Any, *, is_reverse: bool
    ) -> tuple[Any, States]:
        """All steps of time-major inputs as one op."""
        raise NotImplementedError(f"{type(self).__name__} has no op for all steps")

    def extra_repr(self) -> str:
        """The sizes."""
        return f"{self.input_size}, {self.hidden_size}"


class SimpleRNNCell(RNNCellBase):
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
        super().__init__()
        if activation not in ("tanh", "relu"):
            raise InvalidValueError(
                at_user_line(
                    "activation for SimpleRNNCell should be tanh or relu, but got "
                    f"{activation}"
                )
            )
        self.activation = activation
        attrs = [weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr]
        self.create_weights(input_size, hidden_size, attrs)

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, Any]:
        """One step: x [batch, input] and h [batch, hidden] to h' twice."""
        h = self.get_initial_states(inputs) if states is None else states
        from_x, from_h = self.sums(inputs, h)
        h = getattr(functional, self.activation)(from_x + from_h)
        return h, h

    def sequence(
        self, inputs: Any, states: Any, lengths: Any, *, is_reverse: bool
    ) -> tuple[Any, Any]:
        """The op `rnn_simple`."""
        attrs = {"activation": self.activation, "is_reverse": is_reverse}
        return rnn_simple(inputs, states, *self.weights, lengths, **attrs)[:2]  # type: ignore[no-any-return]


class LSTMCell(RNNCellBase):
    """c' = f c + i g, h' = o tanh c'; i, f, g, o from x and h (see `ops/lstm.py`).

    In Paddle this is `paddle.nn.LSTMCell`.
    """

    gates = 4

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
        attrs = [weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr]
        self.create_weights(input_size, hidden_size, attrs)

    def get_initial_states(self, batch_ref: Any, batch_dim_idx: int = 0) -> States:
        """Zeros for h and for c."""
        zeros = zero_state(batch_ref, batch_dim_idx, self.hidden_size)
        return zeros, zeros

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, Any]:
        """One step: x [batch, input] and (h, c) to h' and (h', c')."""
        h, c = self.get_initial_states(inputs) if states is None else states
        from_x, from_h = self.sums(inputs, h)
        i, f, g, o = functions.split(from_x + from_h, 4, axis=-1)
        c = functional.sigmoid(f) * c + functional.sigmoid(i) * functions.tanh(g)
        h = functional.sigmoid(o) * functions.tanh(c)
        return h, (h, c)

    def sequence(
        self, inputs: Any, states: Any, lengths: Any, *, is_reverse: bool
    ) -> tuple[Any, Any]:
        """The op `rnn_lstm`."""
        out, h, c, *_ = rnn_lstm(
            inputs, *states, *self.weights, lengths, is_reverse=is_reverse
        )
        return out, (h, c)


class GRUCell(RNNCellBase):
    """h' = (1 - z) n + z h; r, z, n from x and h (see `ops/gru.py`).

    In Paddle this is `paddle.nn.GRUCell`.
    """

    gates = 3

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
        attrs = [weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr]
        self.create_weights(input_size, hidden_size, attrs)

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, Any]:
        """One step: x [batch, input] and h [batch, hidden] to h' twice."""
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
        """The op `rnn_gru`."""
        weights = self.weights
        return rnn_gru(inputs, states, *weights, lengths, is_reverse=is_reverse)[:2]  # type: ignore[no-any-return]


class RNN(Layer):
    """A cell in a Python loop over the steps.

    Args:
        cell: Any RNNCellBase, also one of your own.
        is_reverse: Whether to go from the last step to the first.
        time_major: Whether inputs are [steps, batch, size], not [batch, steps, size].

    In Paddle this is `paddle.nn.RNN`.
    """

    def __init__(
        self, cell: RNNCellBase, is_reverse: bool = False, time_major: bool = False
    ) -> None:
        super().__init__()
        self.cell, self.is_reverse, self.time_major = cell, is_reverse, time_major

    def forward(
        self, inputs: Any, initial_states: Any = None, sequence_length: Any = None
    ) -> tuple[Any, Any]:
        """Outputs of all steps, and the last states."""
        axis = 0 if self.time_major else 1
        xs = functions.unstack(inputs, axis)
        states, outputs = initial_states, {}
        if states is None:
            states = self.cell.get_initial_states(xs[0])
        order = range(len(xs))[::-1] if self.is_reverse else range(len(xs))
        for t in order:
            out, new = self.cell(xs[t], states)
            if sequence_length is not None:
                mask = alive(sequence_length, t, out.dtype)
                out = out * mask
                new = paired(lambda a, b, mask=mask: kept(a, b, mask), new, states)
            outputs[t], states = out, new
        return functions.stack([outputs[t] for t in range(len(xs))], axis), states


class BiRNN(Layer):
    """Two cells, one for each direction; their outputs side by side.

    In Paddle this is `paddle.nn.BiRNN`.
    """

    def __init__(
        self, cell_fw: RNNCellBase, cell_bw: RNNCellBase, time_major: bool = False
    ) -> None:
        super().__init__()
        self.cell_fw, self.cell_bw, self.time_major = cell_fw, cell_bw, time_major

    def forward(
        self, inputs: Any, initial_states: Any = None, sequence_length: Any = None
    ) -> tuple[Any, Any]:
        """Outputs of both directions, and the last states of both."""
        first = (None, None) if initial_states is None else initial_states
        made = [
            RNN(cell, is_reverse=bool(k), time_major=self.time_major)(
                inputs, first[k], sequence_length
            )
            for k, cell in enumerate((self.cell_fw, self.cell_bw))
        ]
        out = functions.concat([out for out, _ in made], axis=-1)
        return out, tuple(states for _, states in made)


class RNNBase(Layer):
    """Layers of cells, in one direction or both; each layer and direction is one op."""

    pair = False

    def __init__(
        self,
        cell: Callable[[int], RNNCellBase],
        input_size: int,
        hidden_size: int,
        num_layers: int,
        direction: str,
        time_major: bool,
        dropout: float,
    ) -> None:
        super().__init__()
        if direction not in ("forward", "bidirect", "bidirectional"):
            raise InvalidValueError(
                at_user_line(
                    "direction should be forward or bidirect (or bidirectional), "
                    f"received direction = {direction}"
                )
            )
        self.input_size, self.hidden_size = input_size, hidden_size
        self.num_layers, self.time_major, self.dropout = num_layers, time_major, dropout
        self.num_directions = 1 if direction == "forward" else 2
        for layer in range(num_layers):
            size = input_size if layer == 0 else hidden_size * self.num_directions
            cells = [cell(size) for _ in range(self.num_directions)]
            self.add_sublayer(str(layer), either_way(cells, time_major))
            for made, suffix in zip(cells, ("", "_reverse"), strict=False):
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    setattr(self, f"{name}_l{layer}{suffix}", getattr(made, name))

    def cells(self, layer: int) -> list[RNNCellBase]:
        """The cells of a layer: one, or one for each direction."""
        held = getattr(self, str(layer))
        return [held.cell] if isinstance(held, RNN) else [held.cell_fw, held.cell_bw]

    def forward(
        self, inputs: Any, initial_states: Any = None, sequence_length: Any = None
    ) -> tuple[Any, Any]:
        """All layers over all steps.

        Args:
            inputs: [batch, steps, size], or time-major.
            initial_states: [layers * directions, batch, hidden]; for LSTM a pair.
            sequence_length: How many steps of each sequence count, [batch].

        Returns:
            The last layer's outputs [batch, steps, directions * hidden], and the last
            states, shaped like the initial ones.
        """
        x = inputs if self.time_major else functions.transpose(inputs, [1, 0, 2])
        last = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                x = functional.dropout(x, self.dropout, training=self.training)
            outs = []
            for way, cell in enumerate(self.cells(layer)):
                k = layer * self.num_directions + way
                state = self.first(initial_states, k, cell, x)
                ended = {"is_reverse": bool(way)}
                out, state = cell.sequence(x, state, sequence_length, **ended)
                outs.append(out)
                last.append(state)
            x = outs[0] if len(outs) == 1 else functions.concat(outs, axis=-1)
        out = x if self.time_major else functions.transpose(x, [1, 0, 2])
        return out, self.together(last)

    def first(self, states: Any, k: int, cell: RNNCellBase, x: Any) -> States:
        """The initial state of the k-th cell."""
        if states is None:
            return cell.get_initial_states(x, 1)
        return tuple(state[k] for state in states) if self.pair else states[k]

    def together(self, states: Sequence[Any]) -> Any:
        """The last states of all cells, stacked."""
        if self.pair:
            return tuple(
                functions.stack(list(kind)) for kind in zip(*states, strict=True)
            )
        return functions.stack(list(states))

    def extra_repr(self) -> str:
        """The sizes, and what is not usual."""
        text = f"{self.input_size}, {self.hidden_size}"
        text += f", num_layers={self.num_layers}" if self.num_layers != 1 else ""
        text += ", time_major=True" if self.time_major else ""
        return text + (f", dropout={self.dropout}" if self.dropout else "")


class SimpleRNN(RNNBase):
    """Layers of `SimpleRNNCell`.

    In Paddle this is `paddle.nn.SimpleRNN`.

    >>> import teachgraph as tg
    >>> out, last = SimpleRNN(3, 4, direction="bidirect")(tg.ones([2, 5, 3]))
    >>> out.shape, last.shape
    ([2, 5, 8], [2, 2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        activation: str = "tanh",
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        attrs = [weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr]
        shape = (input_size, hidden_size, num_layers, direction, time_major, dropout)

        def cell(size: int) -> RNNCellBase:
            return SimpleRNNCell(size, hidden_size, activation, *attrs)

        super().__init__(cell, *shape)


class LSTM(RNNBase):
    """Layers of `LSTMCell`; states are pairs (h, c).

    In Paddle this is `paddle.nn.LSTM`.

    >>> import teachgraph as tg
    >>> out, (h, c) = LSTM(3, 4, num_layers=2)(tg.ones([2, 5, 3]))
    >>> out.shape, h.shape, c.shape
    ([2, 5, 4], [2, 2, 4], [2, 2, 4])
    """

    pair = True

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        attrs = [weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr]
        shape = (input_size, hidden_size, num_layers, direction, time_major, dropout)
        super().__init__(lambda size: LSTMCell(size, hidden_size, *attrs), *shape)


class GRU(RNNBase):
    """Layers of `GRUCell`.

    In Paddle this is `paddle.nn.GRU`.

    >>> import teachgraph as tg
    >>> out, last = GRU(3, 4)(tg.ones([2, 5, 3]), sequence_length=tg.to_tensor([5, 2]))
    >>> out[1, 2:].tolist() == [[0.0] * 4] * 3
    True
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: Any = None,
        weight_hh_attr: Any = None,
        bias_ih_attr: Any = None,
        bias_hh_attr: Any = None,
        name: str | None = None,
    ) -> None:
        attrs = [weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr]
        shape = (input_size, hidden_size, num_layers, direction, time_major, dropout)
        super().__init__(lambda size: GRUCell(size, hidden_size, *attrs), *shape)


def either_way(cells: Sequence[RNNCellBase], time_major: bool) -> Layer:
    """The layer that holds one cell, or a cell for each direction."""
    if len(cells) == 1:
        return RNN(cells[0], time_major=time_major)
    return BiRNN(cells[0], cells[1], time_major)


def zero_state(batch_ref: Any, batch_dim_idx: int, hidden_size: int) -> Any:
    """Zeros [batch, hidden], also where the batch is known only when it runs."""
    first = batch_ref[0] if batch_dim_idx == 1 else batch_ref
    while len(first.shape) > 2:
        first = first[:, 0]
    column = functions.zeros_like(first[:, :1])
    return functions.expand(column, [-1, hidden_size])


def paired(function: Callable[..., Any], new: Any, old: Any) -> Any:
    """A function of two states, for each part of a pair."""
    if isinstance(new, tuple):
        return tuple(function(a, b) for a, b in zip(new, old, strict=True))
    return function(new, old)
