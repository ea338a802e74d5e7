"""The Tensor: an array with a place on the tape. An op on Tensors runs at once.

If a gradient may be wanted, the op leaves a node on the tape, and `backward` carries
gradients from there to the leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy import ndarray

from teachgraph.core import dtypes
from teachgraph.core.errors import (
    DTypeError,
    GradientShapeError,
    MixedModeError,
    at_user_line,
)
from teachgraph.core.extend import HookPoint
from teachgraph.core.modes import state
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import Like, Op, Traced
from teachgraph.core.tape import (
    Edge,
    Node,
    Output,
    backward_from,
    topological,
    visit_freeing,
    visit_retaining,
)

__all__ = ["Tensor", "run_op"]


class Tensor(Traced):
    """An n-dimensional array with a place on the tape.

    Attributes:
        data: The values, a NumPy array. Ops never change it; updates replace it.
        stop_gradient: True if no gradient goes this way (the inverse of PyTorch's
            `requires_grad`).
        node: What computed it on the tape, a Node or an Output; None for a leaf.
        results: The class of what ops on it return.

    In Paddle this is `paddle.Tensor`.
    """

    __slots__ = ("__weakref__", "_grad", "data", "node", "stop_gradient")

    edges: tuple[()] = ()
    born = -1
    results: ClassVar[type[Tensor]]

    def __init__(
        self,
        data: ndarray[Any, Any],
        stop_gradient: bool = True,
        node: Edge | None = None,
    ) -> None:
        self.data = data
        self.stop_gradient = stop_gradient
        self.node = node
        self._grad: Any = None

    def __init_subclass__(cls, *, as_results: bool = False) -> None:
        """With `as_results`, ops on this kind of Tensor return this kind."""
        if as_results:
            cls.results = cls

    def apply(self, op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
        """Run `op` now, and record it if a gradient may be wanted."""
        return run_op.call(op, inputs, attrs, self.results)

    @property
    def shape(self) -> list[int]:
        """The sizes of the dimensions, a list as in Paddle 2."""
        return list(self.data.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        dtype: np.dtype[Any] = self.data.dtype
        return dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.data.ndim

    @property
    def is_leaf(self) -> bool:
        """True if the user made it, rather than an op that was recorded."""
        return self.node is None

    @property
    def edge(self) -> Edge:
        """The vertex that a gradient of this tensor goes to: its node, or itself."""
        return self if self.node is None else self.node

    @property
    def grad(self) -> Self | None:
        """The gradient that backward passes accumulated; zeros once cleared."""
        if self._grad is CLEARED:
            self._grad = self.results(np.zeros_like(self.data))
        return self._grad  # type: ignore[no-any-return]

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        self._grad = grad

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Forget the gradient: zeros, or None with `set_to_zero=False`."""
        if self._grad is not None:
            self._grad = CLEARED if set_to_zero else None

    clear_grad = clear_gradient

    def backward(self, grad_tensor: Any = None, retain_graph: bool = False) -> None:
        """Add the gradient of this tensor to `.grad` of every leaf it came from.

        Args:
            grad_tensor: The gradient to start with, of this tensor's shape; by default
                ones, whatever the shape, as in Paddle.
            retain_graph: Keep what the graph has saved, for a second pass.

        Raises:
            BackwardTwiceError: The graph was freed by an earlier pass.
            GradientShapeError: `grad_tensor` has another shape.

        >>> import teachgraph as tg
        >>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> (x * x).backward()
        >>> x.grad.tolist()
        [2.0, 4.0]
        """
        if self.stop_gradient:
            return
        seeds = {self.edge: seed_for(self, grad_tensor)}
        visit = visit_retaining if retain_graph else visit_freeing
        announce("backward_begin", [self])
        try:
            leaves = backward_from(seeds, topological(seeds), visit)
            for leaf, grad in leaves.items():
                leaf.accumulate(grad)
        finally:
            announce("backward_end", [self])

    def accumulate(self, grad: Any) -> None:
        """Add a gradient, an array, to the one that is here."""
        before = None if self._grad is CLEARED else self._grad
        self._grad = self.results(grad if before is None else before.data + grad)

    def numpy(self) -> ndarray[Any, Any]:
        """A copy of the values: changing it changes no tensor, nor what was saved."""
        return self.data.copy()

    def detach(self) -> Self:
        """The same values, off the tape."""
        return self.results(self.data)  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"Tensor(shape={self.shape}, dtype={self.dtype},\n{self.data})"


Tensor.results = Tensor

CLEARED = Tensor(np.zeros(()))
"""Stands for a gradient of zeros until somebody asks for them."""

data_of, stopped = attrgetter("data"), attrgetter("stop_gradient")


def run(
    op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any], results: type[Tensor]
) -> Any:
    """Run an op on Tensors, told to the observers if there are any."""
    interpret = observed if observers else compute
    return interpret(op, inputs, attrs, results)


run_op = HookPoint(run)


