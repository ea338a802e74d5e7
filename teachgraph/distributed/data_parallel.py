"""`DataParallel`: a layer that each trainer copies, with a share of the data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from teachgraph.distributed.buckets import Reducer
from teachgraph.distributed.communication import broadcast, get_world_size
from teachgraph.distributed.transport import connected, transport
from teachgraph.nn.layer import Layer

__all__ = ["DataParallel"]


class DataParallel(Layer):
    """A layer as each process of a parallel training holds it.

    All begin with the parameters of trainer 0. After `loss.backward()` each gradient is
    the mean of those of all trainers; sums travel while backward goes on. In one
    process it passes everything through.

    Args:
        layers: The layer.
        strategy: Accepted for Paddle's sake.
        comm_buffer_size: Megabytes of gradients that are sent together.
        last_comm_buffer_size: The same of those that are ready last.
        find_unused_parameters: Accepted for Paddle's sake: a parameter that a trainer
            does not use counts as a gradient of 0.
        group: Accepted for Paddle's sake.

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
        comm_buffer_size: float = 25,
        last_comm_buffer_size: float = 1,
        find_unused_parameters: bool = False,
        group: Any = None,
    ) -> None:
        super().__init__(f"{layers.full_name()}_data_parallel")
        self._layers = layers
        self._reducer: Reducer | None = None
        if connected() and get_world_size() > 1:
            for value in (*layers.parameters(), *layers.buffers()):
                broadcast(value)
            sizes = comm_buffer_size, last_comm_buffer_size
            self._reducer = Reducer(layers.parameters(), transport(), *sizes)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the layer."""
        return self._layers(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Inside, gradients are accumulated and not exchanged."""
        if self._reducer is None:
            yield
            return
        self._reducer.enabled = False
        try:
            yield
        finally:
            self._reducer.enabled = True

    def scale_loss(self, loss: Any) -> Any:
        """Return the loss, which Paddle once divided by the number of processes."""
        return loss

    def apply_collective_grads(self) -> None:
        """Do nothing: gradients are means when backward ends."""

    def state_dict(self, *args: Any, **named: Any) -> dict[str, Any]:
        """The state of the layer, under the names it has there."""
        return self._layers.state_dict(*args, **named)

    def set_state_dict(self, state_dict: Any, use_structured_name: bool = True) -> Any:
        """Load a state of the layer."""
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = load_dict = set_state_dict
