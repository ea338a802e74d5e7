"""What is exported, ONNX Runtime computes as we do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

import teachgraph as tg
from teachgraph import jit, nn, static
from teachgraph.core.errors import (
    InvalidValueError,
    NotInitializedError,
    UnknownOpError,
)
from teachgraph.deploy.onnx import export
from teachgraph.nn import functional as F
from tests.jit.test_models import CASES, first_tensor

Array = np.ndarray[Any, Any]


def session(path: Path) -> Any:
    """The model in ONNX Runtime, which says nothing of how it goes about it."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options)


def run_by_runtime(path: Path, inputs: list[Array]) -> list[Array]:
    """The results for inputs in the order of the file."""
    model = session(path)
    names = [given.name for given in model.get_inputs()]
    return list(model.run(None, dict(zip(names, inputs, strict=True))))


def single(array: Array) -> Array:
    return array.astype("float32") if array.dtype.kind == "f" else array


def close(got: Array, want: Array) -> None:
    scale = max(1.0, float(abs(want).max(initial=0)))
    np.testing.assert_allclose(got / scale, want / scale, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", list(CASES))
def test_a_network_is_the_same_in_onnx_runtime_for_any_batch(
    name: str, tmp_path: Path
) -> None:
    tg.seed(3)
    net, inputs = CASES[name].build(), [single(a) for a in CASES[name].inputs]
    net.eval()
    specs = [
        static.InputSpec([None, *a.shape[1:]], a.dtype, f"x{i}")
        for i, a in enumerate(inputs)
    ]
    export(net, str(tmp_path / "net"), specs)
    for batch in (1, 3):
        given = [np.concatenate([a, a])[:batch] for a in inputs]
        got = run_by_runtime(tmp_path / "net.onnx", given)
        close(got[0], first_tensor(net(*map(tg.to_tensor, given))).numpy())


def branch(x: Any) -> Any:
    if x.sum() > 0:
        y = x * 2.0
    else:
        y = x - 1.0
    return y


def loop(x: Any) -> Any:
    total, i = x * 0.0, tg.zeros([1], "int64")
    while total.sum() < 10.0:
        total = total + x.abs()
        if i > 2:
            total = total * 2.0
        i = i + 1
    return total, i


def row_by_row(x: Any) -> Any:
    rows = []
    for i in range(x.shape[0]):
        rows.append(x[i] * 2.0)
    return tg.stack(rows)


def until_enough(x: Any) -> Any:
    total = x * 0.0
    for _ in range(10):
        if total.sum() > 5.0:
            break
        total = total + x.abs()
    return total


FLOWS = [branch, loop, row_by_row, until_enough]


@pytest.mark.parametrize("function", FLOWS, ids=lambda f: f.__name__)
def test_control_flow_goes_the_same_way(
    function: Callable[..., Any], tmp_path: Path
) -> None:
    spec = static.InputSpec([None, 3], "float32", "x")
    export(jit.to_static(function, input_spec=[spec]), str(tmp_path / "f"))
    for x in (np.ones((2, 3), "float32"), -np.ones((4, 3), "float32") / 2):
        want = function(tg.to_tensor(x))
        want = want if isinstance(want, tuple) else (want,)
        for got, one in zip(
            run_by_runtime(tmp_path / "f.onnx", [x]), want, strict=True
        ):
            close(got, one.numpy())


IMAGE = np.random.default_rng(0).normal(size=(2, 4, 6, 6)).astype("float32")
ROWS = np.random.default_rng(1).normal(size=(2, 3, 4)).astype("float32")
SMALL = np.abs(ROWS) / 4 + 0.1

FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Array]] = {
    "max pool": (lambda x: F.max_pool2d(x, 3, 2, 1), IMAGE),
    "average pool": (lambda x: F.avg_pool2d(x, 3, 2, 1), IMAGE),
    "average pool, ceil": (lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True), IMAGE),
    "adaptive average": (lambda x: F.adaptive_avg_pool2d(x, 4), IMAGE),
    "adaptive maximum": (lambda x: F.adaptive_max_pool2d(x, 4), IMAGE),
    "bilinear": (lambda x: F.interpolate(x, size=[9, 4], mode="bilinear"), IMAGE),
    "nearest": (lambda x: F.interpolate(x, scale_factor=2), IMAGE),
    "pixel shuffle": (lambda x: F.pixel_shuffle(x, 2), IMAGE),
    "pad": (lambda x: F.pad(x, [1, 2, 0, 1], mode="reflect"), IMAGE),
    "round": (lambda x: tg.round(tg.round(x * 4.0) / 2.0), ROWS),
    "gelu": (F.gelu, ROWS),
    "gelu by tanh": (lambda x: F.gelu(x, approximate=True), ROWS),
    "hardswish": (F.hardswish, ROWS),
    "mish": (F.mish, ROWS),
    "elu": (F.elu, ROWS),
    "softshrink": (F.softshrink, ROWS),
    "log softmax": (F.log_softmax, ROWS),
    "logarithms": (lambda x: tg.log2(x) + tg.log10(x) + tg.log1p(x), SMALL),
    "power": (lambda x: x**3 + tg.rsqrt(x), SMALL),
    "mod": (lambda x: (x * 10.0) % 3.0, ROWS),
    "floor": (lambda x: tg.cast(x * 10.0, "int32") // 3, ROWS),
    "remainder": (lambda x: tg.cast(x * 10.0, "int32") % 3, ROWS),
    "logic": (lambda x: tg.logical_and(x > 0, tg.logical_not(x >= 1)), ROWS),
    "not equal": (lambda x: tg.cast(x, "int32") != 0, ROWS),
    "where": (lambda x: tg.where(x > 0, x, x * 2), ROWS),
    "mean": (lambda x: x.mean(axis=[0, 2], keepdim=True), ROWS),
    "all": (lambda x: (x > 0).any(axis=1), ROWS),
    "logsumexp": (lambda x: tg.logsumexp(x, axis=-1), ROWS),
    "norm": (lambda x: tg.norm(x, 2, axis=1), ROWS),
    "largest": (lambda x: tg.topk(x, 2), ROWS),
    "arg max": (lambda x: tg.argmax(x, axis=1), ROWS),
    "sort": (lambda x: tg.sort(x, axis=1, descending=True), ROWS),
    "cumsum": (lambda x: tg.cumsum(x, axis=1), ROWS),
    "one hot": (lambda x: F.one_hot(tg.argmax(x, axis=-1), 4), ROWS),
    "gather": (lambda x: tg.gather(x, tg.to_tensor([2, 0]), axis=1), ROWS),
    "flip": (lambda x: tg.flip(x, [1, 2]), ROWS),
    "roll": (lambda x: tg.roll(x, 1, 2), ROWS),
    "slice": (lambda x: x[:, ::2, -1], ROWS),
    "backwards": (lambda x: x[:, ::-1], ROWS),
    "split": (lambda x: tg.concat(tg.split(x, 2, axis=2)[::-1], axis=2), ROWS),
    "stack": (lambda x: tg.stack(tg.unbind(x, axis=2), axis=1), ROWS),
    "tile": (lambda x: tg.tile(x, [2, 1, 1, 2]), ROWS),
    "triangle": (tg.tril, ROWS),
    "einsum": (lambda x: tg.einsum("bij,bkj->bik", x, x), ROWS),
    "flatten": (lambda x: tg.flatten(x, 0, 1), ROWS),
    "squeeze": (lambda x: tg.squeeze(x[:, :1], 1).unsqueeze([0, -1]), ROWS),
    "nonzero": (lambda x: tg.nonzero(x > 0), ROWS),
    "expand": (lambda x: tg.expand(x[:, :1], [-1, 5, -1]), ROWS),
    "double": (lambda x: tg.cast(x, "float64") * 2, ROWS),
    "arange": (lambda x: x + tg.arange(4, dtype="float32"), ROWS),
}


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_a_function_is_the_same_in_onnx_runtime(name: str, tmp_path: Path) -> None:
    function, x = FUNCTIONS[name]
    spec = static.InputSpec([None, *x.shape[1:]], "float32", "x")
    export(jit.to_static(function, input_spec=[spec]), str(tmp_path / "f"))
    for given in (x, x[:1]):
        want = function(tg.to_tensor(given))
        want = want if isinstance(want, (tuple, list)) else (want,)
        for got, one in zip(
            run_by_runtime(tmp_path / "f.onnx", [given]), want, strict=True
        ):
            assert got.dtype == one.numpy().dtype
            close(got, one.numpy())


