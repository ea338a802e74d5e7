"""Aliasing table: ops whose results may share memory with their first input.

They are views, or the input itself; this can depend on shapes and attributes. No
computation relies on this table: it serves to predict a program's memory.
"""

from __future__ import annotations

from enum import Enum

__all__ = ["Sharing", "sharing"]


class Sharing(Enum):
    """Kind of aliasing between a result and an op's first input.

    Of a gradient op the first input is the upstream gradient.
    """

    SAME = "the input itself, if the shapes are equal"
    FLAT = "all of it in another shape; a copy, if the input is a view with gaps"
    PART = "a view with gaps, or in another order"


PASSED_ON = (
    "add_along_axis_grad",
    "broadcast_among_grad",
    "checked_weights",
    "checked_weights_grad",
    "elementwise_add_grad",
    "elementwise_mod_grad",
    "elementwise_sub_grad",
    "expand_as_v2_grad",
    "expand_v2_grad",
    "index_add_grad",
    "index_put_grad",
    "put_along_axis_grad",
    "scatter_nd_add_grad",
    "sum",
    "unbroadcast",
)
RESHAPED = (
    "flatten_contiguous_range",
    "flatten_contiguous_range_grad",
    "reshape2",
    "reshape2_grad",
    "reshape_as",
    "reshape_as_grad",
    "squeeze2",
    "squeeze2_grad",
    "unsqueeze2",
    "unsqueeze2_grad",
)
LOOKED_INTO = (
    "concat_grad",
    "crop_tensor",
    "diag_embed_grad",
    "diag_v2_grad",
    "diagonal",
    "part_of",
    "slice",
    "stack_grad",
    "strided_slice",
    "transpose2",
    "transpose2_grad",
    "undiagonal_grad",
    "unfold",
    "unslice_grad",
)
TABLE = {
    **dict.fromkeys(PASSED_ON, Sharing.SAME),
    **dict.fromkeys(RESHAPED, Sharing.FLAT),
    **dict.fromkeys(LOOKED_INTO, Sharing.PART),
}

EVERY_RESULT = ("concat_grad", "elementwise_add_grad", "stack_grad")
"""Ops of which every result aliases; of the others only the first does."""


def sharing(type: str, position: int) -> Sharing | None:
    """Look up the aliasing of an op's result; None if it has memory of its own.

    >>> sharing("reshape2", 0) is Sharing.FLAT, sharing("relu", 0)
    (True, None)
    """
    if position and type not in EVERY_RESULT:
        return None
    return TABLE.get(type)
