"""The Chinese page has what the English one has: sections, programs, names, figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from docs.sources import MANUALS, PAGES, gallery_index, manual
from teachgraph.course.gallery import cases

APART = {"guide/index"}
"""Pages whose Chinese edition is arranged in its own way."""

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
    text = (PAGES / "en" / f"{page}.md").read_text("utf-8")
    return text + gallery_index(cases()) if page == "gallery/index" else text


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
        if number >= len(ours):
            return f"in {section!r}:\n{unit}\n--- is not there"
        if content(unit) != content(ours[number]):
            return f"in {section!r}:\n{unit}\n--- is not ---\n{ours[number]}"
    extra = ours[len(theirs) :]
    return "\n".join(["at the end:", *extra]) if extra else ""


GUIDE = {f"guide/{file.stem}" for file in (PAGES / "zh" / "guide").glob("*.md")}
TWINS = sorted({"gallery/index", *GUIDE} - APART)


@pytest.mark.parametrize("page", TWINS)
def test_a_change_of_the_english_page_is_followed_in_the_chinese_one(page: str) -> None:
    assert difference(english(page), chinese(page)) == ""


def test_the_manuals_without_a_chinese_page_are_known() -> None:
    # The glossary is in both languages itself.
    assert MANUALS.keys() - GUIDE == {"guide/core", "guide/changes", "course/glossary"}


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("- `--step`", "- `--stop`"),
        ("holds 25 rows", "holds 30 rows"),
        ("[a](/guide/core)", "[a](/guide/hosts)"),
        ("## b\n\na", "### b\n\na"),
        ("a\n\nb", "a b"),
        ("a", "a\n\nb"),
        ("```python\nx = 1  # one\n```", "```python\nx = 2  # one\n```"),
        ("| `n` | next |", "| next | `n` |"),
    ],
)
def test_it_finds_what_differs(there: str, here: str) -> None:
    assert difference(there, there) == ""
    assert difference(there, here)


def test_it_names_the_section() -> None:
    assert difference("# A\n\n## B\n\n3 rows", "# a\n\n## b\n\n4 行") == (
        "in '## B':\n3 rows\n--- is not ---\n4 行"
    )
