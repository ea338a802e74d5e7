"""The guide says what is true: its programs print what it says, its links lead on."""

from __future__ import annotations

import re
import sys
from operator import attrgetter
from pathlib import Path

import pytest

import teachgraph as tg
from docs import reference
from docs.notebooks import joined, lesson_page, solution_lines, texts
from docs.search import SearchChinese
from docs.sources import ABSOLUTE, MANUALS, PAGES, Selection
from teachgraph.course.notebook import build
from teachgraph.course.source import read_once
from teachgraph.course.table import LANGUAGES, Language, find
from tests.packaging.commands import run
from tests.packaging.test_readme import blocks, programs

RUN = [page for page in sorted((PAGES / "en").rglob("*.md")) if programs(blocks(page))]
"""Chinese pages have the programs of the English ones: `test_twins.py`."""


@pytest.mark.parametrize("page", RUN, ids=lambda page: str(page.relative_to(PAGES)))
def test_its_programs_print_what_it_says(page: Path, tmp_path: Path) -> None:
    for code, printed in programs(blocks(page)):
        (tmp_path / "program.py").write_text(code, "utf-8")
        assert run(sys.executable, "program.py", cwd=tmp_path) == printed


def test_links_between_pages_lead_to_pages_of_the_whole_site() -> None:
    selection = Selection()
    course = {f"course/{lesson.name}" for lesson in selection.of_lessons()}
    english = {f"gallery/{case.source.stem}" for case in selection.of_cases()}
    english |= {*MANUALS} | {f"reference/{page}" for page in reference.pages()}
    for language in LANGUAGES:
        folder = PAGES / language
        own = {str(page.relative_to(folder))[:-3] for page in folder.rglob("*.md")}
        known = course | own | (english if language == "en" else set())
        found = [
            (page.name, target)
            for page in folder.rglob("*.md")
            for _, target in ABSOLUTE.findall(page.read_text("utf-8"))
        ]
        assert found
        assert [link for link in found if link[1].lstrip("/") not in known] == []


def test_what_a_cell_prints_bit_by_bit_is_one_block_and_pictures_stay_in_place() -> (
    None
):
    def said(text: str, name: str = "stdout") -> dict[str, str]:
        return {"output_type": "stream", "name": name, "text": text}

    picture = {"output_type": "display_data", "data": {"image/png": ""}}
    bits = [said("a\n"), said("b\n"), said("!", "stderr"), said("c"), picture]
    assert joined([*bits, picture, said("d"), said("e")]) == [
        said("a\nb\n"),
        said("!", "stderr"),
        said("c"),
        picture,
        picture,
        said("de"),
    ]
    assert joined([]) == []


def test_the_reference_describes_every_public_name_once() -> None:
    text = "\n".join(reference.pages().values())
    lines = [line for line in text.splitlines() if line.startswith(".. auto")]
    assert len(lines) > 1000
    assert len(lines) == len(set(lines))
    for name in ("teachgraph.to_tensor", "teachgraph.nn.Linear", "teachgraph.show"):
        assert sum(line.endswith(f":: {name}") for line in lines) == 1


def test_what_the_reference_describes_is_there() -> None:
    for page in reference.pages().values():
        for full in re.findall(r"^\.\. auto\w+:: ([\w.]+)$", page, re.MULTILINE):
            assert attrgetter(full.removeprefix("teachgraph."))(tg) is not None, full


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_output_that_shows_a_solution_is_left_out(language: Language) -> None:
    lesson = find("02")
    solved = build(read_once(lesson), "solution", language)
    (line, *_) = sorted(solution_lines(read_once(lesson), build_open(language)))
    live = [
        cell
        for cell in solved["cells"]
        if cell["metadata"]["teachgraph"]["role"] == "live"
    ]
    for cell, said in zip(live, ("harmless\n", f"    {line}\n"), strict=False):
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": said}]
    page = lesson_page(lesson, language, solved)
    shown = [text for c in page["cells"] for text in texts(c.get("outputs", []), {})]
    assert shown == ["harmless\n"]


def build_open(language: Language) -> dict[str, object]:
    """The notebook of lesson 02 as a learner begins it."""
    return build(read_once(find("02")), "learner", language)


def test_chinese_is_found_by_any_two_characters() -> None:
    words = SearchChinese({}).split("反向传播 in backward()")
    assert words == ["反向", "向传", "传播", "in", "backward"]
