"""Embedding, PReLU and bilinear product that create their own parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.nn.functional.lookup import padding_row
from teachgraph.nn.functional.norm import layout
from teachgraph.nn.parametric.inputs import channels_of, known_sizes, variable
from teachgraph.ops import activation, bilinear, naming
from teachgraph.ops import embedding as tables
from teachgraph.ops.activation import activated
from teachgraph.ops.error_context import all_in_words
from teachgraph.ops.initializer import Constant, XavierUniform
from teachgraph.static.layers import parameter
from teachgraph.static.variable import Variable

__all__ = ["bilinear_tensor_product", "embedding", "prelu", "sparse_embedding"]


def embedding(
    input: Variable,
    size: Sequence[int],
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Variable:
    """Look up rows of a trained table.

    Args:
        input: Integers of any shape.
        size: The number of rows and of columns.
        is_sparse: Let parameter servers keep the table: trainers fetch the rows of a
            batch, and send those of the gradient. In one process gradients are dense.
        is_distributed: Accepted for Paddle's sake.
        padding_idx: A row whose result is zeros, and which is not trained.
        param_attr: ParamAttr of the table, Xavier-uniform at first.
        dtype: Type of its elements.

    In Paddle this is `paddle.static.nn.embedding` and `fluid.embedding`.
    """
    x = variable("embedding", input)
    if len(size) != 2 or min(size) < 1:
        raise InvalidValueError.here(
            f"embedding: size is [rows, columns], got {list(size)}"
        )
    with naming.layer("embedding") as layer:
        table = parameter(
            layer.name, "w", list(size), dtype, param_attr, XavierUniform()
        )
        row = padding_row(padding_idx, size[0])
        out: Variable = tables.lookup_table_v2(table, x, padding_idx=row)
    if is_sparse and out.op is not None:  # for `fluid.DistributeTranspiler`
        out.op.set_attr("is_sparse", True)
        out.op.set_attr("remote_prefetch", True)
    return out


def sparse_embedding(
    input: Variable,
    size: Sequence[int],
    padding_idx: int | None = None,
    is_test: bool = False,
    entry: Any = None,
    table_class: str = "MemorySparseTable",
    param_attr: Any = None,
    dtype: Any = "float32",
    slot: Any = None,
) -> Variable:
    """Look up rows as `embedding` does; Paddle keeps this table on parameter servers.

    In Paddle this is `paddle.static.nn.sparse_embedding`.
    """
    return embedding(
        input, size, padding_idx=padding_idx, param_attr=param_attr, dtype=dtype
    )


def prelu(
    x: Variable,
    mode: str,
    param_attr: Any = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Variable:
    """Compute x where x > 0, alpha x elsewhere; alpha is trained, initially 0.25.

    Args:
        x: [N, C, ...], or [N, ..., C] with `data_format="NHWC"`.
        mode: "all" for one alpha, "channel" for one per channel, "element" for one per
            element of a sample.
        param_attr: ParamAttr of alpha.
        data_format: Where the channels are.
        name: Instead of `prelu_N`.

    Raises:
        InvalidValueError: An unknown mode.

    In Paddle this is `paddle.static.nn.prelu` and `fluid.layers.prelu`.
    """
    value = variable("prelu", x)
    shapes = {"all": [1], "element": [1, *value.shape[1:]]}
    if mode == "channel":
        axis, count = channels_of("prelu", value, data_format)
        shapes[mode] = [count if i == axis else 1 for i in range(value.ndim)]
    if mode not in shapes:
        raise InvalidValueError.here(
            f"mode should be one of all, channel, element, got {mode!r}"
        )
    shape = known_sizes("prelu", value, shapes[mode])
    with naming.layer("prelu", name) as layer:
        alpha = parameter(
            layer.name, "w", shape, value.dtype, param_attr, Constant(0.25)
        )
        attrs = {"mode": mode, "data_format": layout(data_format)}
        out: Variable = activation.prelu(value, alpha, **attrs)
    return out


def bilinear_tensor_product(
    x: Variable,
    y: Variable,
    size: int,
    act: str | None = None,
    name: str | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
) -> Variable:
    """Compute out[n, k] = act(x[n]' W[k] y[n] + b[k]).

    Args:
        x: [N, A].
        y: [N, B].
        size: K, the number of results.
        act: The type of an op to apply.
        name: Instead of `bilinear_tensor_product_N`.
        param_attr: ParamAttr of W [K, A, B], Xavier-uniform at first.
        bias_attr: ParamAttr of b [1, K], 0 at first; False for none.

    In Paddle this is `paddle.static.nn.bilinear_tensor_product`.
    """
    key = "bilinear_tensor_product"
    left, right = variable(key, x, 2), variable(key, y, 2)
    sizes = [
        size,
        *known_sizes(key, left, left.shape[1:]),
        *known_sizes(key, right, right.shape[1:]),
    ]
    with naming.layer(key, name) as layer:
        out = layer()
        weight = parameter(
            layer.name, "w", sizes, left.dtype, param_attr, XavierUniform()
        )
        zero, wide = Constant(0.0), [1, size]
        bias = parameter(layer.name, "b", wide, left.dtype, bias_attr, zero)
        with naming.called(out):
            product = bilinear.bilinear_tensor_product(left, right, weight, bias)
        return activated(product, act)  # type: ignore[no-any-return]


all_in_words(__all__, globals())
