"""Observation of what runs: `watch`, and the base class of whoever watches.

The base class has a method for every event that the framework announces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from teachgraph.autograd.observed import attach, detach, unwatched
from teachgraph.core.observe import announce, observers

__all__ = [
    "Observer",
    "announce",
    "attach",
    "detach",
    "observers",
    "unwatched",
    "watch",
]

T = TypeVar("T")


class Observer:
    """A watcher that ignores everything; override what interests you.

    Methods must not raise: they run inside the user's own line. Objects are passed as
    they are (`Tensor`, `Node`, `Program`, ...), so read them, never change them.
    """

    def tensor_created(self, tensor: Any) -> None:
        """A leaf of the tape appeared: `to_tensor`, a parameter, a buffer."""

    def tensor_became(self, tensor: Any, result: Any | None) -> None:
        """A tensor was changed in place: to what an op gave as `result`, if one did.

        It has the result's values and, unless ops go unrecorded, its node.
        """

    def op_begin(
        self, op: str, inputs: Sequence[Any], attrs: Mapping[str, Any]
    ) -> None:
        """An op is about to run on Tensors."""

    def op_end(
        self,
        op: str,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        attrs: Mapping[str, Any],
        node: Any | None,
    ) -> None:
        """An op ran on Tensors; `node` is what it left on the tape, if anything."""

    def op_failed(
        self,
        op: str,
        inputs: Sequence[Any],
        attrs: Mapping[str, Any],
        error: BaseException,
    ) -> None:
        """An op could not run, or could not be appended to a Block."""

    def backward_begin(self, roots: Sequence[Any]) -> None:
        """A reverse pass starts at these tensors."""

    def gradients_asked(self, inputs: Sequence[Any]) -> None:
        """The pass that has begun is `grad`'s, for these: it adds to no `.grad`."""

    def gradients_returned(self, gradients: Sequence[Any | None]) -> None:
        """`grad` returns these, None for an input that the outputs do not depend on."""

    def grad_begin(self, node: Any) -> None:
        """The rule of `node` is about to run."""

    def grad_flows(self, node: Any, index: int, target: Any, grad: Any) -> None:
        """`node` hands `grad` to its input `index`.

        `target` is the edge it travels: the Node (or Output) that made that input, or
        the leaf Tensor itself.
        """

    def hooks_begin(self, target: Any, grad: Any) -> None:
        """The hooks of `target` are about to see its whole gradient `grad`."""

    def grad_ready(self, target: Any, grad: Any) -> None:
        """All contributions to `target` are summed: `grad` is its whole gradient.

        It is what goes on, after the hooks there.
        Of a node with several outputs it is a list, None where no gradient arrived.
        """

    def node_freed(self, node: Any) -> None:
        """The reverse pass has used `node` and let go of what it had saved."""

    def backward_end(self, roots: Sequence[Any]) -> None:
        """The reverse pass that started at these tensors is over."""

    def hook_changed(self, tensor: Any, name: str) -> None:
        """A hook called `name` sees the gradient of `tensor`; "": it was taken off."""

    def layer_begin(self, layer: Any) -> None:
        """A Layer is called: what runs until `layer_end` is its own."""

    def layer_end(self, layer: Any) -> None:
        """The call is over, whether it succeeded or raised."""

    def batch_begin(self, source: Any) -> None:
        """A DataLoader makes a batch: what runs until `batch_end` is its own."""

    def batch_end(self, source: Any) -> None:
        """The batch is made, or could not be."""

    def recompute_begin(self, segment: Any) -> None:
        """A segment runs a second time: what runs until `recompute_end` is that."""

    def recompute_end(self, segment: Any) -> None:
        """The second run is over, whether it succeeded or raised."""

    def clip_begin(self, clip: Any) -> None:
        """A gradient clipping is called: what runs until `clip_end` is its own."""

    def clip_end(self, clip: Any) -> None:
        """The call is over, whether it succeeded or raised."""

    def function_traced(self, function: Any, traced: Any) -> None:
        """`to_static` has made the program `traced` of a StaticFunction."""

    def tracing_failed(self, function: Any, program: Any) -> None:
        """`to_static` made no more than `program` of a StaticFunction: an error."""

    def program_created(self, program: Any) -> None:
        """A Program exists; `program.origin` names the one it was cloned from."""

    def block_created(self, block: Any) -> None:
        """A Block was added to `block.program`."""

    def variable_created(self, variable: Any) -> None:
        """A Variable was added to `variable.block`."""

    def operator_inserted(self, operator: Any, index: int) -> None:
        """An Operator was put at `index` of `operator.block.ops`."""

    def operator_removed(self, operator: Any, index: int) -> None:
        """An Operator was taken from `index` of its block."""

    def attribute_changed(self, owner: Any, name: str, value: Any) -> None:
        """An attribute of a Tensor, Variable or Operator was set afterwards."""

    def pass_applied(self, program: Any, applied: Any) -> None:
        """A pass has rewritten `program`, a copy of `program.origin`.

        `applied` says which pass, and each of its changes.
        """

    def follows(self, program: Any) -> bool:
        """True if it wants to be told of the run of `program` that begins.

        A run that nobody follows is compiled; only a failure in it is announced.
        """
        return True

    def run_begin(self, program: Any, feed: Mapping[str, Any]) -> None:
        """An Executor starts one run of `program`, with what its caller feeds."""

    def run_op(self, operator: Any, outputs: Mapping[str, Any]) -> None:
        """One Operator of the running program has computed `outputs` (name: array)."""

    def run_failed(
        self, operator: Any, inputs: Mapping[str, Any], error: BaseException
    ) -> None:
        """An Operator of the running program could not compute from `inputs`."""

    def run_end(self, program: Any) -> None:
        """The run is over, whether it succeeded or raised."""

    def process_begin(self, role: Any) -> None:
        """This thread is a trainer or server of a cluster, with this `Role`."""

    def process_end(self, role: Any) -> None:
        """This thread has done its part in the cluster."""

    def message(self, message: Any) -> None:
        """A process has sent, received, waited, updated or saved something."""


@contextmanager
def watch(observer: T) -> Iterator[T]:
    """Let `observer` watch inside the `with` block.

    >>> class Names(Observer):
    ...     def op_begin(self, op, inputs, attrs):
    ...         print(op)
    >>> import teachgraph as tg
    >>> with watch(Names()):
    ...     y = tg.to_tensor([1.0]) * 2.0
    scale
    """
    attach(observer)
    try:
        yield observer
    finally:
        detach(observer)
