"""Picking elements out, and putting them in."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import program


def block(paddle: Any) -> tuple[Any, Any]:
    """Three dimensions, with a way for a gradient, and an index of the first."""
    x = paddle.static.data("X", [2, 3, 4], "float32")
    x.stop_gradient = False
    return x, paddle.static.data("L", [2], "int64")


@program
def parts(paddle: Any) -> Any:
    x, _ = block(paddle)
    found = [x[1], x[-1], x[:, 1:3], x[::-1], x[:, ::2, -1], x[None, 1, ..., None]]
    return [*found, *paddle.static.gradients(found[:4], [x])]


@program
def parts_by_arrays(paddle: Any) -> Any:
    x, index = block(paddle)
    found = [x[index], x[:, index], x[index, index], x[index, 1:3], x[:, index, index]]
    return [*found, *paddle.static.gradients(found, [x])]


@program
def gathered(paddle: Any) -> Any:
    x, index = block(paddle)
    y = paddle.static.data("Y", [2, 3, 4], "float32")
    y.stop_gradient = False
    rows = paddle.unsqueeze(index, 1)
    found = [paddle.gather(x, index, axis=1), paddle.index_select(x, index, axis=1)]
    found += [paddle.gather_nd(x, rows), paddle.scatter_nd_add(x, rows, y)]
    found += [paddle.scatter(x, index, y, overwrite=False)]
    found += [paddle.index_add(x, index, 0, y), paddle.index_sample(x[0, :2], rows)]
    return paddle.static.gradients(found, [x, y])


XSHAPE = "our gradient op reads X's shape, so there is no XShape"

explained(
    *(
        Row(XSHAPE, "variables", name, program="parts*", ours="absent")
        for name in ("unsqueeze2_*.tmp_1", "transpose_*.tmp_1")
    ),
    *(
        Row("no bound is a tensor", "attr", op, "infer_flags", ours="absent")
        for op in ("strided_slice", "strided_slice_grad")
    ),
    Row(
        "an op has no list of results: each index is broadcast by an op of its own",
        "operators",
        program="parts_by_arrays",
        paddle=["broadcast_tensors"],
        ours=["broadcast_among", "broadcast_among"],
    ),
    *(
        Row("so their names count on", kind, where, what, "parts_by_arrays")
        for kind, where, what in (
            ("input", "stack", "X"),
            ("variables", "broadcast_tensors_*", "name"),
        )
    ),
)
