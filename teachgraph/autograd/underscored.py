"""Methods of a Tensor with an underscore, which Paddle's own code and others' call."""

from __future__ import annotations

import hashlib
from typing import Any

from numpy import ndarray

from teachgraph.autograd.places import check_place
from teachgraph.autograd.storage import TensorHandle
from teachgraph.autograd.versions import overwrite
from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.core.tensor import Tensor as CoreTensor
from teachgraph.errors import OutOfRangeError

__all__ = ["Underscored"]


class Underscored:
    """Methods of a Tensor that Paddle does not document."""

    __slots__ = ()

    __getitem__: Any
    __setitem__: Any
    clear_gradient: Any
    data: ndarray[Any, Any]
    detach: Any
    grad: Any
    inplace_version: Any
    to: Any

    def _numel(self) -> int:
        """The number of elements."""
        return self.data.size

    def _is_initialized(self) -> bool:
        """True if it holds values: one of no elements does not."""
        return self.data.size > 0

    def _inplace_version(self) -> int:
        """The number of in-place changes."""
        return int(self.inplace_version)

    def _bump_inplace_version(self) -> None:
        """Count a change that was made past the ops: what saved the values is stale."""
        overwrite(self.data, version=self.inplace_version)
        self.inplace_version += 1

    def _slice(self, begin: int, end: int) -> Any:
        """The rows from `begin` to before `end`, in this memory and off the tape.

        Raises:
            OutOfRangeError: They are not 0 <= begin < end <= the number of rows.
        """
        rows = self.data.shape[0] if self.data.ndim else 0
        if not 0 <= begin < end <= rows:
            raise OutOfRangeError.here(
                f"_slice({begin}, {end}) is out of bounds of a tensor of {rows} rows: "
                "0 <= begin < end <= rows"
            )
        return self.detach()[begin:end]

    def _copy_to(self, place: Any, blocking: bool = True) -> Any:
        """Copy the values to a place, the CPU; off the tape.

        Raises:
            InvalidValueError: It is another place.
        """
        check_place(place)
        return self.detach().clone()

    def _share_underline_tensor_to(self, other: Any) -> None:
        """Let another tensor become one in this memory, of this shape.

        Raises:
            DTypeError: It is no Tensor.
        """
        require_tensor(other)
        other.lie_in(self.data, self)

    def _share_buffer_to(self, other: Any) -> None:
        """Let another tensor lie at the start of this memory, in its own shape.

        Raises:
            DTypeError: It is no Tensor.
            InvalidValueError: It has more elements, or these do not lie in order.
        """
        require_tensor(other)
        if other.data.size > self.data.size or not self.data.flags.c_contiguous:
            raise InvalidValueError.here(
                f"a tensor of shape {[*other.data.shape]} does not fit into the memory "
                f"of one of shape {[*self.data.shape]}"
            )
        start = self.data.reshape(-1)[: other.data.size]
        other.lie_in(start.reshape(other.data.shape), self)

    def _is_shared_buffer_with(self, other: Any) -> bool:
        """Tell whether another tensor lies in the same memory."""
        return memory_of(self.data) is memory_of(other.data)

    _is_shared_underline_tensor_with = _is_shared_buffer_with

    def _inplace_assign(self, other: Any) -> None:
        """Become a tensor in the memory of another one.

        Raises:
            DTypeError: It is no Tensor.
        """
        require_tensor(other)
        other._share_underline_tensor_to(self)

    _set_impl = _inplace_assign

    def _grad_value(self) -> TensorHandle | None:
        """A handle of the gradient's values, None if there is no gradient."""
        return None if self.grad is None else TensorHandle(self.grad)

    def _grad_name(self) -> str:
        """The name of the gradient: none."""
        return ""

    def _set_grad_ivar(self, grad: Any) -> None:
        """Assign a gradient."""
        self.grad = grad

    _copy_gradient_from = _set_grad_ivar

    def _zero_grads(self) -> None:
        """Replace the gradient by zeros, if there is one."""
        self.clear_gradient()

    def _md5sum(self) -> str:
        """The MD5 checksum of the values."""
        return hashlib.md5(self.data.tobytes(), usedforsecurity=False).hexdigest()

    def _getitem_dygraph(self, index: Any) -> Any:
        """`x[index]`."""
        return self[index]

    def _setitem_dygraph(self, index: Any, value: Any) -> None:
        """`x[index] = value`."""
        self[index] = value

    def _to(
        self, device: Any = None, dtype: Any = None, blocking: bool | None = None
    ) -> Any:
        """Convert the tensor itself, as `to` does."""
        return self.to(device=device, dtype=dtype)


def require_tensor(value: Any) -> None:
    """Require a Tensor.

    Raises:
        DTypeError: It is something else.
    """
    if not isinstance(value, CoreTensor):
        raise DTypeError.here(f"memory is shared with a Tensor, got {value!r}")


def memory_of(array: ndarray[Any, Any]) -> ndarray[Any, Any]:
    """The array that owns the memory of another one."""
    while isinstance(array.base, ndarray):
        array = array.base
    return array
