"""The default dtype: what Python's floats become, and what parameters are made of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import teachgraph as tg
from teachgraph.core.errors import DTypeError


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = tg.get_default_dtype()
    yield
    tg.set_default_dtype(before)


def test_it_is_float32_and_can_be_float64() -> None:
    assert tg.get_default_dtype() == "float32"
    tg.set_default_dtype("float64")
    made = [tg.to_tensor(0.5), tg.zeros([2]), tg.rand([2]), tg.linspace(0, 1, 3)]
    made += tg.nn.Linear(2, 3).parameters()
    assert {str(tensor.dtype) for tensor in made} == {"float64"}
    assert tg.to_tensor(3).dtype == tg.int64


def test_what_says_its_dtype_keeps_it() -> None:
    tg.set_default_dtype("float64")
    assert tg.ones([1], "float32").dtype == tg.float32
    assert tg.zeros_like(tg.ones([1], "float32")).dtype == tg.float32
    assert (tg.to_tensor([1.0], "float32") * 2.0).dtype == tg.float32


@pytest.mark.parametrize("dtype", ["int64", "float7", None])
def test_what_is_no_floating_type_is_refused(dtype: object) -> None:
    with pytest.raises((DTypeError, TypeError)):
        tg.set_default_dtype(dtype)
    assert tg.get_default_dtype() == "float32"


def test_limits() -> None:
    assert tg.finfo("float64").eps == 2.0**-52
    assert tg.iinfo("int8").min == -128
