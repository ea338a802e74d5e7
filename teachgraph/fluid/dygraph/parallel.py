"""Paddle 1.x's data parallelism in dynamic mode, with one process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from teachgraph.nn import Layer

__all__ = ["BackwardStrategy", "DataParallel", "ParallelEnv", "prepare_context"]


@dataclass
class BackwardStrategy:
    """The order of accumulating gradients, which is fixed here: runs are deterministic.

    In Paddle 1.x this is `fluid.dygraph.BackwardStrategy`.
    """

    sort_sum_gradient: bool = False


@dataclass(frozen=True)
class ParallelEnv:
    """The rank and number of processes: `fluid.dygraph.ParallelEnv`."""

    nranks: int = 1
    local_rank: int = 0
    dev_id: int = 0


def prepare_context(strategy: Any = None) -> ParallelEnv:
    """Return the context of `DataParallel`, of one process.

    In Paddle 1.x this is `fluid.dygraph.prepare_context`.
    """
    return ParallelEnv() if strategy is None else strategy


class DataParallel(Layer):
    """A layer that is replicated over devices; here there is one.

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
        """Divide the loss by the number of devices, 1."""
        return loss

    def apply_collective_grads(self) -> None:
        """Do nothing: one device has all gradients."""

    def state_dict(self, *args: Any, **named: Any) -> Any:
        """Return the state of the layer, under its own names."""
        return self._layers.state_dict(*args, **named)

    def set_state_dict(self, state_dict: Any, use_structured_name: bool = True) -> Any:
        """That of the layer."""
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = load_dict = set_state_dict