LAYERS: dict[str, tuple[Callable[[], nn.Layer], Array]] = {
    "conv": (lambda: nn.Conv2D(4, 6, 3, stride=2, padding=1, groups=2), IMAGE),
    "conv, same": (lambda: nn.Conv2D(4, 2, 3, stride=2, padding="SAME"), IMAGE),
    "conv, last": (lambda: nn.Conv2D(6, 2, 3, data_format="NHWC"), IMAGE),
    "transposed": (lambda: nn.Conv2DTranspose(4, 2, 3, stride=2, padding=1), IMAGE),
    "group norm": (lambda: nn.GroupNorm(2, 4), IMAGE),
    "instance norm": (lambda: nn.InstanceNorm2D(4), IMAGE),
    "layer norm": (lambda: nn.LayerNorm([6, 6]), IMAGE),
    "prelu": (lambda: nn.PReLU(4), IMAGE),
    "gru": (lambda: nn.GRU(4, 3, direction="bidirect"), ROWS),
    "lstm": (lambda: nn.LSTM(4, 3, num_layers=2), ROWS),
    "rnn": (lambda: nn.SimpleRNN(4, 3, activation="relu"), ROWS),
    "attention": (lambda: nn.MultiHeadAttention(4, 2), ROWS),
}


@pytest.mark.parametrize("opset", [17, 22, 26])
@pytest.mark.parametrize("name", list(LAYERS))
def test_a_layer_is_the_same_in_onnx_runtime(
    name: str, opset: int, tmp_path: Path
) -> None:
    build, x = LAYERS[name]
    tg.seed(5)
    layer = build()
    layer.eval()
    spec = static.InputSpec([None, *x.shape[1:]], "float32", "x")
    export(layer, str(tmp_path / "f"), [spec], opset_version=opset)
    assert onnx.load(tmp_path / "f.onnx").opset_import[0].version == opset
    got = run_by_runtime(tmp_path / "f.onnx", [x])
    close(got[0], first_tensor(layer(tg.to_tensor(x))).numpy())


