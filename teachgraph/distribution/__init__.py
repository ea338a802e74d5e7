"""Probability distributions: densities, samples, entropies, divergences, transforms.

In Paddle this is `paddle.distribution`.
"""

from teachgraph.distribution import transform
from teachgraph.distribution.bernoulli import Bernoulli
from teachgraph.distribution.beta import Beta
from teachgraph.distribution.categorical import Categorical
from teachgraph.distribution.cauchy import Cauchy
from teachgraph.distribution.dirichlet import Dirichlet
from teachgraph.distribution.distribution import Distribution
from teachgraph.distribution.exponential_family import ExponentialFamily
from teachgraph.distribution.geometric import Geometric
from teachgraph.distribution.gumbel import Gumbel
from teachgraph.distribution.independent import Independent
from teachgraph.distribution.kl import kl_divergence, register_kl
from teachgraph.distribution.laplace import Laplace
from teachgraph.distribution.lognormal import LogNormal
from teachgraph.distribution.multinomial import Multinomial
from teachgraph.distribution.normal import Normal
from teachgraph.distribution.transform import (
    AbsTransform,
    AffineTransform,
    ChainTransform,
    ExpTransform,
    IndependentTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
)
from teachgraph.distribution.transformed_distribution import TransformedDistribution
from teachgraph.distribution.uniform import Uniform

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "ChainTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "ExponentialFamily",
    "Geometric",
    "Gumbel",
    "Independent",
    "IndependentTransform",
    "Laplace",
    "LogNormal",
    "Multinomial",
    "Normal",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "kl_divergence",
    "register_kl",
    "transform",
]
