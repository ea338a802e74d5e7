"""Model summary and FLOP count: a table of layers, shapes and parameters.

The network runs once on random input, with forward hooks on every layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np

from teachgraph import nn
from teachgraph.autograd.tensor import Tensor
from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.core.modes import no_grad
from teachgraph.static.input_spec import InputSpec

__all__ = ["flops", "summary"]

Shape = list[int]
Count = Callable[[Any, Any, Any], int]


@dataclass
class LayerRun:
    """One call of a layer.

    Attributes:
        layer: The layer.
        depth: How deep it lies in the network.
        inputs: The shape of its first input.
        output: The shape of its first result.
        flops: Its multiplications and additions, counted in pairs.
    """

    layer: nn.Layer
    depth: int
    inputs: Shape
    output: Shape
    flops: int = 0

    @property
    def parameters(self) -> int:
        """Number of elements in the layer's own parameters."""
        return sum(p.size for p in self.layer.parameters(include_sublayers=False))

    @property
    def is_leaf(self) -> bool:
        """True if the layer has no sublayers."""
        return not list(self.layer.children())


def shape_of(value: Any) -> Shape:
    """The shape of a Tensor, or of the first one in a list or dict."""
    while isinstance(value, (list, tuple, dict)) and value:
        value = next(iter(value.values() if isinstance(value, dict) else value))
    return list(value.shape) if hasattr(value, "shape") else []


@contextmanager
def watched(net: nn.Layer, count: Count) -> Iterator[list[LayerRun]]:
    """Record every call of a layer inside the block, in the order of their starts."""
    seen: list[LayerRun] = []
    open_layers: list[LayerRun] = []

    def begin(layer: nn.Layer, inputs: Any) -> None:
        run = LayerRun(layer, len(open_layers), shape_of(inputs), [])
        seen.append(run)
        open_layers.append(run)

    def end(layer: nn.Layer, inputs: Any, output: Any) -> None:
        run = open_layers.pop()
        run.output, run.flops = shape_of(output), count(layer, inputs, output)

    layers = net.sublayers(include_self=True)
    handles = [layer.register_forward_pre_hook(begin) for layer in layers]
    handles += [layer.register_forward_post_hook(end) for layer in layers]
    modes = [layer.training for layer in layers]
    net.eval()
    try:
        with no_grad():
            yield seen
    finally:
        for handle in handles:
            handle.remove()
        for layer, training in zip(layers, modes, strict=True):
            layer.__dict__["training"] = training


def inputs_for(input_size: Any, dtypes_wanted: Any) -> list[Tensor]:
    """Create random inputs of one size or of several; an unknown size counts as 1.

    Args:
        input_size: A shape, a size, an `InputSpec`, or a list of shapes or specs.
        dtypes_wanted: One dtype for all, or a list with one for each.

    Raises:
        InvalidValueError: There is no size, one is no positive integer, or there are
            not as many dtypes as inputs.
    """
    one = input_size if isinstance(input_size, (list, tuple)) else [input_size]
    shapes = bool(one) and isinstance(one[0], (list, tuple, InputSpec))
    sizes = list(one) if shapes else [one]
    wanted = dtypes_wanted or "float32"
    several = isinstance(wanted, (list, tuple))
    kinds = list(wanted) if several else [wanted] * len(sizes)
    if len(kinds) != len(sizes):
        raise InvalidValueError.here(
            f"{len(sizes)} inputs have as many dtypes, got {wanted!r}"
        )
    return [random_input(size, kind) for size, kind in zip(sizes, kinds, strict=True)]


def random_input(size: Any, kind: Any) -> Tensor:
    """Create one input; zeros for an integer dtype, as they are valid indices."""
    if isinstance(size, InputSpec):
        size, kind = size.shape, size.dtype
    shape = [1 if n is None or n == -1 else n for n in size]
    if not all(isinstance(n, int) and n > 0 for n in shape):
        raise InvalidValueError.here(
            f"input_size holds positive integers, -1 or None, got {size!r}"
        )
    dtype = dtypes.convert(kind)
    if dtype.kind != "f":
        return Tensor.results(np.zeros(shape, dtype))
    return Tensor.results(np.random.default_rng(0).random(shape).astype(dtype))


def check_network(net: Any) -> None:
    """Require a Layer.

    Raises:
        DTypeError: It is something else.
    """
    if not isinstance(net, nn.Layer):
        raise DTypeError.here(f"a network is a Layer, got {type(net).__name__}")


def summary(
    net: nn.Layer, input_size: Any = None, dtypes: Any = None, input: Any = None
) -> dict[str, int]:
    """Print a table of the layers with their shapes and parameters.

    Args:
        net: The network.
        input_size: The shape of its input, an `InputSpec`, or a list of these; None
            or -1 for an arbitrary size.
        dtypes: The dtype of each input; by default float32.
        input: An input to run it on, instead of random numbers.

    Returns:
        `total_params` and `trainable_params`.

    Raises:
        InvalidValueError: There is neither a size nor an input, or a size is none.
        DTypeError: `net` is no Layer.

    In Paddle this is `paddle.summary`.

    >>> from teachgraph import nn
    >>> summary(nn.Sequential(nn.Linear(4, 3), nn.ReLU()), (2, 4))
    ┏━━━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━━━━━━┓
    ┃ layer      ┃ input  ┃ output ┃ parameters ┃
    ┡━━━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━━━━━━┩
    │ Sequential │ [2, 4] │ [2, 3] │          0 │
    │   Linear   │ [2, 4] │ [2, 3] │         15 │
    │   ReLU     │ [2, 3] │ [2, 3] │          0 │
    └────────────┴────────┴────────┴────────────┘
    15 parameters, 15 of them trained
    {'total_params': 15, 'trainable_params': 15}
    """
    check_network(net)
    if input is None and input_size is None:
        raise InvalidValueError.here(
            "input_size and input cannot be None at the same time: give the shape of "
            "the input, such as (1, 4)"
        )
    inputs = [input] if input is not None else inputs_for(input_size, dtypes)
    with watched(net, lambda *_: 0) as seen:
        net(*inputs)
    rows = [
        ("  " * s.depth + type(s.layer).__name__, s.inputs, s.output, s.parameters)
        for s in seen
    ]
    parameters = net.parameters()
    total = sum(p.size for p in parameters)
    trained = sum(p.size for p in parameters if not p.stop_gradient)
    show(
        ("layer", "input", "output", "parameters"),
        rows,
        f"{total:,} parameters, {trained:,} of them trained",
    )
    return {"total_params": total, "trainable_params": trained}


