"""A class is graded: every notebook gets its marks, whatever another one does."""

from __future__ import annotations

import json
import os
import pwd
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import numpy as np
import psutil
import pytest

from teachgraph.course.classroom.grading import grade_class
from teachgraph.course.classroom.kernel import HELD, LOOK
from teachgraph.course.classroom.marks import Marked
from teachgraph.course.classroom.report import as_csv
from teachgraph.course.classroom.walls import MEGABYTE, Limits
from teachgraph.course.messages import hint_lines
from teachgraph.course.source import Source, read
from teachgraph.course.table import find
from tests.course.classroom.hostile import DOUBLE, HOSTILE, forking
from tests.course.classroom.made import handed_in, write_class
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


BY_CHANCE = """
import random
import numpy as np
def double(x):
    drawn = [random.random(), np.random.rand(), hash("tape") % 1000]
    raise ValueError(f"drawn: {drawn} {set('tape')}")
"""
THROUGH_DOUBLE = "def halve(x):\n    return double(x) / 4"
"""Right, if `double` is."""


def edited(path: Path, *edits: tuple[str, Callable[[dict[str, Any]], object]]) -> None:
    """Edit cells of a notebook by name; one that comes out empty is removed."""
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        own = cell["metadata"]["teachgraph"]["name"]
        for name, edit in edits:
            if own == name:
                edit(cell)
    notebook["cells"] = [cell for cell in notebook["cells"] if cell]
    path.write_text(json.dumps(notebook), "utf-8")


def hints_read(cell: dict[str, Any]) -> None:
    """Put two printed hints of `%hint` into a cell."""
    lines = hint_lines(find("00", SAMPLE), "double", 2, "en")
    text = "\n".join(lines)
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text}]


def others(folder: Path, source: Source) -> None:
    """Write notebooks of students who mean no harm."""
    wrong, loop = "def double(x):\n    return 7", HOSTILE["endless"]
    handed_in(folder / "follows", source, {"double": wrong, "halve": THROUGH_DOUBLE})
    handed_in(folder / "behind", source, {"double": loop, "halve": THROUGH_DOUBLE})
    handed_in(folder / "apart", source, {"double": wrong})
    handed_in(folder / "scratch", source, first="while True:\n    pass")
    handed_in(folder / "小明", source, {"double": wrong}, language="zh")
    for name in ("chance", "again"):
        handed_in(folder / name, source, {"double": BY_CHANCE})
    path = handed_in(folder / "tampered", source, {"double": wrong})
    mend = ("check-double", lambda cell: cell.update(source="print('double: right.')"))
    edited(path, mend, ("check-halve", dict.clear), ("double", hints_read))
    (folder / "broken").mkdir()
    (folder / "broken" / "00_doubling.ipynb").write_text("<<<<<<< HEAD")
    (folder / "nobody").mkdir()
    (folder / "no zip.zip").write_text("not a zip")
    path = handed_in(folder / "two", source)
    (path.parent / "00_doubling (1).ipynb").write_bytes(path.read_bytes())
    path = handed_in(folder / "in a zip", source)
    with ZipFile(folder / "in a zip.zip", "w") as archive:
        archive.write(path, "work/00_doubling.ipynb")
    shutil.rmtree(path.parent)


@pytest.fixture(scope="module")
def classroom(course: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a class, where each of the hostile notebooks is somebody's."""
    folder = tmp_path_factory.mktemp("class")
    source = read(find("00", SAMPLE))
    handed_in(folder / "solved", source)
    for name, code in HOSTILE.items():
        names = f"HOME, CLASS = {str(HOME)!r}, {str(folder)!r}\n"
        handed_in(folder / name, source, {"double": names + code})
    others(folder, source)
    return folder


@pytest.fixture(scope="module")
def graded(
    classroom: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Marked]:
    """The marks of the class, which leave nothing behind."""
    before, mark = contents(classroom), uuid4().hex
    room = tmp_path_factory.mktemp("room")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(room))
        patch.setenv("CLASS_OF_A_TEST", mark)
        # A teacher's modules may lie beside the submissions, or above them.
        patch.setenv("PYTHONPATH", str(classroom.parent), prepend=os.pathsep)
        rows = grade_class(classroom, at_once=2, limits=LIMITS)
    assert contents(classroom) == before
    assert not HOME.joinpath("mine.txt").exists()
    assert list(room.iterdir()) == []
    assert started_with("CLASS_OF_A_TEST", mark) == []
    return {row.student: row.marked for row in rows}


