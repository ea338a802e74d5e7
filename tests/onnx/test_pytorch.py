"""What PyTorch's two exporters write runs here, trains, is drawn and goes out again.

The files, and what PyTorch computes, come from `capture.py`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.deploy.onnx import export, load
from tests.onnx.test_export import session

FILES = Path(__file__).parent / "files"
MODELS = sorted(FILES.glob("*.onnx"))
BATCHES = (2, 3)

each_model = pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)


class Loaded(NamedTuple):
    """A file as a program, with the parameters it came with."""

    program: static.Program
    scope: static.Scope
    feeds: list[str]
    fetches: list[Any]


@cache
def loaded(path: Path) -> Loaded:
    scope = static.Scope()
    program, feeds, fetches = load(path, scope)
    return Loaded(program, scope, feeds, fetches)


def asked(path: Path, batch: int) -> tuple[list[Any], list[Any]]:
    """What PyTorch was given, and what it answered."""
    told = np.load(FILES / f"{path.name.split('.')[0]}.npz")
    inputs, answers = (
        [told[name] for name in told if name.startswith(f"{kind}{batch}.")]
        for kind in "xy"
    )
    return inputs, answers


def same(got: list[Any], want: list[Any]) -> None:
    assert [(a.dtype, a.shape) for a in got] == [(a.dtype, a.shape) for a in want]
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@each_model
def test_it_computes_what_pytorch_does_for_any_batch(path: Path) -> None:
    model = loaded(path)
    for batch in BATCHES:
        inputs, want = asked(path, batch)
        feed = dict(zip(model.feeds, inputs, strict=True))
        executor = static.Executor()
        same(executor.run(model.program, feed, model.fetches, scope=model.scope), want)


@each_model
def test_it_is_exported_again(path: Path, tmp_path: Path) -> None:
    model, file = loaded(path), tmp_path / "f"
    how = {"output_spec": model.fetches, "scope": model.scope, "opset_version": 18}
    export(model.program, str(file), **how)
    inputs, want = asked(path, BATCHES[-1])
    runtime = session(tmp_path / "f.onnx")
    feed = dict(zip(model.feeds, inputs, strict=True))
    same(runtime.run(None, {i.name: feed[i.name] for i in runtime.get_inputs()}), want)


def floats(values: dict[str, Any]) -> dict[str, Any]:
    return {name: np.array(v) for name, v in values.items() if v is not None}


@each_model
def test_it_trains(path: Path) -> None:
    scope = static.Scope()
    program, feeds, fetches = load(path, scope)
    trained = [p.name for p in program.all_parameters()]
    if not trained:
        return
    tg.enable_static()
    with static.program_guard(program, startup := static.Program()):
        loss = tg.mean(tg.square(fetches[0] - 0.25))
        tg.optimizer.SGD(0.01).minimize(loss)
    executor = static.Executor()
    executor.run(startup, scope=scope)
    inputs, _ = asked(path, BATCHES[0])
    feed, before = dict(zip(feeds, inputs, strict=True)), floats(scope.values)
    first, second = (
        float(executor.run(program, feed, [loss], scope=scope)[0]) for _ in range(2)
    )
    assert second < first
    assert any((scope.values[name] != before[name]).any() for name in trained)


@each_model
def test_each_of_its_ops_is_drawn(path: Path) -> None:
    program = loaded(path).program
    drawn = [e["type"] for e in tg.show(program).log["events"] if e["kind"] == "op"]
    assert sorted(drawn) == sorted(op.type for b in program.blocks for op in b.ops)
