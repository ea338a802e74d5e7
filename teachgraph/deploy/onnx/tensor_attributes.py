"""`with_tensor_attributes`: an op some of whose attributes are tensors of the program.

Paddle's ops take shapes and axes as attributes, ONNX's as inputs. If a program computes
such an input, this op runs the other one with its value; so does its gradient.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.op import GradOp, Like, Op, find, force, op

__all__ = ["with_tensor_attributes"]


def resolved_call(
    x: Sequence[Any], type: str, names: Sequence[str], attributes: str
) -> tuple[Op, list[Any], dict[str, Any]]:
    """Return the op, its inputs and all of its attributes."""
    count = len(x) - len(names)
    attrs = json.loads(attributes)
    for name, value in zip(names, x[count:], strict=True):
        attrs[name] = np.asarray(value).tolist()
    return find(type), list(x[:count]), attrs


@op
def with_tensor_attributes(
    *x: Any,
    type: str,
    names: Sequence[str],
    attributes: str,
    shape: Sequence[int],
    dtype: int,
) -> Any:
    """Run the op `type` on `x`, whose last tensors are its attributes `names`.

    The other `attributes` are JSON; `shape` and `dtype` are the result's, -1 for an
    unknown size.
    """
    inner, inputs, attrs = resolved_call(x, type, names, attributes)
    return inner.kernel(*inputs, **inner.complete(attrs))


@with_tensor_attributes.infers
def with_tensor_attributes_spec(
    *x: Like,
    type: str,
    names: Sequence[str],
    attributes: str,
    shape: Sequence[int],
    dtype: int,
) -> Any:
    """Infer the declared shape and dtype."""
    return [(tuple(shape), dtypes.of_code(dtype))]


@with_tensor_attributes.grad
def with_tensor_attributes_grad(
    dout: Any, *x: Any, type: str, names: Sequence[str], attributes: str
) -> Any:
    """Run the gradient rule of the op; its tensor attributes get no gradient."""
    inner, inputs, attrs = resolved_call(x, type, names, attributes)
    rule = inner.rule
    if rule is None or not isinstance(find(rule.type), GradOp):
        return (None,) * len(x)
    attrs = inner.complete(attrs)
    out = inner.kernel(*inputs, **attrs)
    gradients = rule.gradients([dout], rule.keep([*inputs, out]), attrs)
    return *map(force, gradients), *(None for _ in names)
