"""Dropout, embedding, resizing, windows and other small layers."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.compare import ABSENT
from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import data, labels, program, sgd

explained(
    *(
        Row(
            "Paddle writes the seed only if there is one, and has no axis",
            "attr",
            f"dropout{end}",
            what,
        )
        for end in ("", "_grad")
        for what in ("axis", "fix_seed", "seed")
    ),
    Row(
        "the padding row starts as zeros here in both modes, in Paddle in one",
        "operators",
        "*",
        "types",
        "embeddings",
        paddle=[],
        ours=["set_value"],
    ),
    Row(
        "uint8: nobody asks for its gradient",
        "variable",
        "dropout_?.tmp_1",
        "stop_gradient",
        "dropouts*",
    ),
    Row(
        "its gradient takes the dtype of the bias",
        "input",
        "bilinear_tensor_product_grad",
        "Bias",
        paddle=ABSENT,
    ),
    Row(
        "parameters in the order of the op's inputs, not by the names of their slots",
        "attr",
        "bilinear_tensor_product_grad",
        "op_role_var",
    ),
    Row("only its shape, which is known", "input", "fold_grad", "X", ours=ABSENT),
    Row("its number of channels", "input", "channel_shuffle_grad", "X", paddle=ABSENT),
    Row(
        "shapes are not kept in arrays",
        "variables",
        "transpose_[123].tmp_1",
        program="att*",
    ),
)


@program
def dropouts_in_a_test(paddle: Any) -> Any:
    """So wide that masks, of which Paddle writes none, are not compared."""
    hidden = paddle.static.nn.fc(data(paddle), 13)
    how = {"training": False, "mode": "downscale_in_infer"}
    out = paddle.nn.functional.dropout(hidden, 0.25, **how)
    return sgd(paddle, paddle.mean(paddle.nn.functional.dropout(out, training=False)))


@program
def dropouts(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 13)
    out = paddle.nn.Dropout(0.2)(hidden)
    out = paddle.nn.functional.dropout(out, 0.0)
    test = paddle.static.default_main_program().clone(for_test=True)
    return [out, paddle.mean(hidden), test]


@program
def embeddings(paddle: Any) -> Any:
    rows = paddle.nn.Embedding(4, 3, padding_idx=-2)(labels(paddle))
    more = paddle.nn.Embedding(3, 3)(labels_again(paddle))
    return sgd(paddle, paddle.mean(rows * rows + more))


def labels_again(paddle: Any) -> Any:
    return paddle.static.data("M", [None, 1], "int64")


def squares(paddle: Any) -> Any:
    """Images of one channel, from a layer."""
    return paddle.reshape(paddle.static.nn.fc(data(paddle), 4), [-1, 1, 2, 2])


@program
def resized(paddle: Any) -> Any:
    functional, x = paddle.nn.functional, squares(paddle)
    out = functional.interpolate(x, scale_factor=2)
    out = functional.interpolate(out, [3, 1], mode="bilinear", align_corners=True)
    out = functional.interpolate(out, [3, 3], mode="bilinear", align_mode=1)
    return sgd(paddle, paddle.mean(out * out))


@program
def resized_smoothly(paddle: Any) -> Any:
    x = squares(paddle)
    out = paddle.nn.functional.interpolate(x, [3, 3], mode="bicubic")
    out = paddle.nn.UpsamplingBilinear2D(size=[1, 4])(out)
    return sgd(paddle, paddle.mean(out * out))


@program
def windows(paddle: Any) -> Any:
    functional = paddle.nn.functional
    hidden = paddle.static.nn.fc(data(paddle), 16)
    larger = functional.pixel_shuffle(paddle.reshape(hidden, [-1, 4, 2, 2]), 2)
    dealt = functional.channel_shuffle(functional.pixel_unshuffle(larger, 2), 2)
    columns = functional.unfold(dealt, [1, 2], paddings=[0, 1])
    folded = functional.fold(columns, [2, 2], [1, 2], paddings=[0, 1])
    return sgd(paddle, paddle.mean(folded * folded))


@program
def products_and_labels(paddle: Any) -> Any:
    hidden, y = paddle.static.nn.fc(data(paddle), 3), data(paddle, 4, "Y")
    out = paddle.nn.Bilinear(3, 4, 2)(hidden, y)
    smooth = paddle.nn.functional.label_smooth(y, epsilon=0.2)
    mask = paddle.nn.functional.sequence_mask(labels(paddle), 4)
    return [mask, smooth, sgd(paddle, paddle.mean(out))]


@program
def attention(paddle: Any) -> Any:
    hidden = paddle.static.nn.fc(data(paddle), 12)
    x = paddle.reshape(hidden, [-1, 3, 2, 2])
    out = paddle.nn.functional.scaled_dot_product_attention(x, x, x)
    return sgd(paddle, paddle.mean(out * x))
