"""The storage of a Tensor: its place, the layout of its memory, copies elsewhere."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy import ndarray

from teachgraph.autograd.places import CPUPlace, not_here, place_of
from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError
from teachgraph.core.modes import no_grad
from teachgraph.core.tape import Node, Output

__all__ = ["Storage", "TensorHandle"]


class TensorHandle:
    """A handle of the values of a tensor.

    In Paddle this is `paddle.base.core.LoDTensor`.

    >>> import teachgraph as tg
    >>> x = tg.ones([2, 3])
    >>> x.get_tensor().set(np.zeros((2, 3), "float32"), tg.CPUPlace())
    >>> x.get_tensor().shape(), float(x.sum())
    ([2, 3], 0.0)
    """

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def set(self, value: Any, place: Any = None) -> None:
        """Replace the values by a copy of an array, which may have another shape."""
        old, new = self.tensor.data, np.array(value)
        if (old.shape, old.dtype) == (new.shape, new.dtype):
            self.tensor.set_value(new)
        else:
            self.tensor.data = new

    def shape(self) -> list[int]:
        """The sizes of the dimensions."""
        return [*self.tensor.data.shape]

    def lod(self) -> list[list[int]]:
        """The levels of detail: none."""
        return []

    def _is_initialized(self) -> bool:
        return True

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.tensor.data, dtype=dtype, copy=copy is not False)

    def __str__(self) -> str:
        data = self.tensor.data
        lines = {
            "shape": [*data.shape],
            "layout": "NCHW",
            "place": CPUPlace(),
            "dtype": data.dtype,
            "data": f"[{' '.join(f'{number:g}' for number in data.ravel())}]",
        }
        return "\n".join(f"  - {key}: {value}" for key, value in lines.items())


class Storage:
    """Methods of a Tensor that are about its memory."""

    __slots__ = ()

    data: ndarray[Any, Any]
    node: Any
    astype: Any
    cast_: Any
    set_value: Any
    stop_gradient: Any
    type: ClassVar[str] = "LOD_TENSOR"
    layout: ClassVar[str] = "NCHW"

    @property
    def place(self) -> CPUPlace:
        """The device that it lives on: the CPU."""
        return CPUPlace()

    def dim(self) -> int:
        """The number of dimensions."""
        return self.data.ndim

    ndimension = dim

    def is_tensor(self) -> bool:
        """True of a tensor."""
        return True

    def is_dense(self) -> bool:
        """True, as all tensors are dense here."""
        return True

    def is_sparse(self) -> bool:
        """False, as all tensors are dense here."""
        return False

    is_sparse_coo = is_sparse_csr = is_selected_rows = is_sparse

    def is_dist(self) -> bool:
        """False, as each tensor lies on one device."""
        return False

    def is_same_shape(self, y: Any) -> bool:
        """Tell whether another tensor has the same shape."""
        return [*self.data.shape] == [*y.shape]

    @property
    def offset(self) -> int:
        """The number of bytes from the start of its memory: 0 but for a view."""
        base = self.data
        while isinstance(base.base, ndarray):
            base = base.base
        start, whole = (a.__array_interface__["data"][0] for a in (self.data, base))
        return int(start - whole)

    def _offset(self) -> int:
        """Return `offset`, as Paddle's own code asks for it."""
        return self.offset

    @property
    def _place_str(self) -> str:
        """The place in words."""
        return str(self.place)

    def value(self) -> Self:
        """The tensor itself, which is a value and its handle at once."""
        return self

    def get_tensor(self) -> TensorHandle:
        """A handle of the values, as 1.x code asks for."""
        return TensorHandle(self)

    def detach_(self) -> Self:
        """Cut the tensor itself off from what it was made of."""
        self.node, self.stop_gradient = None, True
        return self

    def copy_(self, other: Any, blocking: bool = True) -> Self:
        """Take the values of another tensor of the same shape and dtype."""
        with no_grad():
            self.set_value(other)
        return self

    def cpu(self) -> Self:
        """The tensor on the CPU, where it is already."""
        return self

    def cuda(self, device_id: int | None = None, blocking: bool = True) -> NoReturn:
        """Refuse to copy it to a GPU.

        Raises:
            InvalidValueError: There is none.
        """
        raise not_here("gpu")

    def pin_memory(self) -> NoReturn:
        """Refuse to copy it to memory from which a GPU reads faster.

        Raises:
            InvalidValueError: There is none.
        """
        raise not_here("gpu")

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Convert to another dtype: `x.to("float64")`, `x.to("cpu", "int32")`.

        The tensor itself is converted, as in Paddle 2.6, in a memory of its own: views
        of it stay as they are. A leaf stays one; otherwise gradients flow back through
        the cast.

        Args:
            args: A device, a dtype or both, or a tensor whose dtype is meant; last may
                stand `blocking`, which changes nothing here.
            kwargs: The same by name: `device`, `dtype`, `other`, `blocking`.

        Returns:
            The tensor itself.

        Raises:
            InvalidValueError: The device is not the CPU.
            DTypeError: It is no dtype.

        In Paddle this is `paddle.Tensor.to`.

        >>> import teachgraph as tg
        >>> tg.to_tensor([1.5, 2.5]).to("int32").tolist()
        [1, 2]
        """
        unknown = kwargs.keys() - {"device", "dtype", "other", "blocking"}
        if unknown or not (args or kwargs):
            raise DTypeError.here(
                "to() takes a device, a dtype or a tensor, and blocking; got "
                f"{', '.join(sorted(unknown)) or 'nothing'}"
            )
        wanted: Any = kwargs.get("dtype")
        meant = [*args, kwargs.get("device"), kwargs.get("other")]
        for value in meant:
            if isinstance(value, Storage):
                wanted = value.data.dtype
            elif is_dtype(value):
                wanted = value
            elif value is not None and not isinstance(value, bool):
                place_of(value)
        if wanted is None or dtypes.convert(wanted) == self.data.dtype:
            return self
        if self.node is not None:
            return self.cast_(wanted)
        # Without a record: a leaf stays a leaf.
        with no_grad():
            return self.cast_(wanted)

    @property
    def strides(self) -> list[int]:
        """For each dimension, the elements from one index to the next.

        >>> import teachgraph as tg
        >>> tg.zeros([2, 3]).strides
        [3, 1]
        """
        return [step // self.data.itemsize for step in self.data.strides]

    def get_strides(self) -> list[int]:
        """For each dimension, the elements from one index to the next."""
        return self.strides

    def is_contiguous(self) -> bool:
        """Tell whether its elements lie in memory in their order."""
        return self.data.flags.c_contiguous

    def contiguous(self) -> Any:
        """The tensor, or a copy whose elements lie in memory in their order."""
        if self.is_contiguous():
            return self
        whole: Any = self.astype(self.data.dtype)
        whole.data = np.ascontiguousarray(whole.data)
        return whole

    def element_size(self) -> int:
        """The bytes of one element.

        >>> import teachgraph as tg
        >>> tg.ones([3], "float64").element_size()
        8
        """
        return self.data.itemsize

    def data_ptr(self) -> int:
        """The address of its first element."""
        return int(self.data.ctypes.data)

    @property
    def grad_fn(self) -> Node | None:
        """The node that computed it on the tape; None for a leaf."""
        node = self.node
        creator: Node | None = node.node if isinstance(node, Output) else node
        return creator


def is_dtype(value: Any) -> bool:
    """Tell whether an argument means a dtype, and no device."""
    if isinstance(value, str):
        return value in map(str, dtypes.PADDLE_CODES)
    return isinstance(value, (np.dtype, type))
