"""`teachgraph predict`, `show` and `bench`, as a shell runs them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit, models, nn
from teachgraph.cli import main
from teachgraph.cli.torch_process import TorchProcess, python_with_torch
from teachgraph.static import InputSpec

Run = Callable[..., "subprocess.CompletedProcess[str]"]
X = np.linspace(-1, 1, 20, dtype="float32").reshape(5, 4)


class Two(nn.Layer):
    """Two inputs, two results."""

    def forward(self, first: Any, file: Any) -> Any:
        return first + file, first * file


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with two models and their inputs."""
    tg.seed(0)
    net = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5))
    jit.save(net, tmp_path / "net", [InputSpec([None, 4], "float32", "x")])
    net.eval()
    np.save(tmp_path / "expected.npy", net(tg.to_tensor(X)).numpy())
    names = ("first", "file")
    jit.save(
        Two(), tmp_path / "two", [InputSpec([None, 4], "float32", n) for n in names]
    )
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "wide.npy", X.astype("float64"))
    np.savez(tmp_path / "both.npz", first=X, other=X)
    return tmp_path


@pytest.fixture
def teachgraph(work: Path) -> Run:
    """The command."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "teachgraph", *arguments]
        return subprocess.run(
            command, cwd=work, capture_output=True, text=True, check=False
        )

    return run


@pytest.fixture
def in_process(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """The same in this process, which is quicker."""
    monkeypatch.chdir(work)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        try:
            code = main(arguments)
        except SystemExit as leave:
            code = int(leave.code or 0)
        said = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, said.out, said.err)

    return run


def test_predictions_are_written_printed_and_made_in_batches(
    teachgraph: Run, work: Path
) -> None:
    expected = np.load(work / "expected.npy")
    said = teachgraph("predict", "net", "--input", "x.npy", "--output", "y.npy")
    assert (said.returncode, said.stdout, said.stderr) == (0, "Wrote y.npy\n", "")
    np.testing.assert_allclose(np.load(work / "y.npy"), expected, rtol=1e-6)
    batches = ("--batch", "2", "--output", "z.npz")
    said = teachgraph("predict", "net.pdmodel", "--input", "x=wide.npy", *batches)
    assert said.returncode == 0, said.stderr
    (found,) = np.load(work / "z.npz").values()
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    said = teachgraph("predict", "net", "--input", "x.npy")
    assert "float32 [5, 3]" in said.stdout


def test_several_inputs_go_by_name_or_by_what_is_left(
    teachgraph: Run, work: Path
) -> None:
    given = ("--input", "file=x.npy", "--input", "x.npy", "--output", "y.npz")
    assert teachgraph("predict", "two", *given).returncode == 0
    total, product = np.load(work / "y.npz").values()
    np.testing.assert_allclose(total, X + X)
    np.testing.assert_allclose(product, X * X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "none", "--input", "x.npy"], "to load model not exists"),
        (["predict", "net"], "the model takes x: give --input x=FILE"),
        (["predict", "net", "--input", "none.npy"], "No such file"),
        (["predict", "net", "--input", "net.pdmodel"], "holds no arrays"),
        (["predict", "net", "--input", "y=x.npy"], "give --input x=FILE"),
        (["predict", "two", "--input", "x.npy"], "give --input file=FILE"),
        (
            [
                "predict",
                "two",
                "--input",
                "x.npy",
                "--input",
                "x.npy",
                "--output",
                "y.npy",
            ],
            "2 results need .npz",
        ),
        (
            ["predict", "net", "--input", "x.npy", "--output", "y.txt"],
            "neither .npy nor .npz",
        ),
        (["predict", "net", "--input", "expected.npy"], "should have dimensions"),
        (["show", "none"], "to load model not exists"),
        (["show", "x.npy"], "it is no JSON of ours"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    arguments: list[str], message: str, in_process: Run, work: Path
) -> None:
    before = {path.name for path in work.iterdir()}
    said = in_process(*arguments)
    assert said.returncode == 2
    assert said.stdout == ""
    assert len(said.stderr.splitlines()) == 1
    assert said.stderr.startswith(f"teachgraph {arguments[0]}: ")
    assert message in said.stderr
    assert {path.name for path in work.iterdir()} == before


def test_a_damaged_model_is_said_in_one_line(teachgraph: Run, work: Path) -> None:
    (work / "net.pdiparams").write_bytes(b"\x80\x04cos\nsystem\n")
    said = teachgraph("predict", "net", "--input", "x.npy")
    assert said.returncode == 2
    assert "pickle" in said.stderr
    assert len(said.stderr.splitlines()) == 1


def test_a_model_is_shown_as_text_and_as_a_page(teachgraph: Run, work: Path) -> None:
    text = teachgraph("show", "net").stdout
    assert text.startswith("input: x float32 [-1, 4]\noutput: ")
    assert "parameters: 2, 15 numbers" in text
    assert "matmul_v2(inputs=" in text
    assert "= fc(inputs=" in teachgraph("show", "net", "--optimised").stdout
    said = teachgraph("show", "net", "--html", "net.html")
    assert (said.returncode, said.stdout) == (0, "Wrote net.html\n")
    assert "matmul_v2" in (work / "net.html").read_text()


def test_the_bench_prints_all_ways_with_their_ratios(teachgraph: Run) -> None:
    said = teachgraph("bench", "bert", "--times", "20", "--length", "8")
    assert said.returncode == 0, said.stderr
    title, head, *rows, products, agreement = said.stdout.splitlines()
    assert title == "BERT tiny, one sentence of 8 words, 20 times"
    assert head.split()[:2] == ["way", "total"]
    backends = ["dynamic", "ONNX", "static", "predictor", "PyTorch"]
    assert [row.split()[0] for row in rows] == backends
    assert rows[0].endswith("1.00x")
    assert [word for word in products.split() if word.isalpha()][-1] == "static"
    assert float(agreement.split()[-1]) < 1e-5


@pytest.mark.parametrize("command", ["predict", "show", "bench"])
def test_help_says_what_there_is(command: str, in_process: Run) -> None:
    said = in_process(command, "--help")
    assert said.returncode == 0
    assert f"teachgraph {command}" in said.stdout
    assert in_process(command, "--nonsense").returncode == 2


def test_a_python_that_has_no_pytorch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    bert = models.BertModel(models.BertConfig(30, 16, 2, 2, 32))
    net = models.BertForSequenceClassification(bert)
    with pytest.raises(OSError, match="/bin/false could not run PyTorch"):
        TorchProcess("/bin/false", net, np.array([[1, 2]]), 1, "perf_counter")
    monkeypatch.setenv("TORCH_PYTHON", "/bin/false")
    assert python_with_torch() == "/bin/false"
    monkeypatch.setenv("TORCH_PYTHON", "/nowhere")
    assert python_with_torch() is None


BY_SCRIPT = (
    "import sys; from teachgraph_command import main; print(flush=True); "
    "sys.exit(main())"
)
BY_MODULE = (
    "import os, runpy, signal, sys; "
    # Until the package has begun Ctrl-C is Python's.
    "signal.signal(signal.SIGINT, lambda *_: os._exit(99)); "
    "sys.orig_argv = ['-m', 'teachgraph']; sys.argv[0] = '-m'; "
    "print(flush=True); "
    "runpy.run_module('teachgraph', run_name='__main__', alter_sys=True)"
)


@pytest.mark.parametrize("command", [BY_SCRIPT, BY_MODULE], ids=["script", "module"])
def test_ctrl_c_in_the_first_moments_is_no_traceback(command: str) -> None:
    for after in (0.05, 0.15, 0.4):
        child = subprocess.Popen(
            [sys.executable, "-c", command, "course", "list"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(after)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
        ends = [(130, "Interrupted.\n"), (0, ""), (99, "")]
        # While Python ends, Ctrl-C is the system's again.
        assert (child.returncode, errors) in [*ends, (-signal.SIGINT, "")]


def test_ctrl_c_inside_a_callback_of_python_is_not_lost(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import signal, time, weakref\n"
        "def interrupt(_):\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "class Lock:\n"
        "    pass\n"
        "lock = Lock()\n"
        "reference = weakref.ref(lock, interrupt)\n"
        "del lock\n"
        "time.sleep(60)\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "teachgraph", "trace", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert run.returncode == 130
    assert "Exception ignored" not in run.stderr
    assert run.stderr.endswith("Interrupted.\n")


def test_a_reader_that_has_seen_enough_is_no_traceback() -> None:
    command = f"{sys.executable} -m teachgraph course mine"
    run = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.startswith('"""A deep-learning framework of my own')
    assert run.stderr == ""


def test_a_disk_error_without_a_file_is_told_without_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from teachgraph.course import command

    def full(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(command.ACTIONS, "status", full)
    assert main(["course", "status"]) == 2
    assert capsys.readouterr().err == "No space left on device\n"
