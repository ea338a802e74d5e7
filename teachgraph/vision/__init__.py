"""Computer vision: images and their data sets, transforms, models, detection.

In Paddle this is `paddle.vision`.
"""

from importlib import import_module
from typing import Any

from teachgraph.ops.left_out import absent
from teachgraph.vision import datasets, transforms
from teachgraph.vision.image import get_image_backend, image_load, set_image_backend

__all__ = [
    "datasets",
    "get_image_backend",
    "image_load",
    "models",
    "ops",
    "set_image_backend",
    "transforms",
]


def __getattr__(name: str) -> Any:
    if name == "models":  # they import most of the package: loaded when first used
        return import_module("teachgraph.vision.models")
    if name == "ops":
        return import_module("teachgraph.vision.ops")
    if not name.startswith("_"):
        for room in (transforms, datasets, import_module("teachgraph.vision.models")):
            if name in room.__all__:
                return getattr(room, name)
    return absent("vision")(name)
