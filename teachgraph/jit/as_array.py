"""Convert Python lists of tensors to tensor arrays of a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.control_flow.arrays import create_array
from teachgraph.control_flow.sub_block import as_variable as as_constant
from teachgraph.core import dtypes
from teachgraph.core.errors import ModeError
from teachgraph.core.program import Spec
from teachgraph.errors import ConversionError
from teachgraph.jit.tracing import as_variable
from teachgraph.static.array_variable import ArrayVariable
from teachgraph.static.variable import Variable

__all__ = ["array_of", "as_tensor", "of_one_kind", "spec_of"]


def array_of(items: Any, like: Spec | None = None) -> Any:
    """Convert a list or a tuple to a tensor array; return an array as it is.

    Args:
        items: The list.
        like: The spec of its tensors, used if it is empty.

    Raises:
        ConversionError: Its items are no tensors of one dtype and rank.
    """
    if isinstance(items, ArrayVariable):
        return items
    if not of_one_kind(items):
        raise ConversionError.here(no_array(items))
    tensors = [as_tensor(item) for item in items]
    spec = tensors[0].spec if tensors else like or Spec((), dtypes.float32)
    array = create_array(spec.dtype, tensors)
    array.shape = spec.shape
    return array


def no_array(items: Any) -> str:
    """Error message for a list that cannot be an array."""
    return (
        "a tensor decides on the length of this list or on the item meant, so both are "
        "known only when the program runs, and the items have to be tensors or numbers "
        f"of one dtype and number of dimensions, not {list(items)!r:.80}"
    )


def of_one_kind(items: Sequence[Any]) -> bool:
    """True if all are tensors or numbers of one dtype and number of dimensions."""
    specs = [spec_of(item) for item in items]
    if None in specs:
        return False
    return len({(spec.dtype, len(spec.shape)) for spec in specs if spec}) <= 1


def as_tensor(value: Any) -> Variable:
    """Return an item of a list as a Variable."""
    variable = as_variable(value)
    if not isinstance(variable, Variable):
        variable = as_constant(variable)
    assert isinstance(variable, Variable)
    return variable


def spec_of(item: Any) -> Spec | None:
    """Return the shape and dtype of an item as a tensor, None if it cannot be one."""
    if isinstance(item, Variable):
        return None if isinstance(item, ArrayVariable) else item.spec
    try:
        return as_tensor(item).spec
    except (TypeError, ValueError, ModeError):
        return None
