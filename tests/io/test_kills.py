"""A process that is killed at any moment of a save leaves the old or the new, whole."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import fluid, static
from teachgraph.core import unique_name
from teachgraph.errors import DataError
from teachgraph.static.scope import global_scope
from tests.effort import FULL, TORTURE
from tests.static.fresh import fresh

X = np.array([3.0], "float32")
SPEC = static.InputSpec([1], "float32", "x")
MOMENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.scandir", "os.listdir"}
"""Acts of a save on the disk, in the words of `sys.addaudithook`."""


class Kind(NamedTuple):
    """A way to save and to load, and what it answers before and after a change.

    Old and new differ in the program and in its parameter, so that of the two mixtures
    neither answers as one of them.
    """

    save: Callable[[Path, bool], None]
    answer: Callable[[Path], Any]
    old: float = 3.0
    new: float = 60.0


def built(*, new: bool) -> tuple[Any, Any, Any]:
    """Build y = w x, or y = 10 w x with another w; in the current program and scope."""
    x = static.data("x", [1])
    w = static.create_parameter([1], "float32", "w")
    y = x * w * 10.0 if new else x * w
    executor = static.Executor()
    executor.run(static.default_startup_program())
    global_scope().values["w"] = np.array([2.0 if new else 1.0], "float32")
    return x, y, executor


def save_static(path: Path, new: bool) -> None:
    with fresh():
        x, y, executor = built(new=new)
        static.save_inference_model(path, [x], [y], executor)


def answer_static(path: Path) -> float:
    with fresh():
        executor = static.Executor()
        program, feeds, fetches = static.load_inference_model(path, executor)
        return float(executor.run(program, {feeds[0]: X}, fetches)[0].item())


def save_fluid(path: Path, new: bool) -> None:
    with fresh():
        _, y, executor = built(new=new)
        fluid.io.save_inference_model(str(path), ["x"], [y], executor)


def answer_fluid(path: Path) -> float:
    with fresh():
        executor = static.Executor()
        program, feeds, fetches = fluid.io.load_inference_model(str(path), executor)
        return float(executor.run(program, {feeds[0]: X}, fetches)[0].item())


class Scaled(tg.nn.Layer):
    """y = w x, or y = 10 w x."""

    def __init__(self, new: bool) -> None:
        super().__init__()
        start = tg.nn.initializer.Constant(2.0 if new else 1.0)
        self.w = self.create_parameter([1], default_initializer=start)
        self.factor = 10.0 if new else 1.0

    def forward(self, x: Any) -> Any:
        return x * self.w * self.factor


class Twofold(Scaled):
    """A layer with another method, which the old one has not."""

    @tg.jit.to_static(input_spec=[SPEC])
    def twice(self, x: Any) -> Any:
        return x * self.w * 2.0


def save_jit(path: Path, new: bool) -> None:
    with unique_name.guard():
        layer = Twofold(new) if new else Scaled(new)
        layer.w.name = "w"
    tg.jit.save(tg.jit.to_static(layer, input_spec=[SPEC]), str(path))


def answer_jit(path: Path) -> float:
    layer = tg.jit.load(str(path))
    assert hasattr(layer, "twice") == (float(layer(tg.to_tensor(X)).item()) == 60.0)
    return float(layer(tg.to_tensor(X)).item())


def save_state(path: Path, new: bool) -> None:
    with fresh():
        _, y, executor = built(new=new)
        tg.optimizer.Momentum(0.1).minimize(y)
        executor.run(static.default_startup_program())
        program = static.default_main_program()
        for variable in (v for v in program.list_vars() if v.persistable):
            value = np.full(variable.shape, 60.0 if new else 3.0, "float32")
            global_scope().values[variable.name] = value
        static.save(program, str(path))


def answer_state(path: Path) -> float:
    state = static.load_program_state(str(path))
    (value,) = {float(array.reshape(-1)[0]) for array in state.values()}
    return value


def save_one(path: Path, new: bool) -> None:
    tg.save({"w": tg.to_tensor([60.0 if new else 3.0])}, str(path))


def answer_one(path: Path) -> float:
    return float(tg.load(str(path))["w"].item())


KINDS = {
    "static.save_inference_model": Kind(save_static, answer_static),
    "fluid.io.save_inference_model": Kind(save_fluid, answer_fluid),
    "jit.save": Kind(save_jit, answer_jit),
    "static.save": Kind(save_state, answer_state),
    "save": Kind(save_one, answer_one),
}


def killed(at: int, save: Callable[[], None]) -> bool:
    """Save in a process that ends at its n-th access to the disk; True if it came."""
    child = os.fork()
    if child == 0:
        left = at

        def count(event: str, arguments: Any) -> None:
            nonlocal left
            if event in MOMENTS and armed:
                left -= 1
                if left < 0:
                    os._exit(9)

        armed = False
        sys.addaudithook(count)
        try:
            armed = True
            save()
        except BaseException:
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in {0, 9}
    return code == 9


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
@pytest.mark.parametrize("name", KINDS)
def test_a_kill_leaves_the_old_or_the_new(name: str, tmp_path: Path) -> None:
    kind = KINDS[name]
    before, folder = tmp_path / "before", tmp_path / "folder"
    before.mkdir()
    kind.save(before / "model", False)
    kind.save(tmp_path / "elsewhere" / "model", True)  # what is loaded late is loaded
    answers, at = [], 0
    while True:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(before, folder)
        came = killed(at, lambda: kind.save(folder / "model", True))
        answers.append(kind.answer(folder / "model"))
        if not came:
            break
        kind.save(folder / "model", False)
        assert kind.answer(folder / "model") == kind.old
        hidden = [p.name for p in folder.rglob("*") if p.name.startswith(".")]
        assert hidden == [], "parts of killed saves are left"
        at += 1
    assert at > 3
    assert set(answers) == {kind.old, kind.new}
    assert answers == sorted(answers), "once the save has happened it stays"


KILLS = 200 if TORTURE else 20 if FULL else 3
"""The number of saves of a kind killed at any moment, not at an access to the disk."""


def killed_after(seconds: float, save: Callable[[], None]) -> bool:
    """Save in a process that is killed after a time; True if it did not end before."""
    child = os.fork()
    if child == 0:
        try:
            save()
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
@pytest.mark.parametrize("name", KINDS)
def test_kill_9_at_any_time_leaves_the_old_or_the_new(
    name: str, tmp_path: Path
) -> None:
    kind, dice = KINDS[name], random.Random(name)  # noqa: S311
    kind.save(tmp_path / "elsewhere" / "model", True)  # what is loaded late is loaded
    model = tmp_path / "folder" / "model"
    before = time.monotonic()
    kind.save(model, False)
    longest = 2.0 * (time.monotonic() - before)
    for _ in range(KILLS):
        kind.save(model, False)
        killed_after(dice.uniform(0.0, longest), lambda: kind.save(model, True))
        assert kind.answer(model) in {kind.old, kind.new}


@pytest.mark.parametrize("name", KINDS)
def test_a_full_disk_names_the_file_and_leaves_the_old(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, model = KINDS[name], tmp_path / "folder" / "model"
    kind.save(model, False)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    names_the_file = pytest.raises(OSError, match=r"No space left on .*: '.*/folder/")
    with monkeypatch.context() as patch, names_the_file:
        patch.setattr(os, "fsync", full)
        kind.save(model, True)
    assert kind.answer(model) == kind.old


def test_files_of_two_saves_are_refused(tmp_path: Path) -> None:
    for name in ("static.save_inference_model", "jit.save"):
        kind = KINDS[name]
        kind.save(tmp_path / "old", False)
        kind.save(tmp_path / "new", True)
        shutil.copy(tmp_path / "old.pdiparams", tmp_path / "new.pdiparams")
        with pytest.raises(DataError, match=r"new\.pdiparams is of another save"):
            kind.answer(tmp_path / "new")


def test_a_model_without_checksums_loads(tmp_path: Path) -> None:
    kind = KINDS["static.save_inference_model"]
    kind.save(tmp_path / "model", False)
    document = tmp_path / "model.pdmodel"
    lines = document.read_text().splitlines()
    assert '"checksums"' in lines[-2]
    document.write_text("\n".join([*lines[:-3], lines[-3].rstrip(","), "}"]))
    assert kind.answer(tmp_path / "model") == kind.old


def test_a_folder_that_may_only_be_read_shows_the_whole_save(tmp_path: Path) -> None:
    from teachgraph.io import together

    folder = tmp_path / "folder"
    save_static(folder / "model", False)
    finish, together.finish = together.finish, lambda folder: None
    try:
        save_static(folder / "model", True)  # the journal and the parts stay
    finally:
        together.finish = finish
    assert len(list(folder.glob(".*"))) == 3
    assert together.newest(folder / "model.pdmodel").name.endswith(".part")
    assert answer_static(folder / "model") == 60.0
    assert not list(folder.glob(".*"))
