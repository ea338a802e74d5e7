"""The command line: `teachgraph` and `python -m teachgraph`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version

__all__ = ["main", "parser"]

ABOUT = """\
A deep-learning framework to read, and to watch while it works.

  teachgraph course start 00        begin the course, as a notebook
  teachgraph trace script.py        run a script and draw what each line did
  teachgraph predict model          predict with a saved model
  teachgraph show model             show a saved model
  teachgraph bench bert             dynamic, ONNX and static, side by side
  teachgraph launch script.py       run it as trainers and servers, on Ray
"""


def parser() -> argparse.ArgumentParser:
    """Build the parser of all commands."""
    # `import teachgraph` imports this package, but few programs run a command.
    from teachgraph.cli import bench, launch, predict, show
    from teachgraph.course import command as course

    top = argparse.ArgumentParser(
        prog="teachgraph",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument(
        "--version", action="version", version=f"teachgraph {version('teachgraph')}"
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    trace = import_module("teachgraph_widgets.command")
    for module in (course, trace, predict, show, bench, launch):
        module.add_arguments(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code."""
    try:
        args = parser().parse_args(arguments)
        run: Callable[[argparse.Namespace], int] = args.run
        code = run(args)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # `teachgraph course mine | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141  # as of a program that SIGPIPE ends
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
