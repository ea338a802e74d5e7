"""Ops of detection: `paddle.vision.ops`, with their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["STORIES"]

SEEN = [
    [0.0, 0.0, 2.0, 2.0],
    [0.0, 0.1, 2.0, 2.0],
    [3.0, 3.0, 4.0, 4.0],
    [1.0, 0.0, 3.0, 2.0],
    [3.0, 3.0, 4.0, 4.5],
]
SCORES = [0.5, 0.9, 0.7, 0.6, 0.8]
BOXES = [[0.4, 1.2, 3.6, 4.3], [-2.0, -1.0, 2.5, 1.0], [1.0, 2.0, 9.0, 7.4]]


def waves(*shape: int) -> Any:
    """Numbers between -1 and 1."""
    return np.sin(np.arange(1, 1 + np.prod(shape))).reshape(shape).astype("float32")


def with_gradients(paddle: Any, function: Any, *arrays: Any) -> Any:
    """What a function of tensors gives, and the gradients of its squares' sum."""
    tensors = [paddle.to_tensor(array, stop_gradient=False) for array in arrays]
    out = function(*tensors)
    (out * out).sum().backward()
    return [out, *(tensor.grad for tensor in tensors)]


def nms(paddle: Any) -> Any:
    boxes, scores = paddle.to_tensor(SEEN), paddle.to_tensor(SCORES)
    kinds = paddle.to_tensor([0, 0, 1, 0, 1]), [0, 1]
    select = paddle.vision.ops.nms
    return [
        select(boxes, 0.3),
        select(boxes, 0.3, scores),
        select(boxes, 0.3, scores, *kinds),
        select(boxes, 0.7, scores, *kinds),
        select(boxes, 0.7, scores, *kinds, 3),
    ]


def pooled(paddle: Any, layer: Any, channels: int) -> Any:
    """A layer's bins of the boxes of two images, and the images' gradient."""
    counts = paddle.to_tensor([2, 1], "int32")
    boxes = paddle.to_tensor(BOXES)
    images = waves(2, channels, 5, 4)
    return with_gradients(paddle, lambda x: layer(x, boxes, counts), images)


def roi_align(paddle: Any) -> Any:
    return pooled(paddle, paddle.vision.ops.RoIAlign((2, 3)), 2)


def roi_pool(paddle: Any) -> Any:
    return pooled(paddle, paddle.vision.ops.RoIPool((2, 3), 0.5), 2)


def psroi_pool(paddle: Any) -> Any:
    return pooled(paddle, paddle.vision.ops.PSRoIPool((2, 3)), 12)


def deformed(paddle: Any) -> Any:
    """With groups of channels, of offsets, steps, padding and dilation of their own."""
    how = {"stride": [2, 1], "padding": [1, 0], "dilation": [1, 2]}
    groups = {"deformable_groups": 2, "groups": 2}

    def function(x: Any, offset: Any, weight: Any, bias: Any, mask: Any) -> Any:
        convolve = paddle.vision.ops.deform_conv2d
        return convolve(x, offset * 1.7, weight, bias, **how, **groups, mask=mask)

    shapes = (1, 4, 6, 5), (1, 24, 3, 3), (2, 2, 3, 2), (2,), (1, 12, 3, 3)
    arrays = (waves(*shape).astype("float64") for shape in shapes)
    return with_gradients(paddle, function, *arrays)


def boxes_coded(paddle: Any) -> Any:
    priors, targets = paddle.to_tensor(SEEN[:2]), paddle.to_tensor(SEEN[2:])
    offsets = paddle.to_tensor(waves(3, 2, 4))
    code, decode = paddle.vision.ops.box_coder, "decode_center_size"
    four = [0.1, 0.1, 0.2, 0.2]
    return [
        code(priors, four, targets),
        code(priors, four, targets, box_normalized=False),
        code(priors, priors + 1.0, offsets, decode),
        code(targets, four, offsets, decode, False, 1),
    ]


def yolo(paddle: Any) -> Any:
    sizes = paddle.to_tensor([[40, 30]], "int32")
    decode, anchors = paddle.vision.ops.yolo_box, [10, 13, 16, 30]
    return [
        *decode(paddle.to_tensor(waves(1, 14, 2, 3)), sizes, anchors, 2, 0.5, 8),
        *decode(
            paddle.to_tensor(waves(1, 16, 2, 3)),
            *(sizes, anchors, 2, 0.5, 8),
            clip_bbox=False,
            scale_x_y=1.2,
            iou_aware=True,
            iou_aware_factor=0.4,
        ),
    ]


STORIES = (nms, roi_align, roi_pool, psroi_pool, deformed, boxes_coded, yolo)
