"""Convolutions and pooling, their layers and gradients."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.compare import ABSENT
from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import program

XSHAPE = "the array XShape, which holds a shape for backward, has no counterpart"

explained(
    Row(XSHAPE, "variables", "reshape2_?.tmp_1", program="convolution*", ours=ABSENT),
    Row(XSHAPE, "variables", "*squeeze*_?.tmp_1", program="pooling_*", ours=ABSENT),
    Row("NumPy is the only way to pool", "attr", "pool?d*", "use_cudnn", ours=ABSENT),
    *(
        Row(
            "a mask is there for every way of placing windows; Paddle's op ignores "
            "ceil_mode and SAME",
            "attr",
            "max_pool?d_with_index*",
            name,
            paddle=ABSENT,
        )
        for name in ("ceil_mode", "padding_algorithm")
    ),
    Row(
        "the indices are all that the gradient needs",
        "input",
        "unpool_grad",
        "*",
        ours=ABSENT,
    ),
    Row(
        "Paddle makes a variable for the mask that max pooling by pool?d never fills",
        "variables",
        "pool?d_0.tmp_1",
        program="pooling_*",
        ours=ABSENT,
    ),
)


def image(paddle: Any, *shape: int, name: str = "image") -> Any:
    """An image with a gradient."""
    x = paddle.static.data(name, list(shape))
    x.stop_gradient = False
    return x


@program
def convolution_layers(paddle: Any) -> Any:
    nn = paddle.nn
    net = nn.Sequential(
        nn.Conv2D(2, 4, 3, stride=2, padding=1),
        nn.Conv2D(4, 4, 3, padding="SAME", groups=4, bias_attr=False),
        nn.Conv2DTranspose(4, 3, 3, stride=2, output_padding=1),
    )
    return paddle.static.append_backward(paddle.mean(net(image(paddle, 2, 2, 6, 6))))


@program
def convolutions_channels_last(paddle: Any) -> Any:
    conv = paddle.nn.Conv2D(2, 4, [3, 2], padding=[1, 0, 0, 1], data_format="NHWC")
    return paddle.static.append_backward(paddle.mean(conv(image(paddle, 2, 6, 6, 2))))


@program
def convolutions_of_volumes(paddle: Any) -> Any:
    conv = paddle.nn.Conv3D(2, 3, 2, padding=[1, 0, 1])
    out = conv(image(paddle, 1, 2, 4, 4, 4))
    return paddle.static.append_backward(paddle.mean(out))


@program
def pooling_of_images(paddle: Any) -> Any:
    f, x = paddle.nn.functional, image(paddle, 2, 3, 8, 8)
    x = f.max_pool2d(x, 3, 2, 1)
    x = f.avg_pool2d(x, 2, exclusive=False, padding=1)
    x = f.adaptive_avg_pool2d(x, 2)
    return paddle.static.append_backward(paddle.mean(x))


@program
def pooling_with_a_mask(paddle: Any) -> Any:
    f, x = paddle.nn.functional, image(paddle, 2, 3, 8, 8)
    out, mask = f.max_pool2d(x, 2, return_mask=True)
    back = f.max_unpool2d(out, mask, 2)
    return paddle.static.append_backward(paddle.mean(f.adaptive_max_pool2d(back, 3)))


@program
def pooling_of_sequences(paddle: Any) -> Any:
    f, x = paddle.nn.functional, image(paddle, 2, 3, 8)
    x = f.avg_pool1d(f.max_pool1d(x, 2), 2)
    return paddle.static.append_backward(paddle.mean(f.adaptive_avg_pool1d(x, 1)))


@program
def pooling_of_volumes(paddle: Any) -> Any:
    f, x = paddle.nn.functional, image(paddle, 1, 2, 4, 4, 4)
    x = f.avg_pool3d(f.max_pool3d(x, 2), 2)
    return paddle.static.append_backward(paddle.mean(f.adaptive_avg_pool3d(x, 1)))
