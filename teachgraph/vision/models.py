"""Vision models, re-exported from `teachgraph.models`.

In Paddle this is `paddle.vision.models`.

>>> from teachgraph.vision.models import LeNet
>>> LeNet(num_classes=3).fc[2]
Linear(in_features=84, out_features=3, dtype=float32)
"""

from typing import TYPE_CHECKING

from teachgraph.models import lenet, mobilenet, resnet
from teachgraph.models.lenet import *  # noqa: F403
from teachgraph.models.mobilenet import *  # noqa: F403
from teachgraph.models.resnet import *  # noqa: F403
from teachgraph.ops.left_out import absent

__all__ = lenet.__all__ + mobilenet.__all__ + resnet.__all__

if not TYPE_CHECKING:
    __getattr__ = absent("vision.models")
