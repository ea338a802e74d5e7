"""`DataParallel`: a layer of a parallel training, in which there is one process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from teachgraph.nn.layer import Layer

__all__ = ["DataParallel"]


class DataParallel(Layer):
    """A layer as each process of a parallel training holds it.

    In one process it passes everything through: there are no gradients of others to
    take the mean with.

    Args:
        layers: The layer.
        strategy: Accepted for Paddle's sake, as are the others.
        comm_buffer_size: Megabytes of gradients that are sent together.
        last_comm_buffer_size: The same of the last ones.
        find_unused_parameters: Whether some parameters may get no gradient.
        group: The processes that train it.

    In Paddle this is `paddle.DataParallel`, in 1.x `fluid.dygraph.DataParallel`.

    >>> import teachgraph as tg
    >>> net = DataParallel(tg.nn.Linear(2, 1))
    >>> net(tg.ones([3, 2])).shape, list(net.state_dict())
    ([3, 1], ['weight', 'bias'])
    """

    def __init__(
        self,
        layers: Layer,
        strategy: Any = None,
        comm_buffer_size: int = 25,
        last_comm_buffer_size: float = 1,
        find_unused_parameters: bool = False,
        group: Any = None,
    ) -> None:
        super().__init__(f"{layers.full_name()}_data_parallel")
        self._layers = layers

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the layer."""
        return self._layers(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Inside, gradients are not exchanged; here they never are."""
        yield

    def scale_loss(self, loss: Any) -> Any:
        """Return the loss, which Paddle once divided by the number of processes."""
        return loss

    def apply_collective_grads(self) -> None:
        """Take the mean of the gradients of all processes: those of this one."""

    def state_dict(self, *args: Any, **named: Any) -> dict[str, Any]:
        """The state of the layer, under the names it has there."""
        return self._layers.state_dict(*args, **named)

    def set_state_dict(self, state_dict: Any, use_structured_name: bool = True) -> Any:
        """Load a state of the layer."""
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = load_dict = set_state_dict
