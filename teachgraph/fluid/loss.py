"""Paddle 1.x's losses: ranking, CTC, overlap of images; and layers used with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.op import find
from teachgraph.fluid.aliases import alias
from teachgraph.fluid.nn import image_resize
from teachgraph.nn import functional
from teachgraph.nn.parametric import row_conv, spectral_norm
from teachgraph.ops import functions
from teachgraph.ops.activation import activated

__all__ = [
    "add_position_encoding",
    "affine_channel",
    "affine_grid",
    "fsp_matrix",
    "grid_sampler",
    "image_resize_short",
    "interpolate",
    "margin_rank_loss",
    "mean_iou",
    "rank_loss",
    "resize_trilinear",
    "row_conv",
    "shuffle_channel",
    "smooth_l1",
    "space_to_depth",
    "spectral_norm",
    "temporal_shift",
    "warpctc",
]

interpolate = image_resize
affine_grid = alias(functional.affine_grid, "theta, out_shape, name=None")
grid_sampler = alias(functional.grid_sample, "x, grid, name=None")
shuffle_channel = alias(
    functional.channel_shuffle, "x, group, name=None", group="groups"
)
temporal_shift = alias(
    functional.temporal_shift, "x, seg_num, shift_ratio=0.25, name=None"
)


def resize_trilinear(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: Any = None,
    actual_shape: Any = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCDHW",
) -> Any:
    """Resize volumes by trilinear interpolation: `image_resize` of volumes."""
    how = ("TRILINEAR", None, align_corners, align_mode, data_format)
    return image_resize(input, out_shape, scale, None, *how)


def image_resize_short(
    input: Any, out_short_len: int, resample: str = "BILINEAR"
) -> Any:
    """Resize images to a length of their shorter side, with the same aspect ratio."""
    sizes = list(input.shape[2:4])
    short = min(sizes)
    if short < 0:
        raise InvalidValueError.here(
            f"image_resize_short: an image of unknown sizes {sizes}"
        )
    out = [int(size * out_short_len / short + 0.5) for size in sizes]
    return image_resize(input, out, resample=resample)


def space_to_depth(x: Any, blocksize: int, name: Any = None) -> Any:
    """Rearrange [N, C, H, W] as [N, C b^2, H/b, W/b]: the reorg of YOLO.

    C / b^2 channels of a block are laid out as an image b times as large in H and W,
    which is then read as one of the new sizes; `pixel_unshuffle` takes blocks apart.
    """
    n, c, h, w = x.shape
    b = blocksize
    blocks = functions.reshape(x, [n, b, b, c // (b * b), h, w])
    larger = functions.transpose(blocks, [0, 3, 4, 1, 5, 2])
    return functions.reshape(larger, [n, c * b * b, h // b, w // b])


def smooth_l1(
    x: Any,
    y: Any,
    inside_weight: Any = None,
    outside_weight: Any = None,
    sigma: float | None = None,
) -> Any:
    """sum over each row of outside_weight f(inside_weight (x - y)): [N, ...] -> [N, 1].

    f(d) = (sigma d)^2 / 2 where |d| < 1 / sigma^2, and |d| - 1 / (2 sigma^2) elsewhere.

    >>> import numpy as np
    >>> smooth_l1(np.array([[0.5, 3.0]]), np.zeros((1, 2))).tolist()
    [[2.625]]
    """
    square = 1.0 if sigma is None else sigma**2
    d = x - y if inside_weight is None else (x - y) * inside_weight
    far = functions.abs(d)
    near = functions.clip(far, max=1.0 / square)
    # near = |d| inside the bend: near (|d| - near / 2) square is f(d) on either side.
    loss = square * near * (far - 0.5 * near)
    loss = loss if outside_weight is None else loss * outside_weight
    rows = functions.flatten(loss, 1)
    return functions.sum(rows, 1, keepdim=True)


def rank_loss(label: Any, left: Any, right: Any, name: Any = None) -> Any:
    """log(1 + exp(o)) - label o, where o = left - right (RankNet, Burges et al., 2005).

    Args:
        label: 1 where left ranks higher, 0 where right does, [N, 1].
        left: Scores.
        right: Scores of the others.
        name: The name of the layer.
    """
    o = left - right
    return functional.softplus(o) - label * o


def margin_rank_loss(
    label: Any, left: Any, right: Any, margin: float = 0.1, name: Any = None
) -> Any:
    """max(0, margin - label (left - right)), where the label is 1 or -1."""
    return functional.relu(margin - label * (left - right))


def warpctc(
    input: Any,
    label: Any,
    blank: int = 0,
    norm_by_times: bool = False,
    input_length: Any = None,
    label_length: Any = None,
) -> Any:
    """CTC loss: -log of the probability of all paths that spell the label, [N, 1].

    Args:
        input: Logits [steps, N, classes + 1].
        label: [N, longest label].
        blank: The blank class.
        norm_by_times: Divide gradients by the number of steps.
        input_length: The number of steps of each; needed, as there is no LoD here.
        label_length: The length of each label; needed.

    Raises:
        InvalidValueError: The lengths are missing.
    """
    if input_length is None or label_length is None:
        raise InvalidValueError.here(
            "warpctc: sequences are padded here, so it needs input_length and "
            "label_length"
        )
    lengths = (input_length, label_length)
    how: dict[str, Any] = {"blank": blank, "norm_by_times": norm_by_times}
    return find("warpctc")(input, label, *lengths, **how)[0]


def add_position_encoding(
    input: Any, alpha: float, beta: float, name: Any = None
) -> Any:
    """Compute alpha input + beta position, the Transformer's sines and cosines.

    Of position p the first half of the columns has sin(p / 10000^(k / (half - 1))), the
    second half the cosines.

    Args:
        input: [N, steps, columns], the number of columns even.
        alpha: The weight of the input.
        beta: The weight of the positions.
        name: The name of the layer.
    """
    steps, columns = input.shape[1:]
    half = columns // 2
    k = np.arange(half)
    power = 10000.0 ** (k / max(half - 1, 1)) if half > 1 else np.full(1, 10000.0)
    angle = np.arange(steps)[:, None] / power
    table = np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
    position = functions.assign(table[None].astype("float32") * beta)
    return alpha * input + functions.cast(position, input.dtype)


def affine_channel(
    x: Any,
    scale: Any = None,
    bias: Any = None,
    data_layout: str = "NCHW",
    name: Any = None,
    act: str | None = None,
) -> Any:
    """Compute scale x + bias, with a scale and bias for each channel."""
    axis = 1 if data_layout == "NCHW" else -1
    out = find("elementwise_mul")(x, scale, axis=axis)
    return activated(find("elementwise_add")(out, bias, axis=axis), act)


def fsp_matrix(x: Any, y: Any) -> Any:
    """Compute the mean over pixels of x's channels times y's, [N, C, D].

    Source: Yim et al. 2017, "A Gift from Knowledge Distillation".
    """
    n, c, h, w = x.shape
    left = functions.reshape(x, [n, c, h * w])
    right = functions.reshape(y, [n, y.shape[1], h * w])
    return functions.matmul(left, right, transpose_y=True) / float(h * w)


def mean_iou(input: Any, label: Any, num_classes: int) -> tuple[Any, Any, Any]:
    """Compute the intersection over union, averaged over the classes that occur.

    Args:
        input: Predicted classes.
        label: True classes, of the same shape.
        num_classes: The number of classes.

    Returns:
        The mean; the numbers of wrong and of correct pixels of each class.
    """
    said = functional.one_hot(functions.reshape(input, [-1]), num_classes)
    true = functional.one_hot(functions.reshape(label, [-1]), num_classes)
    right = functions.sum(said * true, 0)
    union = functions.sum(said, 0) + functions.sum(true, 0) - right
    seen = functions.cast(union > 0, "float32")
    share = right / functions.clip(union, min=1.0)
    mean = functions.sum(share) / functions.sum(seen)
    wrong = functions.cast(union - right, "int32")
    return mean, wrong, functions.cast(right, "int32")
