"""The Chinese page has what the English one has: sections, programs, names, figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from docs.sources import MANUALS, PAGES, manual

ENGLISH_ONLY = {"guide/core", "guide/changes", "course/glossary"}
"""Manuals without a Chinese page; the glossary is in both languages itself."""

FENCE = re.compile(r"(?ms)^```(\w*)\n(.*?)^```$")
COMMENT = re.compile(r"(?m)(?:^|  +)# .*$")
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
TO_ENGLISH = re.compile(r'<a href="(?:\.\./)+en/([^"]+)\.html">([^<]*)</a>')
BEGIN = re.compile(r"(- |\d+\. |\| )")


def english(page: str) -> str:
    """The English text of a page of the site."""
    if page in MANUALS:
        return manual(MANUALS[page])
    return (PAGES / "en" / f"{page}.md").read_text("utf-8")


def chinese(page: str) -> str:
    """The Chinese text of a page, without the language it asks for in commands."""
    text = (PAGES / "zh" / f"{page}.md").read_text("utf-8")
    return TO_ENGLISH.sub(r"[\2](/\1)", text.replace(" --lang zh", ""))


def units(text: str) -> Iterator[str]:
    """Blocks of code, paragraphs, items of lists and rows of tables, in order."""
    for part in re.split(r"(?ms)(^```.*?^```$)", text):
        if part.startswith("```"):
            yield part
            continue
        unit: list[str] = []
        for line in part.splitlines():
            if not line.strip() or BEGIN.match(line) or line.startswith("#"):
                if unit:
                    yield "\n".join(unit)
                unit = []
            if line.strip():
                unit.append(line)
        if unit:
            yield "\n".join(unit)


def content(unit: str) -> object:
    """What a translation keeps: code, kind, the code in the words, figures, links."""
    if block := FENCE.match(unit):
        return block[1], COMMENT.sub("", block[2])
    unit = unit.replace("\n", " ")
    links = LINK.findall(unit)
    words = LINK.sub("]", unit)
    spans = SPAN.findall(words)
    figures = NUMBER.findall(SPAN.sub("", words))
    if heading := re.match(r"#+ ", unit):
        kind = heading[0]
    else:
        kind = begin[1] if (begin := BEGIN.match(unit)) else ""
    cells = [len(SPAN.findall(cell)) for cell in unit.split("|")[1:2]]
    return kind, cells, Counter(spans), Counter(figures), links


def difference(original: str, translation: str) -> str:
    """The first place at which the translation departs from the original, or ''."""
    section = ""
    theirs, ours = list(units(original)), list(units(translation))
    for number, unit in enumerate(theirs):
        if unit.startswith("#"):
            section = unit
        other = ours[number] if number < len(ours) else ""
        if content(unit) != content(other):
            return f"in {section!r}:\n{unit}\n--- is not ---\n{other or 'there'}"
    return "\n".join(["at the end:", *ours[len(theirs) :]]) if ours[len(theirs) :] else ""


TWINS = sorted(MANUALS.keys() - ENGLISH_ONLY)


@pytest.mark.parametrize("page", TWINS)
def test_a_change_of_the_english_page_is_followed_in_the_chinese_one(page: str) -> None:
    assert difference(english(page), chinese(page)) == ""
