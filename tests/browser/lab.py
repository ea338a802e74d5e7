"""A real JupyterLab and Notebook 7, on a free loopback port, in a home of their own."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS_TO_START = 60


@dataclass(frozen=True)
class Lab:
    """A running server.

    Attributes:
        address: Where it listens.
        token: What it asks for.
        folder: The notebooks' folder.
        home: The folder of all that is a user's own.
    """

    address: str
    token: str
    folder: Path
    home: Path

    def page_of(self, notebook: str) -> str:
        """The address of a notebook alone, without the side bars."""
        return f"{self.address}/doc/tree/{notebook}?reset&token={self.token}"

    def notebook_7(self, notebook: str) -> str:
        """The address of a notebook in Notebook 7, which the same server serves."""
        return f"{self.address}/notebooks/{notebook}?token={self.token}"

    def ask(self, method: str, path: str) -> Any:
        """What the server's own interface answers."""
        request = urllib.request.Request(
            f"{self.address}/api/{path}",
            method=method,
            headers={"Authorization": f"token {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def kernel_of(self, notebook: str) -> str:
        """The number of a notebook's kernel."""
        (kernel,) = (
            session["kernel"]["id"]
            for session in self.ask("GET", "sessions")
            if session["path"] == notebook
        )
        return str(kernel)

    def has_joined(self, notebook: str) -> bool:
        """Whether a notebook's kernel is idle, and a page connected to it."""
        return any(
            session["path"] == notebook
            and session["kernel"]["connections"] > 0
            and session["kernel"]["execution_state"] == "idle"
            for session in self.ask("GET", "sessions")
        )

    def shut_down(self, notebook: str) -> None:
        """End a notebook's kernel."""
        self.ask("DELETE", f"kernels/{self.kernel_of(notebook)}")


class Gate:
    """Lets a cell wait for the test: opening the pipe to read blocks until we write."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "gate"
        os.mkfifo(self.path)

    line = 'open("gate").read()'

    def open(self) -> None:
        """Let the cell go on."""
        self.path.write_text("go")


@contextmanager
def running(folder: Path, home: Path) -> Iterator[Lab]:
    """A server while the block runs; it ends by its process number."""
    port, token = free_port(), secrets.token_hex(16)
    lab = Lab(f"http://127.0.0.1:{port}", token, folder, home)
    with (home / "lab.log").open("w") as log:
        process = subprocess.Popen(
            command(port, token, folder),
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment(home),
            start_new_session=True,
        )
        try:
            wait_until_up(lab, process, home / "lab.log")
            yield lab
        finally:
            end(process)


def command(port: int, token: str, folder: Path) -> list[str]:
    """The command line that starts it."""
    return [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"),
        *(f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}"),
        *("--LabApp.collaborative=False", "--ServerApp.terminals_enabled=False"),
        *("--LabApp.news_url=None", "--LabApp.expose_app_in_browser=True"),
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]


def environment(home: Path) -> dict[str, str]:
    """This process's own, with every folder that Jupyter writes to in `home`."""
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(quiet))
    own = {
        "HOME": "",
        "IPYTHONDIR": "ipython",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "TEACHGRAPH_HOME": "teachgraph",
    }
    return os.environ | {name: str(home / part) for name, part in own.items()}


def wait_until_up(lab: Lab, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the server answers."""
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline and process.poll() is None:
        try:
            lab.ask("GET", "status")
        except OSError:
            time.sleep(0.05)  # nothing says when a port starts to listen
        else:
            return
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()}")


def end(process: subprocess.Popen[bytes]) -> None:
    """End the server and its kernels."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
