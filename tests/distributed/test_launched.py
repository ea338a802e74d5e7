"""`teachgraph launch` on a real Ray of its own, or one that runs already."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from teachgraph_widgets.validate import read_log

pytestmark = [pytest.mark.cluster, pytest.mark.full]

SCRIPT = Path(__file__).parent / "sample" / "digits.py"
MARK = "TEACHGRAPH_TEST"


@pytest.fixture
def environment() -> dict[str, str]:
    """Variables that all processes of a test inherit, by which it finds them again."""
    return {**os.environ, MARK: uuid.uuid4().hex, "OPENBLAS_NUM_THREADS": "1"}


def launched(environment: dict[str, str], *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "teachgraph", "launch", *words]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, env=environment, text=True, **pipes)


def left(environment: dict[str, str]) -> list[int]:
    """The processes that have the mark of a test in their environment."""
    mark = f"{MARK}={environment[MARK]}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def all_end(environment: dict[str, str], seconds: float = 30.0) -> bool:
    """True if the processes of a test end within a time."""
    end = time.monotonic() + seconds
    while left(environment) and time.monotonic() < end:
        time.sleep(0.2)
    return not left(environment)


def test_digits_are_learned_and_the_log_says_who_waited(
    environment: dict[str, str], tmp_path: Path
) -> None:
    log = tmp_path / "run.json"
    words = "--trainers", "2", "--servers", "1", "--log", str(log), str(SCRIPT), "30"
    out, _ = launched(environment, *words).communicate(timeout=180)
    assert "[trainer 1] step 30: loss" in out
    assert "[server 127.0.0.1:6174] all trainers have finished" in out
    assert "restart will fail" not in out, "Ray's warning of large arguments"
    events: list[Any] = read_log(log.read_text())["events"]
    titles = {e["process"]: e["title"] for e in events if e["kind"] == "process"}
    assert titles == {0: "trainer 0", 1: "trainer 1", 2: "server 127.0.0.1:6174"}
    updates = [e for e in events if e["kind"] == "message" and e["what"] == "update"]
    for update in updates:
        sent = [
            e["start"]
            for e in events
            if e["kind"] == "message"
            and (e["what"], e["name"], e["step"]) == ("barrier", "send", update["step"])
        ]
        assert len(sent) == 2
        assert max(sent) < update["start"] + 1e-5, "a gradient comes after it is sent"
    assert all_end(environment)


def test_an_interrupt_ends_every_process(environment: dict[str, str]) -> None:
    process = launched(environment, "--servers", "1", str(SCRIPT), "100000")
    assert process.stdout is not None
    for line in process.stdout:
        if "step 10: loss" in line:
            break
    assert len(left(environment)) > 4
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in rest
    assert all_end(environment)


@pytest.fixture
def running_ray(environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """Addresses of a Ray that somebody else has started, and ends."""
    with tempfile.TemporaryDirectory(prefix="ray") as short:  # for names of sockets
        yield from running_in(Path(short), environment)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def running_in(folder: Path, environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """Start a Ray whose files are in a folder."""
    port, client = free_port(), free_port()
    command = [str(Path(sys.executable).parent / "ray"), "start", "--head", "--block"]
    options = ["--include-dashboard=false", "--num-cpus=2", f"--port={port}"]
    options.append(f"--ray-client-server-port={client}")
    environment |= {"RAY_TMPDIR": str(folder), "RAY_raylet_start_wait_time_s": "60"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with (folder / "out").open("w") as out:
        process = subprocess.Popen([*command, *options], env=environment, stdout=out)
    end = time.monotonic() + 120
    while "Ray runtime started" not in (folder / "out").read_text():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.2)
    yield {
        "of its first machine": f"127.0.0.1:{port}",
        "found": "auto",
        "from outside": f"ray://127.0.0.1:{client}",
    }
    process.terminate()
    process.wait(30)


def test_a_ray_that_runs_is_joined_and_goes_on(
    environment: dict[str, str], running_ray: dict[str, str]
) -> None:
    before = {*left(environment)}
    for address in running_ray.values():
        words = "--address", address, "--servers", "1", str(SCRIPT), "20"
        process = launched(environment, *words)
        out, _ = process.communicate(timeout=180)
        assert process.returncode == 0, out
        assert f"Ray at {address} is joined" in out
        assert "[trainer 0] step 20: loss" in out
    assert before <= {*left(environment)}, "it is not ours to end"


def test_a_server_killed_in_the_middle_is_restarted(
    environment: dict[str, str], tmp_path: Path
) -> None:
    log = tmp_path / "run.json"
    words = "--servers", "1", "--log", str(log), str(SCRIPT), "300"
    out, server, killed = list[str](), 0, False
    with launched(environment, *words) as process:
        for line in process.stdout or ():
            out.append(line.rstrip())
            found = re.match(r"\[server .*\] runs in process (\d+)", line)
            server = int(found[1]) if found else server
            if "[trainer 0] step 50:" in line and not killed:
                killed = True
                os.kill(server, signal.SIGKILL)
    assert process.returncode == 0
    told = r"\[server 127.0.0.1:6174\] restarted, after it died at step \d+"
    assert any(re.fullmatch(told, line) for line in out)
    ends = [i for i, line in enumerate(out) if "step 300: loss" in line]
    assert len(ends) == 2
    events: list[Any] = read_log(log.read_text())["events"]
    (restart,) = (e for e in events if e.get("what") == "restart")
    assert (restart["process"], restart["step"] >= 49) == (2, True)
    assert all_end(environment)
