"""The report of a graded class in a browser: offline, in both themes, for everybody."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from teachgraph.course.classroom.report import as_html
from teachgraph.course.table import Language
from tests.browser.test_export import overflow
from tests.browser.watched import Watched
from tests.course.classroom.test_report import NAMES, a_class
from widgets.dev import shoot


@pytest.mark.parametrize(
    ("language", "theme", "width"), [("en", "light", 1400), ("zh", "dark", 420)]
)
def test_the_report_of_a_class_is_for_everybody(
    offline: Watched,
    tmp_path: Path,
    artefacts: Path,
    language: Language,
    theme: Literal["light", "dark"],
    width: int,
) -> None:
    path = tmp_path / "marks.html"
    path.write_text(as_html(a_class(), language), "utf-8")
    page = offline.page
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(path.as_uri())
    assert page.locator("main h2").count() == 2
    for name in NAMES[:4]:
        student = page.locator("summary", has_text=name)
        assert student.count() == 1
        student.click()
    assert page.locator("details[open] .flag").count() == 4
    assert overflow(page) == 0
    assert shoot.violations(page) == []
    assert page.locator("img, script").count() == 0
    page.screenshot(path=artefacts / f"class-{language}-{theme}.png", full_page=True)
    assert offline.errors == []
