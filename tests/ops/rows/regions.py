"""Rows for `teachgraph/ops/regions.py` and `boxes.py`, box by box, bin by bin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong, always
from tests.ops.values import numbers, turned

BOXES = np.array([[0.4, 1.2, 3.6, 4.3], [-2.0, -1.0, 2.5, 1.0], [1.0, 2.0, 9.0, 7.4]])
COUNTS = np.array([2, 1])
LONELY = "PyTorch has it in torchvision alone"
LACKS = {
    "scalar": "it needs images",
    "1-D": "it needs images",
    "broadcast": "a box has its image",
}
BINS = {"pooled_height": 2, "pooled_width": 3}


def image_of(counts: Array) -> list[int]:
    return [image for image, count in enumerate(counts) for _ in range(count)]


def at_point(x: Array, row: float, column: float) -> Array:
    """All channels at a point, between its four pixels."""
    height, width = x.shape[1:]
    if not (-1 <= row <= height and -1 <= column <= width):
        return np.zeros(len(x))
    row, column = (min(max(p, 0), n - 1) for p, n in ((row, height), (column, width)))
    top, left = math.floor(row), math.floor(column)
    value = np.zeros(len(x))
    for i, j in np.ndindex(2, 2):
        share = (1 - abs(row - top - i)) * (1 - abs(column - left - j))
        if share:
            value += share * x[:, top + i, left + j]
    return value


def aligned(
    x: Array,
    rois: Array,
    rois_num: Array,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = True,
) -> Array:
    out = np.zeros((len(rois), x.shape[1], pooled_height, pooled_width))
    for r, image in enumerate(image_of(rois_num)):
        left, top, right, bottom = rois[r] * spatial_scale - (0.5 if aligned else 0)
        down, across = bottom - top, right - left
        if not aligned:
            down, across = max(down, 1), max(across, 1)
        high, wide = down / pooled_height, across / pooled_width
        ratio = sampling_ratio
        points = [ratio if ratio > 0 else math.ceil(size) for size in (high, wide)]
        for p, q in np.ndindex(pooled_height, pooled_width):
            for i, j in np.ndindex(*points):
                row = top + p * high + (i + 0.5) * high / points[0]
                column = left + q * wide + (j + 0.5) * wide / points[1]
                out[r, :, p, q] += at_point(x[image], row, column) / math.prod(points)
    return out


def away(number: float) -> int:
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


def inside(start: float, size: float, bin: int, bins: int, length: int) -> range:
    low = math.floor(start + bin * size / bins)
    high = math.ceil(start + (bin + 1) * size / bins)
    return range(min(max(low, 0), length), min(max(high, 0), length))


def largest(
    x: Array,
    rois: Array,
    rois_num: Array,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float = 1.0,
) -> tuple[Array, Array]:
    out = np.zeros((len(rois), x.shape[1], pooled_height, pooled_width))
    argmax = np.full(out.shape, -1)
    height, width = x.shape[2:]
    for r, c, p, q in np.ndindex(*out.shape):
        left, top, right, bottom = (away(v * spatial_scale) for v in rois[r])
        rows = inside(top, max(bottom - top + 1, 1), p, pooled_height, height)
        columns = inside(left, max(right - left + 1, 1), q, pooled_width, width)
        pixels = x[image_of(rois_num)[r], c]
        places = [(pixels[i, j], -i, -j) for i in rows for j in columns]
        if places:
            value, i, j = max(places)
            out[r, c, p, q], argmax[r, c, p, q] = value, -i * width - j
    return out, argmax


def by_position(
    x: Array,
    rois: Array,
    rois_num: Array,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float = 1.0,
) -> Array:
    bins = pooled_height * pooled_width
    out = np.zeros((len(rois), x.shape[1] // bins, pooled_height, pooled_width))
    for r, c, p, q in np.ndindex(*out.shape):
        left, top = (away(v) * spatial_scale for v in rois[r, :2])
        right, bottom = ((away(v) + 1) * spatial_scale for v in rois[r, 2:])
        rows = inside(top, max(bottom - top, 0.1), p, pooled_height, x.shape[2])
        columns = inside(left, max(right - left, 0.1), q, pooled_width, x.shape[3])
        pixels = x[image_of(rois_num)[r], c * bins + p * pooled_width + q]
        values = [pixels[i, j] for i in rows for j in columns]
        out[r, c, p, q] = sum(values) / len(values) if values else 0
    return out


def linear(forward: Any) -> Any:
    """PyTorch's product with the matrix of a function that is linear in its first."""

    def twin(t: Any, x: Any, *others: Any, **attrs: Any) -> Any:
        arrays = [np.asarray(other.detach()) for other in others]
        images = np.eye(x.numel()).reshape(-1, *x.shape)
        columns = [forward(image, *arrays, **attrs) for image in images]
        matrix = np.stack([column.ravel() for column in columns], axis=1)
        return (t.tensor(matrix) @ x.flatten()).reshape(columns[0].shape)

    return twin


