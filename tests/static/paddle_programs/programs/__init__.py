"""The programs that are compared with Paddle's, written once for both.

A module here is a family. Each function takes the module, the real `paddle` or
`teachgraph`, builds what it builds into the default programs, and returns Variables,
(parameter, gradient) pairs or programs.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tests.static.paddle_programs.programs.program import PROGRAMS

__all__ = ["PROGRAMS"]

for path in sorted(Path(__file__).parent.glob("*.py")):
    if path.stem != "__init__":
        import_module(f"{__name__}.{path.stem}")
