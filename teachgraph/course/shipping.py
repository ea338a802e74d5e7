"""A network for digits that is ready to ship, and what runs it elsewhere.

A model is data: rows of operators, and arrays. Lesson 13 has the learner write the
rows, read them back, and turn them into the bytes of an ONNX file; the kernels, the
files and the other runtimes are here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph import fluid, nn
from teachgraph.autograd.creation import to_tensor
from teachgraph.core import unique_name
from teachgraph.core.modes import no_grad
from teachgraph.course import mine
from teachgraph.course.digits import batches, test_digits, train_digits
from teachgraph.course.messages import say
from teachgraph.deploy.onnxruntime import runtime_package
from teachgraph.io.files import written_whole
from teachgraph.io.inference import load_inference_model
from teachgraph.io.saving import save

__all__ = [
    "KERNELS",
    "eager",
    "onnx_file",
    "onnx_runtime",
    "page",
    "run",
    "static",
    "table",
    "trained",
    "whole",
    "write",
]

Array = np.ndarray[Any, Any]
Way = Callable[[Array], Array]
"""Of images [N, 784] it gives scores [N, 10]."""

FLOAT, OPSET, IR = 1, 17, 8
"""ONNX's numbers for float32, for the ops of 2022, and for the format of that year."""


def trained(epochs: int = 4) -> tuple[Any, Any, Any, Any]:
    """Train a network with batch norm on digits.

    Its parameters are in the current scope.

    Returns:
        The training program, its Variables x [-1, 784] and scores [-1, 10], and the
        same network as layers, in test mode.

    >>> main, x, scores, net = trained(epochs=1)
    >>> x.shape, scores.shape, len(main.global_block().ops)
    ((-1, 784), (-1, 10), 23)
    """
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    with unique_name.guard(), fluid.program_guard(main, startup):
        x = fluid.data(name="x", shape=[None, 784], dtype="float32")
        label = fluid.data(name="label", shape=[None, 1], dtype="int64")
        hidden = fluid.layers.fc(x, 32)
        hidden = fluid.layers.relu(fluid.layers.batch_norm(hidden))
        scores = fluid.layers.fc(hidden, 10)
        loss = fluid.layers.softmax_with_cross_entropy(scores, label)
        fluid.optimizer.SGD(0.5).minimize(fluid.layers.mean(loss))
    exe = fluid.Executor()
    exe.run(startup)
    for epoch in range(epochs):
        for images, labels in batches(train_digits, seed=epoch):
            exe.run(main, feed={"x": images, "label": labels})
    return main, x, scores, as_layers(main)


def as_layers(main: Any) -> Any:
    """The network of `trained` as layers, with the parameters of the current scope."""
    net = nn.Sequential(
        nn.Linear(784, 32), nn.BatchNorm1D(32), nn.ReLU(), nn.Linear(32, 10)
    )
    values = fluid.global_scope().values
    rows = [op for op in main.global_block().ops if op.role == 0]
    names = [name for op in rows for name in op.input_arg_names if name in values]
    arrays = [np.array(values[name]) for name in names]
    net.set_state_dict(dict(zip(net.state_dict(), arrays, strict=True)))
    net.eval()
    return net


def normalize(
    x: Array,
    scale: Array,
    bias: Array,
    mean: Array,
    variance: Array,
    *,
    is_test: bool,
    epsilon: float,
    **_: Any,
) -> Array:
    """Batch norm: in a test with the means of training, else those of the batch."""
    if not is_test:
        mean, variance = x.mean(axis=0), x.var(axis=0)
    centred: Array = (x - mean) / np.sqrt(variance + epsilon)
    return centred * scale + bias


KERNELS: Mapping[str, Callable[..., Array]] = {
    "mul": lambda x, w, **_: x @ w,
    "elementwise_add": lambda x, b, **_: x + b,
    "relu": lambda x, **_: np.maximum(x, np.float32(0.0)),
    "batch_norm": normalize,
}
"""Kernels that may run, by the type of the operator; attributes come by name."""


def run(
    model: Mapping[str, Any], weights: Mapping[str, Array], feed: Mapping[str, Array]
) -> list[Array]:
    """Run a model of rows: what it gives, in order."""
    memory = {**weights, **feed}
    for row in model["ops"]:
        arrays = [memory[name] for name in row["reads"]]
        memory[row["writes"][0]] = KERNELS[row["type"]](*arrays, **row["attrs"])
    return [memory[name] for name in model["gives"]]


