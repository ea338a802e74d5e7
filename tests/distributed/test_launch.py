"""`teachgraph launch` prints who says what, and what was sent; Ray is stood in for."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from teachgraph_widgets.validate import read_log

from teachgraph.cli import main
from teachgraph.distributed import ray_job
from teachgraph.distributed.errors import PeerError
from teachgraph.distributed.ray_process import Job, Status

SCRIPT = Path(__file__).parent / "sample" / "digits.py"


def test_a_script_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["launch", "nowhere.py"]) == 2
    assert "there is no script nowhere.py" in capsys.readouterr().err


def test_numbers_that_make_no_sense(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["launch", "--trainers", "0", str(SCRIPT)]) == 2
    assert "trainers, --every and --limit are at least 1" in capsys.readouterr().err
    assert main(["launch", "--restarts", "-1", str(SCRIPT)]) == 2
    assert "--restarts is at least 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "trainers", "servers", "own"),
    [
        (["--trainers", "4", "SCRIPT", "--servers=2", "60"], 4, 2, ["60"]),
        (["SCRIPT", "--trainers", "4", "--lr", "0.1"], 4, 0, ["--lr", "0.1"]),
        (["SCRIPT", "60", "--", "--trainers", "4"], 2, 0, ["60", "--trainers", "4"]),
        (["SCRIPT", "--train"], 2, 0, ["--train"]),
    ],
)
def test_options_may_stand_behind_the_script(
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    trainers: int,
    servers: int,
    own: list[str],
) -> None:
    jobs: list[Job] = []
    monkeypatch.setattr(ray_job, "run_on_ray", lambda job, **_: jobs.append(job))
    assert main(["launch", *(w.replace("SCRIPT", str(SCRIPT)) for w in words)]) == 0
    (job,) = jobs
    assert (job.trainers, len(job.endpoints), job.arguments) == (trainers, servers, own)


def cluster_of(job: Job) -> Any:
    """Make a cluster of two processes, as `launch` looks at it."""
    server, trainer = job.roles()[:2]
    statuses = {
        server: Status("running", 10, "host", 3, ["serves"]),
        trainer: Status("running", 11, "host", 3, ["step 1", "step 2"]),
    }
    return SimpleNamespace(statuses=statuses, recordings=recordings)


def recordings() -> list[tuple[list[Any], float]]:
    """The events of one process, whose clock is 50 s ahead."""
    head = {"cell": 0, "line": 0, "t": 150.0}
    sent: dict[str, Any] = {"process": 0, "step": 3, "what": "send", "peer": "a:1"}
    sent |= {"name": "w@GRAD", "bytes": 8, "start": 149.0, "duration": 1.0}
    return [([head | {"kind": "message"} | sent], 50.0)]


def test_lines_come_after_who_printed_them(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    jobs: list[Job] = []

    def run(job: Job, address: str | None, watch: Any) -> None:
        jobs.append(job)
        watch(cluster_of(job))

    monkeypatch.setattr(ray_job, "run_on_ray", run)
    log = tmp_path / "run.json"
    options = ["--servers", "1", "--trainers", "2", "--log", str(log)]
    assert main(["launch", *options, str(SCRIPT), "60"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "[launch] 2 trainers, 1 server; Ray starts"
    assert printed[1:-2] == [
        "[server 127.0.0.1:6174] runs in process 10 on host",
        "[server 127.0.0.1:6174] serves",
        "[trainer 0] runs in process 11 on host",
        "[trainer 0] step 1",
        "[trainer 0] step 2",
    ]
    events: list[Any] = read_log(log.read_text())["events"]
    (sent,) = (event for event in events if event["kind"] == "message")
    assert (sent["name"], sent["start"], sent["t"]) == ("w@GRAD", 0.0, 1.0)
    assert (jobs[0].trainers, jobs[0].arguments) == (2, ["60"])


def test_paddles_command_is_an_alias(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs: list[Job] = []
    monkeypatch.setattr(ray_job, "run_on_ray", lambda job, **_: jobs.append(job))
    words = "--server_num", "1", "--nproc_per_node", "3", str(SCRIPT), "--lr", "0.1"
    # runpy warns of a module that somebody has imported.
    monkeypatch.delitem(sys.modules, "teachgraph.distributed.launch", raising=False)
    monkeypatch.setattr(sys, "argv", ["launch.py", *words])
    with pytest.raises(SystemExit) as end:
        runpy.run_module("teachgraph.distributed.launch", run_name="__main__")
    assert end.value.code == 0
    (job,) = jobs
    assert (job.trainers, len(job.endpoints)) == (3, 1)
    assert job.arguments == ["--lr", "0.1"]
    assert "3 trainers, 1 server" in capsys.readouterr().out


def test_an_error_says_who(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(job: Job, **_: Any) -> None:
        raise PeerError("trainer 1 died at step 4")

    monkeypatch.setattr(ray_job, "run_on_ray", run)
    assert main(["launch", str(SCRIPT)]) == 1
    assert "teachgraph launch: trainer 1 died at step 4" in capsys.readouterr().err
