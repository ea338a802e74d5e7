"""The site in a real Chromium: offline, for everybody to use, no link broken.

`make test` builds a site of a few pages from nothing; `make full` the whole one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Page

from docs.__main__ import CACHE, build
from docs.notebooks import TELLING
from docs.sources import PAGES, Selection
from teachgraph.course.gallery import cases
from teachgraph.course.source import read_once
from teachgraph.course.table import lessons
from tests.browser.watched import Watched
from widgets.dev import shoot

FEW = Selection(frozenset({"02"}), frozenset({"digits_py_func"}), frozenset({"metric"}))
WHOLE = Selection()
LOOKED_AT = [
    ("en/course/02_the_tape.html", "light"),
    ("en/reference/teachgraph.metric.html", "dark"),
    ("zh/guide/install.html", "light"),
    *(
        pytest.param(page, theme, marks=pytest.mark.full)
        for page, themes in {
            "en/index.html": "light dark",
            "en/course/index.html": "light dark",
            "en/course/02_the_tape.html": "dark",
            "en/guide/from_pytorch.html": "light dark",
            "en/guide/visualiser.html": "light dark",
            "en/reference/teachgraph.metric.html": "light",
            "en/search.html": "light dark",
            "zh/course/02_the_tape.html": "light dark",
            "zh/guide/install.html": "dark",
        }.items()
        for theme in themes.split()
    ),
]
OF_THE_WHOLE = [
    "en/gallery/index",
    *(f"en/gallery/{case.source.stem}" for case in cases()),
    "en/course/11_memory",
    "en/course/16_a_small_language_model",
    "en/guide/changes",
    "en/reference/teachgraph.nn.functional",
    "zh/course/14_many_machines",
    "zh/gallery/index",
    *(f"zh/guide/{page.stem}" for page in (PAGES / "zh" / "guide").glob("*.md")),
]
"""Pages that only the whole site has, or has in full."""

pytestmark = pytest.mark.slow


@pytest.fixture(
    scope="module",
    params=["few", pytest.param("whole", marks=pytest.mark.full)],
)
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder of a site."""
    if request.param == "whole":
        return build(WHOLE, CACHE)
    return build(FEW, tmp_path_factory.mktemp("site"))


class Anchors(HTMLParser):
    """The links of a page, what it loads, and where it can be entered."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[key] for key in ("id", "name") if key in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link" and found.get("rel") in {"stylesheet", "icon"}:
            self.loaded.append(found["href"])
        elif tag in {"script", "img", "source"} and "src" in found:
            self.loaded.append(found["src"])


def parsed(site: Path) -> dict[Path, Anchors]:
    pages = {}
    for file in site.rglob("*.html"):
        pages[file] = Anchors()
        pages[file].feed(file.read_text("utf-8"))
    return pages


def test_no_link_is_broken_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = parsed(site)
    assert len(pages) > len(LOOKED_AT)
    broken = defaultdict(set)
    for file, page in pages.items():
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    broken[link].add(file.name)
                continue
            target = (
                (file.parent / unquote(parts.path)).resolve() if parts.path else file
            )
            known = pages.get(target)
            there = target.is_file() and (
                known is None or unquote(parts.fragment) in known.anchors
            )
            if not there:
                broken[link].add(file.name)
    assert dict(broken) == {}


def lines_of(file: Path) -> Iterator[str]:
    """The lines of a page's text."""
    text = unescape(re.sub(r"<[^>]+>", "", file.read_text("utf-8")))
    return (line.strip() for line in text.splitlines())


def test_no_page_shows_a_line_of_a_solution(site: Path) -> None:
    tried = 0
    for lesson in lessons():
        for language in ("en", "zh"):
            file = site / language / "course" / f"{lesson.name}.html"
            if not file.is_file():
                continue
            source = read_once(lesson)
            shown = set(lines_of(file))
            given = "\n".join(
                cell.text[language] for cell in source.cells if cell.role != "exercise"
            )
            for cell in source.exercises:
                lines = [line.strip() for line in cell.solution.splitlines()]
                stub = cell.code.replace(cell.solution, "")
                secret = [
                    line
                    for line in lines
                    if len(line) >= TELLING and line not in given + stub
                ]
                tried += len(secret)
                assert [line for line in secret if line in shown] == []
    assert tried > 10


@pytest.mark.parametrize(("name", "theme"), LOOKED_AT)
def test_a_page_is_for_everybody_and_fits_any_window(
    site: Path, offline: Watched, name: str, theme: Literal["light", "dark"]
) -> None:
    page = offline.page
    page.emulate_media(color_scheme=theme)
    page.goto((site / name).as_uri())
    for width in (400, 900, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert shoot.violations(page) == []
    assert (offline.errors, offline.requests) == ([], [])


@pytest.mark.full
@pytest.mark.parametrize("site", ["whole"], indirect=True)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", OF_THE_WHOLE)
def test_a_page_of_the_whole_site_is_for_everybody_too(
    site: Path, offline: Watched, name: str, theme: Literal["light", "dark"]
) -> None:
    test_a_page_is_for_everybody_and_fits_any_window(
        site, offline, f"{name}.html", theme
    )


def test_a_picture_of_a_lesson_steps(site: Path, page: Page) -> None:
    page.goto((site / "en/course/02_the_tape.html").as_uri())
    view = page.locator(".tg-root").first
    before = view.inner_text()
    view.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "([view, before]) => view.innerText !== before",
        arg=[view.element_handle(), before],
    )


@pytest.mark.parametrize(
    ("language", "query", "target"),
    [("en", "diamond", "02_the_tape"), ("zh", "反向传播", "02_the_tape")],
)
def test_words_are_found_without_a_network(
    site: Path, page: Page, language: str, query: str, target: str
) -> None:
    page.goto((site / language / "search.html").as_uri() + f"?q={query}")
    page.wait_for_selector(f"#search-results a[href*='{target}']")
