"""Grading a learner's own file in a kernel of its own."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from teachgraph.course.files import write_new
from teachgraph.course.grade import Place, Report, grade
from teachgraph.course.notebook import build
from teachgraph.course.source import Source
from teachgraph.course.table import CourseError

pytestmark = pytest.mark.notebook


def messages(report: Report) -> dict[str, str]:
    return {verdict.task: verdict.message for verdict in report.verdicts}


def test_the_solution_passes(
    sample: Source, sample_notebook: Callable[..., Path]
) -> None:
    report = grade(sample, sample_notebook(lambda cells: None))
    assert report.passed
    assert report.tasks == {"double": True, "halve": True}
    assert report.troubles == []


def test_the_hand_out_fails_at_every_exercise(sample: Source, tmp_path: Path) -> None:
    path = tmp_path / "mine.ipynb"
    write_new(path, build(sample, "learner"))
    report = grade(sample, path)
    assert not report.passed
    for task in ("double", "halve"):
        assert messages(report)[task].startswith("not written yet")
    assert report.troubles == []


def test_a_notebook_of_another_lesson_is_refused(
    sample: Source, tmp_path: Path
) -> None:
    path = tmp_path / "mine.ipynb"
    notebook = build(sample, "solution")
    notebook["metadata"]["teachgraph"]["lesson"] = "07"
    write_new(path, notebook)
    with pytest.raises(CourseError, match="is a notebook of lesson 07, not of 00"):
        grade(sample, path)


@pytest.mark.parametrize(
    ("edit", "passed", "said"),
    [
        pytest.param("reversed", set(), "there is no `halve` yet", id="reversed"),
        pytest.param("twice", {"double", "halve"}, "", id="twice"),
        pytest.param("half", {"halve"}, "SyntaxError", id="half-edited"),
        pytest.param("text", {"halve"}, "there is no `double` yet", id="made-a-text"),
        pytest.param("gone", set(), "there is no `double` yet", id="all-gone"),
    ],
)
def test_a_notebook_in_disorder_gets_a_clear_report(
    sample: Source, tmp_path: Path, edit: str, passed: set[str], said: str
) -> None:
    notebook = build(sample, "solution")
    cells = notebook["cells"]
    (place,) = (i for i, cell in enumerate(cells) if "def double" in cell["source"])
    if edit == "reversed":
        cells.reverse()
    elif edit == "twice":
        cells[place:place] = [
            {**cell, "id": f"again-{i}"} for i, cell in enumerate(cells)
        ]
    elif edit == "half":
        cells[place]["source"] = "def double(x:\n    return 2 *"
    elif edit == "text":
        one = cells[place]
        cells[place] = {k: one[k] for k in ("id", "metadata", "source")}
        cells[place]["cell_type"] = "markdown"
    else:
        cells.clear()
    path = tmp_path / "mine.ipynb"
    write_new(path, notebook)
    before = path.read_bytes()
    report = grade(sample, path)
    assert {task for task, right in report.tasks.items() if right} == passed
    wrong = [v.message for v in report.verdicts if not v.passed]
    assert all(said in message for message in wrong[:1]), wrong
    assert path.read_bytes() == before


@pytest.mark.full
@pytest.mark.parametrize("kind", ["stored", "printed"])
def test_a_hundred_megabytes_of_output_do_no_harm(
    sample: Source, tmp_path: Path, kind: str
) -> None:
    notebook = build(sample, "solution")
    long: dict[str, object] = {
        "cell_type": "code",
        "id": "long",
        "metadata": {},
        "source": "print('x' * 100_000_000)" if kind == "printed" else "1",
        "execution_count": None,
        "outputs": [],
    }
    if kind == "stored":
        text = {"output_type": "stream", "name": "stdout", "text": "x" * 100_000_000}
        long["outputs"] = [text]
    notebook["cells"].insert(0, long)
    path = tmp_path / "mine.ipynb"
    write_new(path, notebook)
    assert grade(sample, path).passed


def test_an_exception_is_blamed_on_the_learners_line(
    sample: Source, sample_notebook: Callable[..., Path]
) -> None:
    code = "def helper(x):\n    return y\n\ndef double(x):\n    return helper(x)"
    path = sample_notebook(lambda cells: cells["double"].update(source=code))
    verdict = grade(sample, path).verdicts[0]
    assert verdict.message == "raised NameError: name 'y' is not defined"
    assert verdict.place == Place(4, 2, "return y")


def test_an_exception_in_another_cell_is_told_with_both_lines(
    sample: Source, sample_notebook: Callable[..., Path]
) -> None:
    def edit(cells: dict[str, Any]) -> None:
        first = next(cell for cell in cells.values() if "begin" in cell["source"])
        first["source"] += "\n\ndef helper(x):\n    return y"
        cells["double"]["source"] = "def double(x):\n    return helper(x)"

    verdict = grade(sample, sample_notebook(edit)).verdicts[0]
    assert verdict.place == Place(4, 2, "return helper(x)")
    assert verdict.message == (
        "raised NameError: name 'y' is not defined (line 2 of the cell: "
        "`return helper(x)`; there, line 6 of the cell with `helper`: `return y`)"
    )


def test_a_wrong_value_points_at_the_exercise(
    sample: Source, sample_notebook: Callable[..., Path]
) -> None:
    code = "# mine\ndef double(x):\n    return 4"
    path = sample_notebook(lambda cells: cells["double"].update(source=code))
    verdict = grade(sample, path).verdicts[0]
    assert verdict.message == "-1 doubled is something else."
    assert verdict.place == Place(4, 2, "def double(x):")


def graded_in_time(sample: Source, path: Path) -> tuple[Report, int]:
    """The grade, and the least limit that a busy machine comes to the exercise in."""
    for seconds in (4, 8, 16, 32):
        report = grade(sample, path, seconds)
        if not messages(report)["double"].startswith("not reached"):
            break
    return report, seconds


def test_an_endless_loop_is_stopped_and_found(
    sample: Source, sample_notebook: Callable[..., Path]
) -> None:
    code = "def double(x):\n    while True:\n        pass"
    path = sample_notebook(lambda cells: cells["double"].update(source=code))
    report, seconds = graded_in_time(sample, path)
    assert messages(report) == {
        "double": f"stopped, the {seconds} seconds were up",
        "halve": "not reached, cell 5 did not end",
    }
    assert report.verdicts[0].place.line in {2, 3}
    assert not report.passed


def test_a_loop_that_swallows_the_interrupt_is_stopped_too(
    sample: Source, sample_notebook: Callable[..., Path]
) -> None:
    code = (
        "import signal\n"
        "def double(x):\n"
        "    signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "    while True:\n"
        "        pass"
    )
    path = sample_notebook(lambda cells: cells["double"].update(source=code))
    report, seconds = graded_in_time(sample, path)
    assert messages(report)["double"] == f"stopped, the {seconds} seconds were up"
    assert messages(report)["halve"].startswith("not reached")


def test_a_kernel_that_dies_is_reported(
    sample: Source, sample_notebook: Callable[..., Path]
) -> None:
    code = "import os\ndef double(x):\n    os._exit(1)"
    path = sample_notebook(lambda cells: cells["double"].update(source=code))
    assert messages(grade(sample, path))["double"] == "the kernel died while it ran"


@pytest.mark.parametrize(
    "tamper",
    [
        {"source": "print('double: right.')"},
        {"removed": True},
        {"cell_type": "raw", "source": "nothing"},
        {"metadata": {"tags": ["skip-execution"]}},
    ],
    ids=["edited", "deleted", "made text", "skipped"],
)
def test_a_check_cannot_be_argued_away(
    sample: Source, sample_notebook: Callable[..., Path], tamper: dict
) -> None:
    def edit(cells: dict) -> None:
        cells["double"]["source"] = "def double(x):\n    return 7"
        check = cells["check-double"]
        if "metadata" in tamper:
            check["metadata"] |= tamper["metadata"]
        else:
            check.update(tamper)
        if check["cell_type"] == "raw":
            del check["outputs"], check["execution_count"]

    said = messages(grade(sample, sample_notebook(edit)))["double"]
    assert said == "2 doubled is something else."


def test_a_scratch_cell_that_raises_is_a_note(
    sample: Source, sample_notebook: Callable[..., Path]
) -> None:
    path = sample_notebook(lambda cells: None, extra="z = 1\nz.foo")
    report = grade(sample, path)
    assert report.passed
    assert [str(trouble.place) for trouble in report.troubles] == [
        "cell 8, line 2: `z.foo`"
    ]


def test_an_error_is_told_without_addresses_which_every_run_would_change(
    sample: Source, sample_notebook: Callable[..., Path]
) -> None:
    code = "def double(x):\n    return 2 * x\n\nraise ValueError(object())"
    report = grade(
        sample, sample_notebook(lambda cells: cells["double"].update(source=code))
    )
    assert [t.message for t in report.troubles] == ["ValueError: <object object>"]


def test_a_syntax_error_is_noted_where_it_is(
    sample: Source, sample_notebook: Callable[..., Path]
) -> None:
    code = "def double(x)\n    return 2 * x"
    path = sample_notebook(lambda cells: cells["double"].update(source=code))
    report = grade(sample, path)
    assert report.troubles[0].message == "SyntaxError: expected ':'"
    assert report.troubles[0].place == Place(4, 1, "def double(x)")
    first = report.verdicts[0]
    assert first.message == "its cell did not run: SyntaxError: expected ':'"
    assert first.place == Place(4, 1, "def double(x)")
    assert not report.passed


DECEIVING = {
    "a redefined check": "import teachgraph.course.checks as c\n"
    "c.Checker.__call__ = lambda self, answer: print('double: right.')",
    "a redefined judge": "import teachgraph.course.judging as j\n"
    "j.expect = lambda *a, **k: None\nj.judge = None",
    "changed code": "import teachgraph.course.judging as j\n"
    "j.expect.__code__ = (lambda holds, sentence, **values: None).__code__",
    "silenced errors": "get_ipython()._showtraceback = lambda *a, **k: None\n"
    "get_ipython().showtraceback = lambda *a, **k: None",
    "cells turned into pass": "get_ipython().input_transformers_cleanup.append("
    "lambda lines: ['pass\\n'])",
    "a forged answer": "from IPython.display import display\n"
    "display({'application/vnd.teachgraph.answer+json': {'nonce': '', 'result': 4}},"
    " raw=True)",
    "a silenced display": "import IPython.display\n"
    "IPython.display.display = lambda *a, **k: None",
}


@pytest.mark.parametrize("trick", DECEIVING)
def test_nothing_that_a_cell_does_to_its_kernel_makes_a_wrong_answer_right(
    sample: Source, sample_notebook: Callable[..., Path], trick: str
) -> None:
    code = f"def double(x):\n    return 7\n\n{DECEIVING[trick]}"
    path = sample_notebook(lambda cells: cells["double"].update(source=code))
    assert not grade(sample, path).tasks["double"]


def test_a_chinese_notebook_is_told_in_chinese(sample: Source, tmp_path: Path) -> None:
    path = tmp_path / "mine.ipynb"
    write_new(path, build(sample, "learner", "zh"))
    report = grade(sample, path)
    assert report.language == "zh"
    assert messages(report)["double"].startswith("还没有写")


def test_the_learners_file_is_left_as_it_is(
    sample: Source, sample_notebook: Callable[..., Path]
) -> None:
    path = sample_notebook(lambda cells: None)
    before = path.read_bytes()
    grade(sample, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", ["", "{", "[]", '{"cells": 3}', '"text"'])
def test_a_file_that_is_no_notebook_is_refused_in_words(
    sample: Source, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "mine.ipynb"
    path.write_text(content)
    with pytest.raises(CourseError, match="can't be read as a notebook"):
        grade(sample, path)


def test_a_missing_file_is_refused_in_words(sample: Source, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="no notebook at"):
        grade(sample, tmp_path / "mine.ipynb")


def test_a_kernel_that_does_not_start_is_told(
    sample: Source,
    sample_notebook: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    path = sample_notebook(lambda cells: None)
    kernels = tmp_path / "kernels" / "python3"
    kernels.mkdir(parents=True)
    (kernels / "kernel.json").write_text(
        '{"argv": ["/nowhere/python"], "display_name": "", "language": "python"}'
    )
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "0")
    with pytest.raises(CourseError, match=r"can't be started: .*nowhere"):
        grade(sample, path)


def test_a_library_that_does_not_load_is_told(
    sample: Source,
    sample_notebook: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    path = sample_notebook(lambda cells: None)
    (tmp_path / "nbclient.py").write_text("import no_such_messaging\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "nbclient", raising=False)
    with pytest.raises(CourseError, match=r"can't be started: .*no_such_messaging"):
        grade(sample, path)


SLEEPERS = """
import os, subprocess, sys, time
sleep = "import os, sys, time; print(os.getpid(), file=open({note!r}, 'a'))"
command = [sys.executable, "-c", sleep + "; time.sleep(99)"]
for environment in (None, {{}}):
    subprocess.Popen(command, start_new_session=True, env=environment)
if os.fork() == 0:
    os.setsid()
    for environment in (dict(os.environ), {{}}):
        if os.fork() == 0:
            os.execve(sys.executable, command, environment)
    os._exit(0)
os.wait()
while not os.path.exists({note!r}) or len(open({note!r}).readlines()) < 4:
    time.sleep(0.05)
{end}
def double(x):
    return 2 * x
"""
"""Children in sessions of their own: two of the kernel, two of one that is gone."""


def runs(pid: str) -> bool:
    process = Path("/proc", pid, "stat")
    return process.exists() and process.read_text().split()[2] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are lost elsewhere")
@pytest.mark.parametrize("end", ["", "os._exit(1)"], ids=["whole", "dying"])
def test_what_a_cell_started_ends_with_the_check(
    end: str, sample: Source, sample_notebook: Callable[..., Path], tmp_path: Path
) -> None:
    note = tmp_path / "pids"
    source = SLEEPERS.format(note=str(note), end=end)
    grade(sample, sample_notebook(lambda cells: cells["double"].update(source=source)))
    pids = note.read_text().split()
    assert len(pids) == 4
    deadline = time.monotonic() + 10
    while any(map(runs, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(runs, pids))
