"""`op_role_var`: marks each operator of an update with its parameter and gradient.

Passes that fuse updates, or send gradients to other machines, read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from teachgraph.core.program import OpRole
from teachgraph.static.operator import Operator

__all__ = ["mark"]

Pairs = Sequence[tuple[Any, Any]]


def mark(
    operators: Iterable[Operator], pairs: Pairs, remembered: Mapping[Any, Sequence[Any]]
) -> None:
    """Set `op_role_var` of these operators: the names of (parameter, gradient).

    An operator belongs to the parameter whose variables (itself, its gradient, its
    accumulators) it writes, else to the one whose variables it reads, else to that of
    the operator before it.

    Args:
        operators: The appended operators.
        pairs: The parameters with their final gradients.
        remembered: The accumulators of each parameter.
    """
    served = [[p.name, g.name] for p, g in pairs]
    owner = {
        v.name: own
        for own, (p, g) in zip(served, pairs, strict=True)
        for v in (p, g, *remembered.get(p, ()))
    }
    last = served[0]
    for op in operators:
        if op.role & OpRole.RATE:
            continue
        names = [*op.input_arg_names, *op.output_arg_names]
        last = next((owner[n] for n in reversed(names) if n in owner), last)
        for name in op.output_arg_names:
            owner.setdefault(name, last)
        op._set_attr("op_role_var", list(last))
