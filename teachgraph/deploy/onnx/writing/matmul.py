"""Converters of matrix products."""

from __future__ import annotations

from math import sqrt

from teachgraph.deploy.onnx.writing.writer import Step, writes


def transposed(step: Step, name: str, ndim: int, flag: bool) -> str:
    """Transpose a matrix, or a stack of them, if the flag is set."""
    if not flag or ndim < 2:
        return name
    order = [*range(ndim - 2), ndim - 1, ndim - 2]
    return step.put("Transpose", name, perm=order)


@writes("matmul_v2", "bmm", "mv")
def matmul(step: Step) -> None:
    """Export a matrix product; a vector y becomes a matrix of one column.

    ONNX Runtime 1.31 ignores the transpose of x if y is a vector.
    """
    other = "vec" if step.operator.type == "mv" else "y"
    dtype = step.result().dtype
    flags = step.attrs.get("trans_x", False), step.attrs.get("trans_y", False)
    x = transposed(step, step.get_as("x", dtype), step.ndim, flags[0])
    ndim = len(step.variable(other).shape)
    y = transposed(step, step.get_as(other, dtype), ndim, flags[1])
    if ndim > 1 or step.ndim < 2:
        return step.give("MatMul", x, y)
    product = step.put("MatMul", x, step.put("Unsqueeze", y, step.ints(1)))
    return step.give("Squeeze", product, step.ints(-1))


@writes("mul")
def mul(step: Step) -> None:
    """Export x y, each flattened to a matrix."""
    before, behind = step.attrs["x_num_col_dims"], step.attrs["y_num_col_dims"]
    ndim = len(step.variable("y").shape)
    if behind == 1 and ndim == 2 and before == step.ndim - 1:
        return step.give("MatMul", step.get(), step.get("y"))
    x = step.put("Flatten", step.get(), axis=before)
    y = step.put("Flatten", step.get("y"), axis=behind)
    rows = step.put("Shape", step.get(), start=0, end=before)
    columns = step.put("Shape", step.get("y"), start=behind)
    shape = step.put("Concat", rows, columns, axis=0)
    return step.give("Reshape", step.put("MatMul", x, y), shape)


@writes("fc")
def fc(step: Step) -> None:
    """Export activation(x w + bias)."""
    rows, x = step.attrs["in_num_col_dims"], step.get("input")
    flat = len(step.variable("input").shape) != rows + 1
    if flat:
        x = step.put("Flatten", x, axis=rows)
    out = step.put("MatMul", x, step.get("w"))
    if bias := step.get("bias"):
        out = step.put("Add", out, bias)
    if flat and rows > 1:
        sizes = step.put("Shape", step.get("input"), start=0, end=rows)
        columns = step.put("Shape", step.get("w"), start=1)
        out = step.put("Reshape", out, step.put("Concat", sizes, columns, axis=0))
    if step.attrs["activation_type"] == "gelu":
        return step.give("Mul", out, normal(step, out))
    return step.give(step.attrs["activation_type"].capitalize() or "Identity", out)


def normal(step: Step, x: str) -> str:
    """Append Phi(x) = (1 + erf(x / sqrt 2)) / 2."""
    curve = step.put("Erf", step.put("Mul", x, step.like(sqrt(0.5), "input")))
    above = step.put("Add", curve, step.like(1, "input"))
    return step.put("Mul", above, step.like(0.5, "input"))


@writes("dot")
def dot(step: Step) -> None:
    """Export the sum of products along the last axis."""
    product = step.put("Mul", step.get(), step.get("y"))
    step.give("Identity", step.reduced("ReduceSum", product, [-1], keep=False))


@writes("addmm")
def addmm(step: Step) -> None:
    """Export beta input + alpha x y."""
    alpha, beta = step.attrs["Alpha"], step.attrs["Beta"]
    step.give(
        "Gemm", step.get("x"), step.get("y"), step.get("input"), alpha=alpha, beta=beta
    )


@writes("einsum")
def einsum(step: Step) -> None:
    """Export the sum of products of an equation."""
    step.give("Einsum", *step.all("operands"), equation=step.attrs["equation"])
