"""Labelled pictures: `Digits` comes along, `MNIST` and `FashionMNIST` are fetched.

In Paddle this is `paddle.vision.datasets`.
"""

from teachgraph.vision.datasets.digits import Digits
from teachgraph.vision.datasets.images import LabelledImages
from teachgraph.vision.datasets.mnist import MNIST, FashionMNIST

__all__ = ["MNIST", "Digits", "FashionMNIST", "LabelledImages"]
