"""One server: each step applied once, and messages that are refused."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from teachgraph import fluid
from teachgraph.distributed import serving as serving_module
from teachgraph.distributed.checkpoint import checkpoint_file, load_state, save_state
from teachgraph.distributed.errors import (
    CheckpointError,
    MessageError,
    TimeLimitError,
)
from teachgraph.distributed.server import BehindError, Server, State, state_names
from teachgraph.distributed.serving import Greeting, Serving, mark_of
from teachgraph.distributed.transport import Rows

END = "10.0.0.1:6174"


def server(trainers: int = 2, sync: bool = True, rate: float = 1.0) -> Server:
    """A server of one parameter `w`, [2], zeros."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.layers.data("x", [2])
        zeros = fluid.ParamAttr("w", initializer=fluid.initializer.Constant(0.0))
        w = fluid.layers.create_parameter([2], "float32", attr=zeros)
        loss = fluid.layers.mean(fluid.layers.elementwise_mul(x, w))
        fluid.optimizer.SGD(rate).minimize(loss)
    config = fluid.DistributeTranspilerConfig()
    config.sync_mode = sync
    transpiler = fluid.DistributeTranspiler(config)
    transpiler.transpile(0, main, END, trainers, sync, startup)
    program = transpiler.get_pserver_program(END)
    operator = program.global_block().ops[0]
    values = {"w": np.zeros(2, "float32"), "learning_rate_0": np.float32([rate])}
    return Server(operator, {name: values[name] for name in state_names(operator)})


def gradient(value: float, trainer: int | None = None) -> dict[str, Any]:
    suffix = "" if trainer is None else f".trainer_{trainer}"
    return {f"w@GRAD{suffix}": np.full(2, value, "float32")}


def weights(one: Server) -> list[float]:
    found: list[float] = one.pull("w").tolist()
    return found


def test_a_step_is_applied_when_all_have_sent_theirs() -> None:
    one = server()
    assert one.push(0, 1, gradient(1.0, 0)) == 0
    assert weights(one) == [0.0, 0.0]
    assert one.push(1, 1, gradient(3.0, 1)) == 1
    assert weights(one) == [-2.0, -2.0]


def test_what_is_sent_again_changes_nothing() -> None:
    one = server()
    one.push(0, 1, gradient(1.0, 0))
    one.push(0, 1, gradient(99.0, 0))
    one.push(1, 1, gradient(3.0, 1))
    for trainer in (0, 1):
        assert one.push(trainer, 1, gradient(99.0, trainer)) == 1
    assert weights(one) == [-2.0, -2.0]


def test_without_barriers_each_message_counts_once() -> None:
    one = server(sync=False)
    for number in (1, 2, 2, 1):
        one.push(0, number, gradient(1.0))
    one.push(1, 1, gradient(0.5))
    assert weights(one) == [-2.5, -2.5]
    assert (one.step, one.applied) == (3, [2, 1])


def test_a_step_from_the_future_is_told_what_is_missing() -> None:
    one = server()
    with pytest.raises(BehindError, match="is at step 0, and trainer 1 sent step 3"):
        one.push(1, 3, gradient(1.0, 1))


