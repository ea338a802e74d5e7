"""A gradient rule is the function the user wrote, with the globals it has now."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.op import _registry, op

SOURCE = """
from teachgraph.core.op import op
from teachgraph.ops.math import scale

FACTOR = 2.0


@op
def stretched(x):
    return x * FACTOR


@stretched.grad
def stretched_grad(dout):
    return scale(dout, scale=FACTOR)
"""
"""Cells of a notebook: the kernel and the rule read a constant of the notebook's."""


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Any]:
    path = tmp_path / "cells.py"
    path.write_text(SOURCE)
    spec = spec_from_file_location("cells", path)
    assert spec is not None
    assert spec.loader is not None
    cells = module_from_spec(spec)
    spec.loader.exec_module(cells)
    yield cells
    for type in ("stretched", "stretched_grad"):
        del _registry[type]


def gradients(stretched: Any) -> list[float]:
    x = tg.to_tensor(1.0, stop_gradient=False)
    stretched(x).backward()
    (recorded,) = tg.grad(stretched(x), x, create_graph=True)
    (plain,) = tg.grad(stretched(x), x)
    return [x.grad.item(), recorded.item(), plain.item()]


def test_a_rule_reads_a_constant_as_it_is_now(notebook: Any) -> None:
    assert gradients(notebook.stretched) == [2.0, 2.0, 2.0]
    notebook.FACTOR = 3.0
    assert gradients(notebook.stretched) == [3.0, 3.0, 3.0]


def test_in_a_program_too(notebook: Any) -> None:
    main = tg.static.Program()
    with tg.modes.using(static=True), tg.static.program_guard(main):
        x = tg.static.data("x", [1])
        x.stop_gradient = False
        (dx,) = tg.static.gradients(notebook.stretched(x), x)
    executor, feed = tg.static.Executor(), {"x": np.ones(1, "float32")}
    assert executor.run(main, feed, [dx])[0].item() == 2.0
    notebook.FACTOR = 5.0
    assert executor.run(main, feed, [dx])[0].item() == 5.0


def test_a_rule_that_fails_runs_once(notebook: Any) -> None:
    calls = []

    @op(type="failing")
    def failing(x: Any) -> Any:
        return x

    @failing.grad
    def failing_grad(dout: Any) -> Any:
        calls.append(dout)
        raise RuntimeError("no gradient today")

    try:
        with pytest.raises(RuntimeError, match="no gradient today"):
            failing(tg.to_tensor(1.0, stop_gradient=False)).backward()
    finally:
        del _registry["failing"], _registry["failing_grad"]
    assert len(calls) == 1


@pytest.fixture
def doubled() -> Iterator[Any]:
    """An op that has no rule yet."""

    @op
    def doubled(x: Any) -> Any:
        return x + x

    yield doubled
    for type in ("doubled", "doubled_grad"):
        _registry.pop(type, None)


GRADIENTS = {
    "backward": lambda y, x: y.backward(),
    "grad": tg.grad,
    "create_graph": lambda y, x: tg.grad(y, x, create_graph=True),
}


@pytest.mark.parametrize("life", GRADIENTS)
def test_a_gradient_of_another_shape_names_the_rule(doubled: Any, life: str) -> None:
    @doubled.grad
    def doubled_grad(dout: Any) -> Any:
        return dout.sum()

    x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    told = r"doubled_grad gave a gradient of shape \[\] for a tensor of shape \[2\]"
    with pytest.raises(tg.errors.GradientShapeError, match=told):
        GRADIENTS[life](doubled(x).sum(), x)
    assert x.grad is None


@pytest.mark.parametrize("life", GRADIENTS)
def test_too_many_gradients_name_the_rule(doubled: Any, life: str) -> None:
    @doubled.grad
    def doubled_grad(dout: Any) -> Any:
        return dout, dout

    told = r"doubled_grad gave 2 gradients for x\n.*test_rules.py"
    x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    with pytest.raises(tg.errors.ProgramError, match=told):
        GRADIENTS[life](doubled(x).sum(), x)


def test_an_op_may_be_defined_again_where_it_was_defined(notebook: Any) -> None:
    path = Path(notebook.__file__)
    # Of another size: else the bytecode of the same second counts as this file's.
    path.write_text(SOURCE.replace("FACTOR = 2.0", "FACTOR = 4.00"))
    notebook.__spec__.loader.exec_module(notebook)
    assert gradients(notebook.stretched) == [4.0, 4.0, 4.0]


def test_an_op_of_the_same_type_elsewhere_is_refused(notebook: Any) -> None:
    told = r"two ops are called 'stretched': give one a `type`\n.*test_rules.py"
    with pytest.raises(tg.errors.ProgramError, match=told):

        @op
        def stretched(x: Any) -> Any:
            return x
