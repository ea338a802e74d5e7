"""Operators appended by hand: what their attributes may be."""

from __future__ import annotations

from typing import Any

import pytest

import teachgraph as tg
from teachgraph import fluid, static
from teachgraph.core.errors import DTypeError


@pytest.mark.parametrize("dtype", [tg.int64, fluid.core.VarDesc.VarType.INT64, 3])
def test_an_attribute_names_a_dtype_or_has_its_number(dtype: Any) -> None:
    with static.program_guard(static.Program()):
        block = static.default_main_program().global_block()
        out = block.create_var(name="out", dtype="int64", shape=[2])
        block.append_op(
            type="fill_constant",
            outputs={"Out": out},
            attrs={"shape": [2], "value": 7.0, "dtype": dtype},
        )
        (found,) = static.Executor().run(fetch_list=[out])
    assert (found.tolist(), str(found.dtype)) == ([7, 7], "int64")


def test_a_number_of_no_dtype_is_refused() -> None:
    with static.program_guard(static.Program()):
        block = static.default_main_program().global_block()
        out = block.create_var(name="out", dtype="int64", shape=[2])
        with pytest.raises(DTypeError, match=r"99 is no dtype's number"):
            block.append_op(
                type="fill_constant",
                outputs={"Out": out},
                attrs={"shape": [2], "value": 7.0, "dtype": 99},
            )
