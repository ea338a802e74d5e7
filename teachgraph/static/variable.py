"""The public Variable: the core's, with Python's operators and Paddle's methods."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from teachgraph.autograd.hooks import HookHandle
from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.sub_block import parent_of
from teachgraph.core import dtypes
from teachgraph.core import program as core
from teachgraph.core.build import append
from teachgraph.core.errors import InvalidValueError, ModeError
from teachgraph.core.op import Op
from teachgraph.core.ops import fill_constant
from teachgraph.core.program import EMPTY, GRAD, current_block
from teachgraph.ops import naming
from teachgraph.ops.left_out import no_such_method
from teachgraph.ops.math import assign
from teachgraph.ops.methods import Methods
from teachgraph.ops.operators import warn_of_new_variable
from teachgraph.ops.param_attr import Trained
from teachgraph.ops.shape import size as size_op
from teachgraph.ops.slicing import slice_, strided_slice
from teachgraph.static.gradient_hooks import add_hook
from teachgraph.static.printing import variable_line
from teachgraph.static.state import array_of, set_value

__all__ = ["EMPTY", "GRAD", "Parameter", "Variable"]


class Variable(Methods, core.Variable):
    """A value of a program that is yet to run.

    An op handed to a Variable is appended to the current Block. In Paddle this is
    `paddle.static.Variable`.
    """

    def written_by(self, op: Op, *inputs: Variable, **attrs: Any) -> Variable:
        """Append an operator of one output, which writes this variable."""
        append(current_block(), op, inputs, attrs, out=[self])
        return self

    def operate(self, op: Op, *inputs: Any, **attrs: Any) -> Any:
        """Apply an operator; its result is called `tmp_N`, a part `x_slice_N`."""
        part = op in (slice_, strided_slice)
        key = f"{self.name}_{op.type}" if part else "tmp"
        with naming.plain(key):
            return op(*inputs, **attrs)

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """A number as a `fill_constant` op of this program."""
        attrs = {
            "shape": [],
            "value": float(value),
            "dtype": dtypes.PADDLE_CODES[dtype],
        }
        with naming.plain("tmp"):
            return append(current_block(), fill_constant, (), attrs)

    def _rename(self, name: str) -> None:
        block: Any = self.block  # the public class, which renames
        block.rename_var(self._name, name)

    if TYPE_CHECKING:
        name: str
    else:
        name = core.Variable.name.setter(_rename)

    label = name

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    ndimension = dim

    def size(self) -> Any:
        """The number of elements, a 0-D int64 Variable."""
        with naming.plain(f"{self.name}_size"):
            return size_op(self)

    def element_size(self) -> int:
        """The bytes of one element."""
        return self.dtype.itemsize

    def cpu(self) -> Variable:
        """A copy of it, on the CPU as it is itself."""
        return self.operate(assign, self)  # type: ignore[no-any-return]

    def place(self) -> None:
        """The device that it lives on: None, as it has no value yet."""

    @property
    def lod_level(self) -> int:
        """The nesting depth of its sequences: always 0, since they are padded here."""
        return 0

    def get_value(self, scope: Any = None) -> Any:
        """A copy of its value in a scope, by default the global one, as a Tensor.

        Raises:
            NotInitializedError: It has none: only what is persistable keeps one.
        """
        return Tensor.results(np.array(array_of(self, scope)))

    def set_value(self, value: Any, scope: Any = None) -> None:
        """Give it a value in a scope, by default the global one.

        Raises:
            ShapeError: The value is of another shape or dtype.
        """
        set_value(self, value, scope)

    @property
    def grad_name(self) -> str:
        """The name its gradient gets."""
        return self.name + GRAD

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The line that `print(program)` shows for it."""
        return repr(self)

    def __getattr__(self, name: str) -> Any:
        """`x.relu_`, which in a program is `x.relu`: the result is a new variable."""
        function = getattr(type(self), name.removesuffix("_"), None)
        if name.startswith("_") or not name.endswith("_") or not callable(function):
            raise no_such_method(self, name)
        warn_of_new_variable(name.removesuffix("_"))
        return MethodType(function, self)

    def __repr__(self) -> str:
        return variable_line(self)

    def __bool__(self) -> bool:
        raise ModeError.here(
            f"the Variable {self.name!r} has no value before its program runs, so "
            "Python cannot branch on it: use static.nn.cond or to_static"
        )

    def __getitem__(self, index: Any) -> Any:
        """A part, as of a Tensor."""
        from teachgraph.static import dynamic_slices

        if dynamic_slices.bounded_later(index):
            return dynamic_slices.within_bounds(self, index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Refuse to change a value that operators before this line have read.

        Raises:
            ModeError: In a program it becomes another variable.
        """
        raise ModeError.here(
            f"In static mode, the __setitem__ of {self.name!r} (looks like: x[indices] "
            "= values) should not be used. Please use x = paddle.static.setitem(x, "
            "indices, values)"
        )

    def __len__(self) -> int:
        if self.type == "LOD_TENSOR_ARRAY":
            raise self._only_now("len")
        if not self.shape or self.shape[0] == -1:
            raise InvalidValueError.here(
                f"the length of the Variable {self.name!r} is not known"
            )
        return self.shape[0]

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def _only_now(self, what: str) -> ModeError:
        return ModeError.here(
            f"{what!r} needs a value, and the Variable {self.name!r} gets one only "
            "when an Executor runs its program: fetch it there; in a function of "
            "to_static, use tensors' own functions in the place of NumPy's, and "
            f"{what!r} on what the function returns"
        )

    def detach(self) -> Any:
        """A copy of the values that is cut off from the gradient."""
        copy = assign(self)
        copy.stop_gradient = True
        return copy

    def clone(self) -> Any:
        """A copy through which gradients flow."""
        return assign(self)

    def register_hook(self, hook: Callable[[Any], Any]) -> HookHandle:
        """Call `hook(gradient)` when the gradient of this variable is appended.

        What it returns takes the place of the gradient; None leaves it as it is.

        Raises:
            ModeError: The variable belongs to a branch or a loop.
        """
        if parent_of(self.block) is not None:
            raise ModeError.here(
                f"register_hook: {self.name!r} lives inside a branch or a loop; "
                "hook what these return"
            )
        key = object()
        return HookHandle(add_hook(self, key, hook), key)

    def cuda(self, device_id: int | None = None, blocking: bool = True) -> Any:
        """Copy the values to the one device that there is."""
        return assign(self)

    def is_tensor(self) -> bool:
        """True, as of a Tensor."""
        return True

    def numpy(self) -> Any:
        """Variables have no values; raises ModeError, which says where to get them."""
        raise self._only_now("numpy")

    def backward(self, *args: Any, **kwargs: Any) -> None:
        """Variables are differentiated by `append_backward`; raises ModeError."""
        raise ModeError.here(
            f"the Variable {self.name!r} has no values to go back from: "
            "static.append_backward(loss), or minimize(loss) of an optimizer, appends "
            "operators that compute the gradients when an Executor runs the program"
        )

    def gradient(self) -> Any:
        """Variables have no values; raises ModeError."""
        raise self._only_now("gradient")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise self._only_now("__array__")

    def item(self) -> Any:
        """Variables have no values; raises ModeError."""
        raise self._only_now("item")

    __float__ = __int__ = item


class Parameter(Trained, Variable, core.Parameter):
    """A Variable that an optimizer updates: persistable, in the global block.

    Attributes:
        optimize_attr: Its own factor of the learning rate.
        regularizer: Its own decay, or None.
        need_clip: True if gradient clipping counts it.

    In Paddle this is `paddle.base.framework.Parameter`.
    """
