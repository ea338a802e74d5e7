"""What passes have joined is exported as what it was made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

import teachgraph as tg
from teachgraph import passes, static
from teachgraph.deploy.onnx import export
from teachgraph.planning.executor import Executor
from tests.static.fresh import fresh


def by_runtime(path: Path, x: Any) -> Any:
    session = onnxruntime.InferenceSession(f"{path}.onnx")
    return session.run(None, {"x": x})[0]


@pytest.mark.parametrize("activation", ["relu", "sigmoid", "tanh", "gelu", None])
@pytest.mark.parametrize(("shape", "columns"), [((3,), 1), ((2, 3), 2), ((2, 3, 2), 2)])
def test_a_layer_with_its_activation(
    activation: str | None, shape: tuple[int, ...], columns: int, tmp_path: Path
) -> None:
    tg.seed(0)
    with fresh() as programs:
        x = static.data("x", [None, *shape])
        out = static.nn.fc(x, 4, columns, activation=activation)
        executor = Executor()
        executor.run(programs.startup)
        main, feed = programs.main, np.random.default_rng(0).normal(size=(5, *shape))
        fed = feed.astype("float32")
        (wanted,) = executor.run(main, {"x": fed}, [out])
        made = passes.apply_pass(main, "fc_fuse", fetches=[out], scope=programs.scope)
        result = made.global_block().var(out.name)
        inputs = [made.global_block().var("x")]
        export(made, str(tmp_path / "net"), inputs, output_spec=[result])
    assert [op.type for op in made.global_block().ops] == ["fc"]
    np.testing.assert_allclose(by_runtime(tmp_path / "net", fed), wanted, atol=1e-6)
