"""Image transforms as functions, all deterministic.

In Paddle this is `paddle.vision.transforms.functional`.
"""

from typing import TYPE_CHECKING

from teachgraph.ops.left_out import absent
from teachgraph.vision.transforms.colour import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
    normalize,
    to_grayscale,
    to_tensor,
)
from teachgraph.vision.transforms.geometry import (
    affine,
    center_crop,
    crop,
    erase,
    hflip,
    pad,
    resize,
    rotate,
    vflip,
)

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
    "adjust_saturation",
    "affine",
    "center_crop",
    "crop",
    "erase",
    "hflip",
    "normalize",
    "pad",
    "resize",
    "rotate",
    "to_grayscale",
    "to_tensor",
    "vflip",
]

if not TYPE_CHECKING:
    __getattr__ = absent("vision.transforms")
