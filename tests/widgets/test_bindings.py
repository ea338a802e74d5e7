"""What each name means as the lines go by, and what is printed."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from typing import Any

import pytest

import teachgraph as tg
from tests.widgets.recording import Recording, record

SOURCE = """\
x = tg.to_tensor(2.0)
for i in range(2):
    x = x * 3.0
    print("x is", x.item())
def half(a):
    b = a / 2.0
    return b
y = half(x)
del i
"""


@pytest.fixture(scope="module")
def recording() -> Recording:
    return record(SOURCE)


def meanings(recording: Recording, line: int, turn: int = 0) -> dict[str, Any]:
    """What the outermost names mean once a line has run: before the next one begins."""
    lines = recording.all("line")
    starts = [n for n, event in enumerate(lines) if event["line"] == line]
    after = starts[turn] + 1
    end = lines[after]["seq"] if after < len(lines) else len(recording.events)
    names: dict[str, Any] = {}
    for event in recording.all("names", scope=""):
        if event["seq"] < end:
            names.update(event["tensors"] | event["texts"])
            for name in event["gone"]:
                del names[name]
    return names


def test_a_name_means_another_tensor_after_each_round(recording: Recording) -> None:
    products = [e["outputs"][0] for e in recording.all("node", type="scale")]
    found = [meanings(recording, 3, turn) for turn in (0, 1)]
    assert [names["x"] for names in found] == products[:2]
    assert [names["i"] for names in found] == ["0", "1"]


def test_names_that_are_deleted_are_gone(recording: Recording) -> None:
    assert set(meanings(recording, 9)) == {"x", "y"}


def test_names_of_a_function_are_its_own(recording: Recording) -> None:
    events = recording.all("names", scope="half")
    assert [sorted(e["tensors"]) for e in events] == [["a"], ["b"]]
    assert "a" not in meanings(recording, 8)


def test_what_is_printed_has_its_line_and_reaches_the_stream() -> None:
    stream = io.StringIO()
    with redirect_stdout(stream):
        recording = record(SOURCE)
        assert sys.stdout is stream
    printed = [(e["line"], e["text"]) for e in recording.all("output")]
    assert printed == [(4, "x is 6.0\n"), (4, "x is 18.0\n")]
    assert stream.getvalue() == "x is 6.0\nx is 18.0\n"


def test_much_that_is_printed_is_cut_in_the_log_alone() -> None:
    stream = io.StringIO()
    with redirect_stdout(stream):
        recording = record("for i in range(3000):\n    print('0123456789')\n")
    assert len(stream.getvalue()) == 33_000
    assert sum(len(e["text"]) for e in recording.all("output")) == 20_000
    assert recording.one("dropped", what="printed characters")["count"] == 13_000


def test_a_cell_that_takes_the_stream_itself_keeps_it() -> None:
    stream = io.StringIO()
    before = sys.stdout
    try:
        with tg.record() as trace:
            sys.stdout = stream
            print("to me")
        assert sys.stdout is stream
    finally:
        sys.stdout = before
    assert stream.getvalue() == "to me\n"
    assert not [e for e in trace.events if e["kind"] == "output"]


class Spiteful:
    def __repr__(self) -> str:
        raise ZeroDivisionError

    def __len__(self) -> int:
        raise ZeroDivisionError


def test_things_that_are_no_tensors_are_a_word() -> None:
    source = (
        "n, text, pair, none, huge = 3, 'two', (1, 2), None, 10**5000\n"
        "odd, f, _hidden = Spiteful(), len, 1\nlong = 'a' * 10**6\n"
    )
    names = record(source, Spiteful=Spiteful).all("names")
    texts: dict[str, str] = {}
    for event in names:
        texts |= event["texts"]
    assert texts.pop("long").endswith("…")
    assert texts.pop("f") == "builtin_function_or_method"
    assert texts == {
        "n": "3",
        "text": "'two'",
        "pair": "tuple of 2",
        "none": "None",
        "huge": "a large int",
        "odd": "Spiteful",
    }


def test_a_loop_of_many_lines_writes_few_events() -> None:
    recording = record("for i in range(20_000):\n    j = i\n")
    assert len(recording.all("names")) < 2000
