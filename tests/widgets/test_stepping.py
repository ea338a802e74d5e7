"""A cell that waits at each line, in a real kernel: at a prompt, and for the page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from tests.widgets.front_end import Cell, FrontEnd, kernel
from tests.widgets.test_kernel import NOBODY_WATCHES, SET_UP

THREE = "x = tg.ones([2])\ny = x * 3.0\nz = y.sum()\n"


@pytest.fixture(scope="module")
def front_end(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FrontEnd]:
    with kernel(tmp_path_factory.mktemp("stepping")) as front_end:
        assert front_end.run(SET_UP).outputs[1:] == []
        front_end.run("from teachgraph_widgets import stepping")
        yield front_end


@pytest.fixture
def impatient(front_end: FrontEnd) -> Iterator[FrontEnd]:
    """A front end whose page does not answer, and need not be waited for long."""
    front_end.run("stepping.Page.probe.__defaults__ = (0.2,)")
    yield front_end
    front_end.run("stepping.Page.probe.__defaults__ = (stepping.PROBE_SECONDS,)")


def lines(cell: Cell) -> list[int]:
    return [e["line"] for e in cell.snapshot["events"] if e["kind"] == "line"]


def finish(front_end: FrontEnd, cell: Cell) -> None:
    while not cell.ended:
        front_end.read(cell)


def test_without_a_page_that_answers_there_is_a_prompt(impatient: FrontEnd) -> None:
    cell = impatient.start(f"%%trace --step\n{THREE}", stdin=True)
    assert impatient.prompt().startswith("line 2: x = tg.ones([2])\n")
    impatient.client.input("")
    assert impatient.prompt().startswith("line 3: y = x * 3.0\n")
    impatient.client.input("b")
    assert impatient.prompt().startswith("line 3: ")
    impatient.client.input("c")
    finish(impatient, cell)
    assert lines(cell) == [2, 3, 4]
    assert "fill" in cell.printed, "looking back tells what line 2 has made"
    assert impatient.run(NOBODY_WATCHES).result == "[]"


def test_stop_ends_the_cell_before_the_line_runs(impatient: FrontEnd) -> None:
    impatient.run("y = None")
    cell = impatient.start(f"%%trace --step\n{THREE}", stdin=True)
    impatient.prompt()
    impatient.client.input("")
    impatient.prompt()
    impatient.client.input("s")
    finish(impatient, cell)
    assert "stopped at line 3" in cell.error
    assert "----> 3 y = x * 3.0" in cell.error
    assert "mark(" not in cell.error, "no more of ours than what says so"
    assert impatient.run("y is None").result == "True"
    assert impatient.run(NOBODY_WATCHES).result == "[]"


def test_an_interrupt_ends_the_waiting(impatient: FrontEnd) -> None:
    cell = impatient.start(f"%%trace --step\n{THREE}", stdin=True)
    impatient.prompt()
    impatient.manager.interrupt_kernel()
    finish(impatient, cell)
    assert "KeyboardInterrupt" in cell.error
    assert cell.snapshot["events"][-1]["ok"] is False
    assert impatient.run(NOBODY_WATCHES).result == "[]"


def test_where_nobody_can_answer_the_cell_goes_on(impatient: FrontEnd) -> None:
    cell = impatient.run(f"%%trace --step\n{THREE}z.tolist()")
    assert cell.result == "6.0"
    assert "nobody can be asked here" in cell.printed


def waiting(cell: Cell) -> list[Any]:
    """The lines that were asked about: each once, however often it was asked."""
    asked = {m["turn"]: m["line"] for m in cell.asked if m["state"] == "waiting"}
    return list(asked.values())


def say(front_end: FrontEnd, cell: Cell, subshell: str, word: str, turn: int) -> None:
    (view,) = cell.views
    answer = {"type": "step", "do": word, "turn": turn}
    front_end.press(view, answer, subshell)


def started(front_end: FrontEnd, subshell: str, body: str = THREE) -> Cell:
    """A cell that waits at its first line for a page that has said it is there."""
    cell = front_end.start(f"%%trace --step\n{body}", stdin=True)
    front_end.read_until(cell, lambda c: c.views and c.asked)
    front_end.press(cell.views[0], {"type": "step", "do": "here"}, subshell)
    front_end.read_until(cell, lambda c: waiting(c) == [2])
    return cell


def test_a_page_that_answers_while_the_cell_runs_has_the_buttons(
    front_end: FrontEnd,
) -> None:
    subshell = front_end.subshell()
    cell = started(front_end, subshell)
    say(front_end, cell, subshell, "step", 1)
    front_end.read_until(cell, lambda c: waiting(c) == [2, 3])
    say(front_end, cell, subshell, "dance", 2)
    say(front_end, cell, subshell, "continue", 2)
    finish(front_end, cell)
    assert waiting(cell) == [2, 3]
    assert cell.asked[-1] == {"type": "step", "state": "running"}
    assert lines(cell) == [2, 3, 4]


def test_two_views_that_answer_the_same_line_make_one_step(front_end: FrontEnd) -> None:
    subshell = front_end.subshell()
    cell = started(front_end, subshell)
    for word in ("step", "step", "stop"):
        say(front_end, cell, subshell, word, 1)
    front_end.read_until(cell, lambda c: waiting(c) == [2, 3])
    asked = len(cell.asked)
    front_end.read_until(cell, lambda c: len(c.asked) == asked + 1)
    assert waiting(cell) == [2, 3], "the question is put again, for whoever comes late"
    say(front_end, cell, subshell, "continue", 2)
    finish(front_end, cell)
    assert lines(cell) == [2, 3, 4]


def test_the_page_can_stop_it_and_so_can_an_interrupt(front_end: FrontEnd) -> None:
    subshell = front_end.subshell()
    for way in ("stop", "interrupt"):
        cell = started(front_end, subshell)
        say(front_end, cell, subshell, "step", 1)
        front_end.read_until(cell, lambda c: waiting(c) == [2, 3])
        if way == "stop":
            say(front_end, cell, subshell, "stop", 2)
        else:
            front_end.manager.interrupt_kernel()
        finish(front_end, cell)
        assert ("stopped at line 3" in cell.error) == (way == "stop")
        last = cell.snapshot["events"][-1]
        assert (last["kind"], last["ok"], last["line"]) == ("cell_end", False, 3)
        assert cell.asked[-1]["state"] == "running"
        assert front_end.run(NOBODY_WATCHES).result == "[]"


def test_a_pace_plays_at_human_speed(front_end: FrontEnd) -> None:
    cell = front_end.run(f"%%trace --pace 0.1\n{THREE}")
    times = [e["t"] for e in cell.snapshot["events"] if e["kind"] == "line"]
    assert all(b - a >= 0.1 for a, b in pairwise(times))
    refused = front_end.run("%%trace --pace minus\n1")
    assert "--pace" in refused.printed
