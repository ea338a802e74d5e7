"""Paddle's way to start a script on many processes: an alias of `teachgraph launch`.

python -m teachgraph.distributed.launch --server_num 1 --trainer_num 2 script.py
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from teachgraph.cli import main

__all__ = ["launch", "translated"]

PROGRAM = "python -m teachgraph.distributed.launch"


def parser() -> argparse.ArgumentParser:
    """Build the parser of those of Paddle's options that mean something here."""
    paddle = argparse.ArgumentParser(
        prog=PROGRAM,
        allow_abbrev=False,
        epilog="`teachgraph launch --help` has others, also for more than one machine.",
    )
    add = paddle.add_argument
    add("--nproc_per_node", "--trainer_num", "--worker_num", type=int, dest="trainers")
    add("--devices", "--gpus", default="", help="their number is that of trainers")
    add("--server_num", type=int, default=0, dest="servers")
    add("--max_restart", type=int, default=3, dest="restarts")
    add("training_script")
    add("training_script_args", nargs=argparse.REMAINDER)
    return paddle


def translated(arguments: Sequence[str]) -> list[str]:
    """Translate Paddle's options into those of `teachgraph launch`.

    >>> translated(["--server_num=1", "--trainer_num", "2", "train.py", "--lr", "0.1"])
    ['--trainers=2', '--servers=1', '--restarts=3', 'train.py', '--', '--lr', '0.1']
    >>> translated(["--gpus", "0,1,2", "train.py"])
    ['--trainers=3', '--servers=0', '--restarts=3', 'train.py', '--']
    """
    args = parser().parse_args(arguments)
    devices = len(args.devices.split(",")) if args.devices else 1
    trainers = devices if args.trainers is None else args.trainers
    many = f"--trainers={trainers}", f"--servers={args.servers}"
    script = args.training_script, "--", *args.training_script_args
    return [*many, f"--restarts={args.restarts}", *script]


def launch() -> None:
    """Run the script that the command line names, and exit.

    In Paddle this is `paddle.distributed.launch`.

    Raises:
        SystemExit: Always, with the command's exit code.
    """
    sys.exit(main(["launch", *translated(sys.argv[1:])]))
