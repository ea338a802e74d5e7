"""Fused ops that passes substitute for chains of ops: fc, attention, elementwise.

They compute the same with fewer arrays: each overwrites its own intermediate arrays,
never an input.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import isfinite, prod
from re import findall
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, find, op
from teachgraph.core.ops import matrix, reduce_to, through_softmax
from teachgraph.core.ops import reshaped_like as like
from teachgraph.ops.blocked_update import LONG, in_parts
from teachgraph.ops.matmul import transposed
from teachgraph.ops.shape import reshape2, transpose2
from teachgraph.ops.softmax import softmax

__all__ = [
    "ACTIVATIONS",
    "FUSABLE",
    "PAIRS",
    "SLOPES",
    "fc",
    "fused_dot_product_attention",
    "fused_elementwise",
    "source_of",
]

ACTIVATIONS = ("relu", "sigmoid", "tanh", "gelu")


@op(needs="floating X [N, I], W [I, O] and, if any, a Bias of O numbers")
def fc(
    input: Any,
    w: Any,
    bias: Any = None,
    *,
    in_num_col_dims: int = 1,
    activation_type: str = "",
) -> Any:
    """out = activation(X W + b): a whole layer."""
    check_fc(input, w, bias, in_num_col_dims, activation_type)
    leading = input.shape[:in_num_col_dims]
    out = input.reshape(prod(leading), len(w)) @ w
    if bias is not None:
        # In place: the product is an array of its own.
        out += bias.reshape(-1)
    out = out if len(leading) == 1 else out.reshape(*leading, w.shape[1])
    if activation_type == "relu":
        return np.maximum(out, 0, out=out)
    return find(activation_type).kernel(out) if activation_type else out


def check_fc(x: Any, w: Any, bias: Any, columns_from: int, activation: str) -> None:
    """Check the inputs of `fc`.

    Raises:
        DTypeError: The inputs are not floating, or of several dtypes.
        ShapeError: W is no matrix, or the bias does not fit its columns.
        InvalidValueError: An unknown activation.
    """
    alike = x.dtype == w.dtype and (bias is None or bias.dtype == x.dtype)
    if x.dtype.kind != "f" or not alike:
        arrays = [x, w] if bias is None else [x, w, bias]
        raise DTypeError(f"a layer of {', '.join(str(v.dtype) for v in arrays)}")
    if len(w.shape) != 2:
        raise ShapeError(f"W is a matrix, not {list(w.shape)}")
    if not 1 <= columns_from < len(x.shape):
        raise ShapeError(f"columns from dimension {columns_from} on, of {len(x.shape)}")
    if (columns := prod(x.shape[columns_from:])) != w.shape[0]:
        raise ShapeError(f"X has {columns} columns, W has {w.shape[0]} rows")
    if bias is not None and not one_each(bias, w.shape[1]):
        raise ShapeError(f"a bias {list(bias.shape)} for {w.shape[1]} columns")
    if activation and activation not in ACTIVATIONS:
        raise InvalidValueError(f"{activation!r} is none of {ACTIVATIONS}")


def one_each(bias: Any, columns: int) -> bool:
    """True if a bias has a number for each column; its other dimensions are 1."""
    return bool(
        bias.shape == (columns,)
        or max(bias.shape, default=1) == columns == prod(bias.shape)
    )


@fc.infers
def infer_fc(
    input: Like,
    w: Like,
    bias: Like | None = None,
    *,
    in_num_col_dims: int,
    activation_type: str,
) -> Any:
    """The product's spec."""
    check_fc(input, w, bias, in_num_col_dims, activation_type)
    return [((*input.shape[:in_num_col_dims], w.shape[1]), input.dtype)]


