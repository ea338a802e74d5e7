"""`op_role_var` of what changes gradients: their parameters, for passes.

Passes that fuse updates, or send gradients to other machines, read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from teachgraph.static.operator import Operator

__all__ = ["mark_role"]

Pairs = Sequence[tuple[Any, Any]]


def mark_role(operators: Iterable[Operator], pairs: Pairs) -> None:
    """Set `op_role_var` of these operators: the names of (parameter, gradient).

    An operator belongs to the parameter whose variables (itself, its gradient) it
    writes, else to the one whose variables it reads, else to that of the operator
    before it.

    Args:
        operators: The operators that clip and decay gradients.
        pairs: The parameters with their final gradients.
    """
    served = [[p.name, g.name] for p, g in pairs]
    owner = {
        v.name: own for own, (p, g) in zip(served, pairs, strict=True) for v in (p, g)
    }
    last = served[0]
    for op in operators:
        names = [*op.input_arg_names, *op.output_arg_names]
        last = next((owner[n] for n in reversed(names) if n in owner), last)
        for name in op.output_arg_names:
            owner.setdefault(name, last)
        op._set_attr("op_role_var", list(last))
