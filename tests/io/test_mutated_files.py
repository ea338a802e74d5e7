"""A file that somebody changed is read, or refused by a typed error; it never runs."""

from __future__ import annotations

import json
import random
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import TeachgraphError
from teachgraph.errors import DataError
from tests.effort import FULL, TORTURE
from tests.static.fresh import fresh

FILES = 10_000 if TORTURE else 1_200 if FULL else 240
"""The number of files that are mutated."""

X = np.ones((2, 3), "float32")
VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    2,
    7,
    2**31,
    2**63,
    10**400,
    1e308,
    0.5,
    "",
    "x",
    "float32",
    "relu",
    "while",
    "__debug__",
    "None",
    "fc_0.w_0",
    "a²ª½⁀ﬁ",
    "\ud800",
    "../../x",
    [],
    {},
    [[]],
    [None],
    ["x"],
    [-1, 10**30],
    {"float": 10**400},
    {"float": "nan"},
    {"float": None},
    {"tuple": 3},
    {"array": "x"},
    {"array": [], "tensor": 1},
    {"dict": [[[], 1]]},
    {"list": {}},
]


def nested(depth: int, key: str | None) -> Any:
    """A value that is so many deep."""
    value: Any = 1
    for _ in range(depth):
        value = [value] if key is None else {key: [value]}
    return value


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container in a document, with a key or an index of it."""
    stack = [value]
    while stack:
        container = stack.pop()
        keys = container if isinstance(container, dict) else range(len(container))
        for key in keys:
            yield container, key
            if isinstance(container[key], (dict, list)):
                stack.append(container[key])


def copied(value: Any) -> Any:
    """A copy of a value; of one that is too deep, a number."""
    try:
        return json.loads(json.dumps(value))
    except RecursionError:
        return 1


def changed(document: Any, dice: random.Random) -> Any:
    """A document with some of its parts replaced, moved, removed or doubled."""
    for _ in range(dice.choice([1, 1, 1, 2, 5])):
        everywhere = list(places(document))
        if not everywhere:
            return deepcopy(dice.choice(VALUES))
        container, key = dice.choice(everywhere)
        other, place = dice.choice(everywhere)
        match dice.randrange(8):
            case 0 | 1 | 2:
                container[key] = deepcopy(dice.choice(VALUES))
            case 3:
                container[key] = copied(other[place])
            case 4:
                del container[key]
            case 5 if isinstance(container, list):
                container.append(copied(container[key]))
            case 6:
                deep = dice.choice([5, 90, 400, 20_000])
                container[key] = nested(deep, dice.choice([None, "list", "tuple", "x"]))
            case _ if isinstance(container, dict):
                container[dice.choice(["x", "twin", "type", "float"])] = 1
    return document


def with_other_bytes(content: bytes, dice: random.Random) -> bytes:
    """Bytes of which some are others, missing, or there twice."""
    parts = bytearray(content)
    for _ in range(dice.choice([1, 1, 3, 20])):
        at = dice.randrange(len(parts) + 1)
        end = min(len(parts), at + dice.choice([1, 1, 4, 50]))
        match dice.randrange(4):
            case 0:
                parts[at:end] = bytes(dice.randrange(256) for _ in range(end - at))
            case 1:
                del parts[at:end]
            case 2:
                parts[at:at] = parts[at:end]
            case _:
                del parts[at:]
    return bytes(parts)


def written(document: Any) -> bytes:
    """A document as JSON, however deep."""
    try:
        return json.dumps(document).encode("utf-8", "surrogatepass")
    except RecursionError:
        return b"[" * 20_000


def mutated_json(content: bytes, dice: random.Random) -> bytes:
    """A JSON file that was changed: its parts, or its bytes."""
    if dice.random() < 0.3:
        return with_other_bytes(content, dice)
    document = json.loads(content)
    if dice.random() < 0.8 and isinstance(document, dict):
        document.pop("checksums", None)
    return written(changed(document, dice))


def mutated_tensors(content: bytes, dice: random.Random) -> bytes:
    """A safetensors file that was changed: its bytes, its header or what that holds."""
    if dice.random() < 0.3:
        return with_other_bytes(content, dice)
    size = int.from_bytes(content[:8], "little")
    header, rest = json.loads(content[8 : 8 + size]), content[8 + size :]
    meta = header.get("__metadata__", {})
    key = next(iter(meta), None)
    if key is not None and dice.random() < 0.8:
        meta[key] = written(changed(json.loads(meta[key]), dice)).decode(
            "utf-8", "replace"
        )
    else:
        header = changed(header, dice)
    text = written(header)
    return len(text).to_bytes(8, "little") + text + rest


class Kind(NamedTuple):
    """A way to write a model and to read it again, and which files are changed how."""

    save: Callable[[Path], None]
    use: Callable[[Path], None]
    mutations: dict[str, Callable[[bytes, random.Random], bytes]]


def save_values(path: Path) -> None:
    nested_value = {
        "w": tg.to_tensor(X),
        "more": [1, 2.5, (None, "text", {3: float("inf")})],
    }
    tg.save(nested_value, str(path))


def load_values(path: Path) -> None:
    tg.load(str(path))


def save_inference(path: Path) -> None:
    with fresh():
        x = static.data("x", [-1, 3])
        hidden = static.nn.fc(x, 4, activation="relu")
        out = static.nn.cond(
            tg.mean(hidden) > 0.0, lambda: hidden * 2.0, lambda: hidden
        )
        executor = static.Executor()
        executor.run(static.default_startup_program())
        static.save_inference_model(path, [x], [out], executor)


def load_inference(path: Path) -> None:
    with fresh():
        executor = static.Executor()
        program, feeds, fetches = static.load_inference_model(path, executor)
        executor.run(program, dict.fromkeys(feeds, X), fetches)


def save_training(path: Path) -> None:
    with fresh():
        x = static.data("x", [-1, 3])
        start = tg.zeros([1], "int64")
        _, out = static.nn.while_loop(
            lambda i, y: i < 2,
            lambda i, y: [i + 1, tg.tanh(y)],
            [start, static.nn.fc(x, 3)],
        )
        tg.optimizer.Adam(0.1).minimize(tg.mean(out))
        executor = static.Executor()
        executor.run(static.default_startup_program())
        static.save(static.default_main_program(), str(path))


def load_training(path: Path) -> None:
    with fresh():
        content = path.with_name("model.pdmodel").read_bytes()
        program = static.Program.parse_from_string(content)
        executor = static.Executor()
        static.load(program, str(path))
        executor.run(program, {"x": X})


class Net(tg.nn.Layer):
    """A layer with a branch and a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = tg.nn.Linear(3, 3)

    def forward(self, x: Any) -> Any:
        y = self.linear(x)
        if y.sum() > 0:
            y = y * 2.0
        i = tg.zeros([1], "int64")
        while i < 2:
            y, i = y + 1.0, i + 1
        return y


