"""Exports at the edge: infinities, sizes of 0, numbers alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.deploy.onnx import export
from tests.onnx.test_export import run_by_runtime
from tests.static.fresh import fresh

Function = Callable[..., Any]

ODD = [5.0, -5.0, 0.0, np.inf, -np.inf, np.nan, 3.0, -3.0, 7.5]
DIVISORS = [np.inf, -np.inf, 2.0, -2.0, 0.0, np.nan]
REDUCTIONS: list[Function] = [
    *(tg.sum, tg.mean, tg.prod, tg.max, tg.min, tg.amax, tg.amin),
    *(tg.logsumexp, tg.all, tg.any, tg.argmax, tg.argmin, tg.norm),
]
SCALARS: list[Function] = [
    lambda x: tg.topk(x, 1),
    lambda x: tg.topk(x, 1, axis=0),
    tg.sort,
    tg.argsort,
    tg.argmax,
    lambda x: tg.cumsum(x, 0),
]


def results(function: Function, *tensors: Any) -> list[Any]:
    found = function(*tensors)
    return list(found) if isinstance(found, (list, tuple)) else [found]


def in_runtime(folder: Path, inputs: list[Any], functions: list[Function]) -> list[Any]:
    """The results of several functions, one after the other, in one model."""
    with fresh() as programs:
        variables = [
            static.data(f"x{i}", list(x.shape), str(x.dtype))
            for i, x in enumerate(inputs)
        ]
        outputs = [one for f in functions for one in results(f, *variables)]
        export(programs.main, folder / "edge", output_spec=outputs, opset_version=18)
    return run_by_runtime(folder / "edge.onnx", inputs)


def compare(folder: Path, inputs: list[Any], functions: list[Function]) -> None:
    tensors = [tg.to_tensor(x) for x in inputs]
    here = [one.numpy() for f in functions for one in results(f, *tensors)]
    for there, ours in zip(in_runtime(folder, inputs, functions), here, strict=True):
        assert (there.shape, there.dtype) == (ours.shape, ours.dtype)
        np.testing.assert_allclose(there, ours, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_divisors_may_be_infinite(dtype: str, tmp_path: Path) -> None:
    x = np.tile(np.array(ODD, dtype), len(DIVISORS))
    y = np.repeat(np.array(DIVISORS, dtype), len(ODD))
    functions: list[Function] = [tg.mod, tg.floor_divide, tg.remainder]
    with np.errstate(all="ignore"):
        compare(tmp_path, [x, y], functions)


@pytest.mark.parametrize("shape", [[2, 0, 3], [0, 3], [0]], ids=str)
def test_reductions_pass_over_sizes_of_0(shape: list[int], tmp_path: Path) -> None:
    axes = [None, *range(-len(shape), len(shape))]
    zeros = np.zeros(shape, "float32")

    def reduce(function: Function, axis: int | None, x: Any) -> Any:
        x = x.astype("bool") if function in (tg.all, tg.any) else x
        return function(x) if axis is None else function(x, axis=axis)

    functions = []
    for function in REDUCTIONS:
        for axis in axes:
            one = lambda x, f=function, axis=axis: reduce(f, axis, x)  # noqa: E731
            try:
                one(tg.to_tensor(zeros))
            except tg.errors.TeachgraphError:  # a maximum of nothing
                continue
            functions.append(one)
    assert len(functions) > 3 * len(axes)
    compare(tmp_path, [zeros], functions)


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_a_number_alone_is_sorted(dtype: str, tmp_path: Path) -> None:

    compare(tmp_path, [np.array(3, dtype)], SCALARS)