@fc.grad
def fc_grad(
    dout: Any,
    input: Any,
    w: Any,
    bias: Any,
    out: Any,
    *,
    in_num_col_dims: int,
    activation_type: str,
) -> Any:
    """dS from the activation's gradient, then dX = dS W', dW = X' dS, db = sum dS.

    The gradient of gelu needs the sums X W + b, which are recomputed.
    """
    if activation_type == "gelu":
        sums = fc(input, w, bias, in_num_col_dims=in_num_col_dims)
        dout = slope_of(activation_type)(dout, sums, approximate=False)
    elif activation_type:
        dout = slope_of(activation_type)(dout, out)
    rows, sums = (matrix(x, in_num_col_dims) for x in (input, dout))
    return (
        lambda: like(sums @ w.T, input),
        lambda: rows.T @ sums,
        None if bias is None else lambda: reduce_to(sums, bias),
    )


def slope_of(activation: str) -> Callable[..., Any]:
    """Look up the gradient rule of an activation."""
    rule = find(activation).rule
    assert rule is not None
    return rule.function


@op(needs="floating Q [..., L, D], K [..., S, D], V [..., S, E], Mask [..., L, S]")
def fused_dot_product_attention(
    q: Any,
    k: Any,
    v: Any,
    mask: Any = None,
    *,
    scaling_factor: float = 1.0,
    num_heads: int = 0,
) -> Any:
    """out = softmax(s Q K' + mask) V, per head if several are concatenated."""
    if num_heads:
        check_heads(num_heads, q, k, v)
        whole = (len(q), q.shape[1], v.shape[2])
        q, k, v = (
            x.reshape(len(x), x.shape[1], num_heads, -1).swapaxes(1, 2)
            for x in (q, k, v)
        )
    check_attention(q, k, v, mask)
    scores = q @ k.swapaxes(-1, -2)
    scores *= scaling_factor
    if mask is not None:
        # A mask with further dimensions enlarges the scores: no place to overwrite.
        fits = np.broadcast_shapes(scores.shape, mask.shape) == scores.shape
        scores = np.add(scores, mask, out=scores if fits else None)
    scores -= np.maximum.reduce(scores, axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= np.add.reduce(scores, axis=-1, keepdims=True)
    out = scores @ v
    return out.swapaxes(1, 2).reshape(whole) if num_heads else out


@fused_dot_product_attention.grad
def fused_dot_product_attention_grad(
    dout: Any,
    q: Any,
    k: Any,
    v: Any,
    mask: Any,
    *,
    scaling_factor: float,
    num_heads: int,
) -> Any:
    """With P = softmax(S), S = s Q K' + mask: dV = P' dOut, and dP = dOut V'.

    Softmax's gradient maps dP to dS, which is the mask's gradient; dQ = s dS K and
    dK = s dS' Q. P is recomputed: saving it would take L S numbers per head.
    """
    whole = side_by_side if num_heads else identity
    if num_heads:
        dout, q, k, v = (by_head(x, num_heads) for x in (dout, q, k, v))
    scores = (q @ transposed(k)) * scaling_factor
    weights = softmax(scores if mask is None else scores + mask, axis=-1)
    through = through_softmax(dout @ transposed(v), weights, -1)
    return (
        lambda: whole(reduce_to((through @ k) * scaling_factor, q)),
        lambda: whole(reduce_to((transposed(through) @ q) * scaling_factor, k)),
        lambda: whole(reduce_to(transposed(weights) @ dout, v)),
        None if mask is None else lambda: reduce_to(through, mask),
    )


def by_head(x: Any, heads: int) -> Any:
    """Split [N, L, H D] into heads [N, H, L, D]."""
    parts = reshape2(x, shape=[*x.shape[:2], heads, x.shape[2] // heads])
    return transpose2(parts, axis=[0, 2, 1, 3])


def side_by_side(x: Any) -> Any:
    """Undo `by_head`: [N, H, L, D] to [N, L, H D]."""
    samples, heads, length, size = x.shape
    turned_back = transpose2(x, axis=[0, 2, 1, 3])
    return reshape2(turned_back, shape=[samples, length, heads * size])


def identity(x: Any) -> Any:
    """Return x."""
    return x


def check_heads(heads: int, *given: Any) -> None:
    """Check that the inputs can be split into heads.

    Raises:
        ShapeError: An input is not 3-D, or its size no multiple of the heads.
    """
    for x in given:
        if len(x.shape) != 3 or heads < 1 or x.shape[2] % heads:
            raise ShapeError(f"{list(x.shape)} is not [N, L, H D] of {heads} heads")


def check_attention(q: Any, k: Any, v: Any, mask: Any) -> None:
    """Check dtypes and sizes.

    Raises:
        DTypeError: An input is not floating, or of another dtype than Q.
        ShapeError: An input has fewer than two dimensions, or sizes do not fit.
    """
    for x in (q, k, v) if mask is None else (q, k, v, mask):
        if x.dtype.kind != "f" or x.dtype != q.dtype:
            raise DTypeError(f"attention of {q.dtype} and {x.dtype}")
    if q.ndim < 2 or k.ndim < 2 or v.ndim < 2:
        raise ShapeError("queries, keys and values are [..., length, size]")
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        shapes = [list(x.shape) for x in (q, k, v)]
        raise ShapeError(f"queries {shapes[0]}, keys {shapes[1]}, values {shapes[2]}")
    if not k.shape[-2]:
        raise ShapeError("there is nothing to attend to")


UNARY = {
    "relu": "maximum({x}, 0{out})",
    "tanh": "tanh({x}{out})",
    "exp": "exp({x}{out})",
    "sqrt": "sqrt({x}{out})",
    "square": "square({x}{out})",
    "abs": "absolute({x}{out})",
    "floor": "floor({x}{out})",
    "ceil": "ceil({x}{out})",
}
BINARY = {
    "elementwise_add": "add({x}, {y}{out})",
    "elementwise_sub": "subtract({x}, {y}{out})",
    "elementwise_mul": "multiply({x}, {y}{out})",
    "elementwise_div": "divide({x}, {y}{out})",
    "elementwise_max": "maximum({x}, {y}{out})",
    "elementwise_min": "minimum({x}, {y}{out})",
}
SLOPES = {
    "relu_grad": "multiply({x}, greater({y}, 0){out})",
    "sigmoid_grad": "multiply(multiply({x}, {y}), subtract(1.0, {y}){out})",
    "tanh_grad": "multiply({x}, subtract(1.0, multiply({y}, {y})){out})",
    "exp_grad": "multiply({x}, {y}{out})",
    "log_grad": "divide({x}, {y}{out})",
    "sqrt_grad": "divide(multiply({x}, 0.5), {y}{out})",
    "square_grad": "multiply(multiply({x}, {y}), 2.0{out})",
    "abs_grad": "multiply({x}, sign({y}){out})",
}
"""Unary gradient ops: arguments are the upstream gradient, then the saved tensor."""

PAIRS = BINARY | SLOPES
FUSABLE = frozenset({*UNARY, *PAIRS, "scale"})
"""Ops that `fused_elementwise` may consist of."""


@op(needs="floating inputs of one dtype that broadcast, and steps such as 'tanh(x0)'")
def fused_elementwise(*x: Any, steps: Sequence[str]) -> Any:
    """Chain of elementwise ops that overwrite intermediate arrays no longer needed.

    Step i computes t<i> from the inputs x0, x1, ... and earlier steps, such as
    `scale(x0, scale=2.0)` or `elementwise_add(t0, x1)`; the last one is the result.
    """
    shape, dtype = x[0].shape, x[0].dtype
    alike = bool(shape)
    for value in x:
        if value.dtype != dtype or dtype.kind != "f":
            raise DTypeError(f"a chain of {', '.join(str(v.dtype) for v in x)}")
        alike = alike and value.shape == shape
    chain = compiled(tuple(steps), len(x), alike)
    long = alike and x[0].size >= LONG
    return in_parts(chain, *x) if long and all(map(contiguous, x)) else chain(*x)


def contiguous(value: Any) -> bool:
    """True if the elements are contiguous in memory."""
    return bool(value.flags.c_contiguous)


@cache
def compiled(steps: tuple[str, ...], inputs: int, alike: bool) -> Callable[..., Any]:
    """Compile the chain to a function."""
    names: dict[str, Any] = {name: getattr(np, name) for name in NUMPY}
    names["room"] = room
    code = compile(source_of(steps, inputs, alike=alike), "<teachgraph chain>", "exec")
    exec(code, names)  # noqa: S102  made of checked parts
    chain: Callable[..., Any] = names["chain"]
    return chain


NUMPY = sorted(
    {name for text in (UNARY | PAIRS).values() for name in findall(r"\w+(?=\()", text)}
)


def source_of(steps: Sequence[str], inputs: int, *, alike: bool = True) -> str:
    """Generate the chain's Python source, one line per step.

    Args:
        steps: The steps.
        inputs: The number of inputs.
        alike: All inputs have one shape; otherwise each step checks at run time if an
            unneeded array fits its result.

    >>> steps = ["tanh(x0)", "scale(t0, scale=2.0)", "elementwise_add(t1, x1)"]
    >>> print(source_of(steps, 2))
    def chain(x0, x1):
        t0 = tanh(x0)
        t1 = multiply(t0, 2.0, out=t0)
        t2 = add(t1, x1, out=t1)
        return t2
    """
    parsed = [step_of(step, place, inputs) for place, step in enumerate(steps)]
    lines = [f"def chain({', '.join(f'x{i}' for i in range(inputs))}):"]
    free: list[str] = []
    for place, (type, operands, attrs) in enumerate(parsed):
        later = {name for _, names, _ in parsed[place + 1 :] for name in names}
        dead = [n for n in dict.fromkeys(operands) if n[0] == "t" and n not in later]
        free += dead
        over = ""
        if free:
            mine = free.pop()
            asked = f"room({', '.join([mine, *dict.fromkeys(operands)])})"
            over = f", out={mine if alike else asked}"
        lines.append(f"    t{place} = {expression(type, operands, attrs, over)}")
    return "\n".join([*lines, f"    return t{len(steps) - 1}"])


def step_of(
    step: str, place: int, inputs: int
) -> tuple[str, list[str], dict[str, float]]:
    """Parse a step: its op, inputs and attributes; `scale` has one of its two.

    Raises:
        InvalidValueError: It is no step of a chain.
    """
    try:
        call: Any = ast.parse(step, mode="eval").body
        operands = [name.id for name in call.args if isinstance(name, ast.Name)]
        attrs = {str(k.arg): float(ast.literal_eval(k.value)) for k in call.keywords}
        type = call.func.id
    except (SyntaxError, ValueError, TypeError, AttributeError):
        raise InvalidValueError(f"{step!r} is no step of a chain") from None
    known = {f"x{i}" for i in range(inputs)} | {f"t{i}" for i in range(place)}
    count = 2 if type in PAIRS else 1
    numbers = list(attrs) in (["scale"], ["bias"]) if type == "scale" else not attrs
    fits = type in FUSABLE and len(call.args) == len(operands) == count and numbers
    if not fits or not known.issuperset(operands):
        raise InvalidValueError(f"{step!r} is no step of a chain")
    if not all(map(isfinite, attrs.values())):
        raise InvalidValueError(f"{step!r} has a number that is not finite")
    return type, operands, attrs


def expression(
    type: str, operands: Sequence[str], attrs: Mapping[str, float], over: str
) -> str:
    """Generate one step as a NumPy expression with `out=` one of the chain's arrays."""
    x, y = operands[0], operands[-1]
    if type == "scale":
        return scaled(x, attrs, over)
    return (UNARY | PAIRS)[type].format(x=x, y=y, out=over)


def scaled(x: str, attrs: Mapping[str, float], over: str) -> str:
    """Generate a product or a sum with a number."""
    if "bias" in attrs:
        return f"add({x}, {attrs['bias']!r}{over})"
    return f"multiply({x}, {attrs['scale']!r}{over})"


def room(mine: Any, x: Any, y: Any = None) -> Any:
    """Choose an array that is no longer needed and fits the result; else None."""
    # A ufunc of 0-D arrays returns a NumPy scalar, which `out=` does not accept.
    if mine.__class__ is not np.ndarray:
        return None
    shape = x.shape
    if y is not None and y.shape != shape:
        shape = np.broadcast_shapes(shape, y.shape)
    return mine if mine.shape == shape else None
