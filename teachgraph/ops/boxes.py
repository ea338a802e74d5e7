"""Boxes of detected objects: overlap and suppression, coding against priors, YOLO.

A box is its corners (left, top, right, bottom), or its centre and its sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op

__all__ = ["box_coder", "nms", "overlap", "yolo_box"]


def overlap(box: Any, others: Any) -> Any:
    """Intersection over union of a box with others; 0 for boxes without area.

    >>> overlap(np.array([0.0, 0, 2, 2]), np.array([[1.0, 0, 3, 2]])).round(3)
    array([0.333])
    """
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    shared = np.prod(np.maximum(high - low, 0), axis=1)
    areas = np.prod(others[:, 2:] - others[:, :2], axis=1)
    together = np.prod(box[2:] - box[:2]) + areas - shared
    return np.divide(shared, together, out=np.zeros_like(shared), where=together > 0)


def check_boxes(boxes: Like) -> None:
    """Require boxes [N, 4] of floating numbers.

    Raises:
        DTypeError: They are not floating.
        ShapeError: They have other sizes.
    """
    if boxes.dtype.kind != "f":
        raise DTypeError(f"boxes are floating, not {boxes.dtype}")
    if len(boxes.shape) != 2 or boxes.shape[1] not in (4, -1):
        raise ShapeError(f"boxes are [N, 4], not {list(boxes.shape)}")


@op(outputs=("keep_boxes_idxs",), needs="boxes [N, 4], best first")
def nms(boxes: Any, *, iou_threshold: float = 0.3) -> Any:
    """Indices of the boxes that overlap no kept box before them by more than a share.

    This is non-maximum suppression: of the boxes around one object the first is kept.
    """
    check_boxes(boxes)
    kept: list[int] = []
    left = np.arange(len(boxes))
    while len(left):
        best, left = left[0], left[1:]
        kept.append(best)
        left = left[overlap(boxes[best], boxes[left]) <= iou_threshold]
    return np.array(kept, np.int64)


@nms.infers
def infer_nms(boxes: Like, *, iou_threshold: float) -> Any:
    """An unknown number of indices (-1)."""
    check_boxes(boxes)
    return [((-1,), dtypes.int64)]


def centred(boxes: Any, normalized: bool) -> tuple[Any, Any]:
    """Centres and sizes of boxes; of pixels the last one counts, if not normalised."""
    sizes = boxes[..., 2:] - boxes[..., :2] + (0 if normalized else 1)
    return boxes[..., :2] + sizes / 2, sizes


@op(
    outputs=("output_box",),
    needs="priors [M, 4], their variances and targets [N, 4], or [N, M, 4] to decode",
)
def box_coder(
    prior_box: Any,
    prior_box_var: Any,
    target_box: Any,
    *,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
    variance: Sequence[float] = (),
) -> Any:
    """Offsets of targets from priors, in sizes of the prior, or the targets of offsets.

    Encoded: ((centre - prior's centre) / prior's sizes, log(sizes / prior's sizes)),
    divided by the variances.
    """
    check_coder(prior_box, target_box, code_type, axis)
    encodes = code_type.startswith("encode")
    if not encodes and axis == 1:
        prior_box = prior_box[:, None]
        prior_box_var = None if prior_box_var is None else prior_box_var[:, None]
    scale = prior_box_var if prior_box_var is not None else np.array(variance or 1)
    scale = np.broadcast_to(scale, prior_box.shape).astype(prior_box.dtype)
    centre, sizes = centred(prior_box, box_normalized)
    if encodes:
        # The corners of a target are averaged, whether its last pixel counts or not.
        middle = (target_box[:, None, :2] + target_box[:, None, 2:]) / 2
        _, own = centred(target_box[:, None], box_normalized)
        parts = [(middle - centre) / sizes, np.log(np.abs(own / sizes))]
        return np.concatenate(parts, axis=-1) / scale
    offsets = target_box * scale
    middle = offsets[..., :2] * sizes + centre
    half = np.exp(offsets[..., 2:]) * sizes / 2
    last = 0 if box_normalized else 1
    return np.concatenate([middle - half, middle + half - last], axis=-1)


def check_coder(prior: Like, target: Like, code_type: str, axis: int) -> None:
    """Check the sizes for a way of coding.

    Raises:
        InvalidValueError: There is no such code type or axis.
        ShapeError: The sizes do not fit.
    """
    check_boxes(prior)
    ways = ("encode_center_size", "decode_center_size")
    if code_type not in ways or axis not in (0, 1):
        told = f"code_type {code_type!r} of {ways}, axis {axis} of (0, 1)"
        raise InvalidValueError(told)
    if code_type == ways[0]:
        check_boxes(target)
    elif len(target.shape) != 3 or target.shape[2] not in (4, -1):
        raise ShapeError(f"offsets are [N, M, 4], not {list(target.shape)}")
    elif -1 not in (target.shape[1 - axis], prior.shape[0]) and (
        target.shape[1 - axis] != prior.shape[0]
    ):
        raise ShapeError(
            f"{prior.shape[0]} priors along axis {1 - axis} of {list(target.shape)}"
        )


@box_coder.infers
def infer_coder(
    prior_box: Like,
    prior_box_var: Like,
    target_box: Like,
    *,
    code_type: str,
    axis: int,
    **others: Any,
) -> Any:
    """[N, M, 4]."""
    check_coder(prior_box, target_box, code_type, axis)
    if code_type.startswith("decode"):
        return [(target_box.shape, target_box.dtype)]
    return [((target_box.shape[0], prior_box.shape[0], 4), target_box.dtype)]


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-x))


@op(
    outputs=("boxes", "scores"),
    needs="predictions [N, anchors * (5 + classes), H, W] and sizes of images [N, 2]",
)
def yolo_box(
    x: Any,
    img_size: Any,
    *,
    anchors: Sequence[int],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    scale_x_y: float = 1.0,
    iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
) -> Any:
    """Boxes and scores of a YOLO head; 0 where the confidence is below the threshold.

    A cell predicts for each anchor an offset of its centre, a factor of the anchor's
    sizes, the confidence that there is an object, and the probability of each class.
    With `iou_aware`, a predicted overlap comes first and takes part in the confidence.
    """
    count = anchors_of(x, img_size, anchors, class_num, iou_aware)
    n, _, height, width = x.shape
    shapes = np.array(anchors, x.dtype).reshape(count, 2, 1, 1)
    heads = x[:, count:] if iou_aware else x
    heads = heads.reshape(n, count, 5 + class_num, height, width)
    image = img_size[:, ::-1].astype(x.dtype).reshape(n, 1, 2, 1, 1)  # width, height
    cells = np.stack(np.meshgrid(np.arange(width), np.arange(height)))
    grid = np.array([width, height], x.dtype).reshape(2, 1, 1)
    shift = (scale_x_y - 1) / 2
    centre = (cells + sigmoid(heads[:, :, :2]) * scale_x_y - shift) * image / grid
    half = np.exp(heads[:, :, 2:4]) * shapes * image / (grid * downsample_ratio) / 2
    low, high = centre - half, centre + half
    if clip_bbox:
        low, high = np.maximum(low, 0), np.minimum(high, image - 1)
    sure = sigmoid(heads[:, :, 4:5])
    if iou_aware:
        overlaps = sigmoid(x[:, :count]).reshape(n, count, 1, height, width)
        sure = sure ** (1 - iou_aware_factor) * overlaps**iou_aware_factor
    there = sure >= conf_thresh
    boxes = np.where(there, np.concatenate([low, high], axis=2), 0)
    scores = np.where(there, sure * sigmoid(heads[:, :, 5:]), 0)
    return tuple(in_order(part).astype(x.dtype) for part in (boxes, scores))


def in_order(heads: Any) -> Any:
    """[N, anchors, k, H, W] as [N, anchors * H * W, k]."""
    n, count, k, height, width = heads.shape
    return np.moveaxis(heads, 2, -1).reshape(n, count * height * width, k)


def anchors_of(
    x: Like, img_size: Like, anchors: Sequence[int], class_num: int, iou_aware: bool
) -> int:
    """Number of anchors.

    Raises:
        DTypeError: The predictions are not floating, or the sizes no integers.
        InvalidValueError: The anchors are no pairs.
        ShapeError: The sizes do not fit.
    """
    if x.dtype.kind != "f" or img_size.dtype.kind != "i":
        kinds = f"{x.dtype} and {img_size.dtype}"
        raise DTypeError(f"floating predictions and integer sizes, not {kinds}")
    count, odd = divmod(len(anchors), 2)
    if odd or not count:
        raise InvalidValueError(f"anchors: width and height of each, not {anchors}")
    wanted = count * (5 + class_num + iou_aware)
    if len(x.shape) != 4 or x.shape[1] not in (wanted, -1):
        told = f"predictions are [N, {wanted}, H, W] here, not {list(x.shape)}"
        raise ShapeError(told)
    if len(img_size.shape) != 2 or img_size.shape[1] not in (2, -1):
        told = f"height and width of each image, [N, 2], not {list(img_size.shape)}"
        raise ShapeError(told)
    return count


@yolo_box.infers
def infer_yolo(
    x: Like,
    img_size: Like,
    *,
    anchors: Sequence[int],
    class_num: int,
    iou_aware: bool,
    **others: Any,
) -> Any:
    """[N, anchors * H * W, 4] and [N, anchors * H * W, classes]."""
    count = anchors_of(x, img_size, anchors, class_num, iou_aware)
    sizes = x.shape[2:]
    boxes = -1 if min(sizes) < 0 else count * sizes[0] * sizes[1]
    return [((x.shape[0], boxes, k), x.dtype) for k in (4, class_num)]
