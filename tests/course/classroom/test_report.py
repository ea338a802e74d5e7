"""Reports of a class: somebody else's text stays text, in tables and on the page."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

import pytest

from teachgraph.course.classroom.marks import Mark, Marked, Row
from teachgraph.course.classroom.report import as_csv, as_html, as_lines
from teachgraph.course.grade import Place
from teachgraph.course.table import LANGUAGES, Language, find

NAMES = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "=cmd|' /C calc'!A0",
    "{{ 7 * 7 }}",
    "a\u202eb\x1b[2J",
    "小明",
]


@pytest.fixture
def rows() -> list[Row]:
    return a_class()


def a_class() -> list[Row]:
    """A class whose students have names of all kinds, with a mistake each."""
    lesson = find("02")
    return [
        Row(name, lesson, marked(name, wrong=wrong)) for wrong, name in enumerate(NAMES)
    ]


def marked(name: str, wrong: int) -> Marked:
    """Marks of which one is wrong, and says the name."""
    marks = [
        Mark(task, "right", message=f"{task}: right.") for task in find("02").tasks
    ]
    task = find("02").tasks[wrong]
    place = Place(3, 2, name)
    marks[wrong] = Mark(task, "wrong", [], "raised", f"raised {name}", place, 2, 0.5)
    return Marked(marks, notes=[name], flags=[name])


class Page(HTMLParser):
    """The tags, the text and the addresses of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses |= {str(v) for k, v in attrs if k in {"href", "src", "action"}}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_draws_names_as_text_and_loads_nothing(
    rows: list[Row], language: Language
) -> None:
    page = Page(as_html(rows, language))
    assert not page.tags & {"script", "img", "link", "iframe", "object"}
    assert all(address.startswith("#student-") for address in page.addresses)
    for name in NAMES[:4] + NAMES[5:]:
        assert page.text.count(name) >= 5
    assert "a�b�[2J" in page.text
    assert "\u202e" not in page.text


def test_no_cell_of_a_table_is_a_formula(rows: list[Row]) -> None:
    lines = list(csv.DictReader(io.StringIO(as_csv(rows))))
    assert len(lines) == len(NAMES) * len(find("02").tasks)
    for line in lines:
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in line.values())
    assert {line["student"] for line in lines} >= {"'=cmd|' /C calc'!A0", "小明"}
    (first,) = (line for line in lines[:6] if line["verdict"] == "wrong")
    assert (first["hints"], first["cell"], first["line"]) == ("2", "3", "2")


def test_a_terminal_is_not_steered(rows: list[Row]) -> None:
    assert all(line.isprintable() for line in as_lines(rows, "en"))


def test_each_student_and_each_lesson_has_its_place(rows: list[Row]) -> None:
    """A lesson not handed in has a dash, and does not count."""
    rows = [*rows, *(Row(name, find("01"), Marked()) for name in NAMES)]
    assert as_lines(rows[:1] + rows[6:7], "en")[0] == f"{NAMES[0]}: 02 5/6  01 –"
    assert "not handed in" in as_html(rows, "en")