def largest_in_torch(t: Any, x: Any, rois: Any, rois_num: Any, **attrs: Any) -> Any:
    arrays = [np.asarray(part.detach()) for part in (x, rois, rois_num)]
    argmax = largest(*arrays, **attrs)[1]
    out = linear(picked)(t, x, t.tensor(argmax), rois_num)
    return out, t.tensor(argmax)


def adjoint(forward: Any) -> Any:
    """What is given back to each pixel: the answer to images with a single 1."""

    def value(x: Array, y: Array, rois: Array, rois_num: Array, **attrs: Any) -> Array:
        if "pooled_height" not in attrs:
            attrs = dict(zip(BINS, x.shape[2:], strict=True), **attrs)
        dy = np.zeros(y.shape)
        for at in np.ndindex(*y.shape):
            one = np.zeros(y.shape)
            one[at] = 1
            dy[at] = (x * forward(one, rois, rois_num, **attrs)).sum()
        return dy

    return value


def picked(x: Array, argmax: Array, rois_num: Array) -> Array:
    out = np.zeros(argmax.shape)
    for at in np.ndindex(*argmax.shape):
        if argmax[at] >= 0:
            out[at] = x[image_of(rois_num)[at[0]], at[1]].ravel()[argmax[at]]
    return out


def placed(x: Array, argmax: Array, y: Array, rois_num: Array) -> Array:
    out = np.zeros((*y.shape[:2], math.prod(y.shape[2:])))
    for at in np.ndindex(*argmax.shape):
        if argmax[at] >= 0:
            out[image_of(rois_num)[at[0]], at[1], argmax[at]] += x[at]
    return out.reshape(y.shape)


def cases(channels: int, *others: dict[str, Any]) -> tuple[Case, ...]:
    x = numbers(2, channels, 5, 4)
    constant: Any = {"constant": (1,)}
    none = numbers(0, 4), np.array([0, 0])
    return (
        Case("boxes", (x, BOXES, COUNTS), BINS, **constant),
        *(
            Case(f"{attrs}", (x, BOXES, COUNTS), {**BINS, **attrs}, **constant)
            for attrs in others
        ),
        Case("empty", (x, *none), BINS, **constant),
        Case("not contiguous", (turned(x), turned(BOXES), COUNTS), BINS, **constant),
    )


def wrong(channels: int) -> tuple[Wrong, ...]:
    x = numbers(2, channels, 5, 4)
    return (
        Wrong("no image", (x[0], BOXES, COUNTS), BINS),
        Wrong("no boxes", (x, BOXES[:, :3], COUNTS), BINS),
        Wrong(
            "no bins",
            (x, BOXES, COUNTS),
            {**BINS, "pooled_height": 0},
            "InvalidValueError",
            "output_size",
        ),
        Wrong(
            "too few boxes",
            (x, BOXES, np.array([2, 0])),
            BINS,
            says="boxes_num",
            by_value=True,
        ),
    )


ARGMAX = np.array([[[[3, -1, 0]]], [[[7, 7, 2]]], [[[11, 4, -1]]]])
SPREAD = Case(
    "boxes",
    (numbers(3, 2, 2, 3), numbers(2, 2, 3, 4), BOXES, COUNTS),
    BINS,
    constant=(1, 2),
)
INNER: dict[str, Any] = {
    "inner": True,
    "refuses": (),
    "lacks": dict.fromkeys(
        ("scalar", "1-D", "broadcast", "empty", "not contiguous"), "rules call it"
    ),
}

PRIORS = np.array([[0.1, 0.2, 0.5, 0.9], [0.0, 0.3, 0.4, 0.5]])
TARGETS = np.array([[0.2, 0.1, 0.8, 0.4], [0.1, 0.1, 0.2, 0.7], [0.0, 0.5, 0.9, 1.0]])
SEEN = np.array(
    [[0, 0, 2, 2], [0, 0, 2, 1.9], [3, 3, 4, 4], [1, 0, 3, 2], [3, 3, 3, 3]], float
)


