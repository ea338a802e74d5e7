"""L-BFGS goes where PyTorch's does, and says what it does not do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import InvalidValueError, ModeError
from teachgraph.optimizer import LBFGS
from tests.optimizer.lbfgs_cases import CASES, Case

PATHS = json.loads(Path(__file__).with_name("lbfgs.json").read_text("utf-8"))


def started(case: Case) -> tuple[LBFGS, list[Any], Any]:
    """The optimizer, its parameters and the closure."""
    tensors = [tg.to_tensor(np.array(part), stop_gradient=False) for part in case.start]
    settings = {**case.settings, "parameters": tensors}
    rate = settings.pop("lr", 1.0)
    optimizer = LBFGS(rate, **settings)

    def closure() -> Any:
        optimizer.clear_grad()
        loss = case.loss(*tensors)
        loss.backward()
        return loss

    return optimizer, tensors, closure


@pytest.mark.parametrize("name", CASES)
def test_it_goes_where_pytorchs_goes(name: str) -> None:
    optimizer, tensors, closure = started(CASES[name])
    for loss, places in PATHS[name]:
        assert optimizer.step(closure).item() == pytest.approx(
            loss, rel=1e-7, abs=1e-12
        )
        for tensor, place in zip(tensors, places, strict=True):
            np.testing.assert_allclose(tensor.numpy(), place, rtol=1e-6, atol=1e-9)


def test_it_finds_the_least_value() -> None:
    optimizer, tensors, closure = started(CASES["to the end"])
    optimizer.step(closure)
    for tensor in tensors:
        np.testing.assert_allclose(tensor.numpy(), 1.0, rtol=1e-4)


def test_a_parameter_that_is_not_trained_stays() -> None:
    optimizer, (x, y), closure = started(CASES["not searched"])
    y.stop_gradient = True
    optimizer.step(closure)
    assert y.tolist() == CASES["not searched"].start[1]
    assert x.tolist() != CASES["not searched"].start[0]


def test_it_says_what_it_does_not_do() -> None:
    x = tg.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(InvalidValueError, match="'armijo'"):
        LBFGS(line_search_fn="armijo", parameters=[x])
    with pytest.raises(InvalidValueError, match="add a decay to the loss"):
        LBFGS(weight_decay=0.1, parameters=[x])
    with pytest.raises(ModeError, match="closure"):
        LBFGS(parameters=[x]).step()


def test_a_saved_state_holds_the_curvature(tmp_path: Path) -> None:
    def trained(steps: int, again: int) -> Any:
        w = tg.to_tensor([3.0, -2.0, 0.5], stop_gradient=False)
        optimizer = tg.optimizer.LBFGS(0.5, max_iter=2, parameters=[w])

        def closure() -> Any:
            optimizer.clear_grad()
            loss = ((w - 1.0) ** 4).sum() + (w * tg.roll(w, 1)).sum()
            loss.backward()
            return loss

        for _ in range(steps):
            optimizer.step(closure)
        tg.save(optimizer.state_dict(), tmp_path / "state")
        optimizer = tg.optimizer.LBFGS(0.5, max_iter=2, parameters=[w])
        optimizer.set_state_dict(tg.load(tmp_path / "state"))
        for _ in range(again):
            optimizer.step(closure)
        return w.numpy(), optimizer.state_dict()["state"]["n_iter"]

    whole, halves = trained(5, 0), trained(3, 2)
    np.testing.assert_array_equal(whole[0], halves[0])
    assert whole[1] == halves[1] == 5
