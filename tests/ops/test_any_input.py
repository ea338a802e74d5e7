"""Whatever an op is given, it answers or refuses in words; and both modes agree."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teachgraph as tg
from teachgraph.core.build import infer
from teachgraph.core.errors import OpError
from teachgraph.core.op import find
from teachgraph.core.program import Spec
from tests.effort import examples
from tests.ops.contract import Array, Row
from tests.ops.lives import several
from tests.ops.table import TABLE
from tests.ops.values import numbers

pytestmark = pytest.mark.further

OPS = [
    row.op
    for row in TABLE.values()
    if row.accepts and row.updates is None and not row.inner
]
DTYPES = ["float32", "float64", "int64", "int32", "uint8", "bool"]


def arrays(draw: Any, like: Array | None) -> Array:
    """An input much like one of the table, or of quite another shape or dtype."""
    shapes = st.lists(st.integers(0, 4), max_size=4)
    shape = draw(st.one_of(st.just(list(np.shape(like))), shapes))
    dtype = draw(st.sampled_from([str(np.asarray(like).dtype), *DTYPES]))
    low = draw(st.sampled_from([0, -3]))
    start = draw(st.integers(1, 50))
    return numbers(*shape, low=low, high=4, start=start).astype(dtype)


def attributes(draw: Any, attrs: Any) -> dict[str, Any]:
    """The attributes of a case, one of them perhaps another number."""
    found = dict(attrs)
    changeable = [
        name
        for name, value in found.items()
        if (isinstance(value, int) and not isinstance(value, bool))
        or (isinstance(value, list) and value)
    ]
    if changeable and draw(st.booleans()):
        name = draw(st.sampled_from(changeable))
        number = draw(st.integers(-4, 4))
        if isinstance(found[name], list):
            place = draw(st.integers(0, len(found[name]) - 1))
            found[name] = [
                number if i == place else n for i, n in enumerate(found[name])
            ]
        else:
            found[name] = number
    return found


@st.composite
def calls(draw: Any, row: Row) -> tuple[list[Array], dict[str, Any]]:
    case = draw(st.sampled_from(row.cases))
    return [arrays(draw, x) for x in case.inputs], attributes(draw, case.attrs)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("type", OPS)
@given(data=st.data())
@settings(max_examples=examples(40), deadline=None, derandomize=True)
def test_an_op_answers_or_refuses(type: str, data: Any) -> None:
    inputs, attrs = data.draw(calls(TABLE[type]))
    op = find(type)
    tensors = [tg.Tensor.results(x, x.dtype.kind != "f") for x in inputs]
    try:
        specs = infer(op, [Spec(x.shape, x.dtype) for x in inputs], attrs)
    except Exception:
        with pytest.raises(OpError, match=type):
            op(*tensors, **attrs)
        return
    try:
        outputs = several(op(*tensors, **attrs))
    except OpError:
        return
    assert [out.dtype for out in outputs] == [spec.dtype for spec in specs]
    for out, spec in zip(outputs, specs, strict=True):
        assert tuple(out.shape) == spec.shape or TABLE[type].by_value
    with suppress(OpError):  # a determinant of 0 has a value, but no gradient here
        go_back(outputs, tensors)


def go_back(outputs: list[Any], inputs: list[Any]) -> None:
    """Every gradient there is has shape and dtype of its input, twice."""
    sources = [x for x in inputs if not x.stop_gradient]
    for _ in range(2):
        roots = [out for out in outputs if not out.stop_gradient]
        if not roots:
            return
        found = tg.grad(roots, sources, create_graph=True, allow_unused=True)
        outputs = [dx for dx in found if dx is not None]
        for x, dx in zip(sources, found, strict=True):
            assert dx is None or (dx.shape, dx.dtype) == (x.shape, x.dtype)
