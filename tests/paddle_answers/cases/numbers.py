"""Tensors where numbers are wanted: axes, sizes, starts, repeats; and near cases."""

from __future__ import annotations

from typing import Any

__all__ = ["LINES", "STORIES"]

X = 't([[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]], "float32")'

LINES = f"""
paddle.searchsorted(t([1, 3, 5, 7], "int64"), t([2, 5], "int32"))
paddle.searchsorted(t([1, 3, 5, 7], "int64"), t([2.5, 5], "float32"))
paddle.digamma(t([0, 1, 2.5], "float32"))
paddle.tensordot({X}, {X}, axes=[[0, 1, 2], [0]])
paddle.tensordot({X}, {X}, axes=[[1, 2], []])
paddle.tensordot({X}, {X}, axes=[1, 2])
"""


def numbers_may_be_tensors(paddle: Any) -> Any:
    def i(value: Any, dtype: str = "int32") -> Any:
        return paddle.to_tensor(value, dtype)

    x = paddle.arange(12, dtype="float32").reshape([2, 2, 3])
    found = [
        paddle.slice(x, [0, 1], [i([-1]), 0], [2, i(1)]),
        paddle.unsqueeze(x, i([0, 2], "int64")),
        paddle.unsqueeze(x, i(1)),
        paddle.squeeze(paddle.unsqueeze(x, 0), i([0])),
        paddle.concat([x, x], axis=i([0])),
        paddle.reshape(x, [i([4]), 3]),
        x.reshape(i([3, 4])),
        paddle.tile(x, i([1, 2, 1])),
        paddle.expand(x[0, 0], [i([2]), 3]),
        paddle.strided_slice(x, [0, 2], [i([0]), 0], [2, 3], [1, i([2])]),
        *paddle.split(x, 2, axis=i([0])),
        paddle.sum(x, axis=i([0, 1])),
        *paddle.topk(x, k=i([2])),
        paddle.zeros([i([2]), 3]),
        paddle.ones(i([2, 2], "int64")),
        paddle.full(i([2]), 5.0),
    ]
    return [y.tolist() for y in found]


STORIES = [numbers_may_be_tensors]
