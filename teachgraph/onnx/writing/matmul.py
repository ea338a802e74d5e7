"""Products of matrices."""

from __future__ import annotations

from teachgraph.onnx.writing.writer import Step, writes


def turned(step: Step, name: str, ndim: int, turn: bool) -> str:
    """A matrix, or a stack of them, with rows for columns if asked."""
    if not turn or ndim < 2:
        return name
    order = [*range(ndim - 2), ndim - 1, ndim - 2]
    return step.put("Transpose", name, perm=order)


@writes("matmul_v2", "bmm", "mv")
def matmul(step: Step) -> None:
    """X y, either of them perhaps turned."""
    other = "vec" if step.operator.type == "mv" else "y"
    dtype = step.result().dtype
    x = turned(
        step, step.get_as("x", dtype), step.ndim, step.attrs.get("trans_x", False)
    )
    ndim = len(step.variable(other).shape)
    y = turned(step, step.get_as(other, dtype), ndim, step.attrs.get("trans_y", False))
    step.give("MatMul", x, y)


@writes("mul")
def mul(step: Step) -> None:
    """X y, each made a matrix by joining its dimensions."""
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
    """X w + bias, perhaps at least 0."""
    x = step.get("input")
    if len(step.variable("input").shape) != step.attrs["in_num_col_dims"] + 1:
        x = step.put("Flatten", x, axis=step.attrs["in_num_col_dims"])
    out = step.put("MatMul", x, step.get("w"))
    if bias := step.get("bias"):
        out = step.put("Add", out, bias)
    step.give("Relu" if step.attrs["activation_type"] == "relu" else "Identity", out)


@writes("dot")
def dot(step: Step) -> None:
    """The sum of products along the last axis."""
    product = step.put("Mul", step.get(), step.get("y"))
    step.give("Identity", step.reduced("ReduceSum", product, [-1], keep=False))


@writes("addmm")
def addmm(step: Step) -> None:
    """Beta input + alpha x y."""
    alpha, beta = step.attrs["Alpha"], step.attrs["Beta"]
    step.give(
        "Gemm", step.get("x"), step.get("y"), step.get("input"), alpha=alpha, beta=beta
    )


@writes("einsum")
def einsum(step: Step) -> None:
    """Sums of products, as the equation says."""
    step.give("Einsum", *step.all("operands"), equation=step.attrs["equation"])
