"""`teachgraph bench bert`: predict one sentence many times by several backends."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from teachgraph.cli.bert_backends import (
    SIZES,
    Prediction,
    classifier,
    of_classifier,
    saved,
    spread,
    words_of,
)
from teachgraph.cli.matmul_floor import floors
from teachgraph.cli.predict import positive
from teachgraph.cli.progress import Bar
from teachgraph.cli.short_errors import short_errors
from teachgraph.cli.torch_process import TorchProcess, python_with_torch

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_arguments", "run"]

Timer = Callable[[int], float]
"""Returns the seconds that a number of predictions takes."""

ABOUT = """\
Measure how long a BERT classifier takes to predict one sentence, again and again:
dynamic, op by op; ONNX, exported and run by ONNX Runtime; static, saved, loaded and run
by its plan; predictor, as `teachgraph.inference` runs it if nobody says how, which is
ONNX Runtime with a program that passes have rewritten, or else the plan. PyTorch runs
op by op.

  teachgraph bench bert --size tiny
  teachgraph bench bert --size base --times 20
"""

TIMES = {"tiny": 1000, "mini": 1000, "base": 100}
LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables that libraries read once, when they are loaded, for their threads."""

ROUNDS = 20
"""The backends take turns in rounds, so that other load hits all alike; the fastest
round of each counts."""


def add_arguments(subparsers: Subparsers) -> None:
    """Add `bench` to the command line that `subparsers` belongs to."""
    about = "Measure a BERT classifier: dynamic, ONNX and static."
    parser = subparsers.add_parser(
        "bench",
        help=about,
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("network", choices=["bert"])
    parser.add_argument("--size", choices=list(SIZES), default="tiny")
    parser.add_argument("--times", type=positive, metavar="N", help=f"default: {TIMES}")
    parser.add_argument(
        "--length", type=positive, default=32, metavar="N", help="words (default: 32)"
    )
    parser.add_argument(
        "--cpu", action="store_true", help="count CPU time, where the machine is busy"
    )
    parser.add_argument(
        "--threads", type=positive, default=1, metavar="N", help="of each (default: 1)"
    )
    parser.set_defaults(run=run)


@short_errors("bench")
def run(args: argparse.Namespace) -> int:
    """Measure, and print the table.

    Returns:
        0, or 2 if it cannot be done.
    """
    # The libraries are loaded already: only another process can have other threads.
    limits = dict.fromkeys(LIMITS, str(args.threads))
    if any(os.environ.get(name) != most for name, most in limits.items()):
        again = [sys.executable, "-m", "teachgraph", *sys.argv[1:]]
        return subprocess.run(again, env=os.environ | limits, check=False).returncode
    times = args.times or TIMES[args.size]
    clock = "process_time" if args.cpu else "perf_counter"
    net, words = classifier(args.size), words_of(args.length)
    with saved(net, args.length) as path:
        every, least = of_classifier(net, path, words, args.threads), floors(path)
    able = {name: predict for name, predict in every.items() if predict is not None}
    timers = {name: timer(predict, clock) for name, predict in able.items()}
    timers |= {of_products(name): timer(run, clock) for name, run in least.items()}
    answers = [predict() for predict in able.values()]
    with ExitStack() as running:
        if (python := python_with_torch()) is not None:
            torch = TorchProcess(python, net, words, args.threads, clock)
            timers["PyTorch"] = running.enter_context(torch).seconds
            answers.append(torch.answer)
        rounds = measured(timers, times)
    print(f"BERT {args.size}, one sentence of {args.length} words, {times} times")
    print("\n".join(table({n: rounds.get(n) for n in [*every, "PyTorch"]}, times)))
    bare = ", ".join(
        f"{fastest_round(rounds[of_products(n)]):.3f} ms of {n}" for n in least
    )
    print(f"matrix products alone, in NumPy: {bare}")
    print(f"largest difference between the answers: {spread(answers):.1e}")
    return 0


def of_products(name: str) -> str:
    """Return the name of the timer of a backend's matrix products."""
    return f"products of {name}"


def timer(predict: Prediction, clock: str) -> Timer:
    """Return a function that measures a number of predictions.

    One more comes first, as another backend has had the caches before.
    """
    now: Callable[[], float] = getattr(time, clock)

    def seconds(count: int) -> float:
        predict()
        start = now()
        for _ in range(count):
            predict()
        return now() - start

    return seconds


class Round(NamedTuple):
    """A number of predictions in a row, and their seconds."""

    predictions: int
    seconds: float


def measured(timers: Mapping[str, Timer], times: int) -> dict[str, list[Round]]:
    """Measure the rounds of each backend; they take turns."""
    rounds: dict[str, list[Round]] = {name: [] for name in timers}
    bar = Bar("bench", times * len(timers))
    for index in range(ROUNDS):
        count = times * (index + 1) // ROUNDS - times * index // ROUNDS
        for name, seconds in timers.items() if count else ():
            rounds[name].append(Round(count, seconds(count)))
            bar.update(count)
    bar.close()
    return rounds


def fastest_round(rounds: Sequence[Round]) -> float:
    """Return the milliseconds of a prediction, in the fastest round."""
    return min(seconds / count for count, seconds in rounds) * 1e3


def table(by_backend: Mapping[str, Sequence[Round] | None], times: int) -> list[str]:
    r"""Write a line for each backend, with its speed relative to the first.

    >>> rounds = {"dynamic": [Round(500, 1.2), Round(500, 1.0)], "ONNX": None}
    >>> rounds["static"] = [Round(500, 0.3), Round(500, 0.25)]
    >>> print("\n".join(table(rounds, 1000)))
    way            total         once  beside dynamic
    dynamic      2.200 s     2.000 ms           1.00x
    ONNX          not installed
    static       0.550 s     0.500 ms           4.00x
    """
    first, *_ = (
        fastest_round(rounds) for rounds in by_backend.values() if rounds is not None
    )
    lines = [f"{'way':10}{'total':>10}{'once':>13}{'beside dynamic':>16}"]
    for name, rounds in by_backend.items():
        if rounds is None:
            lines.append(f"{name:10}    not installed")
            continue
        total, fastest = sum(seconds for _, seconds in rounds), fastest_round(rounds)
        ratio = first / fastest
        lines.append(f"{name:10}{total:8.3f} s{fastest:10.3f} ms{ratio:15.2f}x")
    return lines
