"""The progress file: kept whole, and set aside when it is damaged."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from teachgraph.course import progress


def test_what_was_saved_is_read_back(home: Path) -> None:
    kept = progress.load()
    kept.record("02").tasks["backward"] = True
    kept.record("02").notebooks["zh"] = "/somewhere/02_the_tape.zh.ipynb"
    kept.record("02").answers["backward"] = "def backward(loss): ..."
    kept.save()
    again = progress.load()
    assert again.records == kept.records
    assert again.set_aside is None
    assert list(home.iterdir()) == [home / "progress.json"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[1, 2]",
        "null",
        '{"version": 3, "lessons": {}}',
        '{"version": 2, "lessons": {"02": {"notebooks": {"en": 3}}}}',
        '{"version": 2, "lessons": {"02": {"answers": {"backward": null}}}}',
        '{"version": 1, "lessons": 3}',
        '{"version": 1, "lessons": {"02": 3}}',
        '{"version": 1, "lessons": {"02": {"unknown": 1}}}',
        '{"version": 1, "lessons": {"02": {"passed": "yes"}}}',
        '{"version": 1, "lessons": {"02": {"hints": {"backward": "many"}}}}',
        '{"version": 1, "lessons": {"02": {"tasks": {"backward": null}}}}',
        b"\xff\xfe\x00",
        "[" * 100_000,
    ],
)
def test_a_damaged_file_is_set_aside(home: Path, content: str | bytes) -> None:
    path = home / "progress.json"
    home.mkdir()
    raw = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(raw)
    kept = progress.load()
    assert kept.records == {}
    assert kept.set_aside is not None
    assert kept.set_aside.read_bytes() == raw
    kept.record("00").passed = True
    kept.save()
    assert progress.load().records["00"].passed


def test_a_second_damaged_file_does_not_replace_the_first(home: Path) -> None:
    home.mkdir()
    for content in ("first", "second"):
        (home / "progress.json").write_text(content)
        progress.load()
    kept = {path.read_text() for path in home.iterdir()}
    assert kept == {"first", "second"}


def test_the_file_says_what_it_holds(home: Path) -> None:
    kept = progress.load()
    kept.record("00")
    kept.save()
    content = json.loads((home / "progress.json").read_text("utf-8"))
    assert content["version"] == 2
    assert set(content["lessons"]["00"]) == {
        "notebooks",
        "language",
        "passed",
        "tasks",
        "answers",
        "hints",
    }


def test_a_file_of_the_first_version_is_understood(home: Path) -> None:
    home.mkdir()
    row = {"notebook": "/a/b.ipynb", "language": "zh", "tasks": {"backward": True}}
    content = {"version": 1, "lessons": {"02": row}}
    (home / "progress.json").write_text(json.dumps(content))
    record = progress.load().records["02"]
    assert record.notebooks == {"zh": "/a/b.ipynb"}
    assert record.tasks == {"backward": True}


def test_two_checks_at_once_lose_nothing(home: Path) -> None:
    def check(number: int) -> None:
        with progress.changing() as kept:
            time.sleep(0.01)
            kept.record(f"{number:02}").passed = True

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(check, range(16)))
    assert sorted(progress.load().records) == [f"{n:02}" for n in range(16)]
