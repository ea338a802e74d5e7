"""What a log says is data: no name, source or message in it does anything in a browser.

Each test's page is one that fails on a dialog, a request, an error on the console, and
on whatever a script from the data would have left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, is_typeddict

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from teachgraph_widgets.events import Log
from teachgraph_widgets.page import page as page_of
from teachgraph_widgets.schema import EVENTS, fields_of
from teachgraph_widgets.validate import validate

from tests.browser import shown
from tests.browser.lab import Lab
from tests.browser.watched import Notebook, listening, write_notebook
from tests.widgets.recording import FOUR_LINES, record
from tests.widgets.test_programs import RUN
from tests.widgets.test_tape import DIAMOND
from widgets.dev import shoot

EVIL = (
    "<img src=x onerror=\"document.title='owned'\">"
    "</script><script>document.title='owned'</script><!-- ]]> --> \u2028\u202e\x1b[2J\0"
    "javascript:document.title='owned' url(//evil.invalid/x) red;background:url(x) $1^$"
)


class Strict:
    """A page on which nothing may happen but drawing."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.wrong: list[str] = []
        self.asked: list[str] = []
        self.handlers = {
            "dialog": self._dialog,
            "console": lambda said: self.wrong.append(f"{said.type}: {said.text}"),
            "pageerror": lambda error: self.wrong.append(str(error)),
            "request": lambda request: self.asked.append(request.url),
            "popup": lambda popup: self.wrong.append(f"popup {popup.url}"),
        }

    def _dialog(self, dialog: Any) -> None:
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, file: Path, text: str) -> None:
        """Load a page from a file, with the network off."""
        file.write_text(text, "utf-8")
        self.page.goto(file.as_uri())
        self.page.wait_for_selector(".tg-root[data-state]")
        assert self.asked == [file.as_uri()]

    def walk(self) -> None:
        """Use the view as a learner would: each key, each tab, each kind of part."""
        page = self.page
        for part in (".tg-row", ".tg-node", ".tg-line", "[data-key]"):
            for found in page.locator(f"{part}:visible").all()[:3]:
                if (box := found.bounding_box()) is not None:
                    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 5)
                found.dispatch_event("click")
        for select in page.locator("select:visible").all():
            for value in select.locator("option").evaluate_all(
                "o => o.map(x => x.value)"
            ):
                select.select_option(value)
        tabs = page.locator(".tg-tab:not([hidden])").count()
        for _ in range(max(1, tabs)):
            page.focus(".tg-root")
            for key in KEYS:
                page.keyboard.press(key)
            for box in page.locator(".tg-chartbox:visible").all():
                box.focus()
                for key in ("ArrowRight", "ArrowRight", "Enter"):
                    page.keyboard.press(key)
            page.focus(".tg-root")
            page.keyboard.press("v")
        page.focus(".tg-root")
        page.keyboard.press("/")
        page.keyboard.type("<img")
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")

    def has_only_drawn(self, address: str) -> None:
        """Nothing has happened that is not drawing."""
        assert self.wrong == []
        assert self.asked == [address]
        assert self.page.url == address
        root = self.page.locator(".tg-root")
        assert root.locator("img, script, iframe, object, embed, a, link").count() == 0
        styles = root.evaluate(STYLES)
        assert [style for style in styles if "url" in style or "evil" in style] == []
        assert self.page.evaluate("Object.keys(Object.prototype)") == []


KEYS = [
    *("End", "ArrowLeft", "ArrowDown", "]", "[", "g", "Enter", "Escape"),
    *("e", "c", "f", "?", "Escape", "End"),
]
STYLES = (
    "root => [...root.querySelectorAll('[style]')].map((e) => e.getAttribute('style'))"
)


@pytest.fixture
def strict(page: Page) -> Iterator[Strict]:
    strict = Strict(page)
    with listening(page, strict.handlers):
        yield strict


def poisoned(value: Any, hint: Any) -> Any:
    """A part of a log in which each text that may be any is followed by evil."""
    origin = get_origin(hint)
    if is_typeddict(hint):
        fields = fields_of(hint)
        return {name: poisoned(part, fields[name].type) for name, part in value.items()}
    if origin is list:
        return [poisoned(part, get_args(hint)[0]) for part in value]
    if origin is dict:
        inner = get_args(hint)[1]
        return {f"{key}{EVIL}": poisoned(part, inner) for key, part in value.items()}
    is_word = origin is Literal or not isinstance(value, str)
    return value if is_word else value + EVIL


