"""Time training steps of real models against PyTorch's or Paddle's, with their bars.

python -m tests.benchmarks.models --threads 1 --cpu --seconds 6 mobilenet "lstm b32"

Two processes take turns, one for each library, and the fastest round of each counts.
On an idle machine the whole table takes four minutes; on a busy one `--cpu` counts CPU
time instead of the clock's.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tests.benchmarks.peers import EAGER, TORCH, Contender, contenders, verdict

PADDLE_EAGER = "Paddle, eager"


class Model(NamedTuple):
    """A row: the most that our step may take of the rival's time."""

    about: str
    bar: float
    rival: str = TORCH


MODELS = {
    "resnet18 b8": Model("ResNet18, 96 px, batch 8", 1.4),
    "vgg": Model("VGG-like, 64 px, batch 8", 1.2),
    "lenet": Model("LeNet, batch 64", 1.2),
    "mobilenet": Model("MobileNetV2, 96 px, batch 8", 2.5),
    "lstm b32": Model("LSTM, 32 steps of 128, batch 32", 1.0),
    "layer": Model("Transformer layer, 16 x 32 x 64", 0.9),
    "cartpole": Model("CartPole policy, 32 choices and an update", 0.6),
    "policy": Model("4-128-2, batch 32", 0.6),
    "element loop": Model("linear regression by an element loop", 1.0, PADDLE_EAGER),
}


def commands() -> dict[str, list[str]]:
    """The command of each contender whose library is installed."""
    static = contenders()
    eager = {name: static[name] for name in (EAGER, TORCH) if name in static}
    if (paddle := static.get("Paddle, static")) is not None:
        eager[PADDLE_EAGER] = [*paddle[:2], "eager"]
    return eager


def measured(
    asked: Sequence[Sequence[str]], family: str, seconds: float
) -> Iterator[float]:
    """Yield the seconds of a step of each contender, in its fastest round."""
    running = [Contender(command) for command in asked]
    fastest = [math.inf] * len(running)
    try:
        for contender in running:
            contender.ask(family)
        rounds, end = 0, time.monotonic() + seconds
        while rounds < 4 or time.monotonic() < end:
            for which, contender in enumerate(running):
                took = float(contender.ask("round"))
                fastest[which] = min(fastest[which], took)
            rounds += 1
    finally:
        for contender in running:
            contender.end()
    yield from fastest


def line(name: str, threads: int, ours: float, theirs: float) -> str:
    """A row of the table."""
    model, ratio = MODELS[name], ours / theirs
    return (
        f"{model.about:42} {threads:>7} {ours * 1e3:9.2f} {theirs * 1e3:9.2f}  "
        f"{ratio:.2f}{verdict(ratio, model.bar)}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help=", ".join(MODELS))
    parser.add_argument("--seconds", type=float, default=10, help="for each figure")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--cpu", action="store_true", help="count CPU time")
    asked: Any = parser.parse_args(arguments)
    clock = "process_time" if asked.cpu else "perf_counter"
    here = commands()
    if unknown := set(asked.models) - set(MODELS):
        parser.error(f"no model is called {unknown}; there are {', '.join(MODELS)}")
    print(f"{'a training step':42} threads   ours ms  rival ms  ratio")
    for name in asked.models or MODELS:
        rival = MODELS[name].rival
        if rival not in here:
            print(f"{MODELS[name].about:42} {rival} is not installed")
            continue
        for threads in asked.threads:
            both = [[*here[side], clock, str(threads)] for side in (EAGER, rival)]
            print(line(name, threads, *measured(both, name, asked.seconds)), flush=True)


if __name__ == "__main__":
    main()
