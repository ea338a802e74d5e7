"""The Tensor: an array with a place on the tape. An op on Tensors runs at once.

If a gradient may be wanted, the op leaves a node on the tape, and `backward` carries
gradients from there to the leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import Context
from functools import partial
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np
from numpy import asarray, ndarray

from teachgraph.core.dtypes import float32
from teachgraph.core.errors import DTypeError, GradientShapeError
from teachgraph.core.extend import HookPoint
from teachgraph.core.modes import is_recording
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import Attrs, Like, Op, Traced, Values
from teachgraph.core.tape import (
    Edge,
    Node,
    Output,
    backward_from,
    topological,
    visit_node,
)

Build = Callable[..., "Tensor"]


class Tensor(Traced):
    """An n-dimensional array with a place on the tape.

    Attributes:
        data: The values, a NumPy array. Ops never change it; updates replace it.
        stop_gradient: True if no gradient goes this way.
        node: What computed it on the tape, a Node or an Output; None for a leaf.
        results: The class of what ops on it return, or what makes them of arrays.

    In Paddle this is `paddle.Tensor`.
    """

    __slots__ = ("__weakref__", "_grad", "data", "node", "stop_gradient")

    edges: tuple[()] = ()
    born = -1
    results: ClassVar[Build]

    data: ndarray[Any, Any]
    node: Edge | None
    _grad: Any

    def __init__(self, data: Any, stop_gradient: bool = True, node: Any = None) -> None:
        self.data, self.stop_gradient, self.node = data, stop_gradient, node
        self._grad = None

    def apply(self, op: Op, inputs: Values, attrs: Attrs) -> Any:
        """Run `op` now, and record it if a gradient may be wanted."""
        return run_op.call(op, inputs, attrs, self.results)

    @property
    def shape(self) -> list[int]:
        """The sizes of the dimensions, a list as in Paddle 2."""
        return list(self.data.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self.data.dtype  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.data.ndim

    @property
    def edge(self) -> Edge:
        """The vertex that a gradient of this tensor goes to: its node, or itself."""
        return self if self.node is None else self.node

    @property
    def grad(self) -> Self | None:
        """The gradient that backward passes accumulated; zeros once cleared."""
        if self._grad is CLEARED:
            self._grad = self.results(np.zeros_like(self.data), False)
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
            grad_tensor: The upstream gradient, of this tensor's shape; by default ones.
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
            warn("backward of a tensor with stop_gradient=True does nothing", None, 2)
        seeds = {} if self.stop_gradient else {self.edge: seed_for(self, grad_tensor)}
        visit = partial(visit_node, retain=True) if retain_graph else visit_node
        if observers:
            announce("backward_begin", [self])
        try:
            for leaf, grad in backward_from(seeds, topological(seeds), visit).items():
                if grad.shape != leaf.data.shape:
                    raise wrong_gradient(leaf, grad, topological(seeds))
                if (before := leaf._grad) is not None and before is not CLEARED:
                    grad = before.data + grad  # noqa: PLW2901  both together
                leaf._grad = self.results(grad, False)
        finally:
            if observers:
                announce("backward_end", [self])

    def numpy(self, blocking: bool = True) -> ndarray[Any, Any]:
        """A copy of the values: changing it changes no tensor, nor what was saved."""
        return self.data.copy()

    def __repr__(self) -> str:
        return f"Tensor(shape={self.shape}, dtype={self.dtype},\n{self.data})"


Tensor.results = Tensor

CLEARED = Tensor(np.zeros(()))
"""Stands for a gradient of zeros until somebody asks for them."""


def run(op: Op, inputs: Values, attrs: Attrs, results: Build, given: Any = ()) -> Any:
    """Run an op on Tensors, and leave a node on the tape where one is wanted."""
    values: list[Any] = []
    edges: list[Any] = []
    wanted = False
    try:
        for x in inputs:
            if x.stop_gradient:
                edges.append(None)
            else:  # the node, not the tensor: a result nobody holds is freed
                edges.append(x if x.node is None else x.node)
                wanted = True
            values.append(x.data)
    except AttributeError:  # arrays, numbers, lists or absent inputs were given
        return run(op, boxed(op, inputs, attrs), attrs, results, inputs)
    rule, context = op.rule, op.context
    try:
        out = run_in(context(), op.kernel, *values, **attrs)
    except Exception as error:
        raise op.explain(given or inputs, attrs, error) from None
    if rule is None or not wanted or not is_recording():
        if out.__class__ is ndarray and not op.replaces:
            return results(out)
        return off_tape(op, inputs, out, results)
    if out.__class__ is tuple:
        arrays = [*map(asarray, out)]
        node = Node(op, edges, rule.keep(values + arrays), attrs)
        return replaced(op, inputs, outputs_of(node, arrays, results))
    array = asarray(out)
    if array.dtype is not float32 and array.dtype.kind != "f":
        return results(array)
    values.append(array)
    return results(array, False, Node(op, edges, rule.keep(values), attrs))


run_in = Context.run
run_op = HookPoint(run)
replace: HookPoint[Any] = HookPoint(vars(Tensor)["data"].__set__)


def off_tape(op: Op, tensors: Sequence[Tensor], out: Any, results: Build) -> Any:
    """The results of an op through which no gradient goes."""
    if out.__class__ is tuple:
        return replaced(op, tensors, [results(asarray(part)) for part in out])
    if op.replaces:
        target = tensors[op.replaces[0][1]]
        replace.call(target, asarray(out))
        return target
    return results(asarray(out))


def outputs_of(
    node: Node, arrays: Sequence[ndarray[Any, Any]], results: Build
) -> list[Tensor]:
    """The outputs of a node that has several; integers have no gradient."""
    return [
        results(array, False, Output(node, i))
        if array.dtype.kind == "f"
        else results(array)
        for i, array in enumerate(arrays)
    ]


def replaced(
    op: Op, tensors: Sequence[Tensor], outputs: list[Tensor]
) -> tuple[Tensor, ...]:
    """Several outputs; an input that one replaces takes its values and its place."""
    for place, position in op.replaces:
        replace.call(tensors[position], outputs[place].data)
        outputs[place] = tensors[position]
    return tuple(outputs)


def boxed(op: Op, inputs: Values, attrs: Attrs) -> list[Tensor]:
    """All inputs as Tensors, where numbers, lists and arrays become constants."""
    try:
        return [x if isinstance(x, Tensor) else constant(x, inputs) for x in inputs]
    except Exception as error:
        raise op.explain(inputs, attrs, error) from None


def constant(value: Any, inputs: Values) -> Tensor:
    """An input that is no Tensor, among others, as one that wants no gradient."""
    if value is None or isinstance(value, Like):  # kernels take these as they are
        return Tensor(value)
    beside = next(x for x in inputs if isinstance(x, Tensor))
    return adopt.call(value, beside)


def refuse(value: Any, beside: Tensor) -> Tensor:
    """Refuse an input that is no Tensor."""
    raise DTypeError(f"a {type(value).__name__} is no Tensor")


adopt = HookPoint(refuse)
"""Makes a constant of an array, a number or a list: `adopt(value, beside)`."""


def wrong_gradient(tensor: Tensor, grad: Any, order: Sequence[Any]) -> Exception:
    """The error for a gradient that has another shape than its tensor."""
    nodes = [n for n in order if any(edge is tensor.edge for edge in n.edges)]
    rules = {n.op.rule.type: n for n in nodes if n.__class__ is Node and n.op.rule}
    gave = f"{' or '.join(rules)} gave a gradient of shape {[*grad.shape]}"
    return GradientShapeError.here(f"{gave} for a tensor of shape {tensor.shape}")


def seed_for(tensor: Tensor, upstream: Any) -> ndarray[Any, Any]:
    """The array a backward pass starts with: ones, or what was given, in our dtype."""
    return np.ones_like(tensor.data) if upstream is None else as_seed(tensor, upstream)


def as_seed(tensor: Tensor, upstream: Any) -> ndarray[Any, Any]:
    """An upstream gradient as an array of a tensor's shape and dtype."""
    known = isinstance(upstream, Tensor)
    seed = (upstream if known else adopt.call(upstream, tensor)).data
    if seed.shape != tensor.data.shape:
        raise GradientShapeError.here(
            "Tensor shape not match: the gradient given to backward has shape "
            f"{list(seed.shape)}, the tensor {tensor.shape}; they must be equal"
        )
    return seed.astype(tensor.data.dtype, copy=False)
