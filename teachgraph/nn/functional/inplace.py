"""In-place activations: `relu_(x)` computes `relu(x)` and stores it in `x`.

Only for Tensors: a Program's variables are not updated in place.
"""

from teachgraph.autograd.inplace import in_place
from teachgraph.nn.functional import activation

__all__ = [
    "elu_",
    "hardtanh_",
    "leaky_relu_",
    "relu_",
    "softmax_",
    "tanh_",
    "thresholded_relu_",
]

elu_ = in_place(activation.elu)
hardtanh_ = in_place(activation.hardtanh)
leaky_relu_ = in_place(activation.leaky_relu)
relu_ = in_place(activation.relu)
softmax_ = in_place(activation.softmax)
tanh_ = in_place(activation.tanh)
thresholded_relu_ = in_place(activation.thresholded_relu)
