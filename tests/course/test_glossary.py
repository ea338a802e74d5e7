"""The words of the course: introduced once, in their lesson, in both languages."""

from __future__ import annotations

import re

import pytest

from teachgraph.course.source import read
from teachgraph.course.table import Language, lessons, root

READY = [lesson for lesson in lessons() if lesson.built]
LINES = root().joinpath("glossary.md").read_text("utf-8").splitlines()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in LINES
    if re.match(r"\| (\d\d|C\d) ", line)
]
COLUMN: dict[Language, int] = {"en": 1, "zh": 2}


def texts(language: Language) -> dict[str, str]:
    """The text of each lesson, by number, in its order."""
    return {
        lesson.number: "\n".join(
            cell.text[language] for cell in read(lesson).cells if cell.role == "text"
        )
        for lesson in READY
    }


def test_the_words_stand_in_the_order_of_the_lessons() -> None:
    order = [lesson.number for lesson in READY]
    numbers = [order.index(row[0]) for row in ROWS]
    assert numbers == sorted(numbers)
    for column in (1, 2):
        words = [row[column] for row in ROWS]
        assert len({*words}) == len(words)
    assert all(all(row) and len(row) == 5 for row in ROWS)


@pytest.mark.parametrize("language", COLUMN)
def test_a_word_in_bold_is_a_word_of_that_lesson(language: Language) -> None:
    known = {(row[0], row[COLUMN[language]].lower()) for row in ROWS}
    for number, text in texts(language).items():
        for word in re.findall(r"\*\*([^*]+)\*\*", text):
            plain = word.lower()
            assert {(number, plain), (number, plain.removesuffix("s"))} & known, word


@pytest.mark.parametrize("language", COLUMN)
def test_a_word_is_used_from_its_lesson_on(language: Language) -> None:
    said = texts(language)
    for row in ROWS:
        word = re.escape(row[COLUMN[language]])
        pattern = rf"\b{word}" if language == "en" else word
        places = [n for n, text in said.items() if re.search(pattern, text)]
        assert row[0] in places, row
        if row[0] != "00":  # the words of the table itself
            assert places[0] == row[0], f"{row[1]} is used in {places[0]} already"
