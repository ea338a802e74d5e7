"""Python operators of Tensor and Variable: `x + y` is the op `elementwise_add`.

A Python number on one side becomes an attribute of a `scale` op if possible, as in
Paddle, else a constant of the other side's dtype.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.op import Op, Traced
from teachgraph.core.ops import elementwise_add, elementwise_mul
from teachgraph.ops import functions
from teachgraph.ops.bare_numbers import dtype_with_number, is_number
from teachgraph.ops.default_dtype import is_floating
from teachgraph.ops.elementwise import (
    elementwise_div,
    elementwise_floordiv,
    elementwise_mod,
    elementwise_pow,
    elementwise_sub,
    equal,
    greater_equal,
    greater_than,
    less_equal,
    less_than,
    not_equal,
)
from teachgraph.ops.error_message import explain, none_error
from teachgraph.ops.indexing import get_item
from teachgraph.ops.logic import bitwise_and, bitwise_not, bitwise_or, bitwise_xor
from teachgraph.ops.math import abs_, cast, scale
from teachgraph.ops.matmul import matmul_v2

__all__ = ["Operators", "warn_of_new_variable"]


def warn_of_new_variable(name: str) -> None:
    """Warn that what is called `relu_` is `relu` in a program: a new variable."""
    warnings.warn(
        f"in a program {name}_() is {name}(): nothing changes in place, so use what "
        "it returns",
        stacklevel=3,
    )


class Operators(Traced):
    """The arithmetic, comparisons and basic indexing of a traced value."""

    __slots__ = ()
    __array_priority__ = 100.0

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """Create a constant from a number, for use with this value."""
        raise NotImplementedError

    def operate(self, op: Op, *inputs: Any, **attrs: Any) -> Any:
        """Apply `op` on behalf of an operator."""
        return op(*inputs, **attrs)

    def dtype_beside(self, number: Any) -> np.dtype[Any]:
        """Our dtype, or one that also holds the number."""
        return dtype_with_number(self.dtype, number)

    def beside(self, other: Any) -> Any:
        """Cast this value to the result dtype with `other`."""
        return self.in_dtype(self.dtype_beside(other)) if is_number(other) else self

    def floating(self) -> Any:
        """Cast integers to float32, for division."""
        ours: np.dtype[Any] = self.dtype
        return self.in_dtype(ours if is_floating(ours) else dtypes.float32)

    def in_dtype(self, dtype: np.dtype[Any]) -> Any:
        """Cast this value, unless it has that dtype."""
        return self if self.dtype == dtype else self.astype(dtype)

    def lifted(self, other: Any) -> Any:
        """Convert the other operand; a number becomes a constant of our dtype."""
        return self.constant(other, self.dtype) if is_number(other) else other

    def scalable(self, other: Any) -> bool:
        """True if `other` can be an attribute of `scale`."""
        return is_number(other) and self.dtype != dtypes.bool

    def factor(self, number: Any) -> int | float:
        """Convert a number to an attribute of `scale`; integers stay exact."""
        return float(number) if is_floating(self.dtype) else int(number)

    def combined(self, op: Op, other: Any) -> Any:
        """Apply an op to this value and another one or a number."""
        if isinstance(other, Traced):
            return self.operate(op, self, other)
        if other is None:  # which NumPy would compare with each element
            raise explain(op.type, ["X", "Y"], [self, other], {}, none_error())
        x = self.beside(other)
        return self.operate(op, x, x.lifted(other))

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Traced):
            return self.operate(elementwise_add, self, other)
        x = self.beside(other)
        if x.scalable(other):
            return self.operate(scale, x, bias=x.factor(other))
        return self.operate(elementwise_add, x, x.lifted(other))

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Traced):
            return self.operate(elementwise_sub, self, other)
        x = self.beside(other)
        if x.scalable(other):
            return self.operate(scale, x, bias=-x.factor(other))
        return self.operate(elementwise_sub, x, x.lifted(other))

    def __rsub__(self, other: Any) -> Any:
        x = self.beside(other)
        if x.scalable(other):
            return self.operate(scale, x, scale=-1.0, bias=x.factor(other))
        return self.operate(elementwise_sub, x.lifted(other), x)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Traced):
            return self.operate(elementwise_mul, self, other)
        x = self.beside(other)
        if x.scalable(other):
            return self.operate(scale, x, scale=x.factor(other))
        return self.operate(elementwise_mul, x, x.lifted(other))

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __truediv__(self, other: Any) -> Any:
        x = self.floating()
        if is_number(other) and other != 0:
            return self.operate(scale, x, scale=1.0 / float(other))
        return self.operate(elementwise_div, x, x.lifted(other))

    def __rtruediv__(self, other: Any) -> Any:
        x = self.floating()
        return self.operate(elementwise_div, x.lifted(other), x)

    def __pow__(self, other: Any) -> Any:
        return self.combined(elementwise_pow, other)

    def __rpow__(self, other: Any) -> Any:
        x = self.beside(other)
        return self.operate(elementwise_pow, x.lifted(other), x)

    def __floordiv__(self, other: Any) -> Any:
        return self.combined(elementwise_floordiv, other)

    def __rfloordiv__(self, other: Any) -> Any:
        x = self.beside(other)
        return self.operate(elementwise_floordiv, x.lifted(other), x)

    def __mod__(self, other: Any) -> Any:
        return self.combined(elementwise_mod, other)

    def __rmod__(self, other: Any) -> Any:
        x = self.beside(other)
        return self.operate(elementwise_mod, x.lifted(other), x)

    def __and__(self, other: Any) -> Any:
        return self.operate(bitwise_and, self, self.lifted(other))

    def __or__(self, other: Any) -> Any:
        return self.operate(bitwise_or, self, self.lifted(other))

    def __xor__(self, other: Any) -> Any:
        return self.operate(bitwise_xor, self, self.lifted(other))

    def __invert__(self) -> Any:
        return self.operate(bitwise_not, self)

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, Operators) or other.dtype == self.dtype:
            return self.operate(matmul_v2, self, other)
        kinds = [x.dtype for x in (self, other)]
        common = np.result_type(*(list(filter(is_floating, kinds)) or kinds))
        return self.operate(matmul_v2, self.in_dtype(common), other.in_dtype(common))

    def __rmatmul__(self, other: Any) -> Any:
        return self.operate(matmul_v2, other, self)

    def __neg__(self) -> Any:
        return self.operate(scale, self, scale=-1.0)

    def __abs__(self) -> Any:
        return self.operate(abs_, self)

    def __lt__(self, other: Any) -> Any:
        return self.combined(less_than, other)

    def __le__(self, other: Any) -> Any:
        return self.combined(less_equal, other)

    def __gt__(self, other: Any) -> Any:
        return self.combined(greater_than, other)

    def __ge__(self, other: Any) -> Any:
        return self.combined(greater_equal, other)

    def __eq__(self, other: object) -> Any:
        return self.combined(equal, other)

    def __ne__(self, other: object) -> Any:
        return self.combined(not_equal, other)

    __hash__ = object.__hash__

    def __getitem__(self, index: Any) -> Any:
        """Index by integers, slices, None, `...`, arrays and masks, as in NumPy."""
        return get_item(self, index)

    def astype(self, dtype: Any) -> Any:
        """Cast to another dtype."""
        code, wanted = dtypes.PADDLE_CODES, dtypes.convert(dtype)
        attrs = {"in_dtype": code[self.dtype], "out_dtype": code[wanted]}
        return self.operate(cast, self, **attrs)

    @property
    def T(self) -> Any:  # noqa: N802  NumPy's name
        """Transpose: all dimensions in reverse order."""
        return functions.transpose(self, list(range(len(self.shape)))[::-1])
