"""Model zoo: complete networks, and loading of PyTorch's weights into them."""

from teachgraph.models import (
    bert,
    decoding,
    lenet,
    lstm,
    mobilenet,
    policy,
    policy_gradient,
    resnet,
    transformer,
)
from teachgraph.models.bert import *  # noqa: F403
from teachgraph.models.decoding import *  # noqa: F403
from teachgraph.models.lenet import *  # noqa: F403
from teachgraph.models.lstm import *  # noqa: F403
from teachgraph.models.mobilenet import *  # noqa: F403
from teachgraph.models.policy import *  # noqa: F403
from teachgraph.models.policy_gradient import *  # noqa: F403
from teachgraph.models.resnet import *  # noqa: F403
from teachgraph.models.transformer import *  # noqa: F403
from teachgraph.models.weights import load_pytorch

__all__ = ["load_pytorch"]
__all__ += bert.__all__
__all__ += decoding.__all__
__all__ += lenet.__all__
__all__ += lstm.__all__
__all__ += mobilenet.__all__
__all__ += policy.__all__
__all__ += policy_gradient.__all__
__all__ += resnet.__all__
__all__ += transformer.__all__