def save_jit(path: Path) -> None:
    spec = static.InputSpec([None, 3], "float32", "x")
    tg.jit.save(tg.jit.to_static(Net(), input_spec=[spec]), str(path))


def load_jit(path: Path) -> None:
    tg.jit.load(str(path))(tg.to_tensor(X))


KINDS = {
    "save": Kind(save_values, load_values, {"": mutated_tensors}),
    "inference": Kind(
        save_inference,
        load_inference,
        {".pdmodel": mutated_json, ".pdiparams": mutated_tensors},
    ),
    "training": Kind(
        save_training,
        load_training,
        {".pdmodel": mutated_json, ".pdparams": mutated_tensors},
    ),
    "jit": Kind(
        save_jit,
        load_jit,
        {
            ".pdmodel": mutated_json,
            ".pdiparams": mutated_tensors,
            ".pdiparams.info": mutated_json,
        },
    ),
}


def untyped(use: Callable[[], None]) -> str | None:
    """The outcome of a file, if it was no typed error, nor a reading of it."""

    def stop(*_: object) -> None:
        raise RuntimeError("it takes more than 20 seconds")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(20)
    try:
        with warnings.catch_warnings(action="ignore"):
            use()
    except (TeachgraphError, OSError):
        return None
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    finally:
        signal.alarm(0)
    return None


