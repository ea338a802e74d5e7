"""Rules for slicing an operator's inputs to get a slice of its result.

Row 3 of a product X W depends on row 3 of X alone, so rows can be sliced before the
product as well as after it. `ONE_BY_ONE` has a rule for each such op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from teachgraph.ops.fused import ACTIVATIONS, BINARY, UNARY
from teachgraph.passes.elementwise_fusion import aligned_at_the_right
from teachgraph.passes.identities import attr, shape_of
from teachgraph.static.operator import Operator

__all__ = ["ONE_BY_ONE", "Cut", "Cuts"]


class Cut(NamedTuple):
    """A slice of a value from `start` to `end` along an axis, of `length` positions."""

    axis: int
    start: int
    end: int
    length: int

    @property
    def is_first(self) -> bool:
        """True for the first position, which exists for any size."""
        return (self.start, self.end) == (0, 1)

    def of(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the slice."""
        return (*shape[: self.axis], self.length, *shape[self.axis + 1 :])


Cuts = dict[str, Cut]
"""Slices of an operator's inputs, by variable."""

Rule = Callable[[Operator, Cut], Cuts | None]
"""Slices of the inputs for one of the result, None if that is not possible."""


def sliced_input(operator: Operator, slot: str, cut: Cut) -> Cuts | None:
    """Slice one input; None if the operator also reads it as a whole."""
    (name,) = operator.input(slot)
    read = [n for names in operator.inputs.values() for n in names]
    return {name: cut} if read.count(name) == 1 else None


def of_x(operator: Operator, cut: Cut) -> Cuts | None:
    """Slice X of an elementwise f(x)."""
    return sliced_input(operator, "X", cut)


def of_rows(slot: str, columns_from: str) -> Rule:
    """Return the rule for rows, where an attribute names the first column dimension."""

    def rule(operator: Operator, cut: Cut) -> Cuts | None:
        is_row = cut.axis < attr(operator, columns_from)
        return sliced_input(operator, slot, cut) if is_row else None

    return rule


def of_product(operator: Operator, cut: Cut) -> Cuts | None:
    """Slice rows of X in X Y, or samples if Y is one matrix."""
    x, y = shape_of(operator, "X"), shape_of(operator, "Y")
    rows = cut.axis == len(x) - 2 or (len(y) == 2 and cut.axis < len(x) - 1)
    fits = len(x) >= len(y) >= 2 and not attr(operator, "trans_x")
    return sliced_input(operator, "X", cut) if fits and rows else None


def of_other_axes(operator: Operator, cut: Cut) -> Cuts | None:
    """Slice X along any axis but that of the op."""
    axis = attr(operator, "axis") % len(shape_of(operator))
    return of_x(operator, cut) if cut.axis != axis else None


def of_turned(operator: Operator, cut: Cut) -> Cuts | None:
    """Slice X of a transpose along the axis that becomes this one."""
    axes = attr(operator, "axis")
    return of_x(operator, cut._replace(axis=axes[cut.axis] % len(axes)))


def of_kept_sizes(operator: Operator, cut: Cut) -> Cuts | None:
    """Slice X of a reshape whose zeros keep the sizes up to this axis."""
    kept = not any(attr(operator, "shape")[: cut.axis + 1])
    return of_x(operator, cut) if kept else None


def of_ids(operator: Operator, cut: Cut) -> Cuts | None:
    """Slice the ids of an embedding."""
    fits = cut.axis < len(shape_of(operator, "Ids"))
    return sliced_input(operator, "Ids", cut) if fits else None


def broadcast(operator: Operator, cut: Cut) -> Cuts | None:
    """Slice each broadcast input that has the axis."""
    if "Y" in operator.inputs and not aligned_at_the_right(operator):
        return None
    result = operator.block._var_recursive(operator.output("Out")[0])
    from_right = cut.axis - len(result.shape)
    return aligned(operator, cut, from_right, operator.input_arg_names)


def aligned(
    operator: Operator, cut: Cut, from_right: int, names: Sequence[str]
) -> Cuts | None:
    """Slice these inputs; one of size 1 along the axis stays, as it is broadcast.

    An unknown size may be 1: such an input surely has the first position, but others
    only perhaps.
    """
    cuts: Cuts = {}
    for name in names:
        shape = operator.block._var_recursive(name).shape
        axis = from_right + len(shape)
        if axis < 0 or shape[axis] == 1:
            continue
        if shape[axis] == -1 and not cut.is_first:
            return None
        cuts[name] = cut._replace(axis=axis)
    return cuts


def of_queries(operator: Operator, cut: Cut) -> Cuts | None:
    """Slice the queries of attention, which needs all keys and values for each."""
    shapes = {len(shape_of(operator, slot)) for slot in "QKV"}
    is_query = cut.axis == (1 if attr(operator, "num_heads") else max(shapes) - 2)
    query = sliced_input(operator, "Q", cut)
    masks = aligned(operator, cut, -2, operator.inputs.get("Mask", []))
    if query is None or masks is None or not is_query or len(shapes) > 1:
        return None
    return {**query, **masks}


ONE_BY_ONE: dict[str, Rule] = {
    **dict.fromkeys([*UNARY, *ACTIVATIONS, "scale", "cast"], of_x),
    **dict.fromkeys([*BINARY, "fused_elementwise"], broadcast),
    "layer_norm": of_rows("X", "begin_norm_axis"),
    "mul": of_rows("X", "x_num_col_dims"),
    "fc": of_rows("Input", "in_num_col_dims"),
    "matmul_v2": of_product,
    "softmax": of_other_axes,
    "transpose2": of_turned,
    "reshape2": of_kept_sizes,
    "lookup_table_v2": of_ids,
    "fused_dot_product_attention": of_queries,
}
"""The rule of each op type."""
