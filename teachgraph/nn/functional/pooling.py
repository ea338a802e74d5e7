"""Pooling: max, average, adaptive, and unpooling, in 1, 2 and 3 dimensions.

Padding is given as for convolutions; `stride` is the window's size by default.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.nn.functional.conv import Numbers, Padding, paddings, per_dimension
from teachgraph.ops import pixels, pool
from teachgraph.ops.functions.manipulation import squeeze, unsqueeze

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]

Sizes = int | Sequence[int | None]


def windows(
    kernel_size: Numbers,
    stride: Numbers | None,
    padding: Padding,
    dims: int,
    data_format: str,
) -> dict[str, Any]:
    """Build the window attributes of a pooling op."""
    ksize = per_dimension(kernel_size, dims)
    numbers, algorithm = paddings(padding, dims, data_format)
    return {
        "ksize": ksize,
        "strides": ksize if stride is None else per_dimension(stride, dims),
        "paddings": numbers,
        "padding_algorithm": algorithm,
    }


def as_one_row(attrs: dict[str, Any]) -> dict[str, Any]:
    """Extend the attributes of a sequence to those of an image of one row."""
    front = {"ksize": [1], "strides": [1], "paddings": [0] * len(attrs["paddings"])}
    return attrs | {name: [*more, *attrs[name]] for name, more in front.items()}


def max_pool1d(
    x: Any,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Padding = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    name: Any = None,
) -> Any:
    """Compute the maximum of each window of sequences [N, C, L].

    >>> import numpy as np
    >>> max_pool1d(np.array([[[1.0, 3.0, 2.0, 5.0]]]), 2)
    array([[[3., 5.]]])
    """
    attrs = as_one_row(windows(kernel_size, stride, padding, 1, "NCL"))
    attrs["ceil_mode"] = ceil_mode
    row = unsqueeze(x, 2)
    if return_mask:
        out, mask = pool.max_pool2d_with_index(row, **attrs)
        return squeeze(out, 2), squeeze(mask, 2)
    return squeeze(pool.pool2d(row, pooling_type="max", **attrs), 2)


def max_pool2d(
    x: Any,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Padding = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    name: Any = None,
) -> Any:
    """Compute the maximum of each window of images [N, C, H, W].

    The gradient goes to the first maximal element.

    Args:
        x: The images.
        kernel_size: Height and width of the window, or one number for both.
        stride: From one window to the next; by default the window's size.
        padding: Around the image; it is never the maximum.
        return_mask: Return the indices of the maxima as well.
        ceil_mode: Round sizes up: a last window may reach beyond the image.
        data_format: `NHWC` if the channels come last.
        name: Ignored.

    Raises:
        ShapeError: A window is larger than the image, or covers only padding.
        InvalidValueError: `return_mask` with channels last.

    In Paddle this is `paddle.nn.functional.max_pool2d`.

    >>> import numpy as np
    >>> max_pool2d(np.array([[[[1.0, 3.0], [2.0, 0.0]]]]), 2)
    array([[[[3.]]]])
    """
    attrs = windows(kernel_size, stride, padding, 2, data_format)
    if not return_mask:
        how = {"ceil_mode": ceil_mode, "data_format": data_format}
        return pool.pool2d(x, pooling_type="max", **attrs, **how)
    check_mask(data_format)
    return pool.max_pool2d_with_index(x, ceil_mode=ceil_mode, **attrs)


def max_pool3d(
    x: Any,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Padding = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCDHW",
    name: Any = None,
) -> Any:
    """Compute the maximum of each window of volumes [N, C, D, H, W].

    >>> import numpy as np
    >>> max_pool3d(np.arange(8.0).reshape(1, 1, 2, 2, 2), 2).ravel()
    array([7.])
    """
    attrs = windows(kernel_size, stride, padding, 3, data_format)
    if not return_mask:
        how = {"ceil_mode": ceil_mode, "data_format": data_format, "exclusive": False}
        return pool.pool3d(x, pooling_type="max", **attrs, **how)
    check_mask(data_format)
    return pool.max_pool3d_with_index(x, ceil_mode=ceil_mode, **attrs)


def check_mask(data_format: str) -> None:
    """Refuse a mask for channels last: its indices would be ambiguous.

    Raises:
        InvalidValueError: The channels come last.
    """
    if data_format.endswith("C"):
        raise InvalidValueError.here(
            f"return_mask needs channels first, not {data_format}"
        )


def avg_pool1d(
    x: Any,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Padding = 0,
    exclusive: bool = True,
    ceil_mode: bool = False,
    name: Any = None,
) -> Any:
    """Compute the mean of each window of sequences [N, C, L].

    >>> import numpy as np
    >>> avg_pool1d(np.array([[[1.0, 3.0, 2.0, 5.0]]]), 2)
    array([[[2. , 3.5]]])
    """
    attrs = as_one_row(windows(kernel_size, stride, padding, 1, "NCL"))
    how = {"exclusive": exclusive, "ceil_mode": ceil_mode}
    out = pool.pool2d(unsqueeze(x, 2), pooling_type="avg", **attrs, **how)
    return squeeze(out, 2)


def avg_pool2d(
    x: Any,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Padding = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: float | None = None,
    data_format: str = "NCHW",
    name: Any = None,
) -> Any:
    """Compute the mean of each window of images [N, C, H, W].

    Args:
        x: The images.
        kernel_size: Height and width of the window, or one number for both.
        stride: From one window to the next; by default the window's size.
        padding: Around the image.
        ceil_mode: Round sizes up: a last window may reach beyond the image.
        exclusive: Exclude padding from the mean.
        divisor_override: The divisor, instead of the number of elements.
        data_format: `NHWC` if the channels come last.
        name: Ignored.

    Raises:
        ShapeError: A window is larger than the image, or covers only padding.

    In Paddle this is `paddle.nn.functional.avg_pool2d`.

    >>> import numpy as np
    >>> avg_pool2d(np.array([[[[1.0, 3.0], [2.0, 0.0]]]]), 2)
    array([[[[1.5]]]])
    """
    how = {"ceil_mode": ceil_mode, "exclusive": exclusive, "data_format": data_format}
    attrs = windows(kernel_size, stride, padding, 2, data_format)
    out = pool.pool2d(x, pooling_type="avg", **attrs, **how)
    return with_divisor(out, attrs["ksize"], divisor_override)


def avg_pool3d(
    x: Any,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Padding = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: float | None = None,
    data_format: str = "NCDHW",
    name: Any = None,
) -> Any:
    """Compute the mean of each window of volumes [N, C, D, H, W].

    >>> import numpy as np
    >>> avg_pool3d(np.arange(8.0).reshape(1, 1, 2, 2, 2), 2).ravel()
    array([3.5])
    """
    how = {"ceil_mode": ceil_mode, "exclusive": exclusive, "data_format": data_format}
    attrs = windows(kernel_size, stride, padding, 3, data_format)
    out = pool.pool3d(x, pooling_type="avg", **attrs, **how)
    return with_divisor(out, attrs["ksize"], divisor_override)


def with_divisor(out: Any, ksize: Sequence[int], divisor: float | None) -> Any:
    """Replace the divisor of means of whole windows."""
    if divisor is None:
        return out
    return out * prod(ksize) / divisor


def counts(output_size: Sizes, x: Any, dims: int, data_format: str) -> list[int]:
    """Resolve the number of windows of each dimension; None keeps a size."""
    wanted = [output_size] * dims if isinstance(output_size, int) else output_size
    image = x.shape[1:-1] if data_format.endswith("C") else x.shape[2:]
    if wanted is None:
        return list(image)
    if len(wanted) != dims:
        raise InvalidValueError.here(
            f"output_size has {dims} numbers, not {list(wanted)}"
        )
    pairs = zip(wanted, image, strict=False)
    return [own if n is None else n for n, own in pairs]


def adaptive_avg_pool1d(x: Any, output_size: Sizes, name: Any = None) -> Any:
    """Compute the means of `output_size` windows that cover sequences [N, C, L].

    >>> import numpy as np
    >>> adaptive_avg_pool1d(np.array([[[1.0, 3.0, 2.0, 5.0]]]), 2)
    array([[[2. , 3.5]]])
    """
    ksize = [1, *counts(output_size, x, 1, "NCL")]
    out = pool.pool2d(unsqueeze(x, 2), pooling_type="avg", ksize=ksize, adaptive=True)
    return squeeze(out, 2)


def adaptive_avg_pool2d(
    x: Any, output_size: Sizes, data_format: str = "NCHW", name: Any = None
) -> Any:
    """Compute the means of windows that cover images [N, C, H, W].

    Window i of m over H rows goes from floor(i H / m) to ceil((i + 1) H / m).

    Args:
        x: The images.
        output_size: Rows and columns of the result, or one number for both; None keeps
            the image's size.
        data_format: `NHWC` if the channels come last.
        name: Ignored.

    In Paddle this is `paddle.nn.functional.adaptive_avg_pool2d`.

    >>> import numpy as np
    >>> adaptive_avg_pool2d(np.array([[[[1.0, 3.0], [2.0, 0.0]]]]), (None, 1)).ravel()
    array([2., 1.])
    """
    ksize = counts(output_size, x, 2, data_format)
    how = {"ksize": ksize, "adaptive": True, "data_format": data_format}
    return pool.pool2d(x, pooling_type="avg", **how)


def adaptive_avg_pool3d(
    x: Any, output_size: Sizes, data_format: str = "NCDHW", name: Any = None
) -> Any:
    """Compute the means of windows that cover volumes [N, C, D, H, W].

    >>> import numpy as np
    >>> adaptive_avg_pool3d(np.arange(8.0).reshape(1, 1, 2, 2, 2), 1).ravel()
    array([3.5])
    """
    ksize = counts(output_size, x, 3, data_format)
    how = {"ksize": ksize, "adaptive": True, "data_format": data_format}
    return pool.pool3d(x, pooling_type="avg", **how)


def adaptive_max_pool1d(
    x: Any, output_size: Sizes, return_mask: bool = False, name: Any = None
) -> Any:
    """Compute the maxima of `output_size` windows that cover sequences [N, C, L].

    >>> import numpy as np
    >>> adaptive_max_pool1d(np.array([[[1.0, 3.0, 2.0, 5.0]]]), 2)
    array([[[3., 5.]]])
    """
    ksize = [1, *counts(output_size, x, 1, "NCL")]
    out, mask = pool.max_pool2d_with_index(unsqueeze(x, 2), ksize=ksize, adaptive=True)
    return (squeeze(out, 2), squeeze(mask, 2)) if return_mask else squeeze(out, 2)


def adaptive_max_pool2d(
    x: Any, output_size: Sizes, return_mask: bool = False, name: Any = None
) -> Any:
    """Compute the maxima of windows that cover images [N, C, H, W].

    Args:
        x: The images.
        output_size: Rows and columns of the result, or one number for both; None keeps
            the image's size.
        return_mask: Return the indices of the maxima as well.
        name: Ignored.

    In Paddle this is `paddle.nn.functional.adaptive_max_pool2d`.

    >>> import numpy as np
    >>> adaptive_max_pool2d(np.array([[[[1.0, 3.0], [2.0, 0.0]]]]), (None, 1)).ravel()
    array([3., 2.])
    """
    ksize = counts(output_size, x, 2, "NCHW")
    out, mask = pool.max_pool2d_with_index(x, ksize=ksize, adaptive=True)
    return (out, mask) if return_mask else out


def adaptive_max_pool3d(
    x: Any, output_size: Sizes, return_mask: bool = False, name: Any = None
) -> Any:
    """Compute the maxima of windows that cover volumes [N, C, D, H, W].

    >>> import numpy as np
    >>> adaptive_max_pool3d(np.arange(8.0).reshape(1, 1, 2, 2, 2), 1).ravel()
    array([7.])
    """
    ksize = counts(output_size, x, 3, "NCDHW")
    out, mask = pool.max_pool3d_with_index(x, ksize=ksize, adaptive=True)
    return (out, mask) if return_mask else out


def unpooled(
    x: Any,
    kernel_size: Numbers,
    stride: Numbers | None,
    padding: Numbers,
    output_size: Sequence[int] | None,
    dims: int,
) -> dict[str, Any]:
    """Build the attributes of an unpooling, with the output size.

    Raises:
        InvalidValueError: No such pooling maps the size to that of x.
    """
    ksize, pads = per_dimension(kernel_size, dims), per_dimension(padding, dims)
    strides = ksize if stride is None else per_dimension(stride, dims)
    rows = zip(x.shape[2:], ksize, strides, pads, strict=True)
    usual = [(n - 1) * step + k - 2 * p for n, k, step, p in rows]
    size = usual if output_size is None else list(output_size)[-dims:]
    near = zip(size, usual, strides, strict=True)
    if not all(abs(n - m) < step for n, m, step in near):
        raise InvalidValueError.here(
            f"output_size {size} is not within a stride of {usual}"
        )
    how = {"ksize": ksize, "strides": strides, "paddings": pads}
    return how | {"output_size": size}


def max_unpool1d(
    x: Any,
    indices: Any,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    data_format: str = "NCL",
    output_size: Sequence[int] | None = None,
    name: Any = None,
) -> Any:
    """Scatter maxima back to their positions in sequences; zeros elsewhere.

    >>> import numpy as np
    >>> out, mask = max_pool1d(np.array([[[1.0, 3.0, 5.0, 2.0]]]), 2, return_mask=True)
    >>> max_unpool1d(out, mask, 2)
    array([[[0., 3., 5., 0.]]])
    """
    how = unpooled(x, kernel_size, stride, padding, output_size, 1)
    row = {name: [1, *value] for name, value in how.items()} | {
        "paddings": [0, *how["paddings"]]
    }
    return squeeze(pixels.unpool(unsqueeze(x, 2), unsqueeze(indices, 2), **row), 2)


def max_unpool2d(
    x: Any,
    indices: Any,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    data_format: str = "NCHW",
    output_size: Sequence[int] | None = None,
    name: Any = None,
) -> Any:
    """Scatter maxima back to their positions in images; zeros elsewhere.

    Args:
        x: The result of `max_pool2d`, [N, C, H, W].
        indices: Its mask.
        kernel_size: The pooling's window.
        stride: The pooling's stride.
        padding: The pooling's padding.
        data_format: `NCHW`, the only one supported.
        output_size: The size; by default (n - 1) stride + window - 2 padding.
        name: Ignored.

    Raises:
        InvalidValueError: The size does not fit, or an index is out of range.

    In Paddle this is `paddle.nn.functional.max_unpool2d`.

    >>> import numpy as np
    >>> image = np.array([[[[1.0, 3.0], [2.0, 0.0]]]])
    >>> max_unpool2d(*max_pool2d(image, 2, return_mask=True), 2)
    array([[[[0., 3.],
             [0., 0.]]]])
    """
    how = unpooled(x, kernel_size, stride, padding, output_size, 2)
    return pixels.unpool(x, indices, **how)


def max_unpool3d(
    x: Any,
    indices: Any,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    data_format: str = "NCDHW",
    output_size: Sequence[int] | None = None,
    name: Any = None,
) -> Any:
    """Scatter maxima back to their positions in volumes [N, C, D, H, W].

    >>> import numpy as np
    >>> cube = np.arange(8.0).reshape(1, 1, 2, 2, 2)
    >>> max_unpool3d(*max_pool3d(cube, 2, return_mask=True), 2).ravel()
    array([0., 0., 0., 0., 0., 0., 0., 7.])
    """
    how = unpooled(x, kernel_size, stride, padding, output_size, 3)
    return pixels.unpool3d(x, indices, **how)