def all_evil(log: Log) -> Log:
    """The log with evil in every name, source, message and attribute."""
    events = [poisoned(event, EVENTS[event["kind"]]) for event in log["events"]]
    for event in events:
        if "image" in event.get("value", {}):
            del event["value"]["image"], event["value"]["image_size"]
    return validate({**log, "title": log["title"] + EVIL, "events": events})


@pytest.fixture(scope="module")
def logs(things: dict[str, Log]) -> dict[str, Log]:
    """The log of each thing that is shown, and of all that a trace may hold."""
    batch = np.ones((2, 1), "float32")
    traced = FOUR_LINES + RUN + DIAMOND + "tg.matmul(tg.ones([2, 3]), y)"
    return {"trace": record(traced, batch=batch).log, **things}


@pytest.mark.parametrize("kind", ["trace", *shown.CELLS])
def test_evil_names_are_drawn_and_nothing_else_happens(
    strict: Strict, logs: dict[str, Log], tmp_path: Path, kind: str
) -> None:
    file = tmp_path / "page.html"
    log = all_evil(logs[kind])
    strict.open(file, page_of(log))
    assert strict.page.title().startswith(f"{logs[kind]['title']}<img src=x onerror")
    strict.walk()
    strict.has_only_drawn(file.as_uri())
    assert "onerror" in strict.page.locator(".tg-root").inner_text()


def absurd(value: Any, hint: Any, large: bool) -> Any:
    """A part of a log whose numbers are as large, or as small, as they may be."""
    origin = get_origin(hint)
    if is_typeddict(hint):
        fields = fields_of(hint)
        return {
            name: part if name == "seq" else absurd(part, fields[name].type, large)
            for name, part in value.items()
        }
    if origin is list:
        return [absurd(part, get_args(hint)[0], large) for part in value]
    if origin is dict:
        return {k: absurd(part, get_args(hint)[1], large) for k, part in value.items()}
    if origin is Annotated:
        return 2**53 - 1 if large else 0
    is_float = hint is float or (isinstance(value, float) and value is not None)
    return (1e308 if large else -1e308) if is_float else value


@pytest.mark.parametrize("large", [True, pytest.param(False, marks=pytest.mark.full)])
@pytest.mark.parametrize("kind", ["trace", "plan", "profile", "monitor", "report"])
def test_absurd_numbers_are_drawn(
    strict: Strict, logs: dict[str, Log], tmp_path: Path, kind: str, large: bool
) -> None:
    file = tmp_path / "page.html"
    events = [absurd(e, EVENTS[e["kind"]], large) for e in logs[kind]["events"]]
    strict.open(file, page_of(validate({**logs[kind], "events": events})))
    strict.walk()
    strict.has_only_drawn(file.as_uri())
    height = strict.page.evaluate("document.documentElement.scrollHeight")
    assert height < 10_000


# JupyterLab's own style reaches a graph, a table, a chart and a text the same way.
SOME = ["program", "tensor", "report", "monitor"]


@pytest.mark.parametrize(
    "kinds", [SOME, pytest.param([*shown.CELLS], marks=pytest.mark.full)], ids=len
)
def test_each_thing_that_is_shown_in_a_notebook_is_for_everybody(
    lab: Lab, notebook: Callable[[str], Notebook], kinds: list[str]
) -> None:
    cells = [shown.CELLS[kind] for kind in kinds]
    first = f"%load_ext teachgraph\n{shown.SET_UP}"
    write_notebook(lab.folder / "everything.ipynb", [first, *cells])
    lab_page = notebook("everything.ipynb")
    lab_page.run_all()
    for index, kind in enumerate(kinds, 1):
        lab_page.wait_for_end(index)
        cell = lab_page.cell(index)
        cell.scroll_into_view_if_needed()
        view = cell.locator(".tg-root").last
        expect(view).to_have_attribute("data-state", "done")
        view.evaluate("(view, kind) => view.setAttribute('data-kind', kind)", kind)
        within = f".tg-root[data-kind={kind}]"
        assert shoot.violations(lab_page.page, within) == [], kind
    assert lab_page.requests == []
