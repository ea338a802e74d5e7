"""An op one of whose attributes is a tensor: known only when the program runs.

Paddle's ops take shapes and axes as attributes, ONNX's as inputs. Where such an input
is computed, `late` runs the op with what it turns out to be, and so does its gradient.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.op import GradOp, Like, Op, find, force, op

__all__ = ["late"]


def called(
    x: Sequence[Any], type: str, names: Sequence[str], given: str
) -> tuple[Op, list[Any], dict[str, Any]]:
    """The op, its inputs and all of its attributes."""
    count = len(x) - len(names)
    attrs = json.loads(given)
    for name, value in zip(names, x[count:], strict=True):
        attrs[name] = np.asarray(value).tolist()
    return find(type), list(x[:count]), attrs


@op
def late(
    *x: Any,
    type: str,
    names: Sequence[str],
    given: str,
    shape: Sequence[int],
    dtype: int,
) -> Any:
    """The op of this type on `x`; the last of them are its attributes called `names`.

    The others are `given` as JSON; `shape` and `dtype` say what is known of the result.
    """
    inner, inputs, attrs = called(x, type, names, given)
    return inner.kernel(*inputs, **inner.complete(attrs))


@late.infers
def late_spec(
    *x: Like,
    type: str,
    names: Sequence[str],
    given: str,
    shape: Sequence[int],
    dtype: int,
) -> Any:
    """What is known of the result."""
    return [(tuple(shape), dtypes.convert(dtype))]


@late.grad
def late_grad(dout: Any, *x: Any, type: str, names: Sequence[str], given: str) -> Any:
    """The gradient of that op."""
    inner, inputs, attrs = called(x, type, names, given)
    rule = inner.rule
    if rule is None or not isinstance(find(rule.type), GradOp):
        return (None,) * len(x)
    attrs = inner.complete(attrs)
    out = inner.kernel(*inputs, **attrs)
    found = rule([dout], rule.keep([*inputs, out]), attrs)
    return *map(force, found), *(None for _ in names)
