"""Image data sets: digits (bundled), MNIST and CIFAR (downloaded), and folders.

In Paddle this is `paddle.vision.datasets`.
"""

from typing import TYPE_CHECKING

from teachgraph.ops.left_out import absent
from teachgraph.vision.datasets.cifar import Cifar10, Cifar100
from teachgraph.vision.datasets.digits import Digits
from teachgraph.vision.datasets.folder import DatasetFolder, ImageFolder
from teachgraph.vision.datasets.images import LabelledImages
from teachgraph.vision.datasets.mnist import MNIST, FashionMNIST

__all__ = [
    "MNIST",
    "Cifar10",
    "Cifar100",
    "DatasetFolder",
    "Digits",
    "FashionMNIST",
    "ImageFolder",
    "LabelledImages",
]

if not TYPE_CHECKING:
    __getattr__ = absent("vision.datasets")
