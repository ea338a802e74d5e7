"""`make` as a learner and a continuous build meet it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.packaging.commands import ROOT, environment, known_to_git, run

TOP = {
    ".binder",
    ".ci",
    ".devcontainer",
    ".github",
    ".gitignore",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "course",
    "docs",
    "notebooks",
    "pyproject.toml",
    "requirements.lock",
    "teachgraph",
    "tests",
    "widgets",
}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """`make lab`, started where `make setup` has been before."""
    question = ["make", "--question", "setup"]
    if subprocess.run(question, cwd=ROOT, env=environment(), check=False).returncode:
        pytest.skip("what is installed is not what `make setup` installs")
    homes = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    with subprocess.Popen(
        ["make", "lab", f"LEARN={tmp_path / 'learn'}", "ARGS=--no-browser"],
        cwd=ROOT,
        env=environment(
            TEACHGRAPH_HOME=str(tmp_path / "progress"),
            **{home: str(tmp_path / home) for home in homes},
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        watchdog = Timer(120, os.killpg, (process.pid, signal.SIGKILL))
        watchdog.start()
        yield process
        watchdog.cancel()
        os.killpg(process.pid, signal.SIGTERM)


def fetch(address: str, server: subprocess.Popen[str]) -> Any:
    """What is at `address`, as soon as the server listens there."""
    while server.poll() is None:
        with contextlib.suppress(URLError), urlopen(address) as answer:
            return json.load(answer)
    pytest.fail("JupyterLab ended before it answered")


@pytest.mark.slow
def test_a_second_make_lab_installs_nothing_and_serves_the_start_page(
    lab: subprocess.Popen[str],
) -> None:
    address = re.compile(r"(http://localhost:\d+)/lab/tree/(\S+\.ipynb)\?token=(\w+)")
    seen = []
    assert lab.stdout is not None
    for line in lab.stdout:
        seen.append(line)
        if found := address.search(line):
            break
    else:
        pytest.fail("JupyterLab gave no address:\n" + "".join(seen))
    host, notebook, token = found.groups()
    content = fetch(f"{host}/api/contents/{notebook}?token={token}", lab)
    assert notebook == "Welcome.ipynb"
    source = "".join(cell["source"] for cell in content["content"]["cells"])
    assert "course_map(" in source
    first = fetch(f"{host}/api/contents/00_four_lines.ipynb?token={token}", lab)
    source = "".join(cell["source"] for cell in first["content"]["cells"])
    assert "fluid.data(" in source
    assert not re.search(r"pip install|npm", "".join(seen))


def test_nothing_else_stands_at_the_top() -> None:
    assert {name.split("/")[0] for name in known_to_git()} <= TOP


def test_the_continuous_build_is_make_test() -> None:
    dry = environment(MAKEFLAGS="--dry-run", CI="")
    planned = run(ROOT / ".ci" / "run", cwd=ROOT, env=dry)
    assert "pytest --complete" in planned
    assert "npm --prefix widgets test" in planned