def compute(
    op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any], results: type[Tensor]
) -> Any:
    """Run an op, and leave a node on the tape where a gradient may be wanted."""
    tensors = inputs
    try:
        stops = [*map(stopped, tensors)]
        values = [*map(data_of, tensors)]
    except AttributeError:  # arrays, numbers, lists or absent inputs are among them
        tensors = [boxed(x, op, inputs, attrs) for x in inputs]
        stops, values = [*map(stopped, tensors)], [*map(data_of, tensors)]
    try:
        out = op.context().run(op.kernel, *values, **attrs)
    except Exception as error:
        raise op.explain(inputs, attrs, error) from None
    recorded = op.rule is not None and False in stops and state.grad
    edges = edges_of(tensors, stops) if recorded else None
    if out.__class__ is tuple or op.replaces:
        return several(op, tensors, edges, values, attrs, out, results)
    if out.__class__ is not ndarray:
        out = np.asarray(out)
    if edges is None or out.dtype.kind != "f":
        return results(out)
    values.append(out)
    return results(out, False, Node(op, edges, op.rule.keep(values), attrs))  # type: ignore[union-attr]


def edges_of(tensors: Sequence[Tensor], stops: Sequence[bool]) -> list[Edge | None]:
    """Where the gradient of each input goes; None for one that wants none."""
    return [
        None if stop else x if x.node is None else x.node
        for stop, x in zip(stops, tensors, strict=True)
    ]


def several(
    op: Op,
    tensors: Sequence[Tensor],
    edges: Sequence[Edge | None] | None,
    values: list[Any],
    attrs: Mapping[str, Any],
    out: Any,
    results: type[Tensor],
) -> Any:
    """The results of an op with several outputs, or whose outputs replace inputs.

    They have one node on the tape. An input that is replaced takes the new values, and
    no gradient goes through it.
    """
    arrays = [np.asarray(part) for part in (out if out.__class__ is tuple else (out,))]
    made = [results(array) for array in arrays]
    if edges is not None:
        node = Node(op, edges, op.rule.keep(values + arrays), attrs)  # type: ignore[union-attr]
        for index, tensor in enumerate(made):
            if tensor.data.dtype.kind == "f":
                tensor.stop_gradient, tensor.node = False, Output(node, index)
    for output, position in op.replaces:
        tensors[position].data = arrays[output]
        made[output] = tensors[position]
    return tuple(made) if out.__class__ is tuple else made[0]


def boxed(
    value: Any, op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any]
) -> Tensor:
    """An input as a Tensor: arrays, numbers and lists become constants.

    Raises:
        MixedModeError: It is a Variable of a static program.
        DTypeError: It is nothing an op can compute with.
    """
    if isinstance(value, Tensor):
        return value
    if value is None or isinstance(value, Like):
        return Tensor(value)  # type: ignore[arg-type]  # kernels take these as they are
    try:
        return Tensor(numeric(value, next(x for x in inputs if isinstance(x, Tensor))))
    except Exception as error:
        raise op.explain(inputs, attrs, error) from None


def numeric(value: Any, beside: Tensor) -> ndarray[Any, Any]:
    """A number or a list as an array; a number gets the dtype of what it meets."""
    if isinstance(value, Traced):
        raise MixedModeError(
            "a Tensor runs now, a Variable later in its program; feed the Tensor's "
            "values to the program, or build all of it in dynamic mode"
        )
    if dtypes.is_number(value):
        return np.asarray(value, dtypes.beside(beside.data.dtype, value))
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise DTypeError(f"nothing can be computed with {value!r}")
    return array


def observed(
    op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any], results: type[Tensor]
) -> Any:
    """Run an op and tell the observers."""
    announce("op_begin", op.type, inputs, attrs)
    try:
        result = compute(op, inputs, attrs, results)
    except Exception as error:
        announce("op_failed", op.type, inputs, attrs, error)
        raise
    outputs = result if isinstance(result, tuple) else (result,)
    announce("op_end", op.type, inputs, outputs, attrs, node_of(outputs))
    return result


def node_of(outputs: Sequence[Tensor]) -> Node | None:
    """The node that an op left on the tape, seen from its outputs."""
    for tensor in outputs:
        if tensor.node is not None:
            node = tensor.node.node if isinstance(tensor.node, Output) else tensor.node
            return node if isinstance(node, Node) else None
    return None


def seed_for(tensor: Tensor, upstream: Any) -> ndarray[Any, Any]:
    """The array a backward pass starts with: ones, or what was given, in our dtype.

    Raises:
        GradientShapeError: It is not of the tensor's shape.
    """
    if upstream is None:
        return np.ones_like(tensor.data)
    known = isinstance(upstream, Tensor)
    seed = upstream.data if known else numeric(upstream, tensor)
    if seed.shape != tensor.data.shape:
        raise GradientShapeError(
            at_user_line(
                "Tensor shape not match: the gradient given to backward has shape "
                f"{list(seed.shape)}, the tensor {tensor.shape}; they must be equal"
            )
        )
    return seed.astype(tensor.data.dtype, copy=False)