def started_with(name: str, value: str) -> list[psutil.Process]:
    """The processes that have a variable in the environment they were started with."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(name) == value:
                found.append(process)
    return found


def told(marked: Marked) -> dict[str, tuple[str, str]]:
    return {mark.task: (mark.outcome, mark.sentence) for mark in marked.marks}


RIGHT = ("right", "shows")
FORKED = "it started a process of its own; what was left of that was ended"
OUTSIDE = "nothing is written outside of the notebook's folder while a class is graded"


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


def test_memory_is_the_sum_of_what_all_processes_hold(
    course: None, tmp_path: Path
) -> None:
    """Four that hold a third of the limit each are stopped, four small ones are not.

    Time is not scarce here, so that the memory alone decides.
    """
    limits = replace(LIMITS, seconds=20.0)
    third = (HELD // MEGABYTE + limits.megabytes) // 3
    answers = {
        "large": f"{forking(4, third)}time.sleep(10_000)\n{DOUBLE}",
        "small": f"{forking(4, third // 4)}time.sleep(1.5 * {LOOK})\n{DOUBLE}",
    }
    for name, code in answers.items():
        handed_in(tmp_path / name, read(find("00", SAMPLE)), {"double": code})
    large, small = (row.marked for row in grade_class(tmp_path, limits=limits))
    assert large.marks[0].sentence == "stopped_memory"
    assert "more than 256 MB of memory" in large.marks[0].message
    assert told(small) == {"double": RIGHT, "halve": RIGHT}
    assert small.flags == [FORKED]


@pytest.mark.parametrize("name", ["fork", "both go on", "deleting", "swallowed"])
def test_what_does_not_hinder_the_answer_is_right_and_flagged(
    graded: dict[str, Marked], name: str
) -> None:
    assert told(graded[name]) == {"double": RIGHT, "halve": RIGHT}
    flags = {
        "fork": [FORKED],
        "both go on": [FORKED],
        "swallowed": [
            f"{OUTSIDE}: {HOME}/mine.txt",
        ],
    }
    assert graded[name].flags == flags.get(name, [])


def test_the_others_are_graded(graded: dict[str, Marked]) -> None:
    for name in ("solved", "in a zip"):
        assert told(graded[name]) == {"double": RIGHT, "halve": RIGHT}
        assert graded[name].flags == []
    assert told(graded["scratch"]) == {"double": RIGHT, "halve": RIGHT}
    assert graded["scratch"].flags == [
        "cell 1: stopped: it used 1 seconds of the processor. Does a loop not end?"
    ]


def test_a_task_may_be_right_given_an_earlier_one(graded: dict[str, Marked]) -> None:
    """An earlier one that it does not use changes nothing."""
    for name, sentence in (("follows", "twice"), ("behind", "stopped_time")):
        double, halve = graded[name].marks
        assert (double.outcome, double.sentence) == ("wrong", sentence)
        assert (halve.outcome, halve.given) == ("given", ["double"])
        assert halve.message == "right, given double"
    assert told(graded["apart"]) == {"double": ("wrong", "twice"), "halve": RIGHT}


def test_messages_speak_the_notebooks_language(graded: dict[str, Marked]) -> None:
    assert graded["小明"].marks[0].message == "2 的两倍不是这个数。"


def test_checks_that_were_altered_are_flagged_and_ours_count(
    graded: dict[str, Marked],
) -> None:
    assert told(graded["tampered"]) == {"double": ("wrong", "twice"), "halve": RIGHT}
    assert graded["tampered"].flags == [
        "the check of double was altered; ours was used",
        "the check of halve was missing; ours was used",
    ]
    assert [mark.hints for mark in graded["tampered"].marks] == [2, 0]


def test_chance_is_the_same_on_every_run(graded: dict[str, Marked]) -> None:
    said = graded["chance"].marks[0].message
    drawn = [random.Random(0).random(), np.random.RandomState(0).rand()]  # noqa: S311
    assert str(drawn)[1:-1] in said
    assert said == graded["again"].marks[0].message


def test_what_cannot_be_graded_says_why(graded: dict[str, Marked]) -> None:
    assert graded["nobody"].flags == ["not handed in"]
    (flag,) = graded["no zip"].flags
    assert flag.startswith("no zip.zip can't be unpacked")
    (flag,) = graded["broken"].flags
    assert flag.startswith("00_doubling.ipynb can't be read as a notebook")
    assert graded["two"].flags == [
        "not graded, another notebook of the same lesson: 00_doubling (1).ipynb"
    ]
    assert told(graded["two"]) == {"double": RIGHT, "halve": RIGHT}


@pytest.mark.full
def test_a_class_of_forty_in_three_lessons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten minutes on two processors are 1,200 s of a processor; marks are stable."""
    monkeypatch.delenv("TEACHGRAPH_COURSE", raising=False)  # of other tests here
    write_class(tmp_path)
    before = os.times()
    rows = grade_class(tmp_path, at_once=2)
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    print(f"40 students, 3 lessons: {spent:.0f} s of a processor")
    assert spent < 1200
    assert len(rows) == 120
    again = grade_class(tmp_path)
    assert as_csv(rows, seconds=False) == as_csv(again, seconds=False)
