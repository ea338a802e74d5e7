"""Results that lie in an input's memory: the table says which, the rows show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from teachgraph.core.errors import OpError
from teachgraph.core.op import Op, find, force
from teachgraph.ops.sharing import TABLE, sharing
from tests.ops.table import TABLE as ROWS
from tests.ops.table import Case

SELDOM = {
    "argsort_grad": "of one number",
    "batch_norm": "running moments in a test, which stay what they are",
    "bilinear_tensor_product_grad": "the bias of one row",
    "clip_grad": "without limits",
    "cummax_grad": "of one number",
    "cummin_grad": "of one number",
    "cut_kron": "of one block",
    "cut_kron_grad": "of one block",
    "einsum": "of one operand whose letters stay, or only turn",
    "einsum_grad": "of one operand whose letters stay",
    "fold_grad": "of windows of one element",
    "join_kron_grad": "of one block",
    "kthvalue_grad": "of one number",
    "matrix_power": "to the power 1",
    "matrix_power_grad": "to the power 1",
    "mode_grad": "of one number",
    "rmsprop": "what is not used stays what it is",
    "set_value_grad": "a value as large as the part",
    "top_k_v2_grad": "of one number",
}
"""What shares memory in few cases: a plan takes them for new."""


def in_common(results: Any, first: Any) -> Iterator[int]:
    """The positions of results that lie in the memory of an input."""
    listed = results if isinstance(results, tuple) else (results,)
    for position, result in enumerate(map(force, listed)):
        array = isinstance(result, np.ndarray) and isinstance(first, np.ndarray)
        if array and first.size and np.may_share_memory(result, first):
            yield position


def seen(op: Op, case: Case) -> Iterator[tuple[str, int]]:
    """What shares memory in a case: the op's results, and its rule's."""
    results = op(*case.inputs, **case.attrs)
    outs = results if isinstance(results, tuple) else (results,)
    for x in case.inputs[:1]:
        yield from ((op.type, position) for position in in_common(results, x))
    if op.rule is None or not case.inputs:
        return
    arriving = [np.array(np.ones_like(outs[i])) for i in op.rule.upstream]
    attrs = {k: case.attrs.get(k, v) for k, v in op.rule.defaults.items()}
    saved = op.rule.keep([*op.padded(case.inputs), *outs])
    gradients = op.rule.function(*arriving, *saved, **attrs)
    for dout in arriving[:1]:
        yield from ((op.rule.type, i) for i in in_common(gradients, dout))


def every_one() -> set[tuple[str, int]]:
    """What shares memory in any case of any row."""
    found: set[tuple[str, int]] = set()
    for row in ROWS.values():
        for case in row.cases:
            try:
                found.update(seen(find(row.op), case))
            except (OpError, AttributeError, TypeError):  # a rule of parts left out
                continue
    return found


def test_the_table_names_all_that_share_memory_and_no_other() -> None:
    found = every_one()
    told = {(type, at) for type, at in found if sharing(type, at) is not None}
    assert {type for type, _ in found - told} <= SELDOM.keys()
    assert {type for type, _ in told} == TABLE.keys()
