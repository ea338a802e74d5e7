"""Functions that are made of several ops, against NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.autograd import check_grads
from tests.ops.values import numbers

X = numbers(4, 3, 2)
AT = np.array([[3], [-24], [5]])

SAME: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "moveaxis": (lambda x: tg.moveaxis(x, 0, -1), lambda x: np.moveaxis(x, 0, -1)),
    "moveaxis of two": (
        lambda x: tg.moveaxis(x, [0, 1], [-1, 0]),
        lambda x: np.moveaxis(x, [0, 1], [-1, 0]),
    ),
    "swapaxes": (lambda x: tg.swapaxes(x, 0, -1), lambda x: np.swapaxes(x, 0, -1)),
    "unflatten": (
        lambda x: tg.unflatten(x, 0, [2, -1]),
        lambda x: x.reshape(2, 2, 3, 2),
    ),
    "squeeze": (lambda x: tg.squeeze(x[:1, :, :1]), lambda x: x[0, :, 0]),
    "squeeze of no 1": (lambda x: tg.squeeze(x, [0]), lambda x: x),
    "diagflat": (tg.diagflat, np.diagflat),
    "take": (lambda x: tg.take(x, AT), lambda x: np.take(x, AT)),
    "take, clipped": (
        lambda x: tg.take(x, AT * 9, "clip"),
        lambda x: np.take(x, AT * 9, mode="clip"),
    ),
    "take_along_axis": (
        lambda x: tg.take_along_axis(x, AT[:1, :, None] % 4, 0),
        lambda x: np.take_along_axis(x, AT[:1, :, None] % 4, 0),
    ),
    **{
        f"rot90 {k} times": (
            lambda x, k=k: tg.rot90(x, k, [1, 2]),
            lambda x, k=k: np.rot90(x, k, [1, 2]),
        )
        for k in range(-1, 5)
    },
}


@pytest.mark.parametrize(("ours", "numpys"), SAME.values(), ids=SAME)
def test_a_function_is_numpys_and_has_gradients(ours: Any, numpys: Any) -> None:
    np.testing.assert_array_equal(ours(X), numpys(X))
    np.testing.assert_array_equal(ours(tg.to_tensor(X)).numpy(), numpys(X))
    check_grads(lambda x: ours(x) * ours(x), [X], order=2)


SPLITS: dict[str, tuple[Callable[[Any], list[Any]], list[Any]]] = {
    "in two": (lambda x: tg.split(x, 2), [X[:2], X[2:]]),
    "by sizes": (lambda x: tg.split(x, [1, 2], 1), [X[:, :1], X[:, 1:]]),
    "with a rest": (lambda x: tg.split(x, [1, -1, 2]), [X[:1], X[1:2], X[2:]]),
    "chunks": (lambda x: tg.chunk(x, 3, -2), [X[:, i : i + 1] for i in range(3)]),
    "nearly even": (lambda x: tg.tensor_split(x, 3), [X[:2], X[2:3], X[3:]]),
    "at places": (lambda x: tg.tensor_split(x, [1, 3]), [X[:1], X[1:3], X[3:]]),
    "unbind": (lambda x: tg.unbind(x, 1), [X[:, i] for i in range(3)]),
    "meshgrid": (
        lambda x: tg.meshgrid(x[0, 0], x[:, 0, 0]),
        np.meshgrid(X[0, 0], X[:, 0, 0], indexing="ij"),
    ),
}


@pytest.mark.parametrize(("ours", "wanted"), SPLITS.values(), ids=SPLITS)
def test_parts_are_numpys(ours: Any, wanted: Any) -> None:
    for found in (ours(X), ours(tg.to_tensor(X))):
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(np.asarray(one), other)


def test_what_is_split_before_its_size_is_known_is_split_when_it_runs() -> None:
    program = static.Program()
    with static.program_guard(program, static.Program()):
        x = static.data("x", [-1, 3, 2], "float64")
        outs = tg.split(x, [1, -1, 2])
        with pytest.raises(tg.errors.ShapeError, match="size of -1 cannot be split"):
            tg.split(x, 2)
    found = static.Executor().run(program, {"x": X}, outs)
    for one, other in zip(found, [X[:1], X[1:2], X[2:]], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("sections", [3, 0, [1, 1], [-1, -1], [5, -1], [-2, 6]])
def test_what_does_not_come_out_even_is_not_split(sections: Any) -> None:
    with pytest.raises(tg.errors.ShapeError, match="size of 4 cannot be split"):
        tg.split(tg.to_tensor(X), sections)
