"""Paddle 1.x's recurrent units: single steps of a GRU and an LSTM."""

from __future__ import annotations

from typing import Any

from teachgraph.nn.functional import sigmoid, tanh
from teachgraph.ops import functions, naming
from teachgraph.ops.activation import activated
from teachgraph.ops.initializer import Constant, XavierUniform
from teachgraph.static.layers import fc, parameter

__all__ = ["gru_unit", "lstm_unit"]


def gru_step(
    input: Any,
    hidden: Any,
    weight: Any,
    bias: Any,
    activation: str,
    gate_activation: str,
    origin_mode: bool,
) -> tuple[Any, Any, Any]:
    """h' = (1 - u) h + u m, where u, r = gates(x_ur + h W_ur), m = act(x_m + r h W_m).

    The first 2D D numbers of the weight [D, 3D] are W_ur, row by row, the others W_m.

    Args:
        input: x_u, x_r and x_m side by side, [N, 3D].
        hidden: h, [N, D].
        weight: W_ur and W_m.
        bias: [1, 3D], or None.
        activation: act.
        gate_activation: The activation of the gates.
        origin_mode: Compute u h + (1 - u) m instead.

    Returns:
        h', r h, and u, r and m side by side.
    """
    size = weight.shape[0]
    numbers = functions.reshape(weight, [-1])
    rows = functions.reshape(numbers[: 2 * size * size], [size, 2 * size])
    columns = functions.reshape(numbers[2 * size * size :], [size, size])
    x = input if bias is None else input + bias
    gates = x[:, : 2 * size] + functions.matmul(hidden, rows)
    u, r = functions.split(activated(gates, gate_activation), 2, axis=1)
    kept = r * hidden
    m = activated(x[:, 2 * size :] + functions.matmul(kept, columns), activation)
    new = u * hidden + (1.0 - u) * m if origin_mode else hidden + u * (m - hidden)
    return new, kept, functions.concat([u, r, m], axis=1)


def gru_unit(
    input: Any,
    hidden: Any,
    size: int,
    param_attr: Any = None,
    bias_attr: Any = None,
    activation: str = "tanh",
    gate_activation: str = "sigmoid",
    origin_mode: bool = False,
) -> tuple[Any, Any, Any]:
    """Append one step of a GRU; return the new state, the reset state, and the gates.

    Args:
        input: The projected input, [N, size].
        hidden: The state, [N, size / 3].
        size: 3 times the size of the state.
        param_attr: The ParamAttr of the weight, [size / 3, size].
        bias_attr: The ParamAttr of the bias, [1, size]; False for none.
        activation: The activation of the candidate.
        gate_activation: The activation of the two gates.
        origin_mode: Let the update gate weight the old state, not the candidate.
    """
    facts = [size // 3, size], "float32", param_attr, XavierUniform()
    with naming.layer("gru_unit") as layer:
        weight = parameter(layer.name, "w", *facts)
        bias = parameter(layer.name, "b", [1, size], "float32", bias_attr, Constant())
        how = (activation, gate_activation, origin_mode)
        return gru_step(input, hidden, weight, bias, *how)


def lstm_unit(
    x_t: Any,
    hidden_t_prev: Any,
    cell_t_prev: Any,
    forget_bias: float = 0.0,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Append one step of an LSTM: the state h' = o tanh(c'), the cell c' = f c + i g.

    i, f, o, g = sigmoid, sigmoid, sigmoid and tanh of the quarters of [x, h] W + b,
    where `forget_bias` is added to the quarter of f.

    Args:
        x_t: x, [N, M].
        hidden_t_prev: h, [N, D].
        cell_t_prev: c, [N, D].
        forget_bias: A bias of the forget gate.
        param_attr: The ParamAttr of W, [M + D, 4D].
        bias_attr: The ParamAttr of b.
        name: The name of the layer.
    """
    both = functions.concat([x_t, hidden_t_prev], axis=1)
    size = cell_t_prev.shape[1]
    quarters = fc(both, 4 * size, 1, param_attr, bias_attr, None, name)
    i, f, o, g = functions.split(quarters, 4, axis=1)
    kept = sigmoid(f + forget_bias) * cell_t_prev
    cell = kept + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(cell), cell
