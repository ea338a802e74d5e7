"""What was left out is said at the end, and with --complete it is a failure.

Every test starts in the mode of somebody who has just imported the package.
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Generator
from unittest import mock

import pytest

from teachgraph.course import mine

pytest_plugins = ["tests.beside", "tests.minutes", "tests.unchosen", "tests.workers"]

collect_ignore_glob = ["oracle/models/*.py", "course/classroom/in_nbgrader.py"]
"""They ask libraries that are not installed here."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what is collected out of the garbage collector's way: it stays."""
    gc.disable()
    try:
        # Asked for fixtures, it would read all lessons to say that it has none.
        with mock.patch.object(mine, "shown", [mine.Shown([], {}, "en")]):
            return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Keep what is left of a file's tests out of its way too: reports and caches.

    In the end a million objects are left, which each collection would look through.
    """
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()


def pytest_configure() -> None:
    """A shell that runs tests in the background has Ctrl-C ignored, also by children.

    Some tests send it to children, which are to hear it as a user's would.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--complete", action="store_true", help="fail if a test is skipped"
    )


def left_out(config: pytest.Config) -> list[pytest.TestReport]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return reporter.stats.get("skipped", []) if reporter else []


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if config.getoption("complete", False) and left_out(config):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if not left_out(config):
        return
    terminalreporter.section("left out")
    for report in left_out(config):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        terminalreporter.line(f"{report.nodeid}: {reason}")
    if config.getoption("complete", False):
        terminalreporter.line("Nothing may be left out here.", red=True)
