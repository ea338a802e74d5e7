"""How a static step compares with our eager one, with Paddle's static and PyTorch's.

python -m tests.benchmarks.peers --json times.json mlp bert

Each contender has a process of its own, told to run one round after the other in turn,
so that what else the machine does hits all alike; of each the fastest round counts.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

ROOT = Path(__file__).parents[2]
OURS = "ours, static"


class Family(NamedTuple):
    """A row: what is timed, and the most that static may take of each rival's time."""

    about: str
    bars: Mapping[str, float] = {}


EAGER, PADDLE, TORCH = "ours, eager", "Paddle, static", "PyTorch, eager"
PEERS = {PADDLE: 1.0, TORCH: 1.0}
TWICE = {EAGER: 0.5}

FAMILIES = {
    "mlp": Family("784-100-10, batch 256: a training step", PEERS),
    "policy": Family("4-128-2, batch 32: a training step", PEERS),
    "lenet": Family("batch 64: a training step"),
    "resnet18": Family("2 pictures of 64x64: a training step"),
    "lstm": Family("32 steps of 128, batch 16: a training step", PEERS),
    "lstm cells": Family("32 steps of a cell, batch 1: a pass", TWICE),
    "transformer": Family("a layer, 8 texts of 32: a training step"),
    "transformer b1": Family("a layer, 1 text of 32: a pass", TWICE),
    "bert": Family("BERT-tiny, 1 text of 32: a pass", {**TWICE, **PEERS}),
}


def contenders() -> dict[str, list[str]]:
    """The command of each contender whose library is installed."""
    paddle, torch = (
        os.environ.get(f"{name.upper()}_PYTHON", f"{ROOT}/.cache/{name}/bin/python")
        for name in ("paddle", "torch")
    )
    found = {
        OURS: [sys.executable, "teachgraph", "static"],
        EAGER: [sys.executable, "teachgraph", "eager"],
        PADDLE: [paddle, "paddle", "static"],
        TORCH: [torch, "torch", "eager"],
    }
    return {name: asked for name, asked in found.items() if Path(asked[0]).exists()}


class Contender:
    """A process that times steps; see `worker`.

    Args:
        command: The Python, the library, the way, the clock and the threads.
    """

    def __init__(self, command: Sequence[str]) -> None:
        python, library, way, clock, threads = command
        most = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), threads)
        self.told = TemporaryFile("w+")  # noqa: SIM115  closed when the process ends
        self.process = subprocess.Popen(
            [python, "-m", "tests.benchmarks.worker", library, way, clock, threads],
            cwd=ROOT,
            env={**os.environ, **most, "GLOG_minloglevel": "2"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.told,
            text=True,
        )

    def ask(self, command: str) -> str:
        """Its answer.

        Raises:
            RuntimeError: It ended instead.
        """
        print(command, file=pipe(self.process.stdin), flush=True)
        answer = pipe(self.process.stdout).readline()
        if not answer:
            self.told.seek(0)
            raise RuntimeError(f"no answer to {command!r}:\n{self.told.read()}")
        return answer.rstrip("\n")

    def end(self) -> None:
        """Let it go."""
        pipe(self.process.stdin).close()
        self.process.wait()
        self.told.close()


def pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def measured(
    commands: Mapping[str, Sequence[str]], family: str, rounds: int
) -> dict[str, float]:
    """The seconds of a step of each contender, in its fastest round."""
    times = dict.fromkeys(commands, math.inf)
    running = {name: Contender(asked) for name, asked in commands.items()}
    try:
        for contender in running.values():
            contender.ask(family)
        for _ in range(rounds):
            for name, contender in running.items():
                times[name] = min(times[name], float(contender.ask("round")))
    finally:
        for contender in running.values():
            contender.end()
    return times


def row(family: str, times: Mapping[str, float], rivals: Iterable[str]) -> list[str]:
    """A line: our time, and its ratio to each rival's, with the verdict."""
    cells = [family, f"{times[OURS] * 1e3:.3f} ms"]
    for rival in rivals:
        ratio = times[OURS] / times[rival]
        bar = FAMILIES[family].bars.get(rival)
        cells.append(f"{ratio:.2f}" + ("" if bar is None else verdict(ratio, bar)))
    return [*cells, FAMILIES[family].about]


def verdict(ratio: float, bar: float) -> str:
    return f" (<= {bar}: {'pass' if ratio <= bar else 'miss'})"


def table(found: Mapping[str, Mapping[str, float]]) -> str:
    """The ratios, a line a family, the columns as wide as they must be."""
    rivals = [name for name in next(iter(found.values())) if name != OURS]
    lines = [["static against", "time", *rivals, ""]]
    lines += [row(family, times, rivals) for family, times in found.items()]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", help=", ".join(FAMILIES))
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", default="2", help="of each contender")
    parser.add_argument(
        "--cpu", action="store_true", help="count CPU time, where the machine is busy"
    )
    parser.add_argument("--only-ours", action="store_true", help="ask no other library")
    parser.add_argument("--json", type=Path, help="where to write the seconds")
    asked: Any = parser.parse_args(arguments)
    if unknown := set(asked.families) - set(FAMILIES):
        parser.error(f"no family is called {unknown}; there are {', '.join(FAMILIES)}")
    commands = contenders()
    if asked.only_ours:
        commands = {name: commands[name] for name in (OURS, EAGER)}
    how = ["process_time" if asked.cpu else "perf_counter", asked.threads]
    commands = {name: [*command, *how] for name, command in commands.items()}
    found = {
        family: measured(commands, family, asked.rounds)
        for family in asked.families or FAMILIES
    }
    print(table(found))
    if asked.json is not None:
        asked.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
