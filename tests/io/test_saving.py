"""Nested state on disk: what comes back is what was saved, or a clear error."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

import teachgraph as tg
from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.errors import DataError
from tests.effort import examples

ARRAYS = st.sampled_from(
    [
        np.float32(1.5),
        np.arange(6, dtype="int64").reshape(2, 3),
        np.zeros((0, 3)),
        np.array([True, False]),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array([np.nan, np.inf]),
    ]
)
KEYS = st.one_of(st.text(max_size=5), st.integers(), st.booleans())
STATES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), ARRAYS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(KEYS, inner, max_size=3),
    ),
    max_leaves=8,
)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, (np.ndarray, np.generic)):
        return (
            one.dtype == other.dtype
            and one.shape == other.shape
            and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        )
    if isinstance(one, float):
        return type(other) is float and repr(one) == repr(other)
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    if isinstance(one, (list, tuple)):
        pairs = zip(one, other, strict=True)
        return type(one) is type(other) and all(same(a, b) for a, b in pairs)
    return type(one) is type(other) and bool(one == other)


@given(STATES)
@settings(max_examples=examples(150), deadline=None)
def test_what_comes_back_is_what_was_saved(
    tmp_path_factory: pytest.TempPathFactory, state: Any
) -> None:
    path = tmp_path_factory.mktemp("state") / "a.pdparams"
    tg.save(state, path)
    assert same(state, tg.load(path, return_numpy=True))
    # Beside a Tensor arrays are arrays; alone they come back as Tensors.
    tg.save([state, tg.ones([1])], path)
    assert same(state, tg.load(path)[0])


def test_tensors_come_back_with_names_and_as_arrays_if_asked(tmp_path: Path) -> None:
    layer = tg.nn.Linear(2, 3)
    tg.save(layer.state_dict(), tmp_path / "linear.pdparams")
    found = tg.load(tmp_path / "linear.pdparams")
    assert found["weight"].name == layer.weight.name
    np.testing.assert_array_equal(found["weight"].numpy(), layer.weight.numpy())
    arrays = tg.load(tmp_path / "linear.pdparams", return_numpy=True)
    assert isinstance(arrays["bias"], np.ndarray)
    other = tg.nn.Linear(2, 3)
    assert other.set_state_dict(found) == ([], [])
    np.testing.assert_array_equal(other.weight.numpy(), layer.weight.numpy())


def test_any_reader_of_safetensors_opens_it_by_structured_name(tmp_path: Path) -> None:
    net = tg.nn.Sequential(tg.nn.Linear(2, 3), tg.nn.Linear(3, 1))
    tg.save({"model": net.state_dict(), "epoch": 3}, tmp_path / "a")
    assert set(load_file(tmp_path / "a")) == {
        f"model.{i}.{name}" for i in (0, 1) for name in ("weight", "bias")
    }


def test_a_file_of_others_is_a_flat_dict(tmp_path: Path) -> None:
    save_file({"b": np.ones(2), "a": np.zeros(1)}, tmp_path / "x.safetensors")
    found = tg.load(tmp_path / "x.safetensors")
    assert {name: t.tolist() for name, t in found.items()} == {
        "a": [0.0],
        "b": [1.0, 1.0],
    }


def test_what_is_shared_is_stored_once(tmp_path: Path) -> None:
    w = tg.to_tensor(np.ones(10_000))
    tg.save([w, w, {"again": w}], tmp_path / "a")
    assert (tmp_path / "a").stat().st_size < 1.1 * 80_000
    assert [t.shape for t in tg.load(tmp_path / "a")[:2]] == [[10_000]] * 2


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    tg.save({"x": 1}, path)
    with pytest.raises(DTypeError, match=r"save: y is a set"):
        tg.save({"y": {1}}, path)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        tg.save({"x": 2}, path)
    assert [file.name for file in tmp_path.iterdir()] == ["a"]
    assert tg.load(path) == {"x": 1}


def test_a_layer_itself_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"do not support saving `paddle\.nn\.Layer`"):
        tg.save(tg.nn.Linear(1, 1), tmp_path / "a")


@pytest.mark.parametrize("path", ["", "."])
def test_a_path_that_names_no_file_is_refused(path: str) -> None:
    with pytest.raises(InvalidValueError, match="MUST be a file"):
        tg.save({}, path)


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="to load model not exists"):
        tg.load(tmp_path / "none")


class Bomb:
    def __reduce__(self) -> Any:
        return os.remove, ("/nonexistent",)


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(DataError, match="looks like a pickle"):
        tg.load(tmp_path / "a")


@pytest.mark.parametrize("keep", [0, 5, 60, -1])
def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path, keep: int) -> None:
    tg.save({"x": np.ones(50)}, tmp_path / "a")
    content = (tmp_path / "a").read_bytes()
    (tmp_path / "a").write_bytes(content[:keep])
    with pytest.raises(DataError, match="no safetensors file, or damaged"):
        tg.load(tmp_path / "a")


def test_a_structure_that_names_no_array_is_refused(tmp_path: Path) -> None:
    told = json.dumps({"array": "gone"})
    save_file({"x": np.ones(2)}, tmp_path / "a", {"teachgraph": told})
    with pytest.raises(DataError, match="does not fit its arrays: 'gone'"):
        tg.load(tmp_path / "a")
