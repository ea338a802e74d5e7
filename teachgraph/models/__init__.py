"""Model zoo: complete networks, and loading of PyTorch's and Paddle's weights.

`alexnet` and `googlenet` are functions here, of modules of the same name.
"""

from teachgraph.models import (
    bert,
    decoding,
    densenet,
    inception,
    lenet,
    lstm,
    mobilenet,
    policy,
    policy_gradient,
    resnet,
    shufflenet,
    squeezenet,
    transformer,
    vgg,
)
from teachgraph.models.alexnet import AlexNet, alexnet
from teachgraph.models.bert import *  # noqa: F403
from teachgraph.models.decoding import *  # noqa: F403
from teachgraph.models.densenet import *  # noqa: F403
from teachgraph.models.googlenet import GoogLeNet, googlenet
from teachgraph.models.inception import *  # noqa: F403
from teachgraph.models.lenet import *  # noqa: F403
from teachgraph.models.lstm import *  # noqa: F403
from teachgraph.models.mobilenet import *  # noqa: F403
from teachgraph.models.policy import *  # noqa: F403
from teachgraph.models.policy_gradient import *  # noqa: F403
from teachgraph.models.resnet import *  # noqa: F403
from teachgraph.models.shufflenet import *  # noqa: F403
from teachgraph.models.squeezenet import *  # noqa: F403
from teachgraph.models.transformer import *  # noqa: F403
from teachgraph.models.vgg import *  # noqa: F403
from teachgraph.models.weights import load_pytorch

__all__ = ["AlexNet", "GoogLeNet", "alexnet", "googlenet", "load_pytorch"]
__all__ += bert.__all__
__all__ += decoding.__all__
__all__ += densenet.__all__
__all__ += inception.__all__
__all__ += lenet.__all__
__all__ += lstm.__all__
__all__ += mobilenet.__all__
__all__ += policy.__all__
__all__ += policy_gradient.__all__
__all__ += resnet.__all__
__all__ += shufflenet.__all__
__all__ += squeezenet.__all__
__all__ += transformer.__all__
__all__ += vgg.__all__
