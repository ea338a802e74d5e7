"""Commands that count as tests: `--beside COMMAND` and `--after COMMAND`.

Tests wait for browsers and kernels; meanwhile a processor is free for the checks that
are no Python tests. What needs the processors for itself comes after them. The
output of one that fails is shown, like that of any test.
"""

from __future__ import annotations

import shlex
import subprocess
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--beside",
        action="append",
        default=[],
        metavar="COMMAND",
        help="run this command beside the tests, one such after the other",
    )
    parser.addoption(
        "--after",
        action="append",
        default=[],
        metavar="COMMAND",
        help="run this command alone, when all tests have run",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Start the commands before the first test and report them after the last."""
    config = session.config
    of_a_worker = hasattr(config, "workerinput")
    idle = of_a_worker or config.option.collectonly
    commands = [] if idle else config.option.beside
    with ThreadPoolExecutor(1) as pool:
        reports = [pool.submit(report_of, command) for command in commands]
        result = yield
        for report in reports:
            config.hook.pytest_runtest_logreport(report=report.result())
    for command in [] if idle else config.option.after:
        config.hook.pytest_runtest_logreport(report=report_of(command))
    return result


def report_of(command: str) -> pytest.TestReport:
    """Run a command to its end and report it as a test of its name."""
    started = time.time()
    done = subprocess.run(
        shlex.split(command),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    ended = time.time()
    return pytest.TestReport(
        nodeid=command,
        location=(command, None, command),
        keywords={},
        outcome="failed" if done.returncode else "passed",
        longrepr=done.stdout if done.returncode else None,
        when="call",
        start=started,
        stop=ended,
        duration=ended - started,
    )
