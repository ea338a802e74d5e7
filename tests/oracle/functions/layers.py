"""Layers whose weights are inputs of the case: recurrent ones, and Transformers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case
from tests.ops.values import numbers
from tests.oracle.functions.function import Function

BATCH, STEPS, SIZE, HIDDEN = 2, 3, 3, 2

Run = Callable[[Any, Sequence[Any]], Any]


def with_weights(layer: Any, weights: Mapping[str, Any]) -> Any:
    """A layer of ours that computes with these tensors instead of its parameters."""
    for name, weight in weights.items():
        *path, last = name.split(".")
        owner = layer
        for part in path:
            owner = getattr(owner, part)
        object.__setattr__(owner, last, weight)
    return layer


def flat(result: Any) -> tuple[Any, ...]:
    """Nested results one after the other."""
    if isinstance(result, (tuple, list)):
        return tuple(part for item in result for part in flat(item))
    return (result,)


def shapes(gates: int, layers: int, ways: int) -> dict[str, list[int]]:
    """The weights of a recurrent network under PyTorch's names."""
    rows, found = gates * HIDDEN, {}
    for layer in range(layers):
        size = SIZE if layer == 0 else HIDDEN * ways
        for suffix in ("", "_reverse")[:ways]:
            end = f"_l{layer}{suffix}"
            found[f"weight_ih{end}"] = [rows, size]
            found[f"weight_hh{end}"] = [rows, HIDDEN]
            found[f"bias_ih{end}"] = [rows]
            found[f"bias_hh{end}"] = [rows]
    return found


def cell_name(name: str, ways: int) -> str:
    """Where a weight of PyTorch's name stands in ours: `0.cell_bw.weight_ih`."""
    kind, _, end = name.rpartition("_l")
    layer, _, reverse = end.partition("_")
    cell = "cell" if ways == 1 else "cell_bw" if reverse else "cell_fw"
    return f"{layer}.{cell}.{kind}"


def recurrent(kind: str, gates: int, layers: int = 1, ways: int = 1) -> Function:
    """A recurrent network over inputs [batch, steps, size], from zero states."""
    named = shapes(gates, layers, ways)

    def ours(tg: Any, x: Any, *weights: Any) -> Any:
        kinds = {"RNN": "SimpleRNN"}
        direction = "bidirect" if ways == 2 else "forward"
        net = getattr(tg.nn, kinds.get(kind, kind))(SIZE, HIDDEN, layers, direction)
        own = {
            cell_name(name, ways): weight
            for name, weight in zip(named, weights, strict=True)
        }
        return flat(with_weights(net, own)(x))

    def theirs(torch: Any, x: Any, *weights: Any) -> Any:
        net = getattr(torch.nn, kind)(
            SIZE, HIDDEN, layers, batch_first=True, bidirectional=ways == 2
        ).double()
        own = dict(zip(named, weights, strict=True))
        return flat(torch.func.functional_call(net, own, (x,)))

    inputs = [numbers(BATCH, STEPS, SIZE)] + [
        numbers(*shape, low=-1, high=1, start=40 + 30 * i)
        for i, shape in enumerate(named.values())
    ]
    way = {1: "one way", 2: "both ways"}[ways]
    label = f"{layers} layer{'s' * (layers > 1)}, {way}"
    cases = (Case(label, tuple(inputs)),)
    return Function(f"{kind}_{layers}x{ways}", ours, theirs, cases)


WIDTH, HEADS = 4, 2

ATTENTION = {"q_proj": 0, "k_proj": 1, "v_proj": 2}


def attention_shapes(prefix: str) -> dict[str, list[int]]:
    """The weights of PyTorch's attention."""
    return {
        f"{prefix}in_proj_weight": [3 * WIDTH, WIDTH],
        f"{prefix}in_proj_bias": [3 * WIDTH],
        f"{prefix}out_proj.weight": [WIDTH, WIDTH],
        f"{prefix}out_proj.bias": [WIDTH],
    }


def our_attention(prefix: str, theirs: Mapping[str, Any]) -> dict[str, Any]:
    """The same under our names: one matrix in three, each transposed."""
    found = {}
    for name, k in ATTENTION.items():
        part = slice(k * WIDTH, (k + 1) * WIDTH)
        matrix = theirs[f"{prefix}in_proj_weight"][part]
        found[f"{prefix}{name}.weight"] = matrix.transpose([1, 0])
        found[f"{prefix}{name}.bias"] = theirs[f"{prefix}in_proj_bias"][part]
    out = theirs[f"{prefix}out_proj.weight"].transpose([1, 0])
    found[f"{prefix}out_proj.weight"] = out
    found[f"{prefix}out_proj.bias"] = theirs[f"{prefix}out_proj.bias"]
    return found


def weights_for(named: Mapping[str, Sequence[int]]) -> list[Array]:
    return [
        numbers(*shape, low=-1, high=1, start=60 + 30 * i)
        for i, shape in enumerate(named.values())
    ]


