"""Paddle 1.x's dynamic mode on several devices, of which there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from teachgraph.nn import Layer

__all__ = ["BackwardStrategy", "DataParallel", "ParallelEnv", "prepare_context"]


@dataclass
class BackwardStrategy:
    """How gradients are added: in one order here, so that runs repeat in any case.

    In Paddle 1.x this is `fluid.dygraph.BackwardStrategy`.
    """

    sort_sum_gradient: bool = False


@dataclass(frozen=True)
class ParallelEnv:
    """Which process of how many this is: `fluid.dygraph.ParallelEnv`."""

    nranks: int = 1
    local_rank: int = 0
    dev_id: int = 0


def prepare_context(strategy: Any = None) -> ParallelEnv:
    """What `DataParallel` is told of its processes: that there is one.

    In Paddle 1.x this is `fluid.dygraph.prepare_context`.
    """
    return ParallelEnv() if strategy is None else strategy


class DataParallel(Layer):
    """A layer whose batches are shared out over devices; here one gets them whole.

    In Paddle 1.x this is `fluid.dygraph.DataParallel`.

    >>> from teachgraph.fluid import dygraph
    >>> with dygraph.guard():
    ...     layer = dygraph.Linear(2, 2)
    ...     parallel = DataParallel(layer, prepare_context())
    >>> sorted(parallel.state_dict()) == sorted(layer.state_dict())
    True
    """

    def __init__(self, layers: Layer, strategy: Any) -> None:
        super().__init__(f"{layers.full_name()}_data_parallel")
        self._layers = layers

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """That of the layer."""
        return self._layers(*inputs, **kwargs)

    def scale_loss(self, loss: Any) -> Any:
        """The loss over how many devices there are."""
        return loss

    def apply_collective_grads(self) -> None:
        """Add up the gradients of all devices: one device has them."""

    def state_dict(self, *given: Any, **named: Any) -> Any:
        """That of the layer, under its own names."""
        return self._layers.state_dict(*given, **named)

    def set_state_dict(self, state_dict: Any, use_structured_name: bool = True) -> Any:
        """That of the layer."""
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = load_dict = set_state_dict
