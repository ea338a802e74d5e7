"""The lock pins all that is asked for, by content, and says nothing of where from."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
NPM_LOCK = (ROOT / "widgets" / "package-lock.json").read_text("utf-8")
PINS = [Requirement(line.rstrip(" \\")) for line in re.findall(r"(?m)^\w.*", LOCK)]


def asked_for() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = list(project["project"]["dependencies"])
    for extra in project["project"]["optional-dependencies"].values():
        wanted += extra
    for group in project["dependency-groups"].values():
        wanted += group
    return [Requirement(line) for line in wanted]


@pytest.mark.parametrize("wanted", asked_for(), ids=lambda wanted: wanted.name)
def test_what_pyproject_asks_for_is_pinned_as_it_asks(wanted: Requirement) -> None:
    name = canonicalize_name(wanted.name)
    pins = [pin for pin in PINS if canonicalize_name(pin.name) == name]
    assert pins, f"{name} is not in the lock: run `make lock`"
    for pin in pins:
        (version,) = (one.version for one in pin.specifier if one.operator == "==")
        assert wanted.specifier.contains(version), f"{pin} is old: run `make lock`"


def test_every_pin_is_of_one_version_and_carries_hashes() -> None:
    blocks = re.split(r"(?m)^(?=\w)", LOCK)[1:]
    assert len(blocks) == len(PINS)
    for block in blocks:
        head, *hashes = block.rstrip().split(" \\\n")
        assert re.match(r"[\w.-]+==[\w.]+( ; .+)?$", head), head
        assert hashes, head
        for line in hashes:
            assert re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}", line), head


def test_the_locks_name_no_host() -> None:
    assert "://" not in LOCK
    packages = json.loads(NPM_LOCK)["packages"]
    assert not [name for name, package in packages.items() if "resolved" in package]
    assert not (ROOT / "uv.lock").exists()