REFUSED = {
    "sender": (
        2,
        1,
        gradient(1.0, 0),
        "has 2 trainers, and got a message of trainer 2",
    ),
    "step": (0, 0, gradient(1.0, 0), "steps count from 1, trainer 0 sent 0"),
    "name": (0, 1, {"v@GRAD": np.zeros(2, "float32")}, r"has no 'v@GRAD'.*w@GRAD"),
    "shape": (
        0,
        1,
        {"w@GRAD": np.zeros(3, "float32")},
        r"float32 \[2\].*float32 \[3\]",
    ),
    "dtype": (0, 1, {"w@GRAD": np.zeros(2)}, r"float32 \[2\].*float64 \[2\]"),
    "nothing": (1, 1, {}, r"step 1 of trainer 1 is without \['w@GRAD.trainer_1'\]"),
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_a_wrong_message_is_refused_and_changes_nothing(wrong: str) -> None:
    trainer, number, messages, told = REFUSED[wrong]
    one = server()
    with pytest.raises(MessageError, match=told):
        one.push(trainer, number, messages)
    assert not one.pending


def test_rows_of_a_gradient_are_put_in_their_places() -> None:
    rows = Rows(np.array([1]), np.float32([4.0]), 2)
    one = server(trainers=1)
    one.push(0, 1, {"w@GRAD": rows})
    assert weights(one) == [0.0, -4.0]


def test_past_steps_are_remembered_for_who_is_behind() -> None:
    one = server(trainers=1)
    for step in (1, 2, 3):
        one.push(0, step, gradient(1.0))
    assert one.pull("w", step=2).tolist() == [-2.0, -2.0]
    assert one.pull("learning_rate_0", step=3).tolist() == [1.0]
    assert [*one.past[2]] == ["w"]
    with pytest.raises(
        MessageError, match="remembers steps 2 to 3, and was asked for 1"
    ):
        one.pull("w", step=1)


@contextmanager
def running(serving: Serving) -> Iterator[Serving]:
    """Let a server save what is due, inside the block, in a thread as Ray's actor."""
    thread = threading.Thread(target=serving.run)
    thread.start()
    yield serving
    for trainer in range(serving.server.fan_in):
        serving.bye(trainer)
    thread.join()


def until_saved(serving: Serving) -> None:
    with serving.changed:
        serving.wait_until_saved()


def test_a_restarted_server_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    first = Serving(server(), tmp_path / "first", every=2)
    with running(first):
        for step in (1, 2, 3):
            for trainer in (0, 1):
                with first.changed:
                    first.push(trainer, step, gradient(1.0, trainer))
        until_saved(first)
        shutil.copytree(tmp_path / "first", tmp_path / "killed")
    again = Serving(server(), tmp_path / "killed", every=2, restarted=True)
    assert again.hello(0).step == 2
    assert weights(again.server) == [-2.0, -2.0]
    reply = again.exchange(0, 4, ["w"], gradient(1.0, 0))
    assert (reply.behind, reply.saved) == (2, 2)


def test_a_trainer_that_comes_anew_begins_behind_the_checkpoint(tmp_path: Path) -> None:
    """So it has all that the server may ask for if it is killed too."""
    serving = Serving(server(trainers=1), tmp_path, every=5)
    for step in range(1, 5):
        serving.exchange(0, step, [], gradient(1.0, 0))
    assert serving.hello(0) == Greeting(sync=True, step=4, saved=0)
    assert serving.exchange(0, 1, ["w"], gradient(9.0, 0)).values["w"][0] == -1.0
    assert serving.server.step == 4


def test_a_checkpoint_is_written_while_training_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, free = list[int](), threading.Event()

    def slow(file: Path, state: State) -> None:
        assert not written or free.wait(10.0)
        written.append(state.step)

    monkeypatch.setattr(serving_module, "save_state", slow)
    serving = Serving(server(trainers=1), tmp_path, every=2, limit=0.2)
    with running(serving):
        for step in (1, 2, 3):
            reply = serving.exchange(0, step, [], gradient(1.0, 0))
        assert (reply.step, reply.saved) == (3, 0)
        with pytest.raises(TimeLimitError, match=r"safetensors was not written within"):
            serving.exchange(0, 4, [], gradient(1.0, 0))
        free.set()
        until_saved(serving)
        assert serving.exchange(0, 5, [], gradient(1.0, 0)).saved == 2
    assert written == [0, 2, 5]


def test_a_restarted_server_without_checkpoint_refuses_to_serve(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="refuses to begin again at step 0"):
        Serving(server(), tmp_path, restarted=True)


def test_a_server_that_died_before_it_served_begins(tmp_path: Path) -> None:
    mark_of(tmp_path).write_text("job")
    assert Serving(server(), tmp_path, restarted=True).hello(0).step == 0


def test_a_checkpoint_of_other_trainers_is_refused(tmp_path: Path) -> None:
    Serving(server(trainers=3), tmp_path)
    with pytest.raises(CheckpointError, match=r"for 3 trainers; the program.*for 2"):
        Serving(server(), tmp_path, restarted=True)


def test_a_torn_checkpoint_is_told_of(tmp_path: Path) -> None:
    file = checkpoint_file(tmp_path, END)
    save_state(file, server().state())
    assert load_state(file) is not None
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(CheckpointError, match="holds no state of a server"):
        load_state(file)


def test_the_bytes_of_a_checkpoint_are_flushed_and_its_rights_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, flush, flushed = tmp_path / "state", os.fsync, dict[int, int]()
    save_state(file, server().state())
    file.chmod(0o640)

    def fsync(opened: int) -> None:
        flush(opened)
        flushed[os.fstat(opened).st_ino] = os.fstat(opened).st_size

    monkeypatch.setattr(os, "fsync", fsync)
    save_state(file, server().state())
    written = file.stat()
    assert flushed[written.st_ino] == written.st_size
    assert stat.S_IMODE(written.st_mode) == 0o640


def test_a_checkpoint_is_a_file_of_safetensors(tmp_path: Path) -> None:
    """Of every shape and dtype that an optimizer keeps."""
    values = {
        "rows": np.arange(12.0).reshape(3, 4).T,
        "rate": np.float32([0.5]),
        "steps": np.array([7]),
        "scalar": np.array(2.0, "float16"),
        "flag": np.array([True, False]),
        "empty": np.zeros((0, 3), "float32"),
    }
    file = tmp_path / "state"
    save_state(file, State(3, [3, 2], values))
    loaded = safetensors.numpy.load_file(file)
    for name, value in values.items():
        assert loaded[name].dtype == value.dtype
        assert loaded[name].shape == value.shape
        assert (loaded[name] == value).all()
    state = load_state(file)
    assert state is not None
    assert (state.step, state.applied) == (3, [3, 2])


def test_who_waits_for_a_trainer_that_does_not_come_is_told(tmp_path: Path) -> None:
    serving = Serving(server(), tmp_path, limit=0.2)
    told = r"step 1 did not come within 0.2 s; no gradients from trainers \[1\]"
    with pytest.raises(TimeLimitError, match=told):
        serving.exchange(0, 1, ["w"], gradient(1.0, 0))


def test_the_answer_holds_the_parameters_of_the_step(tmp_path: Path) -> None:
    serving, replies = Serving(server(), tmp_path), list[Any]()
    waiting = threading.Thread(
        target=lambda: replies.append(serving.exchange(0, 1, ["w"], gradient(1.0, 0)))
    )
    waiting.start()
    replies.append(serving.exchange(1, 1, ["w"], gradient(3.0, 1)))
    waiting.join()
    assert [reply.values["w"].tolist() for reply in replies] == [[-2.0, -2.0]] * 2
