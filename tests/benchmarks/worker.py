"""One contender in a process of its own: makes steps and times rounds when told to.

python -m tests.benchmarks.worker teachgraph static perf_counter 2

It says whose steps, which way, by which clock and with how many threads.

Each line that comes in is a command. The name of a family makes its step; `round` times
a round, and the answer is the seconds of a step in it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import TextIO

from tests.benchmarks import families

Step = Callable[[], object]

ROUND = 0.05
"""How many seconds a round takes, at least."""


def step_of(library: str, way: str, threads: int, name: str) -> Step:
    if library == "torch":
        from tests.benchmarks import torch_steps

        torch_steps.torch.set_num_threads(threads)
        return torch_steps.STEPS[name]()
    make: Callable[..., Step] = getattr(families, way)
    return make(import_module(library), name)


def seconds(step: Step, clock: Callable[[], float]) -> float:
    """What a step takes, in as many as fill a round; one goes before to warm up."""
    step()
    count, start = 0, clock()
    while (past := clock() - start) < ROUND:
        step()
        count += 1
    return past / count


def answer(
    commands: TextIO, answers: TextIO, library: str, way: str, clock: str, threads: str
) -> None:
    step: Step = list
    for command in commands:
        if command == "round\n":
            print(seconds(step, getattr(time, clock)), file=answers, flush=True)
        else:
            step = step_of(library, way, int(threads), command.rstrip("\n"))
            print("ready", file=answers, flush=True)


if __name__ == "__main__":
    pipe = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints is no answer
    answer(sys.stdin, pipe, *sys.argv[1:])
