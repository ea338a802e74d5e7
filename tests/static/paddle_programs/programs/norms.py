"""Normalisations, while training and in a test."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.compare import ABSENT
from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import data, program, sgd

MOMENTS = "a gradient may go through the moments, too"
USED = (
    "SavedMean and SavedVariance are what was used, running moments or the batch's, so "
    "the way back needs no others"
)
ORDER = "parameters in the order of the op's inputs, not by the names of their slots"

explained(
    Row(
        "room for a GPU's library", "output", "batch_norm", "ReserveSpace", ours=ABSENT
    ),
    Row(
        "room for a GPU's library",
        "input",
        "batch_norm_grad",
        "ReserveSpace",
        ours=ABSENT,
    ),
    *(
        Row(
            "room for a GPU's library",
            "variables",
            f"batch_norm_{i}.tmp_3",
            ours=ABSENT,
        )
        for i in range(2)
    ),
    Row(USED, "input", "batch_norm_grad", "Mean*", ours=ABSENT),
    Row(USED, "input", "batch_norm_grad", "Variance*", ours=ABSENT),
    Row(ORDER, "attr", "*_norm_grad", "op_role_var"),
    Row(MOMENTS, "variable", "*_norm_?.tmp_[01]", "stop_gradient", "*_norms*"),
    Row(
        "the product of an unknown size and 2 is unknown",
        "variable",
        "instance_norm_0.tmp_[01]",
        "shape",
        paddle=[-2],
        ours=[-1],
    ),
    Row("y is made again", "input", "group_norm_grad", "Y", ours=ABSENT),
    Row(
        "its gradient takes the dtype of the bias",
        "input",
        "instance_norm_grad",
        "Bias",
        paddle=ABSENT,
    ),
)


def images(paddle: Any) -> Any:
    """A batch of images of two channels, from a layer."""
    hidden = paddle.static.nn.fc(data(paddle), 12)
    return paddle.reshape(hidden, [-1, 2, 2, 3])


@program
def batch_norms(paddle: Any) -> Any:
    x, y = data(paddle), data(paddle, 4, "Y")
    rows = paddle.nn.BatchNorm1D(3)(paddle.static.nn.fc(x, 3))
    paddle.nn.BatchNorm1D(4, weight_attr=False, bias_attr=False)(y)
    test = paddle.static.default_main_program().clone(for_test=True)
    return [sgd(paddle, paddle.mean(rows * rows)), test]


@program
def batch_norms_of_images(paddle: Any) -> Any:
    out = paddle.nn.BatchNorm2D(2, momentum=0.5)(images(paddle))
    return sgd(paddle, paddle.mean(out * out))


@program
def batch_norms_of_running_moments(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 13)
    out = paddle.nn.BatchNorm1D(13, use_global_stats=True)(hidden)
    return sgd(paddle, paddle.mean(out * out))


@program
def layer_norms(paddle: Any) -> Any:
    out = paddle.nn.LayerNorm([2, 3])(images(paddle))
    out = paddle.nn.functional.layer_norm(out * out, 3)
    return sgd(paddle, paddle.mean(out * out))


@program
def group_norms(paddle: Any) -> Any:
    out = paddle.nn.GroupNorm(1, 2)(images(paddle))
    out = paddle.nn.InstanceNorm2D(2)(out * out)
    return sgd(paddle, paddle.mean(out * out))
