"""Rules for arrays alone: kernels in place of ops.

That they give the same gradients is what the tape's and the programs' tests hold, which
run them, to PyTorch and to finite differences.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from teachgraph.core.op import Op, find
from teachgraph.ops.for_arrays import for_arrays


@pytest.mark.parametrize("type", ["tanh_shrink", "softplus", "reduce_mean"])
def test_no_op_is_left_in_a_rule_for_arrays(type: str) -> None:
    rule = find(type).rule
    assert rule is not None
    used = inspect.getclosurevars(rule.function).globals.values()
    left = inspect.getclosurevars(for_arrays(rule.function)).globals.values()
    assert any(isinstance(value, Op) for value in used)
    assert not any(isinstance(value, Op) for value in left)


def test_a_rule_itself_still_takes_values_of_any_life() -> None:
    rule = find("tanh_shrink").rule
    assert rule is not None
    quick = for_arrays(rule.function)
    assert quick is for_arrays(rule.function)
    assert quick is not rule.function
    x = np.linspace(-2, 2, 5)
    np.testing.assert_array_equal(quick(x, x), rule.function(x, x))
