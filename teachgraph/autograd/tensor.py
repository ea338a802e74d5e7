"""The public Tensor: the core's, with Paddle's methods, hooks and ops in place."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from numpy import ndarray

from teachgraph.autograd import foreign_inputs  # noqa: F401  hooks into core.tensor
from teachgraph.autograd.constructor import Constructor
from teachgraph.autograd.hooks import HookHandle, add_hook
from teachgraph.autograd.inplace import (
    InPlace,
    filled_diagonal,
    refuse_leaf,
    take_values,
)
from teachgraph.autograd.intermediate import gradient_at, wanted
from teachgraph.autograd.printing import values_text
from teachgraph.autograd.storage import Storage
from teachgraph.autograd.underscored import Underscored
from teachgraph.autograd.versions import now, overwrite
from teachgraph.autograd.views import (
    Shared,
    enter_pending_views,
    note_view,
    shared_by,
    store,
)
from teachgraph.core import tensor as core
from teachgraph.core import unique_name
from teachgraph.core.errors import (
    DTypeError,
    GradientShapeError,
    InvalidValueError,
    ModeError,
)
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import Op
from teachgraph.core.tape import Edge
from teachgraph.core.tensor import replace
from teachgraph.ops.indexing import set_item
from teachgraph.ops.math import assign
from teachgraph.ops.methods import Methods, slot
from teachgraph.ops.single import single

__all__ = ["Tensor", "wrap"]


class Tensor(
    InPlace, Storage, Underscored, Methods, core.Tensor, metaclass=Constructor
):
    """An n-dimensional array with a place on the tape.

    Attributes:
        data: The values, a NumPy array. Ops never change it; updates replace it.
        stop_gradient: True if no gradient goes this way (the inverse of PyTorch's
            `requires_grad`).
        node: What computed it on the tape; None for a leaf.
        results: Makes a Tensor of an array itself; the class copies the values.

    In Paddle this is `paddle.Tensor`.
    """

    __slots__ = ("_name", "_persistable", "_shared", "_version")

    results: ClassVar[Callable[..., Tensor]]
    _name: str
    _persistable: bool
    _is_kept: ClassVar[bool] = False
    _version: int
    _shared: Shared

    def constant(self, value: Any, dtype: np.dtype[Any]) -> ndarray[Any, Any]:
        """A number as an array of our kind."""
        return np.asarray(value, dtype)

    @property
    def is_leaf(self) -> bool:
        """True if the user made it, rather than an op that was recorded."""
        return self.node is None

    @property
    def name(self) -> str:
        """A name of its own, made up when first asked for."""
        if not self.label:
            self._name = unique_name.generate("generated_tensor")
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    @property
    def label(self) -> str:
        """The name, if somebody gave one."""
        return slot(self, "_name", "")

    @property
    def persistable(self) -> bool:
        """True for what lives as long as a model: parameters, and what is set so."""
        return slot(self, "_persistable", self._is_kept)

    @persistable.setter
    def persistable(self, value: bool) -> None:
        self._persistable = bool(value)

    fill_diagonal_tensor = filled_diagonal

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.data.size

    @property
    def inplace_version(self) -> int:
        """The number of in-place changes, which views have in common."""
        enter_pending_views()
        if (shared := shared_by(self)) is not None:
            return shared[0].version
        return slot(self, "_version", 0)

    @inplace_version.setter
    def inplace_version(self, version: int) -> None:
        if (shared := shared_by(self)) is not None:
            shared[0].version = version
        self._version = version

    @core.Tensor.grad.setter  # type: ignore[attr-defined, untyped-decorator]
    def grad(self, grad: Any) -> None:
        """Assign a copy, which stops gradients if it is the first.

        Raises:
            InvalidValueError: It is assigned to a result of an op, or is no Tensor.
            GradientShapeError: It has another shape.
        """
        if grad is not None:
            check_gradient(self, grad)
            stops = self._grad is None or self.grad.stop_gradient
            grad = self.results(grad.numpy(), stops)
        self._grad = grad

    def reconstruct_from_(self, other: Tensor) -> None:
        """Become another tensor: its values, its gradient's way, its name.

        In Paddle this is `Tensor.reconstruct_from_`.
        """
        replace.call(self, other.data)
        self.stop_gradient, self.node = other.stop_gradient, other.node

    def _grad_ivar(self) -> Any:
        """1.x's way to ask for `grad`."""
        return self.grad

    def detach(self) -> Tensor:
        """A Tensor in this one's memory, off the tape."""
        result = self.results(self.data)
        note_view(result, self, False)
        return result

    def lie_in(self, array: ndarray[Any, Any], source: Tensor) -> None:
        """Take an array in another tensor's memory for values, off the tape."""
        if shared_by(self) is not None:
            del self._shared
        self.data = array
        note_view(self, source, False)

    def item(self, *args: int) -> Any:
        """One element as a Python number.

        Args:
            args: Nothing, if it is the only one; its place among all elements, or its
                index along each dimension.

        Raises:
            InvalidValueError: There is no such element, or more than one.
        """
        if args:
            return self.element(args)
        if self.data.size != 1:
            raise InvalidValueError.here(
                f"item() is of a tensor of one element; this one has shape "
                f"{self.shape}: use tolist(), or an index first"
            )
        return self.data.item()

    def element(self, index: tuple[int, ...]) -> Any:
        """The element at a place among all, or at an index along each dimension."""
        shape = (self.data.size,) if len(index) == 1 else self.data.shape
        fits = len(index) == len(shape) and all(
            isinstance(i, (int, np.integer)) and 0 <= i < n
            for i, n in zip(index, shape, strict=True)
        )
        if not fits:
            raise InvalidValueError.here(
                f"item({', '.join(map(repr, index))}) is out of bounds of a tensor "
                f"of shape {self.shape}"
            )
        return self.data.reshape(shape)[index].item()

    def tolist(self) -> Any:
        """The values as nested Python lists."""
        return self.data.tolist()

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
        version = self.inplace_version
        overwrite(self.data, *store(self, new.copy()), version=version)
        self.inplace_version += 1
        if observers:
            announce("tensor_became", self, None)

    def written_by(self, op: Op, *inputs: Any, **attrs: Any) -> Tensor:
        """Store here what an op of one output gives, and where it came from.

        A leaf that wants a gradient takes the values alone.
        """
        since = now()
        result = op(*inputs, **attrs)
        if not (self.is_leaf and not self.stop_gradient):
            return take_values(self, result, since=since, reshapes=True, recasts=True)
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
            message = "Cannot register hook on a tensor that stop gradient."
            raise ModeError.here(message)
        handle = add_hook(self, hook)
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
                tensor._grad = grad if before is None else before + grad

        self.register_hook(retain_grads)

    def gradient(self) -> ndarray[Any, Any] | None:
        """The gradient as an array, or None: the 1.x way to ask.

        In 1.x's dynamic mode that of an intermediate result is kept, too.
        """
        if self.grad is None:
            return None if self.is_leaf else gradient_at(self.edge)
        values: ndarray[Any, Any] = self.grad.numpy()
        return values

    def __dlpack__(self, **options: Any) -> Any:
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.data.__dlpack_device__()

    def numpy(self, blocking: bool = True) -> ndarray[Any, Any]:
        """A copy of the values; in 1.x's dynamic mode a scalar has shape [1]."""
        values = self.data.copy()
        return single(values) if wanted.get() else values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.data, dtype=dtype, copy=copy is not False)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Replace a part, in place: `x[0] = 1.0`, `x[x < 0] = 0.0`."""
        refuse_leaf(self)
        since = now()
        take_values(self, set_item(self, index, value), since=since)

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
        if self.data.size != 1:
            raise InvalidValueError(
                f"an index is one number, but this tensor has shape {self.shape}"
            )
        return int(self.data.item())

    def __format__(self, spec: str) -> str:
        return format(self.item() if spec and not self.ndim else str(self), spec)

    def __repr__(self) -> str:
        values = values_text(self.data)
        return (
            f"Tensor(shape={self.shape}, dtype={self.dtype}, place=Place(cpu), "
            f"stop_gradient={self.stop_gradient},\n       {values})"
        )


Tensor.results = type.__call__.__get__(Tensor)


def check_gradient(tensor: Tensor, grad: Any) -> None:
    """Check that a gradient can be assigned to a tensor."""
    if not isinstance(grad, core.Tensor):
        wrong = f"a gradient is a Tensor or None, got {type(grad).__name__}"
    elif not tensor.is_leaf:
        wrong = "only leaf Tensor can be set grad: this one is the result of an op"
    elif grad.data.shape != tensor.data.shape:
        message = f"a gradient of shape {grad.shape} for a tensor of {tensor.shape}"
        raise GradientShapeError.here(message)
    else:
        return
    raise InvalidValueError.here(wrong)


def tell_hook(tensor: weakref.ref[Tensor], name: str) -> None:
    """Tell the observers of a hook on a tensor, if that still lives."""
    if observers and (hooked := tensor()) is not None:
        announce("hook_changed", hooked, name)


def wrap(array: ndarray[Any, Any], edge: Edge | None) -> Tensor:
    """An array as a Tensor whose gradient travels along `edge`."""
    return Tensor.results(array, stop_gradient=edge is None, node=edge)
