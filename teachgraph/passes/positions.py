"""Which operators treat the positions along an axis one by one, and of which inputs.

Row 3 of a product X W needs row 3 of X alone, so a part of the rows can be cut out
before the product as well as after it.
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
    """The part of a value from `start` to `end` along an axis, `length` positions."""

    axis: int
    start: int
    end: int
    length: int

    @property
    def is_first(self) -> bool:
        """Whether it is the first position, which is there whatever the size."""
        return (self.start, self.end) == (0, 1)

    def of(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the part."""
        return (*shape[: self.axis], self.length, *shape[self.axis + 1 :])


Cuts = dict[str, Cut]
"""What to cut of the variables that an operator reads, to get a part of its result."""

Rule = Callable[[Operator, Cut], Cuts | None]
"""None where the part cannot be had so."""


def only(operator: Operator, slot: str, cut: Cut) -> Cuts | None:
    """The cut of one input, if it is not one of those that stay whole as well."""
    (name,) = operator.input(slot)
    read = [n for names in operator.inputs.values() for n in names]
    return {name: cut} if read.count(name) == 1 else None


def of_x(operator: Operator, cut: Cut) -> Cuts | None:
    """f(x) of one element at a time."""
    return only(operator, "X", cut)


def of_rows(slot: str, columns_from: str) -> Rule:
    """What works on rows: the dimensions from an attribute's on are columns."""

    def rule(operator: Operator, cut: Cut) -> Cuts | None:
        is_row = cut.axis < attr(operator, columns_from)
        return only(operator, slot, cut) if is_row else None

    return rule


def of_product(operator: Operator, cut: Cut) -> Cuts | None:
    """Rows of X Y, where X is not transposed; or samples, where Y is one matrix."""
    x, y = shape_of(operator, "X"), shape_of(operator, "Y")
    rows = cut.axis == len(x) - 2 or (len(y) == 2 and cut.axis < len(x) - 1)
    fits = len(x) >= len(y) >= 2 and not attr(operator, "trans_x")
    return only(operator, "X", cut) if fits and rows else None


def of_other_axes(operator: Operator, cut: Cut) -> Cuts | None:
    """What works along one axis, at each position of the others."""
    axis = attr(operator, "axis") % len(shape_of(operator))
    return of_x(operator, cut) if cut.axis != axis else None


def of_turned(operator: Operator, cut: Cut) -> Cuts | None:
    """out[i_axis] = x[i]."""
    axes = attr(operator, "axis")
    return of_x(operator, cut._replace(axis=axes[cut.axis] % len(axes)))


def of_kept_sizes(operator: Operator, cut: Cut) -> Cuts | None:
    """A reshape that keeps the sizes up to this axis, whatever they are."""
    kept = not any(attr(operator, "shape")[: cut.axis + 1])
    return of_x(operator, cut) if kept else None


def of_ids(operator: Operator, cut: Cut) -> Cuts | None:
    """A row of a table for each id."""
    fits = cut.axis < len(shape_of(operator, "Ids"))
    return only(operator, "Ids", cut) if fits else None


def broadcast(operator: Operator, cut: Cut) -> Cuts | None:
    """Inputs aligned at the right: each is cut that has the axis."""
    if "Y" in operator.inputs and not aligned_at_the_right(operator):
        return None
    result = operator.block._var_recursive(operator.output("Out")[0])
    from_right = cut.axis - len(result.shape)
    return aligned(operator, cut, from_right, operator.input_arg_names)


def aligned(
    operator: Operator, cut: Cut, from_right: int, names: Sequence[str]
) -> Cuts | None:
    """The cut of these inputs; one of size 1 there stays, since it is for all.

    A size that is not known may be 1: of such an input the first position is always
    there, others are not.
    """
    found: Cuts = {}
    for name in names:
        shape = operator.block._var_recursive(name).shape
        axis = from_right + len(shape)
        if axis < 0 or shape[axis] == 1:
            continue
        if shape[axis] == -1 and not cut.is_first:
            return None
        found[name] = cut._replace(axis=axis)
    return found


def of_queries(operator: Operator, cut: Cut) -> Cuts | None:
    """Each query's answer is a mean over all values: keys and values stay whole."""
    shapes = {len(shape_of(operator, slot)) for slot in "QKV"}
    is_query = cut.axis == (1 if attr(operator, "num_heads") else max(shapes) - 2)
    query = only(operator, "Q", cut)
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
"""For each op type, what to cut of its inputs."""
