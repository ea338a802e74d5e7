"""The model of lesson 13: its bytes are ONNX, and every way computes the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from teachgraph import fluid, static
from teachgraph.course import digits, shipping
from teachgraph.course.rehearse import solved
from teachgraph.course.source import read
from teachgraph.course.table import find


@pytest.fixture(scope="module")
def names() -> Iterator[dict[str, Any]]:
    """The definitions of the solved lesson."""
    with solved(read(find("13"))) as found:
        yield found


@pytest.fixture
def model(names: dict[str, Any], tmp_path: Path) -> tuple[Any, Any, bytes]:
    """The model that the lesson ships, its weights, and its ONNX file."""
    ops, gives = names["main"].global_block().ops, names["scores"].name
    with chdir(tmp_path):
        rows = names["prune"](ops, [gives])
        text, weights = shipping.write("shipped/mine", rows, "x", gives)
    found = names["load"](text, weights, shipping.KERNELS)
    content = shipping.onnx_file(found, weights, names["field"], names["node"])
    return found, weights, content


def test_the_bytes_are_a_model_of_onnx(model: tuple[Any, Any, bytes]) -> None:
    onnx = pytest.importorskip("onnx")
    found = onnx.load_from_string(model[2])
    onnx.checker.check_model(found, full_check=True)
    kinds = ["MatMul", "Add", "BatchNormalization", "Relu", "MatMul", "Add"]
    assert [one.op_type for one in found.graph.node] == kinds


def test_every_way_gives_the_same_scores(
    names: dict[str, Any], model: tuple[Any, Any, bytes], tmp_path: Path
) -> None:
    pytest.importorskip("onnxruntime")
    rows, weights, content = model
    prefix = str(tmp_path / "digits")
    ends = [names["x"]], [names["scores"]]
    exe, main = fluid.Executor(), names["main"]
    static.save_inference_model(prefix, *ends, exe, program=main)
    images, labels = digits.test_digits()
    wanted = shipping.eager(names["net"])(images)
    runtime = shipping.onnx_runtime(f"{prefix}.onnx", content)
    assert callable(runtime)
    for scores in (
        shipping.static(prefix)(images),
        shipping.run(rows, weights, {"x": images})[0],
        runtime(images),
    ):
        np.testing.assert_allclose(scores, wanted, atol=1e-5)
    assert np.mean(wanted.argmax(axis=1) == labels[:, 0]) > 0.93


@pytest.mark.parametrize("n", [0, 1, 127, 128, 300, 16_383, 16_384, 2**40])
def test_a_whole_number_is_written_as_protobuf_writes_it(n: int) -> None:
    encoder = pytest.importorskip("google.protobuf.internal.encoder")
    assert shipping.whole(n) == encoder._VarintBytes(n)


def test_without_onnx_runtime_a_note_stands_in_its_row(
    names: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    file = tmp_path / "mine.onnx"
    note = shipping.onnx_runtime(str(file), b"bytes")
    assert file.read_bytes() == b"bytes"
    assert isinstance(note, str)
    assert 'pip install "teachgraph[deploy]"' in note
    ways: dict[str, Any] = {"eager": shipping.eager(names["net"]), "ONNX": note}
    lines = shipping.table(ways, lambda call: (1e-6, 2e-6, 3e-6)).splitlines()
    assert " ".join(lines[1].split()) == "eager 95.8% 0.0e+00 1.0 us 2.0 us 3.0 us"
    assert lines[2] == f"ONNX    {note}"
