"""The steps of a `Model` in dynamic mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from teachgraph.autograd.creation import to_tensor
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.modes import no_grad
from teachgraph.hapi.batches import values_in

if TYPE_CHECKING:
    from teachgraph.hapi.model import Model

__all__ = ["Dynamic", "Figures", "metric_value"]

Figures = tuple[list[Any], list[Any]]
"""The losses, and what the metrics say."""


class Dynamic:
    """Runs the network on Tensors, and differentiates on the tape."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def train(
        self, inputs: Sequence[Any], labels: Sequence[Any], *, update: bool
    ) -> Figures:
        """One step: forward, backward, and the update of the parameters."""
        model = self.model
        model.network.train()
        outputs, targets = self.outputs(inputs), tensors(labels)
        losses = self.losses(outputs, targets)
        reduce(add, losses).backward()
        if update:
            model.optimizer.step()
            model.optimizer.clear_grad()
        return arrays(losses), self.measure(outputs, targets)

    def evaluate(self, inputs: Sequence[Any], labels: Sequence[Any]) -> Figures:
        """Losses and metrics of a batch, without gradients."""
        self.model.network.eval()
        with no_grad():
            outputs, targets = self.outputs(inputs), tensors(labels)
            losses = [] if self.model.loss is None else self.losses(outputs, targets)
            return arrays(losses), self.measure(outputs, targets)

    def predict(self, inputs: Sequence[Any]) -> list[Any]:
        """The network's outputs on a batch, without gradients."""
        self.model.network.eval()
        with no_grad():
            return arrays(self.outputs(inputs))

    def state(self) -> dict[str, Any]:
        """The values of the parameters and buffers, by their names in the network."""
        return self.model.network.state_dict()

    def load(self, state: Mapping[str, Any]) -> None:
        """Give some parameters and buffers these values."""
        self.model.network.set_state_dict({**self.state(), **state})

    def load_optimizer(self, state: Mapping[str, Any]) -> None:
        """Give the optimizer this state."""
        self.model.optimizer.set_state_dict(state)

    def outputs(self, inputs: Sequence[Any]) -> list[Tensor]:
        """The network's outputs."""
        return values_in(self.model.network(*tensors(inputs)))

    def losses(self, outputs: list[Tensor], labels: list[Tensor]) -> list[Tensor]:
        """The loss function of outputs and labels, as a list."""
        assert self.model.loss is not None
        return values_in(self.model.loss(*outputs, *labels))

    def measure(self, outputs: list[Tensor], labels: list[Tensor]) -> list[Any]:
        """The value of each metric after this batch."""
        return [
            metric_value(metric, metric.compute(*outputs, *labels))
            for metric in self.model.metrics
        ]


def tensors(values: Sequence[Any]) -> list[Tensor]:
    """Arrays as Tensors; Tensors as they are."""
    return [v if isinstance(v, Tensor) else to_tensor(v) for v in values]


def arrays(values: Sequence[Tensor]) -> list[Any]:
    """The values of Tensors."""
    return [value.numpy() for value in values]


def metric_value(metric: Any, computed: Any) -> Any:
    """The value of a metric after it was updated with what it computed of a batch."""
    return metric.update(*(np.asarray(value) for value in values_in(computed)))
