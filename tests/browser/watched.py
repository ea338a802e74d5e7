"""A browser page that remembers what it complained of and whom it asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import nbformat
from playwright.sync_api import ConsoleMessage, Locator, Page, Request, expect

from tests.browser.lab import Lab

IDLE = r"""() => {
  const bar = document.querySelector("#jp-main-statusbar, .jp-StatusBar-Widget");
  return /\(ipykernel\) \| Idle/.test(bar?.textContent ?? "");
}"""


# What any page asked of other hosts: a figure of the bars.
REMOTE: list[str] = []


@contextmanager
def listening(
    page: Page, handlers: Mapping[str, Callable[..., None]]
) -> Iterator[None]:
    """Hears what happens on a page that other tests use too."""
    for event, handler in handlers.items():
        page.on(event, handler)
    yield
    for event, handler in handlers.items():
        page.remove_listener(event, handler)


class Show(Protocol):
    """Shows a fixture by its name, in a theme and a width."""

    def __call__(self, name: str, theme: str = ..., width: int = ...) -> Page: ...


class Watched:
    """A page, and all that must not happen on it.

    Attributes:
        page: Playwright's page.
        errors: What the console said in earnest, and what nobody caught.
        asked: All addresses that were asked for.
        requests: What was asked of other hosts than the page's own.

    Args:
        page: Playwright's page.
        elsewhere: What the page that holds our views asks for: parts of addresses.
    """

    def __init__(self, page: Page, elsewhere: Sequence[str] = ()) -> None:
        self.page, self.elsewhere = page, elsewhere
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.requests: list[str] = []
        self.handlers = {
            "console": self._console,
            "pageerror": lambda error: self.errors.append(str(error)),
            "request": self._request,
        }

    def listening(self) -> AbstractContextManager[None]:
        """Collects errors and requests while the block runs."""
        return listening(self.page, self.handlers)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _request(self, request: Request) -> None:
        self.asked.append(request.url)
        address = urlsplit(request.url)
        remote = address.scheme in ("http", "https", "ws", "wss")
        hosts = any(part in request.url for part in self.elsewhere)
        if remote and address.hostname != "127.0.0.1" and not hosts:
            self.requests.append(request.url)
            REMOTE.append(request.url)

    @property
    def views(self) -> Locator:
        """The live views on the page."""
        return self.page.locator(".tg-root")

    def rows(self, view: Locator) -> list[tuple[str, str, int]]:
        """A view's rows: program's role, name and line, top to bottom."""
        found: list[dict[str, str]] = view.locator(".tg-row").evaluate_all(
            "rows => rows.map((row) => ({ ...row.dataset }))"
        )
        return [(row["program"], row["name"], int(row["line"])) for row in found]


IS_READY = "'jupyterapp' in globalThis && !document.querySelector('.jp-Dialog')"
# They answer nothing: what JupyterLab's own functions answer holds all of it.
CLOSE = """() => {
  for (const one of [...jupyterapp.shell.widgets("main")]) one.dispose();
}"""
OPEN = """async (path) => {
  await jupyterapp.commands.execute("docmanager:open", { path });
}"""


class Notebook(Watched):
    """A notebook in JupyterLab."""

    def __init__(self, page: Page, lab: Lab, name: str) -> None:
        super().__init__(page)
        self.lab, self.name = lab, name

    def open(self) -> None:
        """Load JupyterLab with it, as who reloads the page, and wait for its kernel."""
        self.page.goto(self.lab.page_of(self.name))
        self.wait_until_idle()

    def open_here(self) -> None:
        """Open it in the JupyterLab that is there; to load that takes ten seconds."""
        if self.page.evaluate(IS_READY):
            self.page.evaluate(OPEN, self.name)
            self.wait_until_idle()
        else:
            self.open()

    def close(self) -> None:
        """Close it, saved or not; its kernel goes on."""
        self.page.evaluate(CLOSE)
        expect(self.page.locator(".jp-Notebook")).to_have_count(0)

    def wait_until_idle(self) -> None:
        """Wait until it is there and its kernel is idle."""
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        # The tool bar says "idle" before there is a kernel; the status bar does not.
        self.page.wait_for_function(IDLE)

    def menu(self, bar: str, *path: str) -> None:
        """Choose from a menu."""
        self.page.get_by_role("menuitem", name=bar, exact=True).click()
        for name in path:
            self.choose(name)

    def choose(self, name: str) -> None:
        """Choose from the menu that is open."""
        label = self.page.locator(".lm-Menu-itemLabel")
        label.filter(has_text=re.compile(rf"^{re.escape(name)}$")).click()

    def run_all(self) -> None:
        """Start every cell, one after the other."""
        self.menu("Run", "Run All Cells")

    def cell(self, index: int) -> Locator:
        """A code cell."""
        return self.page.locator(".jp-CodeCell").nth(index)

    def wait_for_end(self, index: int) -> None:
        """Wait until a code cell has run: its prompt has a number."""
        prompt = self.cell(index).locator(".jp-InputArea-prompt")
        # All cells before it run first, on a busy machine for more than a minute.
        prompt.filter(has_text=re.compile(r"\[\d+\]:")).wait_for(timeout=180_000)

    def is_running(self, index: int) -> bool:
        """Whether a code cell has been started and has not ended."""
        prompt = self.cell(index).locator(".jp-InputArea-prompt")
        return "[*]" in (prompt.text_content() or "")  # it may be scrolled out of sight

    def wait_until_saved(self) -> None:
        """Wait until the file holds what is on the page."""
        self.page.wait_for_function(
            "!document.querySelector('.jp-DocumentSearch-overlay') && "
            "document.querySelector('.jp-mod-dirty') === null"
        )

    def set_theme(self, theme: str) -> None:
        """Choose JupyterLab's light or dark theme."""
        self.menu("Settings", "Theme", f"JupyterLab {theme}")
        light = json.dumps(theme == "Light")
        self.page.wait_for_function(f"document.body.dataset.jpThemeLight === '{light}'")
        expect(self.page.locator("#jupyterlab-splash")).to_have_count(0)


class Notebook7(Notebook):
    """A notebook in Notebook 7: the same parts, in a page with other bars."""

    def open(self) -> None:
        """Load it and wait until its kernel is idle."""
        self.page.goto(self.lab.notebook_7(self.name))
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        # It says "idle" before there is a kernel, and has no status bar.
        while not self.lab.has_joined(self.name):
            self.page.wait_for_timeout(100)
        self.page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]")
        self.errors.clear()  # what it says of its own settings


def write_notebook(path: Path, cells: Sequence[str]) -> None:
    """Write a notebook of code cells."""
    notebook: Any = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)"}
        },
    )
    nbformat.write(notebook, path)
