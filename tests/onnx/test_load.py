"""What ONNX files say is done, or refused with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import DTypeError, UnknownOpError
from teachgraph.deploy.onnx import export, load
from teachgraph.deploy.onnx.load import program_of
from teachgraph.errors import DataError


def test_a_gradient_goes_through_a_shape_that_is_computed() -> None:
    info = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Reshape", ["x", "shape"], ["row"]),
        helper.make_node("Mul", ["row", "row"], ["y"]),
    ]
    value = np.arange(6, dtype="float32").reshape(2, 3)
    weights, result = [numpy_helper.from_array(value, "x")], [info("y", 1, [None])]
    graph = helper.make_graph(nodes, "g", [info("shape", 7, [1])], result, weights)
    scope = static.Scope()
    program, _, (y,) = program_of(helper.make_model(graph), scope=scope)
    x = program.global_block().var("x")
    with static.program_guard(program):
        tg.enable_static()
        (dx,) = static.gradients([y], [x])
    fed = {"shape": np.array([6])}
    (got,) = static.Executor().run(program, fed, [dx], scope=scope)
    np.testing.assert_array_equal(got, 2 * value)


def test_control_flow_goes_both_ways(tmp_path: Path) -> None:
    main = static.Program()
    with static.program_guard(main), tg.unique_name.guard():
        tg.enable_static()
        x = static.data("x", [None, 3], "float32")
        _, y = static.nn.while_loop(
            lambda i, v: tg.sum(v) < 100.0,
            lambda i, v: [i + 1.0, v * 2.0],
            [tg.zeros([1]), x],
        )
        z = static.nn.cond(tg.sum(y) > 150.0, lambda: y - 1.0, lambda: y + 1.0)
    export(main, str(tmp_path / "f"), output_spec=[z])
    program, feeds, fetches = load(tmp_path / "f.onnx")
    types = {op.type for op in program.global_block().ops}
    assert {"while", "conditional_block"} <= types
    for fed in (np.ones((2, 3), "float32"), np.ones((4, 3), "float32")):
        want = static.Executor().run(main, {"x": fed}, [z])
        got = static.Executor().run(program, {feeds[0]: fed}, fetches)
        np.testing.assert_array_equal(got[0], want[0])


def one_node(op: str, *, constant: Any = None, domain: str = "", **attrs: Any) -> Any:
    """A model of one node, with a constant if there is one."""
    info = helper.make_tensor_value_info
    names = ["x"] if constant is None else ["x", "c"]
    node = helper.make_node(op, names, ["y"], domain=domain, **attrs)
    constants = [] if constant is None else [constant]
    graph = helper.make_graph(
        [node], "g", [info("x", 1, [2])], [info("y", 1, [None])], constants
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def file_of(model: Any, folder: Path) -> Path:
    (folder / "f.onnx").write_bytes(model.SerializeToString())
    return folder / "f.onnx"


def test_an_op_without_importer_is_named_with_what_is_covered(tmp_path: Path) -> None:
    model = one_node("StringNormalizer")
    with pytest.raises((UnknownOpError, DataError), match="StringNormalizer"):
        load(file_of(model, tmp_path))
    model = one_node("STFT", constant=numpy_helper.from_array(np.array(1), "c"))
    with pytest.raises(UnknownOpError, match=r"STFT.*Covered are: .*Add"):
        load(file_of(model, tmp_path))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_half_a_file_is_refused(share: float, tmp_path: Path) -> None:
    content = one_node("Relu").SerializeToString()
    (tmp_path / "f.onnx").write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DataError, match=r"f\.onnx"):
        load(tmp_path / "f.onnx")


@pytest.mark.parametrize("content", [b"", b"no model", b"\x00" * 64])
def test_what_is_no_model_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "f.onnx").write_bytes(content)
    with pytest.raises(DataError, match=r"f\.onnx"):
        load(tmp_path / "f.onnx")


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.onnx"):
        load(tmp_path / "none.onnx")


@pytest.mark.parametrize("dims", [[1 << 40], [1 << 31, 1 << 31], [-1, 2]])
def test_a_constant_that_is_not_as_large_as_it_says_is_refused(
    dims: list[int], tmp_path: Path
) -> None:
    tensor = TensorProto(name="c", data_type=1, dims=dims, raw_data=b"\0" * 8)
    with pytest.raises(DataError):
        load(file_of(one_node("Add", constant=tensor), tmp_path))


@pytest.mark.parametrize("op", ["Expand", "Tile", "Reshape"])
def test_an_absurd_size_is_refused(op: str, tmp_path: Path) -> None:
    tensor = numpy_helper.from_array(np.array([1 << 40]), "c")
    with pytest.raises(DataError, match="asks for"):
        load(file_of(one_node(op, constant=tensor), tmp_path))


def external(location: str, **entries: int) -> Any:
    tensor = TensorProto(name="c", data_type=1, dims=[2], data_location=1)
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=str(value))
    return one_node("Add", constant=tensor)


@pytest.mark.parametrize(
    "location", ["../secret", "/etc/hostname", "link", "missing", ""]
)
def test_values_outside_the_models_folder_are_not_read(
    location: str, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_bytes(b"\0" * 64)
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(DataError):
        load(file_of(external(location), folder))


@pytest.mark.parametrize("entries", [{"offset": 8}, {"length": 4}, {"offset": -8}])
def test_values_beyond_the_end_of_a_file_are_not_read(
    entries: dict[str, int], tmp_path: Path
) -> None:
    (tmp_path / "values").write_bytes(np.float32([1, 2]).tobytes())
    with pytest.raises(DataError):
        load(file_of(external("values", **entries), tmp_path))


def test_values_beside_the_model_are_read(tmp_path: Path) -> None:
    (tmp_path / "values").write_bytes(np.float32([1, 2]).tobytes())
    scope = static.Scope()
    program, _, fetches = load(file_of(external("values"), tmp_path), scope)
    fed = {"x": np.float32([10, 20])}
    (got,) = static.Executor().run(program, fed, fetches, scope=scope)
    assert got.tolist() == [11, 22]


def test_numbers_of_a_strange_type_are_refused(tmp_path: Path) -> None:
    model = one_node("Cast", to=onnx.TensorProto.BFLOAT16)
    with pytest.raises(DTypeError, match="bfloat16"):
        load(file_of(model, tmp_path))
