"""Writes the golden programs anew, from the real Paddle 2.6.2: see `make oracle`.

    python -m tests.static.paddle_programs.capture             all of them
    python -m tests.static.paddle_programs.capture mlp chain   these

Run it at the root of the repository, in an environment where `paddle` is installed and
`teachgraph` need not be.
Each program is built in a process of its own, so that Paddle's process-wide counters
(name scopes, py_func's numbers) start from 0, and run once for its values.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.oracle.steady import before, steady
from tests.static.paddle_programs.describe import AGREEMENT, captured
from tests.static.paddle_programs.differences import WRONG_VALUES
from tests.static.paddle_programs.programs import PROGRAMS

HERE = Path(__file__).parent
VERSION = "2.6.2"


def golden(name: str) -> Any:
    """What Paddle builds for one program, and what it computes."""
    import paddle

    paddle.enable_static()
    found = captured(paddle, PROGRAMS[name])
    if name in WRONG_VALUES:
        found["values"] = {}  # memory that nobody wrote
    return found


def lines(value: Any, depth: int) -> Iterator[str]:
    """JSON with a line for each thing `depth` levels down."""
    if depth == 0 or not isinstance(value, (dict, list)) or not value:
        yield json.dumps(value)
        return
    keys: list[str] = [""] * len(value)
    if isinstance(value, dict):
        keys = [f"{json.dumps(key)}: " for key in value]
        value = list(value.values())
    yield "[" if keys[0] == "" else "{"
    for at, (key, item) in enumerate(zip(keys, value, strict=True)):
        inner = list(lines(item, depth - 1))
        inner[0] = key + inner[0]
        inner[-1] += "," * (at < len(value) - 1)
        yield from (f" {line}" for line in inner)
    yield "]" if keys[0] == "" else "}"


def main() -> None:
    """Write every golden file."""
    os.environ["GLOG_minloglevel"] = "2"  # noqa: SIM112  glog's own spelling
    import paddle

    if paddle.__version__ != VERSION:
        sys.exit(
            f"the programs are those of Paddle {VERSION}, not {paddle.__version__}"
        )
    with get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        wanted = sys.argv[1:] or list(PROGRAMS)
        found = dict(zip(wanted, pool.map(golden, wanted, chunksize=1), strict=True))
        pool.close()
        pool.join()
    for path in HERE.glob("*.json"):
        if path.stem not in PROGRAMS:
            path.unlink()
    for name, program in found.items():
        path = HERE / f"{name}.json"
        kept = steady(program, before(path), **AGREEMENT)
        text = "\n".join(lines(kept, 4)) + "\n"
        path.write_text(text, "utf-8")
    print(f"{len(found)} programs of Paddle {VERSION}")


if __name__ == "__main__":
    main()
