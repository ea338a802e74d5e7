"""`teachgraph bench bert`: one sentence, a thousand times, in several ways."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from teachgraph.cli.bert_ways import SIZES, Prediction, agreement, ways
from teachgraph.cli.predict import positive
from teachgraph.cli.progress import Bar
from teachgraph.cli.refusing import in_a_line

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_arguments", "run"]

ABOUT = """\
Measure how long a BERT classifier takes to predict one sentence, again and again:
dynamic, op by op; ONNX, exported and run by ONNX Runtime; static, saved and loaded.

  teachgraph bench bert --size tiny
  teachgraph bench bert --size base --times 20
"""

TIMES = {"tiny": 1000, "mini": 1000, "base": 100}
LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What libraries ask, when they are loaded, for how many threads they may have."""

ROUNDS = 20
"""The ways take turns in so many rounds, so that whatever else runs hits all alike."""


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


@in_a_line("bench")
def run(args: argparse.Namespace) -> int:
    """Measure, and print the table.

    Returns:
        0, or 2 if it cannot be done.
    """
    limits = dict.fromkeys(LIMITS, str(args.threads))
    if any(os.environ.get(name) != most for name, most in limits.items()):
        again = [sys.executable, "-m", "teachgraph", *sys.argv[1:]]
        return subprocess.run(again, env=os.environ | limits, check=False).returncode
    times = args.times or TIMES[args.size]
    found = ways(args.size, args.length, args.threads)
    able = {name: way for name, way in found.items() if way is not None}
    difference = agreement(able)
    clock = time.process_time if args.cpu else time.perf_counter
    seconds = measured(able, times, clock)
    print(f"BERT {args.size}, one sentence of {args.length} words, {times} times")
    print("\n".join(table({name: seconds.get(name) for name in found}, times)))
    print(f"largest difference between the answers: {difference:.1e}")
    return 0


def measured(
    able: Mapping[str, Prediction], times: int, clock: Callable[[], float]
) -> dict[str, float]:
    """The seconds that each way takes for so many predictions."""
    seconds = dict.fromkeys(able, 0.0)
    bar = Bar("bench", times * len(able))
    for index in range(ROUNDS):
        count = times * (index + 1) // ROUNDS - times * index // ROUNDS
        for name, predict in able.items():
            start = clock()
            for _ in range(count):
                predict()
            seconds[name] += clock() - start
            bar.update(count)
    bar.close()
    return seconds


def table(seconds: Mapping[str, float | None], times: int) -> list[str]:
    r"""A line for each way, with how much faster it is than the first.

    >>> print("\n".join(table({"dynamic": 2.0, "ONNX": None, "static": 0.5}, 1000)))
    way          total         once  beside dynamic
    dynamic     2.00 s     2.000 ms           1.00x
    ONNX        not installed
    static      0.50 s     0.500 ms           4.00x
    """
    first, *_ = (taken for taken in seconds.values() if taken is not None)
    lines = [f"{'way':8}{'total':>10}{'once':>13}{'beside dynamic':>16}"]
    for name, taken in seconds.items():
        if taken is None:
            lines.append(f"{name:8}    not installed")
            continue
        once, ratio = taken / times * 1e3, first / taken
        lines.append(f"{name:8}{taken:8.2f} s{once:10.3f} ms{ratio:15.2f}x")
    return lines
