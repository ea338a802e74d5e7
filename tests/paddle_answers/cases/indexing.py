"""Indexes that hold a single True or False, and masks beside other indexes."""

from __future__ import annotations

from typing import Any

__all__ = ["LINES", "STORIES"]

LINES = """
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[True]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[False]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[(True,)]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[True, 0]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[0, True]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[:, True]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[True, :, 0]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[None, True]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[True, None]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[..., True]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[[0, 1], True]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[True, [0, 1]]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[0, None, True]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[np.array(True)]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[t(True, "bool")]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[t(False, "bool")]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[t(True, "bool"), 0]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[[True, False]]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[[True, 1]]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[0, [True, False, True]]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[[True, False], [True, False, True]]
t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[[True, True], [0, 1]]
"""

INDEXES = """
True
False
0, True
:, False
..., True
[0, 1], True
paddle.to_tensor(True)
paddle.to_tensor(False), 0
[True, False]
0, [True, False, True]
"""


def single_truths_choose_what_is_written_to(paddle: Any) -> Any:
    told = {}
    for index in INDEXES.strip().split("\n"):
        x = paddle.arange(6, dtype="float32").reshape([2, 3])
        exec(f"x[{index}] = 9.0", {"x": x, "paddle": paddle})  # noqa: S102
        told[index] = x
    return told


def gradients_flow_to_what_a_single_truth_chose(paddle: Any) -> Any:
    told = []
    for flag in (True, False):
        x = paddle.ones([2, 3])
        x.stop_gradient = False
        (x[flag] * 2.0).sum().backward()
        y = paddle.ones([2])
        y.stop_gradient = False
        z = x * 1.0
        z[flag, :, 0] = y
        (z * z).sum().backward()
        told += [x.grad, y.grad]
    return told


STORIES = [
    single_truths_choose_what_is_written_to,
    gradients_flow_to_what_a_single_truth_chose,
]