def of_convolution(layer: Any, inputs: Any, output: Any) -> int:
    """FLOPs of a convolution: outputs x (window x channels of a group + bias)."""
    window = prod(layer.weight.shape[2:])
    channels = inputs[0].shape[1] // layer._groups
    biases = int(layer.bias is not None)
    return int(output.size) * int(channels * window + biases)


def of_linear(layer: Any, inputs: Any, output: Any) -> int:
    """FLOPs of a linear layer: outputs x inputs; Paddle does not count the bias."""
    return int(layer.weight.shape[0] * output.size)


def of_batch_norm(layer: Any, inputs: Any, output: Any) -> int:
    """FLOPs of batch normalisation: a product and a sum for each element."""
    return 2 * int(inputs[0].size)


def of_each(layer: Any, inputs: Any, output: Any) -> int:
    """FLOPs of an elementwise layer: one for each output."""
    return int(output.size)


def of_adaptive_pool(layer: Any, inputs: Any, output: Any) -> int:
    """FLOPs of an adaptive pooling: outputs x (window + 1 division)."""
    sizes = zip(inputs[0].shape[2:], output.shape[2:], strict=True)
    return int(output.size) * int(prod(n // m for n, m in sizes) + 1)


def counts() -> dict[type, Count]:
    """Table of Paddle's FLOP formula for each class of layer; others count as 0."""
    return {
        **dict.fromkeys(
            [nn.Conv1D, nn.Conv2D, nn.Conv3D, nn.Conv2DTranspose], of_convolution
        ),
        **dict.fromkeys([nn.BatchNorm, nn.BatchNorm2D], of_batch_norm),
        **dict.fromkeys([nn.AvgPool1D, nn.AvgPool2D, nn.LeakyReLU], of_each),
        **dict.fromkeys([nn.AdaptiveAvgPool1D, nn.AdaptiveAvgPool2D], of_adaptive_pool),
        nn.Linear: of_linear,
    }


def flops_of_call(
    known: Mapping[type, Callable[..., Any]], layer: Any, inputs: Any, output: Any
) -> int:
    """FLOPs of one call: what the function returns, or adds to `layer.total_ops`."""
    if type(layer) not in known:
        return 0
    layer.total_ops = 0
    returned = known[type(layer)](layer, inputs, output)
    added = layer.total_ops
    del layer.total_ops
    return int(added if returned is None else returned)


def flops(
    net: nn.Layer,
    input_size: Any,
    custom_ops: Mapping[type, Callable[..., Any]] | None = None,
    print_detail: bool = False,
) -> int:
    """Count multiply-adds, layer by layer, as Paddle does.

    Args:
        net: The network.
        input_size: The shape of its input.
        custom_ops: For a class of layers, a function of (layer, inputs, output) that
            adds their number to `layer.total_ops`, as in Paddle, or returns it.
        print_detail: Print a table.

    Raises:
        InvalidValueError: A size is no positive integer.
        DTypeError: `net` is no Layer, or `custom_ops` no dict.

    In Paddle this is `paddle.flops`; what is written with functions instead of layers
    does not count.

    >>> from teachgraph import nn
    >>> flops(nn.Sequential(nn.Linear(4, 3), nn.ReLU()), [2, 4])
    24
    """
    check_network(net)
    if not isinstance(custom_ops or {}, Mapping):
        raise DTypeError.here(
            f"custom_ops is a dict of functions by Layer class, got {custom_ops!r}"
        )
    known = {**counts(), **(custom_ops or {})}
    with watched(net, partial(flops_of_call, known)) as seen:
        net(*inputs_for(input_size, None))
    leaves = [s for s in seen if s.is_leaf]
    total = sum(s.flops for s in leaves)
    if print_detail:
        rows = [
            (s.layer.full_name(), s.inputs, s.output, s.parameters, s.flops)
            for s in leaves
        ]
        head = ("layer", "input", "output", "parameters", "flops")
        show(head, rows, f"{total:,} flops")
    return total


def show(head: Sequence[str], rows: Sequence[Sequence[Any]], under: str) -> None:
    """Print a table with numbers aligned to the right.

    Raises:
        ImportError: The package `rich` is not installed.
    """
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        raise ImportError("tables need the package rich: pip install rich") from None
    table = Table(*())
    for name, cell in zip(head, rows[0], strict=True):
        table.add_column(name, justify="right" if isinstance(cell, int) else "left")
    for row in rows:
        texts = [f"{c:,}" if isinstance(c, int) else str(c) for c in row]
        table.add_row(*(text.replace("[", "\\[") for text in texts))
    console = Console(highlight=False)
    console.print(table)
    console.print(under)
