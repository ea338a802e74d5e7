"""A class is graded: every notebook gets its marks, whatever another one does."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from teachgraph.course.classroom.grading import grade_class
from teachgraph.course.classroom.marks import Marked
from teachgraph.course.classroom.walls import Limits
from teachgraph.course.source import read
from teachgraph.course.table import find
from tests.course.classroom.hostile import HOSTILE
from tests.course.classroom.made import handed_in
from tests.course.conftest import SAMPLE

pytestmark = [pytest.mark.notebook, pytest.mark.slow]

HOME = Path(pwd.getpwuid(os.getuid()).pw_dir)
LIMITS = Limits(seconds=1.0, megabytes=256, printed=1 << 20, asleep=3.0)


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def course() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEACHGRAPH_COURSE", str(SAMPLE))
        yield


@pytest.fixture(scope="module")
def classroom(course: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a class, where each of the hostile notebooks is somebody's."""
    folder = tmp_path_factory.mktemp("class")
    source = read(find("00", SAMPLE))
    handed_in(folder / "solved", source)
    for name, code in HOSTILE.items():
        names = f"HOME, CLASS = {str(HOME)!r}, {str(folder)!r}\n"
        handed_in(folder / name, source, {"double": names + code})
    return folder


@pytest.fixture(scope="module")
def graded(classroom: Path) -> dict[str, Marked]:
    before, processes = contents(classroom), set(psutil.pids())
    at_home = set(HOME.iterdir())
    rows = grade_class(classroom, at_once=2, limits=LIMITS)
    assert contents(classroom) == before
    assert set(HOME.iterdir()) == at_home
    assert not [
        process
        for process in psutil.process_iter()
        if process.pid not in processes and "classroom" in " ".join(process.cmdline())
    ]
    return {row.student: row.marked for row in rows}


def told(marked: Marked) -> dict[str, tuple[str, str]]:
    return {mark.task: (mark.outcome, mark.sentence) for mark in marked.marks}


RIGHT = ("right", "shows")


@pytest.mark.parametrize(
    ("name", "sentence", "words"),
    [
        ("endless", "stopped_time", "used 1 seconds of the processor"),
        ("deaf", "stopped_time", "used 1 seconds of the processor"),
        ("printing", "stopped_printing", "printed more than 1 MB"),
        ("memory", "raised", "Unable to allocate 50.0 GiB"),
        ("piling up", "raised", "MemoryError"),
        ("exit", "died", "the kernel died"),
        ("leaving", "silent", "no answer came back"),
        ("many", "stopped_processes", "more than 16 processes"),
        ("sleeping", "stopped_asleep", "waited for something"),
        ("killing", "raised", "PermissionError"),
        ("home", "cell_failed", ""),
        ("real home", "cell_failed", "nothing is written outside"),
        ("copying", "cell_failed", "submissions of others are not read"),
        ("program", "cell_failed", "no program is started"),
        ("below Python", "cell_failed", "nothing outside of the notebook"),
        ("network", "cell_failed", "nothing outside of the notebook"),
    ],
)
def test_what_no_notebook_should_do_is_a_verdict(
    graded: dict[str, Marked], name: str, sentence: str, words: str
) -> None:
    """The other task of the same notebook gets its own mark all the same."""
    marks = {mark.task: mark for mark in graded[name].marks}
    assert marks["double"].outcome == "wrong"
    assert marks["double"].sentence == sentence
    assert words in marks["double"].message
    assert told(graded[name])["halve"] == RIGHT


@pytest.mark.parametrize("name", ["fork", "both go on", "deleting", "swallowed"])
def test_what_does_not_hinder_the_answer_is_right_and_flagged(
    graded: dict[str, Marked], name: str
) -> None:
    assert told(graded[name]) == {"double": RIGHT, "halve": RIGHT}
    flags = {
        "fork": ["it left a process running, which was ended"],
        "swallowed": [
            "nothing is written outside of the notebook's folder while a class is "
            f"graded: {HOME}/mine.txt"
        ],
    }
    assert graded[name].flags == flags.get(name, [])


def test_the_others_are_graded(graded: dict[str, Marked]) -> None:
    assert told(graded["solved"]) == {"double": RIGHT, "halve": RIGHT}
    assert graded["solved"].flags == []
    assert graded.keys() == HOSTILE.keys() | {"solved"}