def suppressed(boxes: Array, iou_threshold: float = 0.3) -> Array:
    kept: list[int] = []
    for i, (left, top, right, bottom) in enumerate(boxes):
        for k in kept:
            a, b, c, d = boxes[k]
            shared = max(0, min(right, c) - max(left, a)) * max(
                0, min(bottom, d) - max(top, b)
            )
            both = (right - left) * (bottom - top) + (c - a) * (d - b) - shared
            if both > 0 and shared / both > iou_threshold:
                break
        else:
            kept.append(i)
    return np.array(kept, int)


def coded(
    prior_box: Array,
    prior_box_var: Array | None,
    target_box: Array,
    code_type: str = "encode_center_size",
    box_normalized: bool = True,
    axis: int = 0,
    variance: Any = (),
) -> Array:
    encodes, last = code_type.startswith("encode"), 0 if box_normalized else 1
    shape = (len(target_box), len(prior_box), 4) if encodes else target_box.shape
    out = np.zeros(shape)
    for i, j in np.ndindex(*shape[:2]):
        which = j if encodes or axis == 0 else i
        left, top, right, bottom = prior_box[which]
        sizes = right - left + last, bottom - top + last
        start = left, top
        share = list(variance) or [1.0] * 4
        if prior_box_var is not None:
            share = list(prior_box_var[which])
        for k in range(2):
            middle = start[k] + sizes[k] / 2
            if encodes:
                low, high = target_box[i, k], target_box[i, k + 2]
                own = high - low + last
                out[i, j, k] = ((low + high) / 2 - middle) / sizes[k] / share[k]
                out[i, j, k + 2] = math.log(own / sizes[k]) / share[k + 2]
            else:
                to, factor = target_box[i, j, k], target_box[i, j, k + 2]
                centre = to * share[k] * sizes[k] + middle
                size = math.exp(factor * share[k + 2]) * sizes[k]
                out[i, j, k] = centre - size / 2
                out[i, j, k + 2] = centre + size / 2 - last
    return out


def seen_by_yolo(
    x: Array,
    img_size: Array,
    anchors: Any = (),
    class_num: int = 1,
    conf_thresh: float = 0.0,
    downsample_ratio: int = 1,
    clip_bbox: bool = True,
    scale_x_y: float = 1.0,
    iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
) -> tuple[Array, Array]:
    count, (n, _, height, width) = len(anchors) // 2, x.shape
    boxes = np.zeros((n, count, height, width, 4))
    scores = np.zeros((n, count, height, width, class_num))
    for at in np.ndindex(*boxes.shape[:4]):
        image, a, i, j = at
        begin = a * (5 + class_num) + (count if iou_aware else 0)
        told = x[image, begin : begin + 5 + class_num, i, j]
        sure = 1 / (1 + math.exp(-told[4]))
        if iou_aware:
            share = 1 / (1 + math.exp(-x[image, a, i, j]))
            sure = sure ** (1 - iou_aware_factor) * share**iou_aware_factor
        if sure < conf_thresh:
            continue
        sides = zip((j, i), (width, height), img_size[image][::-1], strict=True)
        for k, (cell, cells, pixels) in enumerate(sides):
            offset = scale_x_y / (1 + math.exp(-told[k])) - (scale_x_y - 1) / 2
            middle = (cell + offset) * pixels / cells
            size = math.exp(told[k + 2]) * anchors[2 * a + k]
            size *= pixels / (downsample_ratio * cells)
            low, high = middle - size / 2, middle + size / 2
            if clip_bbox:
                low, high = max(low, 0), min(high, pixels - 1)
            boxes[at][k], boxes[at][k + 2] = low, high
        scores[at] = [sure / (1 + math.exp(-v)) for v in told[5:]]
    cells = count * height * width
    return boxes.reshape(n, cells, 4), scores.reshape(n, cells, class_num)


OFFSETS = numbers(3, 2, 4)
DECODE = {"code_type": "decode_center_size"}
HEADS, SIZES = numbers(2, 14, 2, 3), np.array([[40, 30], [50, 60]])
YOLO = {
    "anchors": [10, 13, 16, 30],
    "class_num": 2,
    "conf_thresh": 0.5,
    "downsample_ratio": 8,
}

