"""The Tensor: an array that remembers how it came about.

An op handed to a Tensor runs at once; if a gradient may be wanted, it leaves a node on
the tape.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from teachgraph.autograd import hooks
from teachgraph.autograd.hooks import HookHandle, Hooks
from teachgraph.autograd.inplace import InPlace, become, refuse_leaf
from teachgraph.autograd.printing import written
from teachgraph.autograd.versions import overwrite
from teachgraph.core import unique_name
from teachgraph.core.errors import (
    DTypeError,
    GradientShapeError,
    InvalidValueError,
    MixedModeError,
    ModeError,
    at_user_line,
)
from teachgraph.core.modes import state, takers
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import Like, Op, Rule
from teachgraph.core.tape import Edge, Node, Output, add_hook, reverse
from teachgraph.core.traced import Traced
from teachgraph.ops.indexing import set_item
from teachgraph.ops.methods import Methods
from teachgraph.ops.operators import is_number
from teachgraph.ops.shape import assign

__all__ = ["Tensor", "wrap"]


class Tensor(InPlace, Methods):
    """An n-dimensional array with a place on the tape.

    Attributes:
        data: The values, a NumPy array. Ops never change it; updates replace it.
        stop_gradient: True if no gradient goes this way (the inverse of PyTorch's
            `requires_grad`).
        node: The node of the op that made it; None for a leaf.
        hooks: What sees its gradient, if it is a leaf; there from the first hook on.

    In Paddle this is `paddle.Tensor`.
    """

    __slots__ = (
        "__weakref__",
        "_grad",
        "_name",
        "_version",
        "data",
        "hooks",
        "node",
        "stop_gradient",
    )

    edges: tuple[()] = ()
    born = -1
    hooks: Hooks
    _version: int

    def __init__(
        self,
        data: ndarray[Any, Any],
        stop_gradient: bool = True,
        node: Edge | None = None,
    ) -> None:
        self.data = data
        self.stop_gradient = stop_gradient
        self.node = node
        self._grad: Tensor | None = None
        self._name: str | None = None

    @staticmethod
    def apply(op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
        """Run `op` now, and record it if a gradient may be wanted."""
        if takers:
            return takers[-1](op, inputs, attrs)
        if observers:
            return observed(op, inputs, attrs)
        return run(op, inputs, attrs)

    def constant(self, value: Any, dtype: np.dtype[Any]) -> ndarray[Any, Any]:
        """A number as an array of our kind."""
        return np.asarray(value, dtype)

    @property
    def name(self) -> str:
        """A name of its own, made up when first asked for."""
        if self._name is None:
            self._name = unique_name.generate("generated_tensor")
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    @property
    def label(self) -> str:
        """The name, if somebody gave one."""
        return self._name or ""

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
    def size(self) -> int:
        """The number of elements."""
        return self.data.size

    @property
    def is_leaf(self) -> bool:
        """Whether the user made it, rather than an op that was recorded."""
        return self.node is None

    @property
    def edge(self) -> Edge:
        """What a gradient for this tensor travels to."""
        return self if self.node is None else self.node

    @property
    def inplace_version(self) -> int:
        """How often it was changed in place."""
        return getattr(self, "_version", 0)

    @inplace_version.setter
    def inplace_version(self, version: int) -> None:
        self._version = version

    def numpy(self) -> ndarray[Any, Any]:
        """A copy of the values: changing it changes no tensor, nor what was saved."""
        return self.data.copy()

    def item(self) -> Any:
        """The one element as a Python number.

        Raises:
            InvalidValueError: There are more, or none.
        """
        if self.data.size != 1:
            raise InvalidValueError(
                at_user_line(
                    f"item() is of a tensor of one element; this one has shape "
                    f"{self.shape}: use tolist(), or an index first"
                )
            )
        return self.data.item()

    def tolist(self) -> Any:
        """The values as nested Python lists."""
        return self.data.tolist()

    def detach(self) -> Tensor:
        """The same values, off the tape."""
        return Tensor(self.data)

    def clone(self) -> Tensor:
        """A copy through which gradients flow."""
        copied: Tensor = assign(self)
        return copied

    def set_value(self, value: Any) -> None:
        """Replace the values; shape and dtype must be the same.

        Raises:
            InvalidValueError: They are not.
        """
        new = value.data if isinstance(value, Tensor) else np.asarray(value)
        if new.shape != self.data.shape or new.dtype != self.data.dtype:
            raise InvalidValueError(
                f"set_value got {new.dtype} {list(new.shape)}, "
                f"this tensor is {self.dtype} {self.shape}"
            )
        overwrite(self.data)
        self.inplace_version += 1
        self.data = new.copy()
        if observers:
            announce("tensor_became", self, None)

    def written_by(self, op: Op, *inputs: Any, **attrs: Any) -> Tensor:
        """Store here what an op of one output gives, and where it came from.

        A leaf that wants a gradient takes the values alone.
        """
        result = op(*inputs, **attrs)
        if not (self.is_leaf and not self.stop_gradient):
            return become(self, result)
        self.set_value(result)
        return self

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> HookHandle:
        """Call `hook(gradient)` whenever the gradient of this tensor is whole.

        What it returns, if not None, goes on in its place: up to `.grad` of a leaf, or
        back to whatever this tensor was made from.

        Returns:
            A handle whose `remove()` takes the hook off.

        Raises:
            ModeError: No gradient comes here.

        >>> import teachgraph as tg
        >>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> handle = x.register_hook(lambda dx: dx * 10.0)
        >>> (x * x).sum().backward()
        >>> x.grad.tolist(), handle.remove(), handle.remove()
        ([20.0, 40.0], True, False)
        """
        if self.stop_gradient:
            raise ModeError(
                at_user_line("Cannot register hook on a tensor that stop gradient.")
            )
        hooks.check(hook)
        handle = add_hook(self.edge, on_tensors(hook))
        tell_hook(weakref.ref(self), getattr(hook, "__name__", type(hook).__name__))
        handle.removed = functools.partial(tell_hook, weakref.ref(self), "")
        return handle

    def retain_grads(self) -> None:
        """Keep `.grad` here too, although an op made this tensor."""
        if self.is_leaf:
            return
        here = weakref.ref(self)

        def retain_grads(grad: Tensor) -> None:
            if (tensor := here()) is not None:
                before = tensor.grad
                tensor.grad = grad if before is None else before + grad

        self.register_hook(retain_grads)

    def backward(
        self, grad_tensor: Tensor | None = None, retain_graph: bool = False
    ) -> None:
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
        seed = seed_for(self, grad_tensor).data
        announce("backward_begin", [self])
        try:
            found = reverse({self.edge: seed}, retain_graph=retain_graph)
            for leaf, grad in found.items():
                assert isinstance(leaf, Tensor)
                before = None if leaf._grad is CLEARED else leaf._grad
                leaf._grad = Tensor(grad if before is None else before.data + grad)
        finally:
            announce("backward_end", [self])

    @property
    def grad(self) -> Tensor | None:
        """The gradient that reverse passes left here; zeros once cleared, or None."""
        if self._grad is CLEARED:
            self._grad = Tensor(np.zeros_like(self.data))
        return self._grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        self._grad = grad

    def gradient(self) -> ndarray[Any, Any] | None:
        """The gradient as an array, or None: the 1.x way to ask."""
        return None if self.grad is None else self.grad.numpy()

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Forget the gradient: zeros, or None with `set_to_zero=False`."""
        if self._grad is not None:
            self._grad = CLEARED if set_to_zero else None

    clear_grad = clear_gradient

    def __dlpack__(self, **options: Any) -> Any:
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.data.__dlpack_device__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.data, dtype=dtype, copy=copy is not False)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Replace a part, in place: `x[0] = 1.0`, `x[x < 0] = 0.0`."""
        refuse_leaf(self)
        become(self, set_item(self, index, value))

    def __len__(self) -> int:
        if not self.data.ndim:
            raise DTypeError("a 0-D tensor has no length")
        return len(self.data)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        if self.data.size != 1:
            raise InvalidValueError(
                "a tensor used as a condition must have one element; this one has "
                f"shape {self.shape}: use .any() or .all()"
            )
        return bool(self.data.item())

    def __float__(self) -> float:
        return float(self.data.item())

    def __int__(self) -> int:
        return int(self.data.item())

    def __index__(self) -> int:
        return self.data.__index__()

    def __format__(self, spec: str) -> str:
        return format(self.item() if spec and not self.ndim else str(self), spec)

    def __repr__(self) -> str:
        values = written(self.data, prefix="       ")
        return (
            f"Tensor(shape={self.shape}, dtype={self.dtype}, place=Place(cpu), "
            f"stop_gradient={self.stop_gradient},\n       {values})"
        )


def tell_hook(tensor: weakref.ref[Tensor], name: str) -> None:
    """Tell the observers of a hook on a tensor, if that still lives."""
    if observers and (hooked := tensor()) is not None:
        announce("hook_changed", hooked, name)


def on_tensors(hook: Callable[[Tensor], Tensor | None]) -> Callable[[Any], Any]:
    """A hook that takes a Tensor, for a pass whose gradients may be arrays.

    Raises:
        GradientShapeError: It returns a gradient of another shape or dtype.
    """

    def call(grad: Any) -> Any:
        given = grad if isinstance(grad, Tensor) else Tensor(grad)
        changed = hook(given)
        if changed is None:
            return grad
        if (changed.shape, changed.dtype) != (given.shape, given.dtype):
            raise GradientShapeError(
                at_user_line(
                    f"a hook returned {changed.dtype} {changed.shape} in place of the "
                    f"gradient {given.dtype} {given.shape}"
                )
            )
        return changed if grad is given else changed.data

    return call


CLEARED = Tensor(np.zeros(()))
"""Stands for a gradient of zeros until somebody asks for them."""


def run(op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """Run an op on Tensors, and leave a node on the tape where one is wanted."""
    values: list[Any] = []
    edges: list[Edge | None] = []
    tracked = False
    for x in inputs:
        if isinstance(x, Tensor):
            values.append(x.data)
            if x.stop_gradient:
                edges.append(None)
            else:
                edges.append(x if x.node is None else x.node)
                tracked = True
        else:
            values.append(raw(op, x, inputs, attrs))
            edges.append(None)
    try:
        out = op.context().run(op.kernel, *values, **attrs)
    except Exception as error:
        raise op.explain(inputs, attrs, error) from None
    if op.rule is None and len(op.replaces) == len(op.outputs):
        return stored(op, inputs, out)
    rule = op.rule if tracked and state.grad else None
    if out.__class__ is tuple:
        results = several(op, rule, values, edges, attrs, out)
        return renewed(op, inputs, results) if op.replaces else results
    if out.__class__ is not ndarray:
        out = np.asarray(out)
    if rule is None or out.dtype.kind != "f":
        return Tensor(out)
    values.append(out)
    return Tensor(out, False, Node(op, edges, rule.keep(values), attrs))


def several(
    op: Op,
    rule: Rule | None,
    values: list[Any],
    edges: list[Edge | None],
    attrs: Mapping[str, Any],
    out: tuple[Any, ...],
) -> tuple[Tensor, ...]:
    """The results of an op with several outputs, with its one node on the tape."""
    parts = [np.asarray(part) for part in out]
    if rule is None:
        return tuple(Tensor(part) for part in parts)
    node = Node(op, edges, rule.keep(values + parts), attrs)
    return tuple(
        Tensor(part, False, Output(node, i)) if part.dtype.kind == "f" else Tensor(part)
        for i, part in enumerate(parts)
    )


def stored(op: Op, inputs: Sequence[Any], out: Any) -> Any:
    """Put an op's results back into the inputs they replace; return those."""
    if out.__class__ is not tuple:
        target = inputs[op.replaces[0]]
        target.data = np.asarray(out)
        return target
    targets = tuple(inputs[position] for position in op.replaces)
    for target, result in zip(targets, out, strict=True):
        target.data = np.asarray(result)
    return targets