@pytest.mark.parametrize("name", KINDS)
def test_a_changed_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    kind, dice = KINDS[name], random.Random(name)  # noqa: S311
    path = tmp_path / "model"
    kind.save(path)
    kind.use(path)
    found = []
    for number in range(FILES // 5):
        suffix = dice.choice(list(kind.mutations))
        file = path.with_name(f"model{suffix}")
        content = file.read_bytes()
        file.write_bytes(kind.mutations[suffix](content, dice))
        if (error := untyped(lambda: kind.use(path))) is not None:
            found.append(f"{number}, {suffix}: {error}")
        file.write_bytes(content)
    assert found == []


def mutated_onnx(model: Any, dice: random.Random) -> bytes:
    """A model of ONNX that was changed."""
    content: bytes = model.SerializeToString()
    if dice.random() < 0.3:
        return with_other_bytes(content, dice)
    node = dice.choice(model.graph.node)
    attributes = list(node.attribute)
    match dice.randrange(9):
        case 0:
            node.op_type = dice.choice(model.graph.node).op_type
        case 1 if attributes:
            node.attribute.remove(dice.choice(attributes))
        case 2 if attributes:
            dice.choice(attributes).CopyFrom(
                dice.choice([a for n in model.graph.node for a in n.attribute])
            )
        case 3 if attributes:
            attribute = dice.choice(attributes)
            attribute.i = dice.choice([-7, 0, 99, 2**62])
            attribute.ints[:] = [dice.choice([-7, 0, 99, 2**62])] * dice.randrange(5)
        case 4 if node.input:
            node.input[dice.randrange(len(node.input))] = ""
        case 5:
            del node.input[dice.randrange(len(node.input) + 1) :]
        case 6:
            node.output.append("another")
        case 7 if model.graph.initializer:
            tensor = dice.choice(model.graph.initializer)
            tensor.data_type = dice.randrange(25)
        case _:
            entry = dice.choice([*model.graph.input, *model.graph.output])
            entry.type.tensor_type.elem_type = dice.randrange(25)
    return bytes(model.SerializeToString())


def test_a_changed_model_of_onnx_is_read_or_refused(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    folder = Path(__file__).parents[1] / "onnx" / "files"
    files = [f for f in sorted(folder.glob("*.onnx")) if f.stat().st_size < 200_000]
    dice, found = random.Random("onnx"), []  # noqa: S311
    path = tmp_path / "model.onnx"
    for number in range(FILES // 5):
        file = dice.choice(files)
        path.write_bytes(mutated_onnx(onnx.load(file), dice))

        def use() -> None:
            with fresh():
                tg.onnx.load(path)

        if (error := untyped(use)) is not None:
            found.append(f"{number}, {file.name}: {error}")
    assert found == []


@pytest.mark.parametrize("key", [None, "list", "tuple"])
def test_nesting_has_a_limit(key: str | None, tmp_path: Path) -> None:
    value: Any = 1
    for _ in range(400):
        value = {"list": [value], "tuple": (value,), None: {"x": value}}[key]
    with pytest.raises(DataError, match="nested too deeply"):
        tg.save(value, str(tmp_path / "deep"))


def test_a_folder_is_left_as_it_was() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        save_jit(path)
        path.with_name("model.pdmodel").write_bytes(b"{}")
        before = sorted(p.name for p in Path(folder).iterdir())
        with pytest.raises(DataError):
            load_jit(path)
        assert sorted(p.name for p in Path(folder).iterdir()) == before
