"""Arrays of a program in the words of Python's lists: `append`, `pop`, `x[i]`, `+`.

What changes a list changes the variable: everybody who holds it sees the new array, and
operators that came before keep the old one under another name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, Self

from teachgraph.control_flow.arrays import ARRAY, array_length, array_write
from teachgraph.control_flow.sub_block import as_variable, kept_apart
from teachgraph.core.op import Op, Traced, slot_name
from teachgraph.core.program import current_block, default_main_program
from teachgraph.errors import ConversionError
from teachgraph.ops import array_lists as lists
from teachgraph.ops.tensor_array import read_from_array
from teachgraph.static.append_op import insert_named
from teachgraph.static.variable import Variable

__all__ = ["ARRAY", "ArrayVariable"]


class ArrayVariable(Variable):
    """A list whose length is known only when the program runs.

    In Paddle this is a `paddle.static.Variable` of type `LOD_TENSOR_ARRAY`.
    """

    type = ARRAY

    def append(self, value: Any) -> None:
        """Add a tensor at the end."""
        array_write(tensor(value), array_length(self), self)

    def extend(self, values: Iterable[Any]) -> None:
        """Add several tensors: those of a list, or of another array."""
        if isinstance(values, ArrayVariable):
            write(self, lists.join_arrays, self, y=values)
            return
        for value in values:
            self.append(value)

    def insert(self, index: Any, value: Any) -> None:
        """Add a tensor before the one at `index`."""
        at = lists.array_place(self, tensor(index), inserting=True)
        write(self, lists.insert_into_array, self, value=tensor(value), i=at)

    def pop(self, index: Any = -1) -> Any:
        """Take out the tensor at `index`, by default the last."""
        at = lists.array_place(self, tensor(index))
        item = read_from_array(self, at)
        write(self, lists.drop_from_array, self, i=at)
        return item

    def clear(self) -> None:
        """Take out all tensors."""
        write(self, lists.slice_array, self, stop=tensor(0))

    def reverse(self) -> None:  # type: ignore[override]  # a list's, not a tensor's
        """Turn the order round."""
        write(self, lists.slice_array, self, step=-1)

    def copy(self) -> ArrayVariable:
        """Another list of the same tensors."""
        return self[:]  # type: ignore[no-any-return]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return write(new_array(self), lists.slice_array, self, **bounds(index))
        at = index
        if isinstance(index, Variable) or index < 0:
            at = lists.array_place(self, tensor(index))
        return read_from_array(self, tensor(at))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            refuse(self, "have a slice assigned to it")
        array_write(tensor(value), lists.array_place(self, tensor(index)), self)

    def __delitem__(self, index: Any) -> None:
        if isinstance(index, slice):
            refuse(self, "have a slice deleted")
        at = lists.array_place(self, tensor(index))
        write(self, lists.drop_from_array, self, i=at)

    def __add__(self, other: Any) -> ArrayVariable:
        both = self.copy()
        both.extend(other)
        return both

    def __radd__(self, other: Any) -> ArrayVariable:
        both: ArrayVariable = self[:0]
        both.extend(other)
        both.extend(self)
        return both

    def __iadd__(self, other: Any) -> Self:
        self.extend(other)
        return self

    def __mul__(self, times: Any) -> Any:
        refuse(self, "be repeated")

    def __iter__(self) -> Any:
        refuse(self, "be gone through but by a `for` statement")

    def __contains__(self, value: Any) -> bool:
        refuse(self, "be searched")

    def index(self, *_: Any) -> NoReturn:
        """Refused: which tensors are equal is not known before the program runs."""
        refuse(self, "be searched")

    def sort(self, **_: Any) -> NoReturn:  # type: ignore[override]
        """Refused: which tensor is larger is not known before the program runs."""
        refuse(self, "be sorted")

    count = remove = index
    __rmul__ = __mul__


def refuse(array: ArrayVariable, what: str) -> NoReturn:
    """Say what a list of this kind cannot do.

    Raises:
        ConversionError: Always.
    """
    raise ConversionError.here(
        f"the list {array.name!r}, whose length is known only when the program "
        f"runs, cannot {what}; it can be appended to, popped from, inserted into, "
        "added to another, indexed, sliced, and gone through by a `for` statement. "
        "Stack it into one tensor for anything else"
    )


def tensor(value: Any) -> Any:
    """A part, or a place, as a Variable."""
    adopt = getattr(default_main_program(), "adopt", None)
    if isinstance(value, Traced) and adopt is not None:
        return value if isinstance(value, Variable) else adopt(value)
    return as_variable(value)


def bounds(index: slice) -> dict[str, Any]:
    """A slice as `slice_array` takes it."""
    ends = {"start": index.start, "stop": index.stop}
    tensors = {key: tensor(v) for key, v in ends.items() if v is not None}
    return {**tensors, "step": 1 if index.step is None else index.step}


def new_array(like: ArrayVariable) -> ArrayVariable:
    """A new variable for an array of such parts."""
    array = current_block().create_var(dtype=like.dtype, shape=like.shape, type=ARRAY)
    assert isinstance(array, ArrayVariable)
    return array


def write(out: ArrayVariable, op: Op, array: ArrayVariable, **given: Any) -> Any:
    """Let `out` be what an op makes of an array; `out` itself."""
    block = current_block()
    before = kept_apart(block, array) if out is array else array
    attrs = {key: given.pop(key) for key in op.attrs if key in given}
    slots = {slot_name(key): value for key, value in given.items()}
    inputs = {"X": before, **slots}
    insert_named(block, len(block.ops), op.type, inputs, {"Out": out}, attrs)
    out.stop_gradient = before.stop_gradient = False  # a part to come may have one
    return out