def write(
    prefix: str, rows: Sequence[Mapping[str, Any]], takes: str, gives: str
) -> tuple[str, dict[str, Array]]:
    """Write rows and the weights they read into two files; return both.

    Args:
        prefix: The path of the files, without `.json` and `.safetensors`.
        rows: The operators, as plain data.
        takes: The name of what is fed.
        gives: The name of what comes out.
    """
    values = fluid.global_scope().values
    names = [name for row in rows for name in row["reads"] if name in values]
    weights = {name: np.array(values[name]) for name in names}
    text = json.dumps({"takes": [takes], "gives": [gives], "ops": rows}, indent=1)
    Path(prefix).parent.mkdir(exist_ok=True)
    with written_whole(Path(f"{prefix}.json")) as file:
        file.write(text.encode())
    save(weights, f"{prefix}.safetensors")
    return text, weights


def whole(n: int) -> bytes:
    """A whole number, seven bits to a byte, the lowest first.

    >>> list(whole(300))
    [172, 2]
    """
    head = []
    while n > 127:
        head.append(n % 128 + 128)
        n //= 128
    return bytes([*head, n])


def onnx_file(
    model: Mapping[str, Any],
    weights: Mapping[str, Array],
    field: Callable[[int, Any], bytes],
    node: Callable[[Mapping[str, Any]], bytes],
) -> bytes:
    """The bytes of an ONNX file.

    Args:
        model: What it takes, what it gives, and rows of operators.
        weights: Its arrays, float32, by name.
        field: Of a number and a content it gives one field of a message.
        node: Of a row it gives the message of one operator.
    """

    def tensor(name: str, array: Array) -> bytes:
        sizes = [field(1, size) for size in array.shape]
        content = field(9, array.astype("<f4").tobytes())
        return b"".join([*sizes, field(2, FLOAT), field(8, name), content])

    def matrix(name: str) -> bytes:
        sizes = [field(1, field(2, size)) for size in ("N", f"columns of {name}")]
        kind = field(1, FLOAT) + field(2, b"".join(sizes))
        return field(1, name) + field(2, field(1, kind))

    graph = [
        *(field(1, node(row)) for row in model["ops"]),
        field(2, "digits"),
        *(field(5, tensor(*pair)) for pair in weights.items()),
        *(field(11, matrix(name)) for name in model["takes"]),
        *(field(12, matrix(name)) for name in model["gives"]),
    ]
    opset = field(1, "") + field(2, OPSET)
    return field(1, IR) + field(7, b"".join(graph)) + field(8, opset)


def eager(net: Any) -> Way:
    """The scores of a network of layers, each of whose ops runs at once."""

    def way(images: Array) -> Array:
        with no_grad():
            scores: Array = net(to_tensor(images)).numpy()
        return scores

    return way


def static(prefix: str) -> Way:
    """The scores of a saved model, loaded and run by the framework's executor."""
    exe = fluid.Executor()
    program, feeds, fetches = load_inference_model(prefix, exe)

    def way(images: Array) -> Array:
        (scores,) = exe.run(program, feed={feeds[0]: images}, fetch_list=fetches)
        return np.asarray(scores)

    return way


def onnx_runtime(path: str, content: bytes) -> Way | str:
    """Write an ONNX file, and return the scores as ONNX Runtime computes them.

    Where that is not installed it is a note that says so.
    """
    with written_whole(Path(path)) as file:
        file.write(content)
    try:
        runtime = runtime_package()
    except ImportError:
        language = mine.shown[0].language if mine.shown else "en"
        return say("no_runtime", language, path=path)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(
        content, options, providers=["CPUExecutionProvider"]
    )
    (takes,) = session.get_inputs()
    return lambda images: np.asarray(session.run(None, {takes.name: images})[0])


def table(ways: Mapping[str, Way | str], measured: Callable[..., Any]) -> str:
    """A row for each way: how far its scores are from the first one's, and its times.

    Args:
        ways: The ways, the first one to compare with; a note for one that is not there.
        measured: Of a call it gives the quartiles of its seconds.
    """
    images, labels = test_digits()
    first: Array | None = None
    lines = [f"{'':8}{'reads':>8}{'differs':>10}{'25 %':>10}{'median':>10}{'75 %':>10}"]
    for name, way in ways.items():
        if isinstance(way, str):
            lines.append(f"{name:8}{way}")
            continue
        scores = way(images)
        first = scores if first is None else first
        right = np.mean(scores.argmax(axis=1) == labels[:, 0])
        apart = np.abs(scores - first).max()
        seconds = measured(partial(way, images[:1]))
        times = "".join(f"{1e6 * float(one):7.1f} us" for one in seconds)
        lines.append(f"{name:8}{right:8.1%}{apart:10.1e}{times}")
    return "\n".join(lines)


def page(prefix: str) -> Any:
    """Write a page that draws a saved model; show it inside the notebook."""
    from IPython.display import IFrame

    widgets = import_module("teachgraph_widgets")
    widgets.write_page(widgets.show(prefix).log, f"{prefix}.html")
    return IFrame(f"{prefix}.html", width="100%", height=520)
