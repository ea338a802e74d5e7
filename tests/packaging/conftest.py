"""The distribution, built once from what git knows, and empty venvs to try it in."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from docs.archives import unpack
from tests.effort import FULL
from tests.packaging.commands import ROOT, Venv, known_to_git, run


@pytest.fixture
def venv(tmp_path: Path) -> Venv:
    folder = tmp_path / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=tmp_path)
    return Venv(folder)


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project without anything that was built or installed.

    `make test` spares it the front end's packages: a link to those of `make setup`.
    """
    folder = tmp_path_factory.mktemp("checkout")
    for name in known_to_git():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    installed = ROOT / "widgets" / "node_modules"
    if installed.is_dir() and not FULL:
        (folder / "widgets" / "node_modules").symlink_to(installed)
    return folder


@pytest.fixture(scope="session")
def sdist(checkout: Path) -> Path:
    """The unpacked sdist: its making built the front end."""
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", cwd=checkout)
    (archive,) = (checkout / "dist").glob("*.tar.gz")
    unpack(archive, checkout / "unpacked")
    (folder,) = (checkout / "unpacked").iterdir()
    return folder


@pytest.fixture(scope="session")
def wheel(sdist: Path) -> Path:
    """The wheel, made from the sdist as an installer would."""
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", cwd=sdist)
    (archive,) = (sdist / "dist").glob("*.whl")
    return archive
