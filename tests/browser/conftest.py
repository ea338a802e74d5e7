"""One JupyterLab and one Chromium for all browser tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.bars import note
from tests.browser.lab import Gate, Lab, running
from tests.browser.watched import REMOTE, Notebook

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update"),
    "--disable-sync",
]
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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()
    note("requests", len(REMOTE), 0)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1400, "height": 1000})
    made.set_default_timeout(MILLISECONDS)
    yield made
    made.close()


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


@pytest.fixture
def notebook(lab: Lab, context: BrowserContext) -> Iterator[Callable[[str], Notebook]]:
    """Opens a notebook of the lab's folder; its kernel ends with the test."""
    opened: list[Notebook] = []

    def open_notebook(name: str) -> Notebook:
        found = Notebook(context.new_page(), lab, name)
        opened.append(found)
        found.open()
        return found

    yield open_notebook
    for found in opened:
        lab.shut_down(found.name)
