"""Recurrent networks: a cell applied to each step of a sequence.

`RNN` runs any cell in a Python loop; `SimpleRNN`, `LSTM` and `GRU` run all steps of a
layer as one op, with several layers and both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.observe import announce
from teachgraph.nn import functional
from teachgraph.nn.cells import (
    WEIGHTS,
    AffineCell,
    GRUCell,
    LSTMCell,
    RNNCellBase,
    SimpleRNNCell,
    States,
)
from teachgraph.nn.layer import Layer
from teachgraph.ops import functions
from teachgraph.ops.error_message import describe
from teachgraph.ops.recurrent import alive, masked_state

__all__ = ["GRU", "LSTM", "RNN", "BiRNN", "SimpleRNN"]


class RNN(Layer):
    """Recurrent network that runs any cell in a Python loop over the steps.

    Args:
        cell: Any RNNCellBase, also a user-defined one.
        is_reverse: Run from the last step to the first.
        time_major: Inputs are [steps, batch, size], not [batch, steps, size].

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
        """Compute the outputs of all steps, and the final states."""
        axis = 0 if self.time_major else 1
        xs = functions.unstack(inputs, axis)
        states, outputs = initial_states, {}
        if states is None:
            states = self.cell.get_initial_states(xs[0])
        order = range(len(xs))[::-1] if self.is_reverse else range(len(xs))
        for t in order:
            out, new = self.cell(xs[t], states)
            # After a sequence's end outputs are 0, and its states stay as they were.
            if sequence_length is not None:
                mask = alive(sequence_length, t, out.dtype)
                out = out * mask
                new = paired(
                    lambda a, b, mask=mask: masked_state(a, b, mask), new, states
                )
            outputs[t], states = out, new
        return functions.stack([outputs[t] for t in range(len(xs))], axis), states


