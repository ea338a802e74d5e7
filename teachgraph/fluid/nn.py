"""Paddle 1.x's layers of networks: convolution, pooling, normalisation, losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.op import find
from teachgraph.fluid.aliases import alias
from teachgraph.nn import functional, parametric, training
from teachgraph.nn.functional.common import seed_for
from teachgraph.nn.functional.conv import Numbers, Padding, paddings, per_dimension
from teachgraph.nn.functional.vision import resized
from teachgraph.nn.parametric import (
    batch_norm,
    bilinear_tensor_product,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    group_norm,
    layer_norm,
    prelu,
    tables,
)
from teachgraph.ops import dropout as dropouts
from teachgraph.ops import functions, pool
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.static.layers import create_parameter

__all__ = [
    "adaptive_pool2d",
    "adaptive_pool3d",
    "batch_norm",
    "bilinear_tensor_product",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "cos_sim",
    "create_parameter",
    "dice_loss",
    "dropout",
    "embedding",
    "group_norm",
    "huber_loss",
    "image_resize",
    "instance_norm",
    "kldiv_loss",
    "l2_normalize",
    "label_smooth",
    "layer_norm",
    "log_loss",
    "lrn",
    "mse_loss",
    "npair_loss",
    "pixel_shuffle",
    "pool2d",
    "pool3d",
    "prelu",
    "resize_bilinear",
    "resize_nearest",
    "sigmoid_cross_entropy_with_logits",
    "unfold",
]

log_loss = alias(functional.log_loss, "input, label, epsilon=0.0001, name=None")
mse_loss = alias(functional.mse_loss, "input, label")
kldiv_loss = alias(
    functional.kl_div, 'x, target, reduction="mean", name=None', target="label"
)
dice_loss = alias(functional.dice_loss, "input, label, epsilon=1e-05, name=None")
npair_loss = alias(functional.npair_loss, "anchor, positive, labels, l2_reg=0.002")
label_smooth = alias(
    functional.label_smooth,
    'label, prior_dist=None, epsilon=0.1, dtype="float32", name=None',
    dtype="",
)
pixel_shuffle = alias(functional.pixel_shuffle, "x, upscale_factor")
unfold = alias(
    functional.unfold, "x, kernel_sizes, strides=1, paddings=0, dilations=1, name=None"
)


def instance_norm(
    input: Any,
    epsilon: float = 1e-5,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Any:
    """Instance normalisation with a trained scale and shift, as 1.x has by default."""
    scale, shift = (
        ParamAttr() if attr is None else attr for attr in (param_attr, bias_attr)
    )
    return parametric.instance_norm(input, epsilon, scale, shift, name)


def dropout(
    x: Any,
    dropout_prob: float,
    is_test: bool | None = False,
    seed: int | None = None,
    name: Any = None,
    dropout_implementation: str = "downgrade_in_infer",
) -> Any:
    """Set random elements to 0; evaluation mode multiplies by 1 - dropout_prob instead.

    Args:
        x: A floating tensor.
        dropout_prob: The probability of each element to be set to 0.
        is_test: True for evaluation mode.
        seed: The seed.
        name: Accepted for Paddle's sake.
        dropout_implementation: "upscale_in_train" divides by 1 - dropout_prob while
            training, so that evaluation returns x, as in 2.x.

    A Tensor's mode is also that which `train()` or `eval()` of a layer chose last, as
    in 1.x.
    """
    if isinstance(x, Tensor) and not training.chosen.training:
        is_test = True
    return dropouts.dropout(
        x,
        dropout_prob=dropout_prob,
        is_test=bool(is_test),
        dropout_implementation=dropout_implementation,
        fix_seed=seed is not None,
        seed=seed or seed_for(x),
    )[0]


def pooled(
    dims: int,
    input: Any,
    pool_size: Numbers,
    pool_type: str,
    pool_stride: Numbers,
    pool_padding: Padding,
    global_pooling: bool,
    ceil_mode: bool,
    exclusive: bool,
    data_format: str,
) -> Any:
    """Return the pooling function of this many dimensions."""
    numbers, algorithm = paddings(pool_padding, dims, data_format)
    return (pool.pool2d if dims == 2 else pool.pool3d)(
        input,
        pooling_type=pool_type,
        ksize=per_dimension(pool_size, dims),
        global_pooling=global_pooling,
        strides=per_dimension(pool_stride, dims),
        paddings=numbers,
        padding_algorithm=algorithm,
        ceil_mode=ceil_mode,
        exclusive=exclusive,
        data_format=data_format,
    )


def pool2d(
    input: Any,
    pool_size: Numbers = -1,
    pool_type: str = "max",
    pool_stride: Numbers = 1,
    pool_padding: Padding = 0,
    global_pooling: bool = False,
    use_cudnn: bool = True,
    ceil_mode: bool = False,
    name: Any = None,
    exclusive: bool = True,
    data_format: str = "NCHW",
) -> Any:
    """Compute the maximum or the mean of each window of an image.

    Args:
        input: [N, C, H, W], or [N, H, W, C] with `data_format="NHWC"`.
        pool_size: The window; needed unless `global_pooling`.
        pool_type: "max" or "avg".
        pool_stride: The stride.
        pool_padding: The padding around the image.
        global_pooling: True for one window, the image.
        use_cudnn: Accepted for Paddle's sake.
        ceil_mode: True to round the output size up.
        name: Accepted for Paddle's sake.
        exclusive: True to leave the padding out of a mean.
        data_format: The layout, "NCHW" or "NHWC".

    >>> import numpy as np
    >>> pool2d(np.arange(4.0).reshape(1, 1, 2, 2), 2, "avg").item()
    1.5
    """
    window = (pool_size, pool_type, pool_stride, pool_padding, global_pooling)
    return pooled(2, input, *window, ceil_mode, exclusive, data_format)


def pool3d(
    input: Any,
    pool_size: Numbers = -1,
    pool_type: str = "max",
    pool_stride: Numbers = 1,
    pool_padding: Padding = 0,
    global_pooling: bool = False,
    use_cudnn: bool = True,
    ceil_mode: bool = False,
    name: Any = None,
    exclusive: bool = True,
    data_format: str = "NCDHW",
) -> Any:
    """Compute the maximum or the mean of each window of volumes [N, C, D, H, W]."""
    window = (pool_size, pool_type, pool_stride, pool_padding, global_pooling)
    return pooled(3, input, *window, ceil_mode, exclusive, data_format)


def adaptive_pool2d(
    input: Any,
    pool_size: Any,
    pool_type: str = "max",
    require_index: bool = False,
    name: Any = None,
) -> Any:
    """Pool images of any size to a given size."""
    if pool_type == "max":
        return functional.adaptive_max_pool2d(input, pool_size, require_index)
    return functional.adaptive_avg_pool2d(input, pool_size)


def adaptive_pool3d(
    input: Any,
    pool_size: Any,
    pool_type: str = "max",
    require_index: bool = False,
    name: Any = None,
) -> Any:
    """Pool volumes to a given size."""
    if pool_type == "max":
        return functional.adaptive_max_pool3d(input, pool_size, require_index)
    return functional.adaptive_avg_pool3d(input, pool_size)


def embedding(
    input: Any,
    size: Sequence[int],
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Any:
    """Look up rows of a learned table; ids [N, 1] give [N, D].

    Paddle 1.x has the op `lookup_table` for it, we a `squeeze2` before
    `lookup_table_v2`. `fluid.embedding` keeps the last dimension.
    """
    if len(input.shape) > 1 and input.shape[-1] == 1:
        input = functions.squeeze(input, -1)
    row = {"padding_idx": padding_idx, "param_attr": param_attr, "dtype": dtype}
    return tables.embedding(input, size, is_sparse, is_distributed, **row)


def cos_sim(X: Any, Y: Any) -> Any:  # noqa: N803  Paddle's names
    """Compute the cosine of rows: [N, D] and [N, D] or [1, D] give [N, 1]."""
    return functions.unsqueeze(functional.cosine_similarity(X, Y, axis=1), 1)


def l2_normalize(x: Any, axis: int, epsilon: float = 1e-12, name: Any = None) -> Any:
    """Divide x by its norm along `axis`."""
    return functional.normalize(x, 2, axis if len(x.shape) > 1 else 0, epsilon)


def lrn(
    input: Any,
    n: int = 5,
    k: float = 1.0,
    alpha: float = 1e-4,
    beta: float = 0.75,
    name: Any = None,
    data_format: str = "NCHW",
) -> Any:
    """Compute x / (k + alpha sum)^beta, with the sum of x^2 over `n` channels.

    2.x's `local_response_norm` takes their mean.
    """
    return functional.local_response_norm(input, n, alpha * n, beta, k, data_format)


def huber_loss(input: Any, label: Any, delta: float) -> Any:
    """Compute the Huber loss: quadratic for small differences, then linear."""
    return find("huber_loss")(input, label, delta=delta)[1]


def sigmoid_cross_entropy_with_logits(
    x: Any,
    label: Any,
    ignore_index: int = -100,
    name: Any = None,
    normalize: bool = False,
) -> Any:
    """-label log p - (1 - label) log(1 - p) with p = sigmoid(x), element by element.

    Args:
        x: Logits.
        label: Of the same shape, between 0 and 1.
        ignore_index: A label that gives 0.
        name: Accepted for Paddle's sake.
        normalize: True to divide by the number of labels that are not ignored.
    """
    op = find("sigmoid_cross_entropy_with_logits")
    out = op(x, label, None, ignore_index=ignore_index)
    if not normalize:
        return out
    ignored = functions.full_like(label, ignore_index)
    counted = functions.cast(functions.not_equal(label, ignored), x.dtype)
    return out / functions.clip(functions.sum(counted), min=1.0)


def image_resize(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: Any = None,
    resample: str = "BILINEAR",
    actual_shape: Any = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCHW",
) -> Any:
    """Resize images.

    Args:
        input: [N, C, H, W].
        out_shape: The new size, or else
        scale: the factor.
        name: Accepted for Paddle's sake.
        resample: "BILINEAR", "NEAREST", "BICUBIC", "TRILINEAR" or "LINEAR".
        actual_shape: Accepted for Paddle's sake.
        align_corners: True to align the centres of the corner pixels.
        align_mode: The coordinates otherwise: 0 for half pixels, 1 for whole ones.
        data_format: The layout, "NCHW" or "NHWC".
    """
    scale = scale if out_shape is None else None
    how = (resample.lower(), align_corners, align_mode, data_format)
    nearest = resample.upper() == "NEAREST"
    resize = resized if nearest else functional.interpolate
    return resize(input, out_shape, scale, *how)


def resize_bilinear(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: Any = None,
    actual_shape: Any = None,
    align_corners: bool = True,
    align_mode: int = 1,
    data_format: str = "NCHW",
) -> Any:
    """Resize images by bilinear interpolation: `image_resize`."""
    how = ("BILINEAR", None, align_corners, align_mode, data_format)
    return image_resize(input, out_shape, scale, None, *how)


def resize_nearest(
    input: Any,
    out_shape: Any = None,
    scale: Any = None,
    name: Any = None,
    actual_shape: Any = None,
    align_corners: bool = True,
    data_format: str = "NCHW",
) -> Any:
    """Resize images by the nearest pixel: `image_resize`."""
    how = ("NEAREST", None, align_corners, 1, data_format)
    return image_resize(input, out_shape, scale, None, *how)
