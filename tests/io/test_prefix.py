"""Paths at which several files begin: refused alike by all that write them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import teachgraph as tg
from teachgraph import fluid

SPEC = [tg.static.InputSpec([None, 2])]


def save_model(path: Any) -> None:
    net = tg.nn.Linear(2, 2)
    model = tg.Model(net)
    model.prepare(tg.optimizer.SGD(parameters=net.parameters()))
    model.save(path)


WRITERS: dict[str, Callable[[Any], None]] = {
    "jit.save": lambda path: tg.jit.save(tg.nn.Linear(2, 2), path, SPEC),
    "onnx.export": lambda path: tg.onnx.export(tg.nn.Linear(2, 2), path, SPEC),
    "Model.save": save_model,
    "static.save": lambda path: tg.static.save(tg.static.Program(), path),
    "save_dygraph": lambda path: fluid.save_dygraph(
        tg.nn.Linear(2, 2).state_dict(), path
    ),
}


REFUSED: dict[Any, str] = {
    **dict.fromkeys(["", ".", "/", "folder/", "folder\\"], "is empty"),
    **dict.fromkeys([None, 3, b"model"], "that is no path"),
}


@pytest.mark.parametrize(("path", "reason"), REFUSED.items())
@pytest.mark.parametrize("writer", WRITERS)
def test_what_names_no_file_is_refused(
    writer: str, path: Any, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = rf"MUST be format of dirname/.*{reason}\n.*test_prefix.py"
    with pytest.raises(tg.errors.InvalidValueError, match=told):
        WRITERS[writer](path)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("writer", WRITERS)
def test_a_dot_in_the_last_part_stays(writer: str, tmp_path: Path) -> None:
    WRITERS[writer](tmp_path / "model.v2")
    names = [file.name for file in tmp_path.iterdir()]
    assert names
    assert all(name.startswith("model.v2.") for name in names)