ROWS = (
    Row(
        "box_coder",
        (
            Case("encode", (PRIORS, np.abs(OFFSETS[0]) + 0.1, TARGETS)),
            Case(
                "encode pixels",
                (PRIORS, None, TARGETS),
                {"box_normalized": False, "variance": [0.1, 0.2, 0.3, 0.4]},
            ),
            Case("decode", (PRIORS, np.abs(OFFSETS[0]) + 0.1, OFFSETS), DECODE),
            Case(
                "decode pixels",
                (PRIORS, None, OFFSETS),
                {**DECODE, "box_normalized": False},
            ),
            Case(
                "decode along the first axis",
                (TARGETS, None, OFFSETS),
                {**DECODE, "axis": 1},
            ),
            Case("empty", (PRIORS, None, numbers(0, 4))),
            Case("not contiguous", (turned(PRIORS), None, turned(TARGETS))),
        ),
        coded,
        lonely=LONELY,
        wrong=(
            Wrong("no boxes", (PRIORS, PRIORS, TARGETS[:, :3])),
            Wrong("other priors", (TARGETS, TARGETS, OFFSETS), DECODE),
            Wrong(
                "no such code",
                (PRIORS, PRIORS, TARGETS),
                {"code_type": "encode"},
                "InvalidValueError",
            ),
        ),
        lacks={**LACKS, "scalar": "it needs boxes", "1-D": "it needs boxes"},
        gradient=False,
    ),
    Row(
        "yolo_box",
        (
            Case("heads", (HEADS, SIZES), YOLO),
            Case(
                "wide offsets, boxes that are not clipped",
                (HEADS, SIZES),
                {**YOLO, "scale_x_y": 1.2, "clip_bbox": False},
            ),
            Case(
                "overlaps",
                (numbers(2, 16, 2, 3), SIZES),
                {**YOLO, "iou_aware": True, "iou_aware_factor": 0.4},
            ),
            Case("empty", (numbers(0, 14, 2, 3), np.zeros((0, 2), int)), YOLO),
            Case("not contiguous", (turned(HEADS), SIZES), YOLO),
        ),
        seen_by_yolo,
        known=(0,),
        lonely=LONELY,
        gives=lambda dtype, attrs: (dtype, dtype),
        wrong=(
            Wrong("no heads", (HEADS[:, :13], SIZES), YOLO),
            Wrong("no sizes", (HEADS, SIZES[:, :1]), YOLO),
            Wrong(
                "half an anchor",
                (HEADS, SIZES),
                {**YOLO, "anchors": [10, 13, 16]},
                "InvalidValueError",
            ),
        ),
        lacks=LACKS,
        gradient=False,
    ),
    Row(
        "roi_align",
        cases(
            2,
            {"spatial_scale": 0.5},
            {"sampling_ratio": 2},
            {"aligned": False, "spatial_scale": 0.3},
        ),
        aligned,
        linear(aligned),
        wrong=wrong(2),
        lacks=LACKS,
    ),
    Row(
        "roi_pool",
        cases(2, {"spatial_scale": 0.5}),
        largest,
        largest_in_torch,
        gives=lambda dtype, attrs: (dtype, "int64"),
        wrong=wrong(2),
        lacks=LACKS,
    ),
    Row(
        "psroi_pool",
        cases(12, {"spatial_scale": 0.5}),
        by_position,
        linear(by_position),
        wrong=(
            *wrong(12),
            Wrong("no multiple", (numbers(2, 8, 5, 4), BOXES, COUNTS), BINS),
        ),
        lacks=LACKS,
    ),
    Row("roi_spread", (SPREAD,), adjoint(aligned), linear(adjoint(aligned)), **INNER),
    Row(
        "psroi_spread",
        (
            Case(
                "boxes",
                (numbers(3, 1, 2, 3), numbers(2, 6, 3, 4), BOXES, COUNTS),
                constant=(1, 2),
            ),
        ),
        adjoint(by_position),
        linear(adjoint(by_position)),
        **INNER,
    ),
    Row(
        "place_maxima",
        (
            Case(
                "maxima",
                (numbers(3, 1, 1, 3), ARGMAX, numbers(2, 1, 3, 4), COUNTS),
                constant=(2,),
            ),
        ),
        placed,
        linear(placed),
        **INNER,
    ),
    Row(
        "pick_maxima",
        (Case("maxima", (numbers(2, 1, 3, 4), ARGMAX, COUNTS)),),
        picked,
        linear(picked),
        **INNER,
    ),
    Row(
        "nms",
        (
            Case("boxes", (SEEN,), {"iou_threshold": 0.5}),
            Case("a lower threshold", (SEEN,), {"iou_threshold": 0.1}),
            Case("empty", (numbers(0, 4),)),
            Case("not contiguous", (turned(SEEN),)),
        ),
        suppressed,
        lonely=LONELY,
        gives=always("int64"),
        wrong=(Wrong("no boxes", (numbers(3, 5),)),),
        lacks={**LACKS, "scalar": "it needs boxes", "1-D": "it needs boxes"},
        gradient=False,
        by_value=True,
    ),
)
