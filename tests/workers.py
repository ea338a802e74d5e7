"""Workers that run tests side by side do once what each of them would do again.

`make test` starts several at the same time, gives each an equal share of the tests in
their order, and who has nothing left takes half of what another has, from its end.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

COSTLY = "lab", "browser", "wheel", "graded"
"""Fixtures that take seconds to make; a file counts as the first's that it uses."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import all tests in a worker, each worker from another file onwards.

    Whoever imports a file first rewrites its asserts and compiles it for all: in the
    same order each worker would do so with every file.
    """
    config = session.config
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args_source is not config.ArgsSource.TESTPATHS:
        return
    files = sorted(Path(__file__).parent.rglob("test_*.py"))
    number = int(worker["workerid"].removeprefix("gw"))
    first = len(files) * number // worker["workercount"]
    for file in files[first:] + files[:first]:
        name = ".".join(file.relative_to(config.rootpath).with_suffix("").parts)
        # Collecting the file tells what is wrong with it.
        with suppress(Exception, pytest.skip.Exception):
            import_module(name)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Begin shares with the files that use what is costly, where nobody takes them."""
    workers = getattr(config, "workerinput", {"workercount": 1})["workercount"]
    if workers > 1:
        items[:] = in_shares(items, workers)


def in_shares(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The tests in an order that has each costly fixture's at the head of a share."""
    fixtures: dict[Path, set[str]] = defaultdict(set)
    for item in items:
        fixtures[item.path].update(getattr(item, "fixturenames", ()))
    heads: dict[str, list[pytest.Item]] = {name: [] for name in ("", *COSTLY)}
    for item in items:
        used = (name for name in COSTLY if name in fixtures[item.path])
        heads[next(used, "")].append(item)
    ordered = heads.pop("")
    for number, head in enumerate(heads.values()):
        place = number % workers * (len(items) // workers)
        ordered[place:place] = head
    return ordered
