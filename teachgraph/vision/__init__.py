"""Pictures: data sets of them, and what is done to them before a model sees them.

In Paddle this is `paddle.vision`.
"""

from teachgraph.vision import datasets, transforms
from teachgraph.vision.image import get_image_backend, image_load, set_image_backend

__all__ = [
    "datasets",
    "get_image_backend",
    "image_load",
    "set_image_backend",
    "transforms",
]
