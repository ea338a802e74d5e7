"""Networks for digits that do not learn, each because of choices that somebody made.

Lesson 12 has the learner look at one step of each, and change at most two choices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from teachgraph import nn, optimizer
from teachgraph.autograd.creation import to_tensor
from teachgraph.autograd.random_state import seed
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.modes import no_grad
from teachgraph.course.digits import batches, test_digits, train_digits
from teachgraph.ops import functions

__all__ = ["CHOICES", "SICK", "Patient", "patient", "recovered"]

SIZES = (784, 32, 32, 32, 32, 10)
"""The widths of each network."""

CHOICES: dict[str, tuple[Any, ...]] = {
    "activation": ("sigmoid", "tanh", "relu"),
    "weights": ("zeros", "small", "he"),
    "pixels": (1, 255),
    "loss": ("by the book", "nan is 0", "cross_entropy"),
}
"""The choices that have names; besides there is `rate`, a number."""

SICK: dict[str, dict[str, Any]] = {
    "shy": {"activation": "sigmoid", "weights": "small"},
    "stiff": {"weights": "zeros"},
    "loud": {"pixels": 255, "loss": "by the book"},
}
"""Choices of each patient, in the place of those that are well."""

WELL: dict[str, Any] = {
    "activation": "relu",
    "weights": "he",
    "pixels": 1,
    "loss": "cross_entropy",
    "rate": 0.03,
}

ACTIVATIONS: dict[str, Callable[[], Any]] = {
    "sigmoid": nn.Sigmoid,
    "tanh": nn.Tanh,
    "relu": nn.ReLU,
}


def by_the_book(scores: Any, labels: Any) -> Any:
    """-log of the softmax at the label, as it is written in books: it overflows."""
    powers = functions.exp(scores)
    shares = powers / powers.sum(axis=1, keepdim=True)
    chosen = nn.functional.one_hot(labels.reshape([-1]), 10)
    return -(functions.log(shares) * chosen).sum(axis=1).mean()


def nan_is_zero(scores: Any, labels: Any) -> Any:
    """Cross-entropy by the book, with 0 in the place of NaN, which nobody sees."""
    return functions.nan_to_num(by_the_book(scores, labels), posinf=0.0)


LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "by the book": by_the_book,
    "nan is 0": nan_is_zero,
    "cross_entropy": nn.functional.cross_entropy,
}


@dataclass
class Patient:
    """A network with its optimizer, and the choices that were made for it."""

    net: Any
    optimizer: Any
    choices: dict[str, Any]

    def loss(self, images: Any, labels: Any) -> Any:
        """The loss on a batch of images from 0 to 1, arrays."""
        pixels = to_tensor(images * self.choices["pixels"])
        labels = to_tensor(labels)
        return LOSSES[self.choices["loss"]](self.net(pixels), labels)

    def step(self, images: Any, labels: Any) -> float:
        """Take a step of training: its loss."""
        loss = self.loss(images, labels)
        loss.backward()
        self.optimizer.step()
        self.optimizer.clear_grad()
        return float(loss.item())

    def accuracy(self) -> float:
        """The share of digits that it reads and has never seen."""
        images, labels = test_digits()
        with no_grad():
            scores = self.net(to_tensor(images * self.choices["pixels"]))
        return float((scores.numpy().argmax(axis=1) == labels.ravel()).mean())


def patient(name: str, changes: Mapping[str, Any] | None = None) -> Patient:
    """A network that does not learn, with some of its choices changed.

    Args:
        name: "shy", "stiff" or "loud".
        changes: Choices to make otherwise; see `CHOICES`.

    Raises:
        InvalidValueError: There is no such patient or choice.

    >>> patient("stiff").choices["weights"]
    'zeros'
    """
    if name not in SICK:
        raise InvalidValueError.here(f"the patients are {', '.join(SICK)}")
    changes = dict(changes or {})
    for what, choice in changes.items():
        known = CHOICES.get(what)
        if what != "rate" and (known is None or choice not in known):
            told = f"one of {known}" if known else f"no choice; those are {[*WELL]}"
            message = (
                f"{what} is {told}, not {choice!r}" if known else f"{what} is {told}"
            )
            raise InvalidValueError.here(message)
    choices = {**WELL, **SICK[name], **changes}
    seed(0)
    net = network(choices["activation"], choices["weights"])
    sgd = optimizer.SGD(choices["rate"], parameters=net.parameters())
    return Patient(net, sgd, choices)


def network(activation: str, weights: str) -> Any:
    """Layers with activations between them."""
    first = {
        "zeros": nn.initializer.Constant(0.0),
        "small": nn.initializer.Normal(0.0, 0.05),
        "he": nn.initializer.KaimingNormal(),
    }[weights]
    layers: list[Any] = []
    for rows, columns in pairwise(SIZES):
        layers += [nn.Linear(rows, columns, weight_attr=first)]
        layers += [ACTIVATIONS[activation]()]
    return nn.Sequential(*layers[:-1])


def recovered(
    name: str, changes: Mapping[str, Any] | None = None, epochs: int = 8
) -> Patient:
    """Train a patient for so many epochs."""
    one = patient(name, changes)
    for epoch in range(epochs):
        for images, labels in batches(train_digits, seed=epoch):
            one.step(images, labels)
    return one
