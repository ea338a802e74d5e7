"""Image transforms: preprocessing, and random data augmentation.

In Paddle this is `paddle.vision.transforms`.
"""

from typing import TYPE_CHECKING

from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as
from teachgraph.vision.transforms import functional
from teachgraph.vision.transforms.base import BaseTransform, Compose
from teachgraph.vision.transforms.chance import (
    RandomAffine,
    RandomCrop,
    RandomErasing,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomRotation,
    RandomVerticalFlip,
)
from teachgraph.vision.transforms.fixed import (
    CenterCrop,
    Grayscale,
    Normalize,
    Pad,
    Resize,
    ToTensor,
    Transpose,
)
from teachgraph.vision.transforms.functional import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
    affine,
    center_crop,
    crop,
    erase,
    hflip,
    normalize,
    pad,
    resize,
    rotate,
    to_grayscale,
    to_tensor,
    vflip,
)
from teachgraph.vision.transforms.jitter import (
    BrightnessTransform,
    ColorJitter,
    ContrastTransform,
    HueTransform,
    SaturationTransform,
)

__all__ = [
    "BaseTransform",
    "BrightnessTransform",
    "CenterCrop",
    "ColorJitter",
    "Compose",
    "ContrastTransform",
    "Grayscale",
    "HueTransform",
    "Normalize",
    "Pad",
    "RandomAffine",
    "RandomCrop",
    "RandomErasing",
    "RandomHorizontalFlip",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomVerticalFlip",
    "Resize",
    "SaturationTransform",
    "ToTensor",
    "Transpose",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
    "adjust_saturation",
    "affine",
    "center_crop",
    "crop",
    "erase",
    "functional",
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

known_as("vision.transforms")
