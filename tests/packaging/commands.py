"""Running commands as a user does, in the checkout or in an empty venv."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


def environment(**more: str) -> dict[str, str]:
    """This process's own, without what a `make` above it tells the `make`s below."""
    return {key: os.environ[key] for key in os.environ if "MAKE" not in key} | more


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """What `command` prints; AssertionError, with all it said, if it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment() if env is None else env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}{done.stderr}"
    return done.stdout


def known_to_git() -> list[str]:
    """The project's files: what is committed or could be."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = run(*listing, cwd=ROOT).splitlines()
    return [name for name in names if (ROOT / name).is_file()]


@dataclass(frozen=True)
class Venv:
    """A venv with Python and nothing else, in which only its own programs are found."""

    folder: Path

    def uv(self, action: str, *words: str | Path) -> str:
        """Let uv act on this venv from outside, as there is no pip inside."""
        pip: list[str | Path] = ["-m", "uv", "pip", action, "--python", self.folder]
        return run(sys.executable, *pip, *words, cwd=self.folder)

    def install(self, what: str) -> None:
        """Install `what`, its dependencies in the versions the lock pins."""
        self.uv("install", "--constraint", ROOT / "requirements.lock", what)

    def installed(self) -> set[str]:
        """The names of the distributions that are installed."""
        lines = self.uv("freeze").splitlines()
        return {line.split()[0].split("==")[0] for line in lines}

    def run(self, program: str, *words: str | Path, cwd: Path) -> str:
        """What one of the venv's programs prints."""
        programs = self.folder / "bin"
        alone = {"PATH": str(programs), "HOME": str(cwd)}
        return run(programs / program, *words, cwd=cwd, env=alone)