def doubled(x: Any) -> Any:
    """A function that nobody has converted."""
    return x * 2.0 if x.shape[1] == 3 else x


def test_a_function_is_exported_as_it_is(tmp_path: Path) -> None:
    spec = [static.InputSpec([None, 3], "float32", "x")]
    export(doubled, tmp_path / "f", spec)
    x = np.ones((4, 3), "float32")
    close(run_by_runtime(tmp_path / "f.onnx", [x])[0], x * 2)
    told = onnx.load(tmp_path / "f.onnx")
    assert (told.producer_name, told.producer_version) == ("teachgraph", tg.__version__)


def test_a_program_that_is_fed_nothing_is_exported(tmp_path: Path) -> None:
    main = static.Program()
    with static.program_guard(main), tg.unique_name.guard():
        tg.enable_static()
        y = tg.full([2, 3], 0.5) + tg.eye(2, 3)
    export(main, tmp_path / "f", output_spec=[y])
    close(run_by_runtime(tmp_path / "f.onnx", [])[0], 0.5 + np.eye(2, 3))


def test_names_are_those_of_the_program(tmp_path: Path) -> None:
    net = nn.Linear(4, 2)
    spec = static.InputSpec([None, 4], "float32", "pixels")
    export(net, str(tmp_path / "net"), [spec])
    graph = onnx.load(tmp_path / "net.onnx").graph
    assert [given.name for given in graph.input] == ["pixels"]
    assert {net.weight.name, net.bias.name} <= {v.name for v in graph.initializer}
    sizes = graph.input[0].type.tensor_type.shape.dim
    assert sizes[0].dim_param
    assert sizes[1].dim_value == 4


def test_a_program_is_exported_with_the_values_of_a_scope(tmp_path: Path) -> None:
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), tg.static.scope_guard(static.Scope()):
        tg.enable_static()
        x = static.data("x", [None, 3], "float32")
        y = static.nn.fc(x, 2)
        loss = tg.mean(y)
        tg.optimizer.SGD(0.1).minimize(loss)
        with pytest.raises(NotInitializedError, match="startup program"):
            export(main, str(tmp_path / "f"), output_spec=[y])
        executor = static.Executor()
        executor.run(startup)
        export(main, str(tmp_path / "f"), output_spec=[y])
        fed = np.ones((4, 3), "float32")
        test = main.clone(for_test=True)
        (want,) = executor.run(test, {"x": fed}, [y.name])
    close(run_by_runtime(tmp_path / "f.onnx", [fed])[0], want)


def test_an_op_onnx_lacks_is_named_with_the_line_that_made_it(tmp_path: Path) -> None:
    spec = static.InputSpec([None, 3, 3], "float32", "x")
    function = jit.to_static(lambda x: tg.linalg.cholesky(x), input_spec=[spec])  # noqa: PLW0108
    before = tmp_path / "f.onnx"
    before.write_bytes(b"what was there")
    with pytest.raises(UnknownOpError, match="cholesky cannot be exported") as caught:
        export(function, str(tmp_path / "f"))
    assert "test_export.py" in str(caught.value)
    assert "matmul_v2" in str(caught.value)
    assert before.read_bytes() == b"what was there"


def test_an_older_version_is_raised_and_a_newer_one_refused(tmp_path: Path) -> None:
    net, spec = nn.Linear(2, 1), [static.InputSpec([1, 2])]
    with pytest.warns(UserWarning, match="opset_version=9"):
        export(net, str(tmp_path / "f"), spec, opset_version=9)
    assert onnx.load(tmp_path / "f.onnx").opset_import[0].version == 17
    with pytest.raises(InvalidValueError, match="opset_version is 17 to 26, got 99"):
        export(net, str(tmp_path / "f"), spec, opset_version=99)


@pytest.mark.parametrize("path", ["", "folder/", 3])
def test_a_path_is_the_beginning_of_a_files_name(path: Any) -> None:
    with pytest.raises(InvalidValueError, match="file_prefix"):
        export(nn.Linear(1, 1), path, [static.InputSpec([1, 1])])