def attend(tg: Any, q: Any, k: Any, *rest: Any) -> Any:
    named = attention_shapes("")
    mask, weights = (None, rest) if len(rest) == len(named) else (rest[0], rest[1:])
    net = tg.nn.MultiHeadAttention(WIDTH, HEADS)
    own = our_attention("", dict(zip(named, weights, strict=True)))
    return with_weights(net, own)(q, k, k, mask)


def attend_in_torch(torch: Any, q: Any, k: Any, *rest: Any) -> Any:
    named = attention_shapes("")
    mask, weights = (None, rest) if len(rest) == len(named) else (rest[0], rest[1:])
    net = torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    own = dict(zip(named, weights, strict=True))
    if mask is not None:
        mask = ~mask
    args = {"need_weights": False, "attn_mask": mask}
    return as_written(torch, net, own, (q, k, k), args)[0]


def as_written(torch: Any, net: Any, own: Any, *args: Any) -> Any:
    """A network of PyTorch's with these weights, its attention plain products."""
    plain = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)
    with plain:
        return torch.func.functional_call(net.double(), own, *args)


def block_shapes(parts: Sequence[str], norms: int) -> dict[str, list[int]]:
    """The weights of a layer of PyTorch's encoder or decoder."""
    found: dict[str, list[int]] = {}
    for part in parts:
        found |= attention_shapes(part)
    found |= {
        "linear1.weight": [6, WIDTH],
        "linear1.bias": [6],
        "linear2.weight": [WIDTH, 6],
        "linear2.bias": [WIDTH],
    }
    for i in range(1, norms + 1):
        found |= {f"norm{i}.weight": [WIDTH], f"norm{i}.bias": [WIDTH]}
    return found


ENCODER = block_shapes(["self_attn."], 2)
DECODER = block_shapes(["self_attn.", "multihead_attn."], 3)


def our_block(theirs: Mapping[str, Any]) -> dict[str, Any]:
    """A layer's weights under our names."""
    found = our_attention("self_attn.", theirs)
    if "multihead_attn.in_proj_bias" in theirs:
        across = our_attention("multihead_attn.", theirs)
        found |= {k.replace("multihead", "cross"): v for k, v in across.items()}
    for name, weight in theirs.items():
        if name.startswith("norm") or name.endswith(("1.bias", "2.bias")):
            found[name] = weight
        elif name.startswith("linear"):
            found[name] = weight.transpose([1, 0])
    return found


def encode(tg: Any, x: Any, *weights: Any, **attrs: Any) -> Any:
    net = tg.nn.TransformerEncoderLayer(WIDTH, HEADS, 6, 0.0, **attrs)
    return with_weights(net, our_block(dict(zip(ENCODER, weights, strict=True))))(x)


def encode_in_torch(
    torch: Any,
    x: Any,
    *weights: Any,
    activation: str = "relu",
    normalize_before: bool = False,
) -> Any:
    net = torch.nn.TransformerEncoderLayer(
        WIDTH, HEADS, 6, 0.0, activation, norm_first=normalize_before, batch_first=True
    )
    own = dict(zip(ENCODER, weights, strict=True))
    return as_written(torch, net, own, (x,))


def decode(tg: Any, x: Any, memory: Any, mask: Any, *weights: Any) -> Any:
    net = tg.nn.TransformerDecoderLayer(WIDTH, HEADS, 6, 0.0)
    own = our_block(dict(zip(DECODER, weights, strict=True)))
    return with_weights(net, own)(x, memory, mask)


def decode_in_torch(torch: Any, x: Any, memory: Any, mask: Any, *weights: Any) -> Any:
    net = torch.nn.TransformerDecoderLayer(WIDTH, HEADS, 6, 0.0, batch_first=True)
    own = dict(zip(DECODER, weights, strict=True))
    return as_written(torch, net, own, (x, memory, mask))


Q, K = numbers(2, 3, WIDTH), numbers(2, 2, WIDTH, start=30)
ALLOWED = np.array([[True, False], [True, True], [True, True]])
BEFORE = np.triu(np.full((3, 3), -1e9), 1)

FAMILY = (
    recurrent("RNN", 1),
    recurrent("LSTM", 4),
    recurrent("LSTM", 4, layers=2, ways=2),
    recurrent("GRU", 3, ways=2),
    Function(
        "MultiHeadAttention",
        attend,
        attend_in_torch,
        (
            Case("everybody", (Q, K, *weights_for(attention_shapes("")))),
            Case("masked", (Q, K, ALLOWED, *weights_for(attention_shapes("")))),
        ),
    ),
    Function(
        "TransformerEncoderLayer",
        encode,
        encode_in_torch,
        (
            Case("normalised after", (Q, *weights_for(ENCODER))),
            Case(
                "normalised before, gelu",
                (Q, *weights_for(ENCODER)),
                {"activation": "gelu", "normalize_before": True},
            ),
        ),
    ),
    Function(
        "TransformerDecoderLayer",
        decode,
        decode_in_torch,
        (Case("causal", (Q, K, BEFORE, *weights_for(DECODER)), constant=(2,)),),
    ),
)
