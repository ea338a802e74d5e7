"""What the manuals say can be done, can be done: each of their blocks is run."""

from __future__ import annotations

import os
import re
import shlex
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.packaging.commands import ROOT, environment, run

Blocks = list[tuple[str, str]]


def blocks(path: Path) -> Blocks:
    """Of each block of a document, its language and its text."""
    return re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", path.read_text("utf-8"))


BLOCKS = blocks(ROOT / "README.md")
PICTURES = ROOT / "widgets" / "README.md"
COMMANDS = [
    line for kind, text in BLOCKS if kind == "sh" for line in text.strip().splitlines()
]


def at_home(cwd: Path) -> dict[str, str]:
    """With the project's commands, and with what the course remembers kept in `cwd`."""
    here = str(Path(sys.executable).parent)
    path = here + os.pathsep + os.environ["PATH"]
    return environment(PATH=path, TEACHGRAPH_HOME=str(cwd / "progress"))


def programs(blocks: Blocks) -> Blocks:
    """Each Python block with the text block behind it: what it prints."""
    following = pairwise(blocks)
    return [(a[1], b[1]) for a, b in following if (a[0], b[0]) == ("python", "text")]


def test_it_names_the_two_commands_and_shows_what_its_programs_print() -> None:
    assert {"make lab", "make test"} <= set(COMMANDS)
    for blocks_of in BLOCKS, blocks(PICTURES):
        kinds = [kind for kind, _ in blocks_of]
        assert len(programs(blocks_of)) == kinds.count("python")


def test_the_keys_of_the_pictures_are_those_in_their_manual() -> None:
    _, _, keys = PICTURES.read_text("utf-8").partition("### Keys")
    table = re.findall(r"(?m)^\| `(.+)` \| (.+) \|$", keys.partition("##")[0])
    source = (ROOT / "widgets" / "src" / "keys.ts").read_text("utf-8")
    bindings = re.findall(r'\["(.+)", "\w+", "(.+)"\]', source)
    assert bindings
    assert table == bindings


@pytest.mark.parametrize(
    ("code", "printed"), programs(BLOCKS), ids=["1.x", "2.x", "LeNet", "to_static"]
)
def test_its_programs_print_what_it_says(
    code: str, printed: str, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(code, "utf-8")
    assert run(sys.executable, "program.py", cwd=tmp_path) == printed


@pytest.mark.parametrize(
    ("code", "printed"),
    programs(blocks(PICTURES)),
    ids=["trace", "show", "beside", "engine", "check", "explain", "monitor", "profile"],
)
def test_the_pictures_manual_prints_what_it_says(
    code: str, printed: str, tmp_path: Path
) -> None:
    test_its_programs_print_what_it_says(code, printed, tmp_path)


@pytest.mark.parametrize(
    "command", [line for line in COMMANDS if line.startswith("make ")]
)
def test_make_knows_its_targets(command: str) -> None:
    words = shlex.split(command, comments=True)
    run("make", "--dry-run", *words[1:], cwd=ROOT)


def test_its_other_commands_run_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "four_lines.py").write_text(programs(BLOCKS)[0][0], "utf-8")
    (tmp_path / "collatz.py").write_text(programs(BLOCKS)[-1][0], "utf-8")
    run(sys.executable, "collatz.py", cwd=tmp_path)
    env = at_home(tmp_path)
    for line in COMMANDS:
        words = shlex.split(line, comments=True)
        if words[0] == "make":
            continue
        assert words[0] == "teachgraph", f"no test runs {line!r}"
        if words[:3] == ["teachgraph", "course", "check"]:
            solve(words[3], tmp_path)
        run(*words, cwd=tmp_path, env=env)
    assert (tmp_path / "00_four_lines.ipynb").is_file()
    page = (tmp_path / "four_lines.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")


def solve(lesson: str, folder: Path) -> None:
    """Do the learner's part, so that there is something to grade."""
    (notebook,) = folder.glob(f"{lesson}_*.ipynb")
    notebook.unlink()
    solution = ("course", "solution", lesson, "--notebook", notebook.name)
    run("teachgraph", *solution, cwd=folder, env=at_home(folder))
