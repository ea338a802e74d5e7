"""Images read at the places of a grid."""

from __future__ import annotations

from typing import Any

from tests.ops.contract import Case
from tests.ops.values import numbers
from tests.oracle.functions.function import Function, functional

IMAGES = numbers(2, 2, 3, 2)
GRID = numbers(2, 1, 3, 2, low=-1.6, high=1.6, start=31)
MAPS = numbers(2, 2, 3, start=77)


def sampled(
    t: Any,
    x: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = True,
) -> Any:
    """PyTorch's, of which `align_corners` is the other way round by default."""
    read = t.nn.functional.grid_sample
    return read(x, grid, mode, padding_mode, align_corners)


def maps(t: Any, theta: Any, out_shape: Any, align_corners: bool = True) -> Any:
    return t.nn.functional.affine_grid(theta, out_shape, align_corners)


def shifted(t: Any, x: Any, seg_num: int, shift_ratio: float, data_format: str) -> Any:
    x = x if data_format == "NCHW" else x.permute(0, 3, 1, 2)
    videos = x.reshape(-1, seg_num, *x.shape[1:])
    one = int(x.shape[1] * shift_ratio)
    before = t.zeros_like(videos)
    out = t.cat(
        [
            t.cat([before[:, :1, :one], videos[:, :-1, :one]], 1),
            t.cat([videos[:, 1:, one : 2 * one], before[:, :1, one : 2 * one]], 1),
            videos[:, :, 2 * one :],
        ],
        2,
    ).reshape(x.shape)
    return out if data_format == "NCHW" else out.permute(0, 2, 3, 1)


FAMILY = (
    Function(
        "grid_sample",
        functional("grid_sample"),
        sampled,
        tuple(
            Case(
                f"{mode}, {padding}, {'corners' if aligned else 'edges'}",
                (IMAGES, GRID),
                {"mode": mode, "padding_mode": padding, "align_corners": aligned},
                constant=() if mode == "bilinear" else (1,),
            )
            for mode in ("bilinear", "nearest")
            for padding in ("zeros", "border", "reflection")
            for aligned in (True, False)
        ),
    ),
    Function(
        "affine_grid",
        functional("affine_grid"),
        maps,
        (
            Case("corners", (MAPS,), {"out_shape": [2, 1, 2, 3]}),
            Case("edges", (MAPS,), {"out_shape": [2, 1, 3, 1], "align_corners": False}),
            Case("volumes", (numbers(1, 3, 4),), {"out_shape": [1, 2, 2, 3, 2]}),
        ),
    ),
    Function(
        "temporal_shift",
        functional("temporal_shift"),
        shifted,
        (
            Case(
                "channels second",
                (numbers(6, 4, 2, 1),),
                {"seg_num": 3, "shift_ratio": 0.25, "data_format": "NCHW"},
            ),
            Case(
                "channels last",
                (numbers(4, 1, 2, 5),),
                {"seg_num": 2, "shift_ratio": 0.4, "data_format": "NHWC"},
            ),
        ),
    ),
)
