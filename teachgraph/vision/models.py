"""Vision models, re-exported from `teachgraph.models`.

In Paddle this is `paddle.vision.models`.

>>> from teachgraph.vision.models import LeNet
>>> LeNet(num_classes=3).fc[2]
Linear(in_features=84, out_features=3, dtype=float32)
"""

from teachgraph.models import (
    densenet,
    inception,
    lenet,
    mobilenet,
    resnet,
    shufflenet,
    squeezenet,
    vgg,
)
from teachgraph.models.alexnet import AlexNet, alexnet
from teachgraph.models.densenet import *  # noqa: F403
from teachgraph.models.googlenet import GoogLeNet, googlenet
from teachgraph.models.inception import *  # noqa: F403
from teachgraph.models.lenet import *  # noqa: F403
from teachgraph.models.mobilenet import *  # noqa: F403
from teachgraph.models.resnet import *  # noqa: F403
from teachgraph.models.shufflenet import *  # noqa: F403
from teachgraph.models.squeezenet import *  # noqa: F403
from teachgraph.models.vgg import *  # noqa: F403
from teachgraph.ops.paddle_modules import known_as

__all__ = ["AlexNet", "GoogLeNet", "alexnet", "googlenet"]
__all__ += densenet.__all__
__all__ += inception.__all__
__all__ += lenet.__all__
__all__ += mobilenet.__all__
__all__ += resnet.__all__
__all__ += shufflenet.__all__
__all__ += squeezenet.__all__
__all__ += vgg.__all__

known_as("vision.models")
