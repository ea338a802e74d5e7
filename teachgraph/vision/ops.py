"""Ops of object detection, and their layers.

In Paddle this is `paddle.vision.ops`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.nn import Layer, functional, initializer
from teachgraph.ops import boxes as box_ops
from teachgraph.ops import functions, regions
from teachgraph.ops.left_out import absent

__all__ = [
    "DeformConv2D",
    "PSRoIPool",
    "RoIAlign",
    "RoIPool",
    "box_coder",
    "deform_conv2d",
    "nms",
    "psroi_pool",
    "roi_align",
    "roi_pool",
    "yolo_box",
]

Size = int | Sequence[int]


def per_axis(value: Size) -> list[int]:
    """A number for both dimensions, or one for each.

    Raises:
        InvalidValueError: There are not two.
    """
    both = [value, value] if isinstance(value, int) else list(value)
    if len(both) != 2:
        raise InvalidValueError.here(f"one number or two, not {value}")
    return both


def bins(output_size: Size) -> dict[str, int]:
    """Attributes for the number of bins."""
    return dict(
        zip(("pooled_height", "pooled_width"), per_axis(output_size), strict=True)
    )


def roi_align(
    x: Any,
    boxes: Any,
    boxes_num: Any,
    output_size: Size,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = True,
    name: str | None = None,
) -> Any:
    """Pool each box to bins, each the mean of points interpolated between pixels.

    From He, Gkioxari, Dollár and Girshick, Mask R-CNN (2017).

    Args:
        x: Images [N, C, H, W].
        boxes: [R, 4]: left, top, right and bottom, those of the first image first.
        boxes_num: The number of boxes of each image, integers [N].
        output_size: The bins along height and width, or a number for both.
        spatial_scale: The factor from the boxes' coordinates to pixels of `x`.
        sampling_ratio: Points of a bin along each dimension; -1 for one a pixel.
        aligned: The centre of a pixel is at its half, and a box may be empty.
        name: Accepted for Paddle's sake.

    Returns:
        [R, C, *output_size].

    Raises:
        ShapeError: The sizes or the numbers of boxes do not fit.

    In Paddle this is `paddle.vision.ops.roi_align`.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 1, 4, 4)
    >>> roi_align(x, np.array([[0.0, 0, 4, 4]]), np.array([1]), 2)
    array([[[[ 2.5,  4.5],
             [10.5, 12.5]]]])
    """
    options = {"sampling_ratio": sampling_ratio, "aligned": aligned}
    how = {**bins(output_size), "spatial_scale": spatial_scale, **options}
    return regions.roi_align(x, boxes, boxes_num, **how)


def roi_pool(
    x: Any,
    boxes: Any,
    boxes_num: Any,
    output_size: Size,
    spatial_scale: float = 1.0,
    name: str | None = None,
) -> Any:
    """Pool each box to bins, each the maximum of the pixels that it touches.

    From Girshick, Fast R-CNN (2015). Arguments as for `roi_align`.

    In Paddle this is `paddle.vision.ops.roi_pool`.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 1, 4, 4)
    >>> roi_pool(x, np.array([[0.0, 0, 3, 3]]), np.array([1]), 2)
    array([[[[ 5.,  7.],
             [13., 15.]]]])
    """
    how = {**bins(output_size), "spatial_scale": spatial_scale}
    out, _ = regions.roi_pool(x, boxes, boxes_num, **how)
    return out


def psroi_pool(
    x: Any,
    boxes: Any,
    boxes_num: Any,
    output_size: Size,
    spatial_scale: float = 1.0,
    name: str | None = None,
) -> Any:
    """Pool each box to bins, each the mean over pixels of channels of its own.

    From Dai, Li, He and Sun, R-FCN (2016). Arguments as for `roi_align`; C is a
    multiple of the number of bins, by which the result has fewer channels.

    In Paddle this is `paddle.vision.ops.psroi_pool`.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 4, 2, 2)
    >>> psroi_pool(x, np.array([[0.0, 0, 1, 1]]), np.array([1]), 2)
    array([[[[ 0.,  5.],
             [10., 15.]]]])
    """
    how = {**bins(output_size), "spatial_scale": spatial_scale}
    return regions.psroi_pool(x, boxes, boxes_num, **how)


class RoIPooling(Layer):
    """Base class of the layers that pool boxes of images.

    Args:
        output_size: The bins along height and width, or a number for both.
        spatial_scale: The factor from the boxes' coordinates to pixels.
    """

    def __init__(self, output_size: Size, spatial_scale: float = 1.0) -> None:
        super().__init__()
        self._output_size, self._spatial_scale = output_size, spatial_scale

    def extra_repr(self) -> str:
        """Format the sizes for `repr`."""
        return f"output_size={self._output_size}, spatial_scale={self._spatial_scale}"


class RoIAlign(RoIPooling):
    """The layer of `roi_align`.

    In Paddle this is `paddle.vision.ops.RoIAlign`.

    >>> RoIAlign((4, 3))
    RoIAlign(output_size=(4, 3), spatial_scale=1.0)
    """

    def forward(self, x: Any, boxes: Any, boxes_num: Any, aligned: bool = True) -> Any:
        """Pool the boxes of x."""
        how = self._output_size, self._spatial_scale
        return roi_align(x, boxes, boxes_num, *how, aligned=aligned)


class RoIPool(RoIPooling):
    """The layer of `roi_pool`.

    In Paddle this is `paddle.vision.ops.RoIPool`.
    """

    def forward(self, x: Any, boxes: Any, boxes_num: Any) -> Any:
        """Pool the boxes of x."""
        return roi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)


class PSRoIPool(RoIPooling):
    """The layer of `psroi_pool`.

    In Paddle this is `paddle.vision.ops.PSRoIPool`.
    """

    def forward(self, x: Any, boxes: Any, boxes_num: Any) -> Any:
        """Pool the boxes of x."""
        return psroi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)


def nms(
    boxes: Any,
    iou_threshold: float = 0.3,
    scores: Any = None,
    category_idxs: Any = None,
    categories: Sequence[int] | None = None,
    top_k: int | None = None,
) -> Any:
    """Select the best of the boxes that overlap each other: non-maximum suppression.

    Args:
        boxes: [N, 4]: left, top, right and bottom.
        iou_threshold: The intersection over union from which on the worse is dropped.
        scores: [N], the best is the greatest; without it, the first.
        category_idxs: The category of each box; only boxes of one suppress each other.
        categories: The categories that are selected from.
        top_k: The number of indices, at most, with categories.

    Returns:
        Indices of the kept boxes, best first.

    Raises:
        InvalidValueError: Categories of the boxes are given, but not which there are.

    In Paddle this is `paddle.vision.ops.nms`.

    >>> import numpy as np
    >>> boxes = np.array([[0.0, 0, 2, 2], [0.0, 0, 2, 1.9], [3.0, 3, 4, 4]])
    >>> nms(boxes, 0.5, np.array([0.5, 0.9, 0.7]))
    array([1, 2])
    """
    if scores is None:
        return box_ops.nms(boxes, iou_threshold=iou_threshold)
    if category_idxs is None:
        return best_first(boxes, scores, iou_threshold)
    if categories is None:
        reason = "nms: with category_idxs, categories lists those that there are"
        raise InvalidValueError.here(reason)
    kept = []
    for category in categories:
        own = functions.flatten(functions.nonzero(category_idxs == category))
        chosen = functions.gather(boxes, own), functions.gather(scores, own)
        kept.append(functions.gather(own, best_first(*chosen, iou_threshold)))
    every = functions.concat(kept)
    order = functions.argsort(functions.gather(scores, every), descending=True)
    return functions.gather(every, order)[:top_k]


def best_first(boxes: Any, scores: Any, iou_threshold: float) -> Any:
    """Indices of the boxes that are kept, by falling score."""
    order = functions.argsort(scores, descending=True)
    kept = box_ops.nms(functions.gather(boxes, order), iou_threshold=iou_threshold)
    return functions.gather(order, kept)


def box_coder(
    prior_box: Any,
    prior_box_var: Any,
    target_box: Any,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
    name: str | None = None,
) -> Any:
    """Encode boxes as offsets from prior boxes, or decode offsets to boxes.

    Args:
        prior_box: [M, 4]: left, top, right and bottom.
        prior_box_var: [M, 4], or four numbers, by which offsets are divided.
        target_box: Boxes [N, 4] to encode, or offsets to decode: [N, M, 4].
        code_type: "encode_center_size" or "decode_center_size".
        box_normalized: Coordinates are shares of an image, else pixels, whose last one
            belongs to the box.
        axis: With 1, offsets are [M, N, 4]: the priors lie along the first dimension.
        name: Accepted for Paddle's sake.

    Returns:
        [N, M, 4].

    Raises:
        ShapeError: The sizes do not fit.

    In Paddle this is `paddle.vision.ops.box_coder`.

    >>> import numpy as np
    >>> priors, boxes = np.array([[0.0, 0, 2, 2]]), np.array([[1.0, 0, 3, 2]])
    >>> box_coder(priors, [1.0, 1.0, 0.5, 0.5], boxes)
    array([[[0.5, 0. , 0. , 0. ]]])
    """
    how: dict[str, Any] = {"code_type": code_type, "box_normalized": box_normalized}
    variances = prior_box_var
    if isinstance(prior_box_var, (list, tuple)):
        if len(prior_box_var) != 4:
            reason = f"box_coder: four variances, not {len(prior_box_var)}"
            raise InvalidValueError.here(reason)
        how["variance"], variances = [float(v) for v in prior_box_var], None
    return box_ops.box_coder(prior_box, variances, target_box, **how, axis=axis)


def yolo_box(
    x: Any,
    img_size: Any,
    anchors: Sequence[int],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
    iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
) -> Any:
    """Decode the predictions of a YOLO head to boxes and scores.

        centre = (cell + s * sigmoid(t) - (s - 1) / 2) / cells * image's size
        sizes = anchor * exp(t) / (downsample_ratio * cells) * image's size

    From Redmon and Farhadi, YOLOv3 (2018).

    Args:
        x: Predictions [N, A * (5 + class_num), H, W] for A anchors.
        img_size: Height and width of each image, integers [N, 2].
        anchors: Width and height of each anchor in pixels, one after the other.
        class_num: The number of classes.
        conf_thresh: Boxes whose confidence is lower are zeros.
        downsample_ratio: Pixels of the network's input in a cell.
        clip_bbox: Clip boxes to the image.
        name: Accepted for Paddle's sake.
        scale_x_y: The factor s of the offsets of centres.
        iou_aware: Overlaps are predicted too, in A channels before the others.
        iou_aware_factor: Their exponent in the confidence.

    Returns:
        Boxes [N, A * H * W, 4] and scores [N, A * H * W, class_num].

    Raises:
        ShapeError: The sizes do not fit.

    In Paddle this is `paddle.vision.ops.yolo_box`.

    >>> import numpy as np
    >>> boxes, scores = yolo_box(
    ...     np.zeros([1, 6, 1, 1]), np.array([[8, 8]]), [4, 2], 1, 0.5, 8
    ... )
    >>> boxes, scores
    (array([[[2., 3., 6., 5.]]]), array([[[0.25]]]))
    """
    return box_ops.yolo_box(
        x,
        img_size,
        anchors=list(anchors),
        class_num=class_num,
        conf_thresh=conf_thresh,
        downsample_ratio=downsample_ratio,
        clip_bbox=clip_bbox,
        scale_x_y=scale_x_y,
        iou_aware=iou_aware,
        iou_aware_factor=iou_aware_factor,
    )


def deform_conv2d(
    x: Any,
    offset: Any,
    weight: Any,
    bias: Any = None,
    stride: Size = 1,
    padding: Size = 0,
    dilation: Size = 1,
    deformable_groups: int = 1,
    groups: int = 1,
    mask: Any = None,
    name: str | None = None,
) -> Any:
    """Convolve where the offsets say: each element of a window is moved by its own.

        y[p] = sum over k of weight[k] * mask[k, p] * x[stride p + dilation k + offset]

    with x interpolated between pixels, and 0 outside. From Dai et al., Deformable
    Convolutional Networks (2017), and Zhu, Hu, Lin and Dai (2018) for the mask.

    Args:
        x: Images [N, C, H, W].
        offset: [N, 2 * D * K, h, w]: down and right, for each of the K elements of the
            window in each of D groups of channels.
        weight: [O, C / groups, kh, kw].
        bias: [O], or none.
        stride: Steps of the window, one for each dimension or for both.
        padding: Zeros on each side.
        dilation: The spacing of the window's elements.
        deformable_groups: D, the groups of channels with offsets of their own.
        groups: The groups of channels that are convolved apart.
        mask: [N, D * K, h, w], factors of the elements, or none.
        name: Accepted for Paddle's sake.

    Returns:
        [N, O, h, w].

    Raises:
        ShapeError: The offsets are not of these sizes.

    In Paddle this is `paddle.vision.ops.deform_conv2d`.

    >>> import numpy as np
    >>> x, weight = np.arange(9.0).reshape(1, 1, 3, 3), np.ones([1, 1, 1, 1])
    >>> right = np.stack([np.zeros([1, 3, 3]), np.full([1, 3, 3], 0.5)], axis=1)
    >>> deform_conv2d(x, right, weight)[0, 0, 0]
    array([0.5, 1.5, 1. ])
    """
    outs, _, *kernel = weight.shape
    down, across = (
        window_places(*numbers)
        for numbers in zip(
            x.shape[2:],
            kernel,
            per_axis(stride),
            per_axis(padding),
            per_axis(dilation),
            strict=True,
        )
    )
    sizes, count = [down.shape[1], across.shape[1]], prod(kernel)
    wanted = [2 * deformable_groups * count, *sizes]
    if list(offset.shape[1:]) != wanted:
        reason = f"offsets {list(offset.shape)} in place of {['N', *wanted]}"
        raise ShapeError.here(f"deform_conv2d: {reason}")
    moved = functions.reshape(offset, [-1, *kernel, 2, *sizes])
    kind = dtypes.convert(offset.dtype)
    rows = moved[:, :, :, 0] + down[:, None, :, None].astype(kind)
    columns = moved[:, :, :, 1] + across[:, None, :].astype(kind)
    height, width = x.shape[2:]
    grid = functions.stack(
        [(columns + 0.5) * (2 / width) - 1, (rows + 0.5) * (2 / height) - 1], axis=-1
    )
    tall = [count * sizes[0], sizes[1]]
    parts = functions.reshape(x, [-1, x.shape[1] // deformable_groups, height, width])
    seen = functional.grid_sample(
        parts, functions.reshape(grid, [-1, *tall, 2]), align_corners=False
    )
    if mask is not None:
        seen = seen * functions.reshape(mask, [-1, 1, *tall])
    inner = weight.shape[1] * count
    seen = functions.reshape(seen, [-1, groups, inner, prod(sizes)])
    matrices = functions.reshape(weight, [groups, outs // groups, inner])
    out = functions.reshape(functions.matmul(matrices, seen), [-1, outs, *sizes])
    return out if bias is None else out + functions.reshape(bias, [1, -1, 1, 1])


def window_places(
    size: int, kernel: int, stride: int, padding: int, dilation: int
) -> Any:
    """Positions [kernel, windows] of the elements of each window in an image."""
    count = (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
    starts = np.arange(count) * stride - padding
    return starts + dilation * np.arange(kernel)[:, None]


class DeformConv2D(Layer):
    """The layer of `deform_conv2d`, with its weight and bias.

    Args:
        in_channels: C.
        out_channels: O.
        kernel_size: The sides of the window.
        stride: As for `deform_conv2d`, like the others.
        padding: Zeros on each side.
        dilation: The spacing of the window's elements.
        deformable_groups: The groups of channels with offsets of their own.
        groups: The groups of channels that are convolved apart.
        weight_attr: ParamAttr of the weight, which starts normal.
        bias_attr: ParamAttr of the bias, which starts at 0; False for none.

    Raises:
        InvalidValueError: The channels are no multiple of the groups.

    In Paddle this is `paddle.vision.ops.DeformConv2D`.

    >>> import teachgraph as tg
    >>> conv = DeformConv2D(1, 4, 3)
    >>> conv(tg.ones([2, 1, 6, 6]), tg.zeros([2, 18, 4, 4])).shape
    [2, 4, 4, 4]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        dilation: Size = 1,
        deformable_groups: int = 1,
        groups: int = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        if in_channels % groups:
            reason = f"{in_channels} channels are no multiple of {groups} groups"
            raise InvalidValueError.here(f"DeformConv2D: {reason}")
        kernel = per_axis(kernel_size)
        self._options: dict[str, Any] = {
            "stride": stride,
            "padding": padding,
            "dilation": dilation,
            "deformable_groups": deformable_groups,
            "groups": groups,
        }
        start = initializer.Normal(0.0, sqrt(2 / (in_channels * prod(kernel))))
        shape = [out_channels, in_channels // groups, *kernel]
        self.weight = self.create_parameter(
            shape, attr=weight_attr, default_initializer=start
        )
        self.bias = self.create_parameter([out_channels], attr=bias_attr, is_bias=True)

    def forward(self, x: Any, offset: Any, mask: Any = None) -> Any:
        """Convolve x where the offsets say."""
        own = self.weight, self.bias
        return deform_conv2d(x, offset, *own, mask=mask, **self._options)


__path__: list[str] = []
"""No files of its own: with it Python looks for, and misses, what is left out."""

if not TYPE_CHECKING:
    __getattr__ = absent("vision.ops")
