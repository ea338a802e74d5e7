"""Other shapes of the same elements."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import program


def block(paddle: Any) -> Any:
    """Three dimensions, with a way for a gradient."""
    x = paddle.static.data("X", [2, 3, 4], "float32")
    x.stop_gradient = False
    return x


@program
def turned_and_repeated(paddle: Any) -> Any:
    x = block(paddle)
    found = [paddle.flatten(x, 1, 2), paddle.squeeze(paddle.unsqueeze(x, 1), 1)]
    found += [paddle.expand(x[:, :1], [2, 3, 4]), paddle.tile(x, [2, 1, 1])]
    found += [paddle.stack([x, x], axis=1), paddle.flip(x, [0, 2])]
    found += [paddle.roll(x, [1, 2], [0, 1]), paddle.repeat_interleave(x, 2, 1)]
    found += [paddle.diagonal(x, 1, 0, 2), paddle.crop(x, [1, 2, 2], [1, 0, 1])]
    return paddle.static.gradients(found, [x])


@program
def borders(paddle: Any) -> Any:
    pad = paddle.nn.functional.pad
    x = block(paddle)
    found = [pad(x, [0, 0, 1, 2, 3, 4])]
    found += [pad(x, [1, 2], mode="replicate", data_format="NCL")]
    found += [pad(paddle.unsqueeze(x, 0), [1, 2, 0, 1], mode="reflect")]
    return paddle.static.gradients(found, [x])


XSHAPE = "our gradient op reads X's shape, so there is no XShape"

explained(
    Row(XSHAPE, "output", "flatten_contiguous_range", "XShape", ours="absent"),
    Row(XSHAPE, "input", "flatten_contiguous_range_grad", "X*"),
    Row(XSHAPE, "variables", "flatten_0.tmp_1", ours="absent"),
    Row(XSHAPE, "variables", "squeeze_[01].tmp_1", ours="absent"),
    Row(XSHAPE, "variables", "unsqueeze2_[12].tmp_1", program="borders", ours="absent"),
    Row("to roll back takes no X", "input", "roll_grad", "X", ours="absent"),
)
