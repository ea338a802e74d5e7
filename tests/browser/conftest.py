"""One JupyterLab, one Chromium and two pages for all browser tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)
from teachgraph_widgets.events import Log

from tests.bars import note
from tests.browser import shown
from tests.browser.lab import Gate, Lab, running
from tests.browser.watched import (
    REMOTE,
    Notebook,
    Show,
    Watched,
    listening,
    write_notebook,
)
from widgets.dev import shoot

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update"),
    "--disable-sync",
]
VIEWPORT: ViewportSize = {"width": 1400, "height": 1000}
ARTEFACTS = Path(__file__).parents[1] / "artefacts"
MILLISECONDS = 60_000
expect.set_options(timeout=MILLISECONDS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="there is no chromium here"))


# Playwright's loop runs as long as its browser: no other package's tests may see it.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()
    note("requests", len(REMOTE), 0)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A context of the test's own."""
    made = new_context(browser)
    yield made
    made.close()


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    made = browser.new_context(viewport=VIEWPORT, **options)
    made.set_default_timeout(MILLISECONDS)
    return made


@pytest.fixture(scope="package")
def offline_page(browser: Browser) -> Iterator[Page]:
    """One page for all that is read from files: each new one is a process."""
    context = new_context(browser, offline=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def page(offline_page: Page) -> Page:
    """The page, blank, as if it were new."""
    offline_page.goto("about:blank")
    offline_page.set_viewport_size(VIEWPORT)
    offline_page.emulate_media(
        color_scheme="light", forced_colors="none", reduced_motion="no-preference"
    )
    offline_page.mouse.move(0, 0)
    return offline_page


@pytest.fixture
def offline(page: Page) -> Iterator[Watched]:
    """The page, with what it complained of and whom it asked."""
    watched = Watched(page)
    with watched.listening():
        yield watched


@pytest.fixture(scope="package")
def html() -> Path:
    """The page that shows a fixture."""
    return shoot.build()


@pytest.fixture
def show(page: Page, html: Path) -> Iterator[Show]:
    """Shows a fixture by its name; whatever nobody caught fails the test."""
    errors: list[str] = []

    def open_log(name: str, theme: str = "light", width: int = 932) -> Page:
        shoot.show_log(page, html, name, width, theme)
        return page

    with listening(page, {"pageerror": lambda error: errors.append(str(error))}):
        yield open_log
    assert errors == []


@pytest.fixture(scope="package")
def things(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Log]:
    """The log of each thing that is shown."""
    return shown.logs(tmp_path_factory.mktemp("shown"))


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder, home = (tmp_path_factory.mktemp(name) for name in ("notebooks", "home"))
    with running(folder, home) as lab:
        yield lab


@pytest.fixture
def gate(lab: Lab) -> Iterator[Gate]:
    made = Gate(lab.folder)
    yield made
    made.path.unlink()


@pytest.fixture
def artefacts() -> Path:
    ARTEFACTS.mkdir(exist_ok=True)
    return ARTEFACTS


@pytest.fixture(scope="package")
def lab_page(browser: Browser, lab: Lab) -> Iterator[Page]:
    """A page that shows JupyterLab, and stays on it."""
    context = new_context(browser)
    page = context.new_page()
    write_notebook(lab.folder / "first.ipynb", [""])
    first = Notebook(page, lab, "first.ipynb")
    first.open()
    leave(first)
    yield page
    context.close()


@pytest.fixture
def notebook(lab: Lab, lab_page: Page) -> Iterator[Callable[[str], Notebook]]:
    """Opens a notebook of the lab's folder; its kernel ends with the test."""
    opened: list[Notebook] = []

    with ExitStack() as stack:

        def open_notebook(name: str) -> Notebook:
            found = Notebook(lab_page, lab, name)
            stack.enter_context(found.listening())
            opened.append(found)
            found.open_here()
            return found

        yield open_notebook
        for found in opened:
            leave(found)


def leave(notebook: Notebook) -> None:
    """Close a notebook and end its kernel."""
    notebook.close()
    notebook.lab.shut_down(notebook.name)