def renewed(
    op: Op, inputs: Sequence[Any], results: Sequence[Tensor]
) -> tuple[Tensor, ...]:
    """The results of an op, but in place of some an input that takes their values.

    No gradient goes through these.
    """
    found = list(results)
    for name, source in op.inplace.items():
        place, target = op.outputs.index(name), inputs[op.inputs.index(source)]
        if not isinstance(target, Tensor):
            target = Tensor(found[place].data)
        target.data, found[place] = found[place].data, target
    return tuple(found)


def raw(op: Op, value: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """An input that is no Tensor, as a kernel takes it: arrays, numbers, lists.

    Raises:
        MixedModeError: It is a Variable of a static program.
        DTypeError: It is nothing an op can compute with.
    """
    if value is None or isinstance(value, Like):
        return value
    if isinstance(value, ndarray) and value.dtype.kind in "biuf":
        return value
    try:
        return numeric(value, next(x for x in inputs if isinstance(x, Tensor)))
    except Exception as error:
        raise op.explain(inputs, attrs, error) from None


def numeric(value: Any, beside: Tensor) -> ndarray[Any, Any]:
    """A number or a list as an array; a number gets the dtype of what it meets."""
    if isinstance(value, Traced):
        raise MixedModeError(
            "a Tensor runs now, a Variable later in its program; feed the Tensor's "
            "values to the program, or build all of it in dynamic mode"
        )
    if is_number(value):
        return np.asarray(value, beside.dtype_beside(value))
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise DTypeError(f"nothing can be computed with {value!r}")
    return array


def observed(op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """Run an op and tell the observers."""
    for observer in observers:
        observer.op_begin(op.type, inputs, attrs)
    try:
        result = run(op, inputs, attrs)
    except Exception as error:
        announce("op_failed", op.type, inputs, attrs, error)
        raise
    outputs = result if isinstance(result, tuple) else (result,)
    node = node_of(outputs)
    for observer in observers:
        observer.op_end(op.type, inputs, outputs, attrs, node)
    return result


def node_of(outputs: Sequence[Tensor]) -> Node | None:
    """The node that an op left on the tape, seen from its outputs."""
    for tensor in outputs:
        if tensor.node is not None:
            node = tensor.node.node if isinstance(tensor.node, Output) else tensor.node
            return node if isinstance(node, Node) else None
    return None


def wrap(array: ndarray[Any, Any], edge: Edge | None) -> Tensor:
    """An array as a Tensor whose gradient travels along `edge`."""
    return Tensor(array, stop_gradient=edge is None, node=edge)


def seed_for(tensor: Tensor, given: Any) -> Tensor:
    """The gradient a reverse pass starts with: ones, or what was given, in our dtype.

    Raises:
        GradientShapeError: It is not of the tensor's shape.
    """
    if given is None:
        return Tensor(np.ones(tensor.data.shape, tensor.data.dtype))
    grad = given if isinstance(given, Tensor) else Tensor(numeric(given, tensor))
    if grad.shape != tensor.shape:
        raise GradientShapeError(
            at_user_line(
                "Tensor shape not match: the gradient given to backward has shape "
                f"{grad.shape}, the tensor {tensor.shape}; they must be equal"
            )
        )
    return grad if grad.data.dtype == tensor.data.dtype else grad.astype(tensor.dtype)
