"""What a saved layer gives back: its state, some of its results, calls by structure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit, nn, static
from teachgraph.core.errors import InvalidValueError
from teachgraph.errors import DataError
from teachgraph.static import InputSpec

SPEC = [InputSpec([None, 2], "float32", "x")]


def one(*values: float) -> tg.Tensor:
    return tg.to_tensor(np.array([values], "float32"))


class Net(nn.Layer):
    """Has parameters, one of them frozen, and buffers."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.frozen = nn.Linear(2, 2), nn.Linear(2, 2)
        self.frozen.weight.stop_gradient = True
        self.register_buffer("kept", one(1.0, 2.0))
        self.register_buffer("passing", one(5.0, 6.0), persistable=False)

    def forward(self, x: Any) -> Any:
        y = self.frozen(self.linear(x)) + self.kept + self.passing
        return y, y + 1


def test_the_state_of_a_saved_layer_fits_the_layer(tmp_path: Path) -> None:
    net, other = Net(), Net()
    jit.save(net, tmp_path / "net", SPEC)
    state = tg.load(tmp_path / "net")
    assert state.keys() >= net.state_dict().keys()
    other.set_state_dict(state)
    assert other(one(1.0, 2.0))[0].tolist() == net(one(1.0, 2.0))[0].tolist()
    arrays = tg.load(str(tmp_path / "net"), return_numpy=True)
    assert isinstance(arrays["linear.weight"], np.ndarray)


def test_the_state_of_a_saved_program_has_its_variables_names(tmp_path: Path) -> None:
    tg.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup):
            x = static.data("x", [None, 2], "float32")
            y = static.nn.fc(x, 2)
            executor = static.Executor()
            executor.run(startup)
            static.save_inference_model(tmp_path / "net", [x], [y], executor)
            names = {p.name for p in main.all_parameters()}
    finally:
        tg.disable_static()
    assert tg.load(tmp_path / "net").keys() == names


def test_names_that_do_not_fit_are_told(tmp_path: Path) -> None:
    jit.save(Net(), tmp_path / "net", SPEC)
    (tmp_path / "net.pdiparams.info").write_text("[1, 2")
    with pytest.raises(DataError, match=r"net\.pdiparams\.info"):
        tg.load(tmp_path / "net")


def test_some_results_are_kept_by_their_variables(tmp_path: Path) -> None:
    net = jit.to_static(Net(), input_spec=SPEC)
    second = net.forward.outputs[1]
    jit.save(net, tmp_path / "net", output_spec=[second], skip_prune_program=True)
    x = one(1.0, 2.0)
    assert jit.load(tmp_path / "net")(x).tolist() == net(x)[1].tolist()
    strange = jit.to_static(Net(), input_spec=SPEC).forward.inputs
    with pytest.raises(InvalidValueError, match="output_spec"):
        jit.save(net, tmp_path / "net", output_spec=strange)


def test_a_loaded_layer_takes_arguments_as_they_were_nested(tmp_path: Path) -> None:
    class Nested(nn.Layer):
        def forward(self, pair: Any, by: Any) -> Any:
            return pair[0] + pair[1] * by["k"]

    spec = InputSpec([None, 1], "float32")
    jit.save(Nested(), tmp_path / "net", [[spec, spec], {"k": spec}])
    loaded = jit.load(tmp_path / "net")
    a, b, c = one(1.0), one(2.0), one(3.0)
    assert loaded([a, b], {"k": c}).tolist() == [[7.0]]
    assert loaded(a, b, c).tolist() == [[7.0]]