class BiRNN(Layer):
    """Bidirectional network of two cells; their outputs are concatenated.

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
        """Compute the outputs and the final states of both directions."""
        first = (None, None) if initial_states is None else initial_states
        results = [
            RNN(cell, is_reverse=bool(k), time_major=self.time_major)(
                inputs, first[k], sequence_length
            )
            for k, cell in enumerate((self.cell_fw, self.cell_bw))
        ]
        out = functions.concat([out for out, _ in results], axis=-1)
        return out, tuple(states for _, states in results)


class RNNBase(Layer):
    """Base of stacked networks; each layer and direction is one op."""

    pair = False

    def __init__(
        self,
        cell: Callable[[int], AffineCell],
        input_size: int,
        hidden_size: int,
        num_layers: int,
        direction: str,
        time_major: bool,
        dropout: float,
    ) -> None:
        super().__init__()
        if direction not in ("forward", "bidirect", "bidirectional"):
            raise InvalidValueError.here(
                "direction should be forward or bidirect (or bidirectional), "
                f"received direction = {direction}"
            )
        self.input_size, self.hidden_size = input_size, hidden_size
        self.num_layers, self.time_major, self.dropout = num_layers, time_major, dropout
        self.num_directions = 1 if direction == "forward" else 2
        for layer in range(num_layers):
            size = input_size if layer == 0 else hidden_size * self.num_directions
            cells = [cell(size) for _ in range(self.num_directions)]
            self.add_sublayer(str(layer), as_rnn(cells, time_major))
            # The same parameters once more, under the names of Paddle's state_dict.
            for one, suffix in zip(cells, ("", "_reverse"), strict=False):
                for name in WEIGHTS:
                    setattr(self, f"{name}_l{layer}{suffix}", getattr(one, name))

    def cells(self, layer: int) -> list[AffineCell]:
        """Return the cells of a layer: one for each direction."""
        held = getattr(self, str(layer))
        one_way = self.num_directions == 1
        return [held.cell] if one_way else [held.cell_fw, held.cell_bw]

    def flatten_parameters(self) -> None:
        """Do nothing: Paddle joins the weights in memory here, for GPUs."""

    def forward(
        self, inputs: Any, initial_states: Any = None, sequence_length: Any = None
    ) -> tuple[Any, Any]:
        """Run all layers over all steps.

        Args:
            inputs: [batch, steps, size], or time-major.
            initial_states: [layers * directions, batch, hidden]; for LSTM a pair.
            sequence_length: The length of each sequence without padding, [batch].

        Returns:
            The last layer's outputs [batch, steps, directions * hidden], and the final
            states, shaped like the initial ones.
        """
        if len(inputs.shape) != 3:
            layout = (
                "[steps, batch, size]" if self.time_major else "[batch, steps, size]"
            )
            raise ShapeError.here(
                f"{type(self).__name__}: inputs are {layout}, got {describe(inputs)}"
            )
        x = inputs if self.time_major else functions.transpose(inputs, [1, 0, 2])
        last = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                x = functional.dropout(x, self.dropout, training=self.training)
            held = getattr(self, str(layer))
            announce("layer_begin", held)
            try:
                x, states = self.run_layer(layer, x, initial_states, sequence_length)
            finally:
                announce("layer_end", held)
            last.extend(states)
        out = x if self.time_major else functions.transpose(x, [1, 0, 2])
        return out, self.together(last)

    def run_layer(
        self, layer: int, x: Any, initial_states: Any, sequence_length: Any
    ) -> tuple[Any, list[States]]:
        """Run a layer, in one direction or both; return the final states as well."""
        outs, last = [], []
        for direction, cell in enumerate(self.cells(layer)):
            k = layer * self.num_directions + direction
            state = self.first(initial_states, k, cell, x)
            out, state = cell.sequence(
                x, state, sequence_length, is_reverse=bool(direction)
            )
            outs.append(out)
            last.append(state)
        return outs[0] if len(outs) == 1 else functions.concat(outs, axis=-1), last

    def first(self, states: Any, k: int, cell: AffineCell, x: Any) -> States:
        """Return the initial state of the k-th cell."""
        if states is None:
            return cell.get_initial_states(x, batch_dim_idx=1)
        return tuple(state[k] for state in states) if self.pair else states[k]

    def together(self, states: Sequence[Any]) -> Any:
        """Stack the final states of all cells."""
        if self.pair:
            return tuple(
                functions.stack(list(kind)) for kind in zip(*states, strict=True)
            )
        return functions.stack(list(states))

    def extra_repr(self) -> str:
        """Format sizes and non-default arguments for `repr`."""
        text = f"{self.input_size}, {self.hidden_size}"
        text += f", num_layers={self.num_layers}" if self.num_layers != 1 else ""
        text += ", time_major=True" if self.time_major else ""
        return text + (f", dropout={self.dropout}" if self.dropout else "")


class SimpleRNN(RNNBase):
    """Stacked network of `SimpleRNNCell`.

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

        def cell(size: int) -> AffineCell:
            return SimpleRNNCell(size, hidden_size, activation, *attrs)

        super().__init__(cell, *shape)


class GatedRNN(RNNBase):
    """Base of LSTM and GRU, whose cells have no activation to choose."""

    cell: type[AffineCell]

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
        super().__init__(lambda size: self.cell(size, hidden_size, *attrs), *shape)


class LSTM(GatedRNN):
    """Stacked network of `LSTMCell`; states are pairs (h, c).

    In Paddle this is `paddle.nn.LSTM`.

    >>> import teachgraph as tg
    >>> out, (h, c) = LSTM(3, 4, num_layers=2)(tg.ones([2, 5, 3]))
    >>> out.shape, h.shape, c.shape
    ([2, 5, 4], [2, 2, 4], [2, 2, 4])
    """

    pair = True
    cell = LSTMCell


class GRU(GatedRNN):
    """Stacked network of `GRUCell`.

    In Paddle this is `paddle.nn.GRU`.

    >>> import teachgraph as tg
    >>> out, last = GRU(3, 4)(tg.ones([2, 5, 3]), sequence_length=tg.to_tensor([5, 2]))
    >>> out[1, 2:].tolist() == [[0.0] * 4] * 3
    True
    """

    cell = GRUCell


def as_rnn(cells: Sequence[AffineCell], time_major: bool) -> Layer:
    """Wrap one cell in an RNN, or one for each direction in a BiRNN."""
    if len(cells) == 1:
        return RNN(cells[0], time_major=time_major)
    return BiRNN(cells[0], cells[1], time_major)


def paired(function: Callable[..., Any], new: Any, old: Any) -> Any:
    """Apply a function to two states, part by part for pairs."""
    if isinstance(new, tuple):
        return tuple(function(a, b) for a, b in zip(new, old, strict=True))
    return function(new, old)
